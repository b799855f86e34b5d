// `rattleback run`: integrates, and writes what was asked for.
#include <fmt/format.h>

#include "answer.hpp"
#include "bind/applies.hpp"
#include "common.hpp"
#include "files/replace.hpp"
#include "model/kind_facts.hpp"
#include "option/run_table.hpp"
#include "output/figures.hpp"
#include "output/json.hpp"
#include "output/write.hpp"
#include "progress.hpp"
#include "rattleback/write.hpp"
#include "report/html.hpp"
#include "run/plot_columns.hpp"
#include "signals.hpp"
#include "text/quantities.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

// A file that is read and one that is written must not be the same.
void check_files(Arguments& a, const std::string& system, const Options& options, const std::string& output,
                 const std::string& plot, const std::string& page) {
  if (a.has("--output")) a.collect([&] { check_output_path(output); });
  if (!options.checkpoint.empty()) a.collect([&] { files::check_place(options.checkpoint, "checkpoint"); });
  check_different(a, "--output", output, "--plot", plot);
  check_different(a, "--output", output, "--report", page);
  check_different(a, "--plot", plot, "--report", page);
  check_different(a, "--output", output, "--checkpoint", options.checkpoint);
  check_different(a, "--report", page, "--checkpoint", options.checkpoint);
  check_different(a, "--plot", plot, "--checkpoint", options.checkpoint);
  if (same_file(options.checkpoint, system)) a.fault("--checkpoint would overwrite the model file; give another name");
  if (same_file(options.checkpoint, options.tableau))
    a.fault("--checkpoint would overwrite the tableau file; give another name");
}

}  // namespace

Arguments declare_run() {
  Arguments a("run", "Integrates a system and audits what was kept.",
              "rattleback run chaplygin-sleigh --method spark-gauss --stages 2 --step 0.05 --output sleigh.csv");
  a.system();
  add_options(a, Place::run);
  add_model_options(a);
  a.value("--output", "FILE.csv|FILE.h5", "writes the trajectory");
  add_plot_option(a, "draws the motion, the energy error and the residuals over time");
  a.flag("--json", "prints one JSON object instead of sentences");
  a.value("--report", "FILE.html", "writes a page with the model, the audit, plots and an animation");
  return a;
}

int run(const Words& words) {
  Arguments a = declare_run();
  if (!a.parse(words)) return kDone;
  LoadOptions load = model_options(a);
  Options options;
  read_options(a, Place::run, options);
  const std::string output = a.text("--output").value_or("");
  const std::string plot = read_plot_path(a);
  const std::string page = a.text("--report").value_or("");
  if (a.has("--report")) a.collect([&] { report::check_report_path(page); });
  if (a.has("--plot-columns") && !a.has("--plot"))
    a.fault("--plot-columns needs --plot FILE: the figure that has them");
  a.collect([&] { (void)plotted_panels(options); });
  check_files(a, a.system_name(), options, output, plot, page);
  a.refuse_if_faulty();

  const Model model = load_to_run(a.system_name(), load, options, Place::run);
  check_keep(a, model);
  ProgressLine progress;
  options.progress = progress.callback();
  options.warn = [&](const std::string& text) {
    progress.clear();
    note("warning: " + text);
  };
  begin_computing();
  Trajectory trajectory = simulate(model, options);
  progress.clear();
  trajectory.message = with_signal(trajectory.message);

  Files files;
  files.write(
      output,
      fmt::format("Written to {} ({})", output, count_text(static_cast<std::int64_t>(trajectory.records.rows), "row")),
      [&] { report::write_trajectory(model, trajectory, report::dump(report::options_json(options, load)), output); });
  files.draw(plot, [&] { return report::figure_of(model, trajectory, options); });
  files.write(page, fmt::format("Report: {}", page),
              [&] { files::write_text(page, report::run_report(model, trajectory, options, load)); });
  if (!trajectory.checkpoint_fault.empty())
    files.fail(trajectory.checkpoint_fault + ". The run itself was not affected");
  const int status = files.conclude(
      [&] {
        return a.has("--json") ? report::dump(report::run_json(model, trajectory, &options))
                               : to_text(model, trajectory) + files.text();
      },
      exit_status(trajectory.status));
  if (trajectory.status != Status::done) say(trajectory.message);
  return status;
}

}  // namespace rattleback::cli
