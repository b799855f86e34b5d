#include "simulate/complete.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "methods/registry.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

std::string Options::validate() const {
  std::string faults;
  const auto fault = [&](const std::string& text) { faults += (faults.empty() ? "" : "\n") + text; };
  if (!std::isfinite(step)) fault(fmt::format("--step must be a finite number, found {}", step));
  if (until && !std::isfinite(*until)) fault(fmt::format("--until must be a finite time, found {}", *until));
  if (until && steps) fault("--until and --steps both say where to stop; give one of them");
  if (steps && *steps < 0) fault(fmt::format("--steps must not be negative, found {}", *steps));
  if (stages < 0) fault(fmt::format("--stages must be at least 1, found {}", stages));
  if (every < 0) fault(fmt::format("--every must be at least 1, found {}", every));
  if (compose != 0 && compose != 2 && compose != 4 && compose != 6 && compose != 8)
    fault(fmt::format("--compose takes 2, 4, 6 or 8, found {}", compose));
  if (!std::isfinite(alpha)) fault(fmt::format("--alpha must be a finite number, found {}", alpha));
  if (!(rtol > 0.0)) fault(fmt::format("--rtol must be positive, found {}", rtol));
  if (!(atol > 0.0)) fault(fmt::format("--atol must be positive, found {}", atol));
  if (gain && !(*gain >= 0.0 && std::isfinite(*gain)))
    fault(fmt::format("--gain must not be negative (0 = no feedback), found {}", *gain));
  if (!redundant.empty() && redundant != "refuse" && redundant != "minimum-norm")
    fault(fmt::format("--redundant takes refuse or minimum-norm, found '{}'", redundant));
  if (!(newton_tol >= 0.0))
    fault(fmt::format("--newton-tol must not be negative (0 = to rounding), found {}", newton_tol));
  if (!native.empty() && native != "auto" && native != "on" && native != "off")
    fault(fmt::format("--native takes auto, on or off, found '{}'", native));
  if (!newton.empty() && newton != "simplified")
    fault(fmt::format("--newton takes simplified, found '{}'; left out, each step is solved in the best known way",
                      newton));
  if (adaptive != 0.0 && !(adaptive >= 1e-14 && adaptive < 1.0))  // also when it is not a number
    fault(fmt::format("--adaptive takes a tolerance from 1e-14 to 1, for example 1e-6, found {}", adaptive));
  if (!controller.empty() && controller != "pi" && controller != "reversible")
    fault(fmt::format("--controller takes pi or reversible, found '{}'", controller));
  if (!controller.empty() && adaptive == 0.0) fault("--controller needs --adaptive TOL: a fixed step has none");
  if (adaptive != 0.0 && steps) fault("--steps counts fixed steps, and --adaptive chooses them; give --until T");
  if (adaptive != 0.0 && audit_order)
    fault("--audit order repeats with h/2 and h/4, but --adaptive chooses the steps; leave one of them out");
  if (!std::isfinite(output_every) || output_every < 0.0)
    fault(fmt::format("--output-every takes a positive time, found {}", output_every));
  if (output_every != 0.0 && every != 0) fault("--every and --output-every both say what to record; give one of them");
  if (!formulation.empty() && formulation != "index3" && formulation != "index2" && formulation != "ggl")
    fault(fmt::format("--formulation takes index3, index2 or ggl, found '{}'", formulation));
  if (!multiplier.empty() && multiplier != "acceleration" && multiplier != "recursion")
    fault(fmt::format("--multiplier takes acceleration or recursion, found '{}'", multiplier));
  if (resume && checkpoint.empty()) fault("--resume needs --checkpoint FILE: the file to continue from");
  if (!tableau.empty() && !method.empty()) fault("--tableau brings its own method; leave --method out");
  if (!tableau.empty() && stages != 0) fault("--tableau brings its own stages; leave --stages out");
  return faults;
}

Options complete(const Model& model, Options o) {
  const bool models_method = o.method.empty() && o.tableau.empty() && model.run.method.has_value();
  if (o.tableau.empty()) {
    if (o.method.empty()) {
      o.method = model.run.method.value_or(model.kind == Kind::mechanical         ? "spark-lobatto-ab"
                                           : model.kind == Kind::odae             ? "euler-true"
                                           : model.kind == Kind::skew_gradient    ? "dg-gonzalez"
                                           : model.kind == Kind::port_hamiltonian ? "collocation-gauss"
                                                                                  : "srk-gauss");
    }
    if (models_method && !is_method(o.method))
      throw Error(
          fmt::format("model '{}' asks for method '{}', which is not in this version; pass --method NAME "
                      "(`rattleback check {}` says which apply)",
                      model.key, o.method, model.key));
    const MethodInfo& info = find_method(o.method);
    std::replace(o.method.begin(), o.method.end(), '_', '-');
    if (o.method != info.name && info.alias_stages != 0) {
      if (o.stages != 0 && o.stages != info.alias_stages)
        throw Error(fmt::format("method '{}' is '{}' with {} stages, found --stages {}. Use --method {} --stages {}",
                                o.method, info.name, info.alias_stages, o.stages, info.name, o.stages));
      o.stages = info.alias_stages;
    }
    o.method = info.name;
    if (o.stages == 0) {
      const bool same =
          model.run.method && is_method(*model.run.method) && find_method(*model.run.method).name == info.name;
      o.stages = same && model.run.stages ? *model.run.stages : info.default_stages;
    } else if (info.fixed_stages != 0) {
      throw Error(fmt::format("method '{}' has a fixed number of stages; leave --stages out", info.name));
    }
  }
  if (o.gain && (!o.tableau.empty() || o.method != "baumgarte"))
    throw Error(fmt::format("--gain is the feedback of method 'baumgarte'; leave it out, or pass --method baumgarte{}",
                            o.tableau.empty() ? " instead of " + o.method : ""));
  const bool models_step = o.step == 0.0;
  if (models_step) {
    if (!model.run.step && o.adaptive == 0.0)
      throw Error(fmt::format("model '{}' has no default step; pass --step H", model.key));
    if (model.run.step) o.step = *model.run.step;  // else: adaptive steps find one
  }
  if (!o.until && !o.steps) {
    if (!model.run.until)
      throw Error(fmt::format("model '{}' has no default end; pass --until T or --steps N", model.key));
    o.until = *model.run.until;
  }
  if (o.adaptive != 0.0 && models_step && *o.until < 0.0) o.step = -std::fabs(o.step);  // only a first guess
  if (o.until && o.step != 0.0 && *o.until / o.step < 0.0)
    throw Error(fmt::format("--step {:g} never reaches t = {:g} from t = 0; steps and end must have the same sign",
                            o.step, *o.until));
  o.project = o.project || model.project;
  return o;
}

}  // namespace rattleback
