#include "study/reference.hpp"

#include <cmath>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "option/run_table.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "run/complete.hpp"
#include "run/follow.hpp"
#include "system/start/exact_start.hpp"

namespace rattleback {

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) s += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(s);
}

double size_of(const std::vector<double>& a) { return distance(a, std::vector<double>(a.size(), 0.0)); }

namespace {

// In the order in which they are tried.
std::vector<std::string> high_order_methods(const Model& model) {
  switch (model.kind) {
    case Kind::mechanical: return {"spark-gauss", "prk-lobatto", "spark-lobatto-ab"};  // the latter for position level
    case Kind::odae: return {"euler-true"};
    case Kind::skew_gradient: return {"avf-collocation"};
    case Kind::port_hamiltonian: return {"collocation-gauss"};
    case Kind::dae: break;
  }
  return {"srk-gauss"};
}

}  // namespace

Options end_state_options(Options options, double step, double until) {
  options.step = step;
  options.until = until;
  options.steps.reset();
  options.keep_records = false;
  options.every = 0;
  options.audit_order = options.audit_reverse = options.audit_power = false;
  return options;
}

Reference find_reference(const Model& model, const std::string& asked, double smallest_step, double until,
                         const Options& options, Place place, bool may_be_exact) {
  Reference out;
  const bool computed = asked == "computed";  // although there is [exact]: it has no errors of velocities on their own
  // [exact] belongs to one start: after --start it may be the solution of another problem.
  const auto belongs = [&] { return exact_start_defect(model, model.q0, model.v0) <= kExactStartTolerance; };
  out.exact = asked == "exact" || (asked.empty() && may_be_exact && !model.exact.empty() && belongs());
  if (out.exact) {
    if (model.exact.empty())
      throw Error(fmt::format("model '{}' has no [exact] solution; use --reference NAME:S:H", model.key));
    out.text = "exact";
    return out;
  }
  std::vector<std::string> names = high_order_methods(model);
  const int composed = facts_of(model).compose_references;
  int stages = composed > 0 ? 0 : 8;
  double step = smallest_step;
  if (!asked.empty() && !computed) {
    const auto a = asked.find(':'), b = asked.rfind(':');
    bool good = a != std::string::npos && a != b;
    if (good) {
      try {
        names = {asked.substr(0, a)};
        std::size_t used = 0;
        stages = std::stoi(asked.substr(a + 1, b - a - 1), &used);
        good = used == b - a - 1;
        const std::string h = asked.substr(b + 1);
        step = std::stod(h, &used);
        good = good && used == h.size() && step > 0.0;
      } catch (const std::exception&) {
        good = false;
      }
    }
    if (!good) throw Error(fmt::format("--reference takes 'exact', 'computed' or NAME:S:H, found '{}'", asked));
    if (find_method(names[0]).fixed_stages != 0) stages = 0;
  }
  // What [run] says of its method is no part of a reference.
  Options plain = with_run_table(model, options, place);
  for (const OptionRow& row : option_table())
    if (row.of_method) copy_value(row.field, options, plain);
  plain.compose = asked.empty() || computed ? composed : 0;
  plain.newton_tol = 0.0;
  plain.tableau.clear();
  Trajectory t;
  std::string first_fault;
  for (const std::string& name : names) {
    try {
      plain.method = name;
      plain.stages = stages;
      t = simulate(model, as_taken(model, end_state_options(plain, step, until)), Follower{}).trajectory;
    } catch (const Error& error) {  // this method does not take the system
      if (first_fault.empty()) first_fault = error.what();
      plain.formulation = {};
      continue;
    }
    if (t.status == Status::cancelled) throw Cancelled("cancelled in the run that gives the reference");
    if (t.status != Status::done)
      throw Error(fmt::format("{} with step {:g} did not reach t = {:g}: {}", name, step, until, t.message));
    break;
  }
  if (t.method.empty()) throw Error(first_fault);
  out.q = t.q;
  out.v = t.v;
  out.multipliers = t.multipliers;
  out.text = fmt::format("{}:{}:{:g}", t.method, t.stages, step);
  if (plain.compose != 0) out.text += fmt::format(", composed to order {}", plain.compose);
  return out;
}

}  // namespace rattleback
