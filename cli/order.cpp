// `rattleback order`: error against step size, and the slope that is the observed order.
#include <algorithm>

#include <fmt/format.h>

#include "common.hpp"
#include "plot/svg.hpp"
#include "rattleback/write.hpp"
#include "report/figures.hpp"
#include "report/write.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

// NAME or NAME:S.
void read_methods(Arguments& a, OrderRequest& request) {
  for (const std::string& item : a.list("--methods")) {
    const std::vector<std::string> parts = split(item, ':');
    check_method(a, parts[0]);
    int stages = 0;
    if (parts.size() > 1) {
      const Number s = parse_number(parts[1]);
      if (parts.size() > 2 || !s.fault.empty() || s.value < 1.0 || s.value > 1e6 ||
          s.value != static_cast<int>(s.value))
        a.fault(fmt::format("--methods: '{}' is not of the form NAME or NAME:S with S stages", item));
      else
        stages = static_cast<int>(s.value);
    }
    const std::pair<std::string, int> method{parts[0], stages};
    if (std::ranges::find(request.methods, method) != request.methods.end())
      a.fault(fmt::format("--methods: '{}' is named twice", item));
    request.methods.push_back(method);
  }
  if (!a.has("--methods"))
    a.fault("order needs --methods NAME[:S],... for example --methods spark-gauss:2,spark-lobatto-ab:3");
}

void read_steps(Arguments& a, OrderRequest& request) {
  for (const std::string& item : a.list("--step-list")) {
    const Number h = parse_number(item);
    if (!h.fault.empty())
      a.fault(fmt::format("--step-list: {}", h.fault));
    else if (h.value == 0.0)
      a.fault("--step-list: a step must not be 0");
    else if (std::ranges::find(request.steps, h.value) != request.steps.end())
      a.fault(fmt::format("--step-list: the step {} is named twice", item));
    request.steps.push_back(h.value);
  }
  if (!a.has("--step-list"))
    a.fault("order needs --step-list H1,H2,... for example --step-list 0.1,0.05,0.025");
  else if (request.steps.size() == 1)
    a.fault("--step-list has one step, but a slope needs at least two");
}

// exact, or NAME:S:H.
void read_reference(Arguments& a, OrderRequest& request) {
  request.reference = a.text("--reference").value_or("");
  if (!a.has("--reference") || request.reference == "exact") return;
  const std::vector<std::string> parts = split(request.reference, ':');
  const bool shaped = parts.size() == 3 && parse_number(parts[1]).fault.empty() && parse_number(parts[2]).fault.empty();
  if (!shaped)
    a.fault(fmt::format("--reference takes exact or NAME:S:H, for example spark-gauss:6:0.01, found '{}'",
                        request.reference));
  else
    check_method(a, parts[0]);
}

}  // namespace

int order(const Words& words) {
  Arguments a("order", "Measures the error at the end for several step sizes, and the slope: the observed order.",
              "rattleback order skate --methods spark-gauss:2,spark-lobatto-ab:3 --step-list 0.1,0.05,0.025 --until 2");
  a.system();
  a.value("--methods", "NAME[:S],...", "the methods, each with its number of stages");
  a.value("--step-list", "H1,H2,...", "the steps");
  a.value("--until", "T", "end time. Default: the model's");
  a.value(
      "--reference", "exact|NAME:S:H",
      "the model's exact solution, or another run. Default: exact if the model has one, else a run of higher order");
  add_method_options(a);
  add_model_options(a);
  a.flag("--json", "prints one JSON object instead of a table");
  a.value("--plot", "FILE.svg", "draws error against step size");
  if (!a.parse(words)) return kDone;

  LoadOptions load = model_options(a);
  OrderRequest request;
  if (!a.system_name().empty()) {
    read_methods(a, request);
    read_steps(a, request);
  }
  const auto until = a.nonzero("--until");
  read_reference(a, request);
  read_method_options(a, request.options);
  a.faults(request.options.validate());
  const std::string plot = a.text("--plot").value_or("");
  if (a.has("--plot")) a.collect([&] { report::check_figure_path(plot); });
  a.refuse_if_faulty();

  load.unroll_below = kLargestFamily;  // the solvers work on single coordinates
  const Model model = load_model(a.system_name(), load);
  if (!until && !model.run.until) throw Error(fmt::format("model '{}' has no default end; pass --until T", model.key));
  request.until = until ? *until : *model.run.until;
  const OrderReport report = order_study(model, request);
  if (!plot.empty()) report::write_text(plot, plot::to_svg(report::figure_of(model, report)));
  print(a.has("--json") ? to_json(model, report) : to_text(report));
  return kDone;
}

}  // namespace rattleback::cli
