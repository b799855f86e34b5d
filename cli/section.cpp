// `rattleback section`: Poincare sections.
#include <fmt/format.h>

#include "bind/applies.hpp"
#include "common.hpp"
#include "files/replace.hpp"
#include "members.hpp"
#include "output/ending.hpp"
#include "output/figures.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "text/parts.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

std::vector<std::string> read_axes(Arguments& a) {
  if (!a.has("--axes")) return {};
  std::vector<std::string> axes = parts_outside_brackets(a.text("--axes").value_or(""), ',');
  for (const std::string& axis : axes)
    if (axis.empty()) {
      a.fault("--axes takes expressions with commas between them, for example x,z; there is an empty place");
      break;
    }
  return axes;
}

void check_csv(const std::string& path) {
  files::check_place(path, "output file");
  if (!path.ends_with(".csv"))
    throw Error(fmt::format("output file '{}': a section is written as CSV. Use a name that ends with .csv", path));
}

}  // namespace

Arguments declare_section() {
  Arguments a("section",
              "Poincare sections: the states at which motions cross a surface, each located with the method itself.",
              "rattleback section contact-oscillator --where \"y'\" --direction down --if x --crossings 50 "
              "--vary z0=-1:1:5 --axes x,z");
  a.system();
  a.value("--where", "EXPR", "the surface: where this expression of t, coordinates, velocities and parameters is zero");
  a.value("--direction", "up|down|both", "whether the expression grows or falls there. Default: both");
  a.value("--if", "EXPR", "keeps only crossings at which this expression is positive");
  a.value("--crossings", "N", "so many for each start");
  add_member_options(a, false);
  a.value("--axes", "EXPR,EXPR", "what the table and the CSV file show of each crossing. Default: the state");
  add_run_options(a, Place::section,
                  {{"until", "ends a start even if it has fewer crossings. Default: 10^6 steps without one end it"}});
  a.value("--output", "FILE.csv", "writes the crossings");
  a.flag("--json", "prints one JSON object instead of tables");
  add_plot_option(a, "draws the crossings: the first two of --axes, or of the coordinates");
  return a;
}

int section(const Words& words) {
  Arguments a = declare_section();
  if (!a.parse(words)) return kDone;

  SectionRequest request;
  MemberSource source{a.system_name(), model_options(a)};
  const std::string output = a.text("--output").value_or("");
  if (!a.system_name().empty()) {
    if (!a.has("--where")) a.fault("section needs --where EXPR, the surface, for example --where \"y'\"");
    if (!a.has("--crossings")) a.fault("section needs --crossings N, how many for each start");
  }
  request.where = a.text("--where").value_or("");
  request.condition = a.text("--if").value_or("");
  if (a.has("--if") && request.condition.empty()) a.fault("--if needs an expression, for example --if x");
  if (const auto direction = a.text("--direction")) {
    if (*direction == "up")
      request.direction = Crossing::up;
    else if (*direction == "down")
      request.direction = Crossing::down;
    else if (*direction != "both")
      a.fault(fmt::format("--direction takes up, down or both, found '{}'", *direction));
  }
  request.crossings = a.whole("--crossings", 1).value_or(1);
  request.axes = read_axes(a);
  const MemberOptions members = read_member_options(a, false);
  read_run_options(a, Place::section, request.options, request.threads);
  if (a.has("--output")) a.collect([&] { check_csv(output); });
  const std::string plot = read_plot_path(a);
  a.refuse_if_faulty();

  const Model model = load_to_run(source.system, source.load, request.options, Place::section);
  check_keep(a, model);
  request.starts = make_members(model, members);
  ProgressLine progress;
  request.progress = [&](std::size_t done, std::size_t all) { progress.parts(done, all, "starts"); };
  begin_computing();
  SectionReport report = section(source, request);
  progress.clear();
  report.message = with_signal(report.message);

  Files files;
  files.write(output, fmt::format("Written to {} ({} rows)", output, report.points.size()),
              [&] { write_section(model, request, report, output); });
  files.draw(plot, [&] { return report::figure_of(model, request, report); });
  const report::Ending ending = report::ending_of(report);
  const int status = files.conclude(
      [&] {
        return a.has("--json") ? to_json(model, request, report) : to_text(model, request, report) + files.text();
      },
      exit_status(ending.status));
  if (!ending.message.empty()) say(ending.message);
  return status;
}

}  // namespace rattleback::cli
