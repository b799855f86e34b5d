// `rattleback run`: integrates, and writes what was asked for.
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "common.hpp"
#include "methods/bind.hpp"
#include "progress.hpp"
#include "rattleback/write.hpp"
#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/layout.hpp"
#include "report/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

Arguments declare() {
  Arguments a("run", "Integrates a system and audits what was kept.",
              "rattleback run chaplygin-sleigh --method spark-gauss --stages 2 --step 0.05 --output sleigh.csv");
  a.system();
  a.value("--method", "NAME",
          "default: the model's, else spark-lobatto-ab (dae: srk-gauss, odae: euler-true, skew-gradient: dg-gonzalez, "
          "port-hamiltonian: collocation-gauss)");
  a.value("--stages", "S", "default: the model's, else the method's");
  a.value("--step", "H",
          "the fixed step; negative integrates backwards. Default: the model's. With --adaptive: the first");
  a.value("--until", "T", "end time. If it is not a multiple of H, a shorter last step ends on it");
  a.value("--steps", "N", "instead of --until: exactly so many steps");
  add_method_options(a);
  a.value("--tableau", "FILE.toml", "your own Runge-Kutta coefficients instead of --method");
  add_model_options(a);
  a.value("--alpha", "A", "weight of the reaction at the start, for the euler methods. Default: 0.5");
  a.value("--rtol", "R", "relative tolerance, for ode, index1 and baumgarte");
  a.value("--atol", "A", "absolute tolerance, for ode, index1 and baumgarte");
  a.value("--adaptive", "TOL", "chooses the steps so that the error of each is about TOL, relative");
  a.value("--controller", "pi|reversible",
          "of --adaptive: pi for general use (the default), reversible for long runs with symmetric methods");
  a.values("--event", "EXPR", "locates where this expression is zero: --event x --event \"y' - 0.1\"");
  a.value("--gain", "G", "rate at which baumgarte lets constraint errors decay, in 1/time. Default: 10");
  a.value("--redundant", "refuse|minimum-norm",
          "what to do with constraints that follow from the others. Default: refuse");
  a.value("--every", "K", "records every K-th step. Default: all, thinned beyond 10^6 or 200 MB");
  a.value("--output-every", "DT", "instead: records at the multiples of DT, between the steps");
  a.value("--audit", "reverse,order,power",
          "also integrates back, repeats with h/2 and h/4 (not with --adaptive), or compares the energy change of "
          "each step with the work of forces and reactions");
  a.value("--output", "FILE.csv|FILE.h5", "writes the trajectory");
  add_plot_option(a, "draws the motion, the energy error and the residuals over time");
  a.value("--checkpoint", "FILE", "saves the state now and then while the run goes on");
  a.flag("--resume", "continues from the checkpoint, with the same bits");
  a.flag("--json", "prints one JSON object instead of sentences");
  a.value("--native", "auto|on|off", "steps as compiled machine code; auto, the default: when the run is long");
  a.value("--report", "FILE.html", "writes a page with the model, the audit, plots and an animation");
  return a;
}

Options read_options(Arguments& a) {
  Options options;
  options.method = a.text("--method").value_or("");
  if (a.has("--method") && options.method.empty()) a.fault("--method has no name; `rattleback methods` lists them");
  check_method(a, options.method);
  if (const auto stages = a.whole("--stages", 1))
    options.stages = static_cast<int>(std::min<std::int64_t>(*stages, std::numeric_limits<int>::max()));
  options.step = a.nonzero("--step").value_or(0.0);
  options.until = a.number("--until");
  options.steps = a.whole("--steps", 0);
  if (a.has("--until") && a.has("--steps")) a.fault("--until and --steps both say where to stop; give one of them");
  read_method_options(a, options);
  options.tableau = a.text("--tableau").value_or("");
  if (a.has("--tableau") && options.tableau.empty()) a.fault("--tableau needs the name of a file");
  options.alpha = a.number("--alpha").value_or(options.alpha);
  options.rtol = a.number("--rtol").value_or(options.rtol);
  options.atol = a.number("--atol").value_or(options.atol);
  options.adaptive = a.nonzero("--adaptive").value_or(0.0);
  options.controller = a.text("--controller").value_or("");
  if (a.has("--controller") && options.controller.empty()) a.fault("--controller takes pi or reversible, found ''");
  options.event = a.texts("--event");
  options.gain = a.number("--gain");
  options.redundant = a.text("--redundant").value_or("");
  if (a.has("--redundant") && options.redundant.empty()) a.fault("--redundant takes refuse or minimum-norm, found ''");
  options.every = a.whole("--every", 1).value_or(0);
  options.output_every = a.nonzero("--output-every").value_or(0.0);
  for (const std::string& audit : a.list("--audit")) {
    if (audit == "reverse")
      options.audit_reverse = true;
    else if (audit == "order")
      options.audit_order = true;
    else if (audit == "power")
      options.audit_power = true;
    else
      a.fault(fmt::format("--audit takes reverse, order and power, found '{}'", audit));
  }
  options.checkpoint = a.text("--checkpoint").value_or("");
  options.resume = a.has("--resume");
  options.native = a.text("--native").value_or("");
  if (a.has("--native") && options.native.empty()) a.fault("--native takes auto, on or off, found ''");
  a.faults(options.validate());
  return options;
}

// A file that is read and one that is written must not be the same.
void check_files(Arguments& a, const std::string& system, const Options& options, const std::string& output,
                 const std::string& plot, const std::string& page) {
  if (a.has("--output")) a.collect([&] { check_output_path(output); });
  if (a.has("--checkpoint")) a.collect([&] { report::check_place(options.checkpoint, "checkpoint"); });
  const auto same = [](const std::string& x, const std::string& y) {
    if (x.empty() || y.empty()) return false;
    std::error_code error;
    const auto place = [&](const std::string& path) {
      return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    return place(x) == place(y) && !error;
  };
  if (same(output, options.checkpoint)) a.fault("--output and --checkpoint name the same file; give two names");
  if (same(page, options.checkpoint)) a.fault("--report and --checkpoint name the same file; give two names");
  if (same(plot, options.checkpoint)) a.fault("--plot and --checkpoint name the same file; give two names");
  if (same(options.checkpoint, system)) a.fault("--checkpoint would overwrite the model file; give another name");
  if (same(options.checkpoint, options.tableau))
    a.fault("--checkpoint would overwrite the tableau file; give another name");
}

// A tolerance that is not used would give a false sense of safety.
void check_tolerances(const Arguments& a, const Model& model, const Options& options) {
  const std::string chosen = options.method.empty() ? model.run.method.value_or("") : options.method;
  if (a.has("--alpha") && model.kind != Kind::odae &&
      (!options.tableau.empty() || chosen.empty() || !find_method(chosen).odae))
    throw Error(
        "--alpha is for the euler methods of overdetermined systems. Leave it out, or pass --method euler-true");
  for (const char* name : {"--rtol", "--atol"}) {
    if (!a.has(name)) continue;
    const std::string method = options.method.empty() ? model.run.method.value_or("") : options.method;
    if (options.tableau.empty() && !method.empty() && find_method(method).adaptive) continue;
    throw Error(fmt::format(
        "{} is for the adaptive methods ode, index1 and baumgarte; here --step sets the accuracy. Leave it out, or "
        "pass --method ode",
        name));
  }
}

}  // namespace

int run(const Words& words) {
  Arguments a = declare();
  if (!a.parse(words)) return kDone;
  LoadOptions load = model_options(a);
  Options options = read_options(a);
  const std::string output = a.text("--output").value_or("");
  const std::string plot = read_plot_path(a);
  const std::string page = a.text("--report").value_or("");
  if (a.has("--report")) a.collect([&] { report::check_report_path(page); });
  check_files(a, a.system_name(), options, output, plot, page);
  a.refuse_if_faulty();

  const Model model = load_to_run(a.system_name(), load, options);
  check_tolerances(a, model, options);
  ProgressLine progress;
  options.progress = progress.callback();
  const Trajectory trajectory = simulate(model, options);
  progress.clear();

  Files files;
  files.write(
      output,
      fmt::format("Written to {} ({})", output,
                  report::count_text(static_cast<std::int64_t>(trajectory.records.rows), "row")),
      [&] { report::write_trajectory(model, trajectory, report::dump(report::options_json(options, load)), output); });
  files.draw(plot, [&] { return report::figure_of(model, trajectory); });
  files.write(page, fmt::format("Report: {}", page),
              [&] { report::write_text(page, report::run_report(model, trajectory, options, load)); });
  print(a.has("--json") ? report::dump(report::run_json(model, trajectory, &options))
                        : to_text(model, trajectory) + files.text());
  files.finish();
  if (trajectory.status == Status::done) return kDone;
  fmt::print(stderr, "{}\n", trajectory.message);
  return kStoppedEarly;
}

}  // namespace rattleback::cli
