#include "methods/bind.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/baselines.hpp"
#include "methods/plan_stepper.hpp"
#include "methods/rk_families.hpp"
#include "methods/runge_kutta.hpp"
#include "rattleback/error.hpp"
#include "tableau/compositions.hpp"

namespace rattleback {

std::string why_not(const MethodEntry& method, const Model& model, const std::string& formulation) {
  const MethodInfo& info = method.info;
  if (model.kind == Kind::mechanical && !info.mechanical) return "needs a system of kind dae";
  if (model.kind == Kind::dae && !info.dae) return "needs a mechanical system";
  if (model.kind == Kind::mechanical && !model.holonomic_names.empty() && method.baseline == Baseline::none &&
      formulation != "index2")
    return "keeps only the velocity level, so it takes holonomic constraints only with --formulation index2 (their "
           "positions then drift)";
  if (method.first_part_free && depends_on(*model.graph, model.parts[0], kMultiplier))
    return "needs a first part (Lobatto IIIA) without the algebraic variables: write the right-hand side as parts "
           "[rhs.1] "
           "to [rhs.5] with those terms in another part";
  return "";
}

namespace {

// Typical size of a multiplier in units of velocity/h: mass over constraint row.
double multiplier_scale(const System& system, const Start& start) {
  if (!system.is_mechanical() || system.m() == 0) return 1.0;
  const Mechanical& f = system.mechanical();
  std::vector<NodeId> nodes;
  for (const auto& row : f.Lvv) nodes.insert(nodes.end(), row.begin(), row.end());
  const std::size_t masses = nodes.size();
  for (const auto& row : f.K) nodes.insert(nodes.end(), row.begin(), row.end());
  Evaluator e(f.graph, nodes, f.n, f.m);
  const auto x = e(0.0, start.q, start.v);
  double mass = 0.0, row = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    (i < masses ? mass : row) = std::fmax(i < masses ? mass : row, std::fabs(x[i]));
  return mass > 0.0 && row > 0.0 ? mass / row : 1.0;
}

void check_stages(const MethodInfo& info, int stages) {
  if (info.fixed_stages != 0 && stages != info.fixed_stages)
    throw Error(
        fmt::format("method '{}' has a fixed number of stages; leave --stages out (found {})", info.name, stages));
  if (stages < info.min_stages || stages > 20)
    throw Error(fmt::format("method '{}' takes {} to 20 stages, found {}", info.name, info.min_stages, stages));
}

}  // namespace

BoundMethod bind(const System& system, const Options& options, const Start& start) {
  const Model& model = system.model();
  BoundMethod out;
  PlanStepperData data{.step = Plan(Equations{}), .first = {}, .acceleration = system.acceleration(), .solve = {}};
  data.n = system.n();
  data.m = system.m();
  data.mechanical = system.is_mechanical();
  data.solve.tolerance = options.newton_tol;
  data.multiplier_scale = multiplier_scale(system, start);

  Scheme scheme;
  if (!options.tableau.empty()) {
    const UserTableau user = read_user_tableau(options.tableau);
    if (!model.holonomic_names.empty() && options.formulation != "index2")
      throw Error(
          "a tableau from a file keeps only the velocity level, so it takes holonomic constraints only with "
          "--formulation index2");
    scheme = user_scheme(user);
    out.name = user.a.name;
    out.stages = user.a.stages;
    out.order = user.a.order;
    out.symmetric = is_symmetric(user.a) && is_symmetric(user.ahat) && is_symmetric(user.atilde);
  } else {
    const MethodEntry& entry = find_entry(options.method);
    const MethodInfo& info = entry.info;
    if (const std::string reason = why_not(entry, model, options.formulation); !reason.empty())
      throw Error(
          fmt::format("method '{}' does not apply to '{}': it {}. `rattleback check {}` lists the methods that do",
                      info.name, model.key, reason, model.key));
    check_stages(info, options.stages);
    out.name = info.name;
    out.stages = options.stages;
    out.order = info.order != nullptr ? info.order(options.stages) : 0;
    out.symmetric = info.symmetric == Claim::yes;
    out.adaptive = info.adaptive;
    if (entry.baseline != Baseline::none) {
      if (options.compose != 0)
        throw Error(fmt::format("method '{}' chooses its own steps and cannot be composed", info.name));
      out.stepper = make_baseline(entry.baseline, system, options.rtol, options.atol,
                                  options.gain.value_or(kDefaultGain));
      return out;
    }
    if (entry.scheme != nullptr) scheme = entry.scheme(options.stages);
    if (entry.step != nullptr) {
      data.step = Plan(entry.step(system.mechanical()));
      if (entry.first_step != nullptr) {
        data.first.emplace(entry.first_step(system.mechanical()));
        data.two_step = out.two_step = true;
        out.symmetric = system.mechanical().linear_constraints;
      } else {
        out.symmetric = system.mechanical().separable;
      }
    } else if (info.symmetric == Claim::conditional) {
      out.symmetric = system.is_mechanical() ? system.mechanical().plain_momentum
                                             : system.dae().parts[2].empty() && system.dae().parts[3].empty();
    }
    const bool loses_order = !out.symmetric && info.symmetric == Claim::conditional && system.is_mechanical();
    if (loses_order) {
      out.order = 1;
      out.notes.push_back(fmt::format("on this system {} has order 1 and is not symmetric: {}", info.name, info.note));
    }
  }
  if (scheme.stages > 0) {
    data.step = Plan(system.is_mechanical() ? runge_kutta_step(system.mechanical(), scheme)
                                            : runge_kutta_step(system.dae(), scheme));
    data.carries_multiplier = scheme.carries_multiplier;
  }
  if (options.compose != 0) {
    if (out.two_step) throw Error(fmt::format("method '{}' is a two-step method and cannot be composed", out.name));
    if (!out.symmetric)
      throw Error(
          fmt::format("--compose needs a symmetric method, and '{}' is not symmetric on '{}'", out.name, model.key));
    const Composition c = composition(options.compose);
    data.gamma = c.gamma;
    out.order = std::max(out.order, c.order);
  }
  out.stepper = std::make_unique<PlanStepper>(std::move(data));
  return out;
}

}  // namespace rattleback
