// `rattleback compare`: several methods side by side.
#include <fmt/format.h>

#include "common.hpp"
#include "lists.hpp"
#include "output/ending.hpp"
#include "output/figures.hpp"
#include "output/over_time.hpp"
#include "progress.hpp"
#include "rattleback/analysis.hpp"
#include "signals.hpp"
#include "text/parts.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

void read_steps(Arguments& a, CompareRequest& request) {
  if (a.has("--step") && a.has("--step-list")) a.fault("--step and --step-list both name steps; give one of them");
  request.steps = read_step_list(a);
  if (const auto h = a.positive("--step")) request.steps.push_back(*h);
  if (!a.has("--step") && !a.has("--step-list"))
    a.fault("compare needs --step H or --step-list H1,H2,... for example --step-list 0.1,0.05,0.025");
}

report::ValueScale read_over_time(Arguments& a, CompareRequest& request) {
  using report::ValueScale;
  if (a.has("--over-time")) request.over_time = parts_outside_brackets(a.text("--over-time").value_or(""), ',');
  if (!a.has("--over-time"))
    for (const char* of_it : {"--scale", "--every"})
      if (a.has(of_it)) a.fault(fmt::format("{} needs --over-time NAMES: what is looked at on the way", of_it));
  if (!a.has("--scale")) return ValueScale::by_quantity;
  if (!a.has("--plot")) a.fault("--scale needs --plot FILE: the figure whose axes it is about");
  const std::string scale = a.text("--scale").value_or("");
  if (scale != "log" && scale != "linear") a.fault(fmt::format("--scale takes log or linear, found '{}'", scale));
  return scale == "log" ? ValueScale::logarithmic : ValueScale::linear;
}

}  // namespace

Arguments declare_compare() {
  Arguments a(
      "compare",
      "Runs several methods on one system: the error at the end, the largest errors of energy and constraints, "
      "and what it costs.",
      "rattleback compare skate --methods spark-lobatto-ab:3,spark-gauss:2,ode --step-list 0.1,0.05 --until 10");
  a.system();
  a.value("--methods", "NAME[:S],...", "the methods, each with its number of stages");
  a.value("--step", "H", "the step");
  a.value("--step-list", "H1,H2,...", "instead: several steps, for slopes and the time that an error costs");
  a.value("--until", "T", "end time. Default: the model's");
  a.value(
      "--reference", "exact|NAME:S:H",
      "the model's exact solution, or another run. Default: exact if the model has one, else a run of higher order");
  OptionWords words = kTableauBeside;
  words.emplace_back("every", "of --over-time: records every K-th step. Default: all, thinned beyond 10^6 or 200 MB");
  add_options(a, Place::compare, words);
  add_model_options(a);
  a.flag("--json", "prints one JSON object instead of a table");
  a.value("--over-time", "NAMES",
          "also what the runs do on the way: energy (E - E0), position, velocity (residuals of the constraints), and "
          "columns "
          "named as in run's --output-columns");
  a.value(
      "--scale", "log|linear",
      "of the values of --over-time in the figure. Default: log for energy, position and velocity, linear for columns");
  add_plot_option(a, "draws error against step size and against time; with --over-time that, one curve for each run");
  add_table_option(a);
  return a;
}

int compare(const Words& words) {
  Arguments a = declare_compare();
  if (!a.parse(words)) return kDone;

  LoadOptions load = model_options(a);
  CompareRequest request;
  if (!a.system_name().empty()) {
    request.methods = read_methods(a, "compare");
    read_steps(a, request);
  }
  const auto until = a.positive("--until");
  request.reference = read_reference(a);
  read_options(a, Place::compare, request.options);
  const std::string plot = read_plot_path(a), table = read_table_path(a);
  const report::ValueScale scale = read_over_time(a, request);
  a.refuse_if_faulty();

  load.unroll_below = kLargestFamily;  // not all methods take families
  const Model model = load_model(a.system_name(), load);
  check_keep(a, model);
  if (!until && !model.run.until) throw Error(fmt::format("model '{}' has no default end; pass --until T", model.key));
  request.until = until ? *until : *model.run.until;
  ProgressLine progress;
  request.progress = [&](int done, int all) {
    progress.parts(static_cast<std::size_t>(done), static_cast<std::size_t>(all), "runs");
  };
  begin_computing();
  const CompareReport report = compare(model, request);
  progress.clear();
  Files files;
  files.draw(plot, [&] {
    return report.over_time.empty() ? report::figure_of(model, report) : report::over_time_figure(model, report, scale);
  });
  files.write_table(table, [&] { return to_latex(model, report); });
  const report::Ending ending = report::ending_of(report);
  const int status =
      files.conclude([&] { return a.has("--json") ? to_json(model, report) : to_text(model, report) + files.text(); },
                     exit_status(ending.status));
  if (!ending.message.empty()) say(ending.message);
  return status;
}

}  // namespace rattleback::cli
