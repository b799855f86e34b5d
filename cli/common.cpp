#include "common.hpp"

#include <limits>

#include <fmt/format.h>

#include "plot/svg.hpp"
#include "rattleback/method.hpp"
#include "report/figures.hpp"
#include "report/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

void add_model_options(Arguments& arguments) {
  arguments.values("--set", "NAME=VALUE",
                   "changes a parameter of the model; VALUE may be an expression: --set g=9.81/6");
  arguments.values("--start", "NAME=VALUE", "changes an initial value: --start theta=0.2 --start \"theta'=1\"");
}

LoadOptions model_options(Arguments& arguments) {
  LoadOptions options;
  options.set = arguments.assignments("--set");
  options.start = arguments.assignments("--start");
  return options;
}

void add_method_options(Arguments& arguments) {
  arguments.value("--formulation", "index3|index2|ggl",
                  "how holonomic constraints are taken: position level at the stages, velocity level, or both");
  arguments.value("--multiplier", "acceleration|recursion",
                  "reported multipliers: consistent ones, or those of prk-murua's own recursion");
  arguments.flag("--project", "moves an inconsistent start to the nearest consistent one instead of refusing it");
  arguments.value("--compose", "2|4|6|8", "symmetric composition of the method to this order");
  arguments.value("--newton-tol", "X", "relative size of the last Newton correction; 0, the default: to rounding");
  arguments.value("--newton", "simplified",
                  "solves all equations of a step together with one matrix, as plain codes do; shows what loose "
                  "tolerances cost");
}

void read_method_options(Arguments& arguments, Options& options) {
  options.formulation = arguments.text("--formulation").value_or("");
  if (arguments.has("--formulation") && options.formulation.empty())
    arguments.fault("--formulation takes index3, index2 or ggl, found ''");
  options.multiplier = arguments.text("--multiplier").value_or("");
  options.project = arguments.has("--project");
  if (const auto compose = arguments.whole("--compose", 2))
    options.compose = static_cast<int>(std::min<std::int64_t>(*compose, std::numeric_limits<int>::max()));
  options.newton_tol = arguments.number("--newton-tol").value_or(options.newton_tol);
  options.newton = arguments.text("--newton").value_or("");
  if (arguments.has("--newton") && options.newton.empty()) arguments.fault("--newton takes simplified, found ''");
}

void add_special_options(Arguments& arguments) {
  arguments.value("--alpha", "A", "weight of the reaction at the start, for the euler methods. Default: 0.5");
  arguments.value("--rtol", "R", "relative tolerance, for ode, index1 and baumgarte");
  arguments.value("--atol", "A", "absolute tolerance, for ode, index1 and baumgarte");
  arguments.value("--gain", "G", "rate at which baumgarte lets constraint errors decay, in 1/time. Default: 10");
  arguments.value("--redundant", "refuse|minimum-norm",
                  "what to do with constraints that follow from the others. Default: refuse");
}

void read_special_options(Arguments& arguments, Options& options) {
  options.alpha = arguments.number("--alpha").value_or(options.alpha);
  options.rtol = arguments.number("--rtol").value_or(options.rtol);
  options.atol = arguments.number("--atol").value_or(options.atol);
  options.gain = arguments.number("--gain");
  options.redundant = arguments.text("--redundant").value_or("");
}

void add_plot_option(Arguments& arguments, const std::string& what) { arguments.value("--plot", "FILE.svg", what); }

std::string read_plot_path(Arguments& arguments) {
  std::string path = arguments.text("--plot").value_or("");
  if (arguments.has("--plot")) arguments.collect([&] { report::check_figure_path(path); });
  return path;
}

void Files::write(const std::string& path, const std::string& said, const std::function<void()>& write_it) {
  if (path.empty()) return;
  try {
    write_it();
    text_ += fmt::format("\n{}\n", said);
  } catch (const Error& error) {
    if (!failed_.empty()) failed_ += '\n';
    failed_ += error.what();
  }
}

void Files::draw(const std::string& path, const std::function<plot::Figure()>& figure) {
  write(path, fmt::format("Drawn in {}", path), [&] { report::write_text(path, plot::to_svg(figure())); });
}

void Files::finish() const {
  if (!failed_.empty()) throw OutputFailed{failed_};
}

void check_method(Arguments& arguments, const std::string& name) {
  if (!name.empty()) arguments.collect([&] { find_method(name); });
}

}  // namespace rattleback::cli
