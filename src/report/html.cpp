#include "report/html.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "files/replace.hpp"
#include "model/kind_facts.hpp"
#include "output/json.hpp"
#include "output/lists.hpp"
#include "output/version.hpp"
#include "rattleback/audit.hpp"
#include "rattleback/error.hpp"
#include "report/html_text.hpp"
#include "report/mathml.hpp"
#include "report/model_html.hpp"
#include "report/page_texts.hpp"
#include "report/report_data.hpp"
#include "text/quantities.hpp"

namespace rattleback::report {
namespace {

class Facts {
 public:
  // `content` is HTML.
  void add(const std::string& name, const std::string& content) {
    if (!content.empty()) rows_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", html(name), content);
  }
  [[nodiscard]] std::string list() const { return "<dl class=\"facts\">\n" + rows_ + "</dl>\n"; }

 private:
  std::string rows_;
};

std::string claim_text(Claim claim) {
  return claim == Claim::yes ? "yes" : claim == Claim::no ? "no" : "under a condition";
}

std::string steps_text(const Trajectory& t) {
  if (t.adaptive)
    return t.steps == 0 ? "none"
                        : fmt::format("{} from {:.3g} to {:.3g}", count_text(t.adaptive->steps, "step"),
                                      t.adaptive->smallest, t.adaptive->largest);
  return fmt::format("{} of {:g}", count_text(t.steps, is_adaptive(t.method) ? "output interval" : "step"), t.step);
}

// What was asked for beyond what the other facts say.
std::string options_text(const Options& options, const LoadOptions& load) {
  Json json = options_json(options, load);
  for (const char* said : {"method", "stages", "step", "steps", "until"}) json.erase(said);
  std::string out;
  const auto add = [&](const std::string& text) {
    out += (out.empty() ? "" : " ") + ("<code>" + html(text) + "</code>");
  };
  for (const auto& [name, value] : json.items()) {
    if (value.is_object())
      for (const auto& [key, inner] : value.items())
        add(fmt::format("--{} {}={}", name, key, inner.is_string() ? inner.get<std::string>() : inner.dump()));
    else if (value.is_array())
      for (const auto& inner : value)
        add(fmt::format("--{} {}", name, inner.is_string() ? inner.get<std::string>() : inner.dump()));
    else if (value.is_boolean())
      add("--" + name);
    else
      add(fmt::format("--{} {}", name, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return out;
}

std::string facts(const Model& model, const Trajectory& t, const Options& options, const LoadOptions& load) {
  Facts f;
  f.add("System", fmt::format("<code>{}</code>, {}, {}", html(model.key), to_string(model.kind),
                              count_text(model.coordinates.size(), facts_of(model).coordinate)));
  f.add("Method", fmt::format("<code>{}</code>{}", html(t.method),
                              t.order > 0 ? fmt::format(", {}", count_text(t.stages, "stage")) : ""));
  if (t.order > 0) f.add("Order", orders_text(t.orders));
  if (is_method(t.method)) {
    const MethodInfo& info = find_method(t.method);
    f.add("Symmetric", claim_text(info.symmetric));
    f.add("Exact energy", claim_text(info.energy));
    f.add("Constraints at the ends of steps", html(info.constraints));
    f.add("The method", html(info.note));
    f.add("Source of the method", html(info.source));
  } else {
    f.add("Claims", "none: coefficients of your own");
  }
  f.add("Holonomic constraints", to_string(t.formulation));
  f.add("Steps", html(steps_text(t)));
  f.add("Reached", fmt::format("t = {}", value_text(t.t)));
  f.add("Options", options_text(options, load));
  f.add("Time taken",
        html(duration_text(t.wall_seconds)) +
            (t.compile_seconds > 0.0 ? fmt::format(", {} of it for compiling", html(duration_text(t.compile_seconds)))
                                     : ""));
  f.add("Written by", fmt::format("rattleback {}", kVersion));
  return f.list();
}

const char* word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "kept";
    case Verdict::note: return "note";
    case Verdict::warning: return "look";
  }
  return "";
}

// The classes of the style sheet are called as the verdicts are.
std::string marked(Verdict verdict, const std::string& text) {
  return fmt::format("<li><span class=\"mark {}\">{}</span><span>{}</span></li>\n", to_string(verdict),
                     word_of(verdict), html(text));
}

// Leads the audit, on top of the page; "" for a run that reached its end.
std::string stopped(const Trajectory& t) {
  if (t.status == Status::done) return {};
  return fmt::format("<li><span class=\"mark warning\">{}</span><span>{}, after {}, at t = {}. {}</span></li>\n",
                     to_string(t.status), t.status == Status::cancelled ? "Cancelled" : "Stopped early",
                     count_text(t.steps, "step"), value_text(t.t), html(t.message));
}

std::string audit(const Model& model, const Trajectory& t) {
  std::string out = "<ul class=\"statements\">\n" + stopped(t);
  for (const Statement& s : audit_statements(model, t)) out += marked(s.verdict, s.text);
  for (const std::string& note : t.notes) out += marked(Verdict::note, note);
  out += "</ul>\n";
  if (t.every > 1) out += fmt::format("<p class=\"small muted\">The audit looks at every {}th step.</p>\n", t.every);
  return out;
}

std::string events(const Model& model, const Trajectory& t) {
  constexpr std::size_t kShown = 200;
  if (t.events.empty()) return {};
  std::string out = fmt::format(
      "<details><summary>{}</summary><div class=\"scroll\"><table><thead><tr><th>event</th><th>direction</th>"
      "<th class=\"number\">t</th>",
      count_text(static_cast<std::int64_t>(t.events.size()), "event"));
  const std::int32_t shown = std::min(model.coordinates.size(), std::int32_t{6});
  for (std::int32_t i = 0; i < shown; ++i) out += "<th class=\"number\">" + html(model.coordinates[i]) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < std::min(t.events.size(), kShown); ++i) {
    const EventFound& e = t.events[i];
    out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td class=\"number\">{:.12g}</td>", html(e.event),
                       passage(e), e.t);
    for (std::size_t k = 0; k < static_cast<std::size_t>(shown) && k < e.q.size(); ++k)
      out += fmt::format("<td class=\"number\">{}</td>", value_text(e.q[k]));
    out += "</tr>\n";
  }
  out += "</tbody></table></div>\n";
  if (t.events.size() > kShown)
    out += fmt::format("<p class=\"small muted\">... and {} more; --json gives all.</p>", t.events.size() - kShown);
  return out + "</details>\n";
}

}  // namespace

void check_report_path(const std::string& path) {
  if (const std::string reason = report_missing(); !reason.empty())
    throw Error(fmt::format("--report is not in this build: {}", reason));
  files::check_place(path, "report");
  if (!path.ends_with(".html"))
    throw Error(fmt::format("report '{}' has an ending that is not known. Reports are written as .html", path));
}

std::string run_report(const Model& model, const Trajectory& t, const Options& options, const LoadOptions& load) {
  const std::string title = model.name.empty() ? model.key : model.name;
  const Json data = report_data(model, t);
  const auto shown = data["rows"].get<std::int64_t>(), recorded = data["recorded"].get<std::int64_t>();
  std::string thinned =
      shown < recorded
          ? fmt::format(
                "Plots show {} of {} records: in each of many equal pieces of the run the first, the last, and the "
                "lowest "
                "and highest of every column, so that no extreme is hidden. <code>--output</code> writes all.",
                shown, recorded)
          : fmt::format("Plots show all {} records.", recorded);
  if (data.contains("window"))
    thinned +=
        " The run is long: coordinates and what belongs to them open on a window in which their oscillations can be "
        "seen, "
        "with every record in it. The strip below each plot is the whole run; click or drag there to look elsewhere.";
  if (const auto left = data["leftOut"].get<std::int64_t>(); left > 0)
    thinned += fmt::format(" Of a system this large the first columns are shown, and {} are not.", left);

  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<meta name=\"generator\" content=\"rattleback {0}\">\n<title>{1}</title>\n<style>\n{2}{3}</style>\n"
             "</head>\n<body>\n<a class=\"skip\" href=\"#audit\">To the audit</a>\n<div class=\"sheet\">\n"
             "<header class=\"top\"><div><h1>{1}</h1>\n<p class=\"lead\">{4}</p></div>\n"
             "<button id=\"theme\" type=\"button\" hidden>Dark</button></header>\n"
             "<nav aria-label=\"sections\"><a href=\"#motion\">Motion</a> <a href=\"#audit\">What was kept</a> "
             "<a href=\"#plots\">Plots</a> <a href=\"#run\">Run</a> <a href=\"#model\">Model</a></nav>\n<main>\n",
             kVersion, html(title), page_css(), report_css(),
             html(fmt::format("{}, {}, to t = {}", t.method, steps_text(t), value_text(t.t)))) +
         // People look before they read: the motion and the verdicts first.
         "<div id=\"top\">\n<section id=\"motion\"><h2>Motion</h2>\n<div id=\"stage\"></div>\n"
         "<noscript><p>Plots and animation need JavaScript; everything else does not.</p></noscript></section>\n"
         "<section id=\"audit\"><h2>What was kept</h2>\n" +
         audit(model, t) + events(model, t) + "</section>\n</div>\n" +
         "<section id=\"plots\"><h2>Plots</h2>\n<p class=\"small muted\" id=\"thinned\">" + thinned +
         "</p>\n<div id=\"charts\"></div></section>\n" + "<section id=\"run\"><h2>The run</h2>\n" +
         facts(model, t, options, load) + "</section>\n" + "<section id=\"model\"><h2>The model</h2>\n" +
         model_html(model, t) + "</section>\n</main>\n" +
         fmt::format(
             "<footer><p>Written by rattleback {}. This page stands alone: it loads nothing from elsewhere.</p>\n"
             "<details><summary>Libraries in this page and their licences</summary><pre>{}</pre></details></footer>\n"
             "</div>\n<script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{}</script>\n"
             "<script>\n{}</script>\n</body>\n</html>\n",
             kVersion, html(report_licences()), script_json(dump(data)), theme_script(), report_script());
}

}  // namespace rattleback::report
