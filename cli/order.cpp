// `rattleback order`: error against step size, and the slope that is the observed order.
#include <fmt/format.h>

#include "common.hpp"
#include "lists.hpp"
#include "output/figures.hpp"
#include "rattleback/write.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

void read_steps(Arguments& a, OrderRequest& request) {
  request.steps = read_step_list(a);
  if (!a.has("--step-list"))
    a.fault("order needs --step-list H1,H2,... for example --step-list 0.1,0.05,0.025");
  else if (request.steps.size() == 1)
    a.fault("--step-list has one step, but a slope needs at least two");
}

}  // namespace

Arguments declare_order() {
  Arguments a("order", "Measures the error at the end for several step sizes, and the slope: the observed order.",
              "rattleback order skate --methods spark-gauss:2,spark-lobatto-ab:3 --step-list 0.1,0.05,0.025 --until 2");
  a.system();
  a.value("--methods", "NAME[:S],...", "the methods, each with its number of stages");
  a.value("--step-list", "H1,H2,...", "the steps");
  a.value("--until", "T", "end time. Default: the model's");
  a.value(
      "--reference", "exact|NAME:S:H",
      "the model's exact solution, or another run. Default: exact if the model has one, else a run of higher order");
  add_options(a, Place::order, kTableauBeside);
  add_model_options(a);
  a.flag("--json", "prints one JSON object instead of a table");
  add_plot_option(a, "draws error against step size");
  add_table_option(a);
  return a;
}

int order(const Words& words) {
  Arguments a = declare_order();
  if (!a.parse(words)) return kDone;

  LoadOptions load = model_options(a);
  OrderRequest request;
  if (!a.system_name().empty()) {
    request.methods = read_methods(a, "order");
    read_steps(a, request);
  }
  const auto until = a.positive("--until");
  request.reference = read_reference(a);
  read_options(a, Place::order, request.options);
  const std::string plot = read_plot_path(a), table = read_table_path(a);
  a.refuse_if_faulty();

  load.unroll_below = kLargestFamily;  // the solvers work on single coordinates
  const Model model = load_model(a.system_name(), load);
  check_keep(a, model);
  if (!until && !model.run.until) throw Error(fmt::format("model '{}' has no default end; pass --until T", model.key));
  request.until = until ? *until : *model.run.until;
  begin_computing();
  const OrderReport report = order_study(model, request);
  Files files;
  files.draw(plot, [&] { return report::figure_of(model, report); });
  files.write_table(table, [&] { return to_latex(report); });
  return files.conclude([&] { return a.has("--json") ? to_json(model, report) : to_text(report) + files.text(); });
}

}  // namespace rattleback::cli
