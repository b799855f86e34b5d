#include "run/complete.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "rattleback/error.hpp"
#include "run/option_table.hpp"
#include "tableau/user_tableau.hpp"

namespace rattleback {

std::string Options::validate() const {
  std::string faults;
  const auto fault = [&](const std::string& text) { faults += (faults.empty() ? "" : "\n") + text; };
  for (const OptionRow& row : option_table()) {  // what was not asked for is as in Options{}
    if (is_default(row, *this)) continue;
    std::visit(
        [&](auto field) {
          using T = std::decay_t<decltype(this->*field)>;
          std::string text;
          if constexpr (std::is_same_v<T, std::string>)
            text = fault_of(row, this->*field);
          else if constexpr (is_choice<T>)
            text = fault_of(row, (this->*field).text());
          else if constexpr (std::is_same_v<T, std::optional<double>> || std::is_same_v<T, std::optional<std::int64_t>>)
            text = fault_of(row, static_cast<double>(*(this->*field)));
          else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
            text = fault_of(row, static_cast<double>(this->*field));
          if (!text.empty()) fault(text);
        },
        row.field);
  }
  if (until && steps) fault("--until and --steps both say where to stop; give one of them");
  if (controller.given() && adaptive == 0.0) fault("--controller needs --adaptive TOL: a fixed step has none");
  if (adaptive != 0.0 && steps) fault("--steps counts fixed steps, and --adaptive chooses them; give --until T");
  if (adaptive != 0.0 && audit_order)
    fault("--audit order repeats with h/2 and h/4, but --adaptive chooses the steps; leave one of them out");
  if (output_every != 0.0 && every != 0) fault("--every and --output-every both say what to record; give one of them");
  if (resume && checkpoint.empty()) fault("--resume needs --checkpoint FILE: the file to continue from");
  if (checkpoint_seconds != Options{}.checkpoint_seconds && checkpoint.empty())
    fault("--checkpoint-seconds needs --checkpoint FILE: the file that is written so often");
  if (!tableau.empty() && !method.empty()) fault("--tableau brings its own method; leave --method out");
  return faults;
}

Options complete(const Model& model, Options o) {
  (void)usable(model);
  const bool models_method = o.method.empty() && o.tableau.empty() && model.run.method.has_value();
  if (o.tableau.empty()) {
    if (o.method.empty()) o.method = model.run.method.value_or(facts_of(model).method);
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
      // [run] stages belongs to [run] method; without one, to every method that has a choice.
      const bool meant = model.run.method
                             ? is_method(*model.run.method) && find_method(*model.run.method).name == info.name
                             : info.fixed_stages == 0;
      o.stages = meant && model.run.stages ? *model.run.stages : info.default_stages;
      if (info.fixed_stages != 0 && o.stages != info.fixed_stages)
        throw Error(
            fmt::format("method '{}' has a fixed number of stages, {}; model '{}' asks for {} in [run] stages. Remove "
                        "that line, or pass --stages {}",
                        info.name, info.fixed_stages, model.key, o.stages, info.fixed_stages));
    } else if (info.fixed_stages != 0 && o.stages != info.fixed_stages) {
      throw Error(fmt::format("method '{}' has a fixed number of stages, {}; leave --stages out, found --stages {}",
                              info.name, info.fixed_stages, o.stages));
    }
  } else if (o.stages != 0) {
    const int own = read_user_tableau(o.tableau).a.stages;
    if (o.stages != own)
      throw Error(fmt::format("the tableau of {} has {} stage{}; leave --stages out, found --stages {}", o.tableau, own,
                              own == 1 ? "" : "s", o.stages));
    o.stages = 0;  // as if it had not been given
  }
  if (o.gain && (!o.tableau.empty() || o.method != "baumgarte"))
    throw Error(fmt::format("--gain is the feedback of method 'baumgarte'; leave it out, or pass --method baumgarte{}",
                            o.tableau.empty() ? " instead of " + o.method : ""));
  const bool models_step = o.step == 0.0, models_end = !o.until && !o.steps;
  if (models_step) {
    if (!model.run.step && o.adaptive == 0.0)
      throw Error(fmt::format("model '{}' has no default step; pass --step H", model.key));
    if (model.run.step) o.step = *model.run.step;  // else: adaptive steps find one
  }
  if (models_end) {
    if (!model.run.until)
      throw Error(fmt::format("model '{}' has no default end; pass --until T or --steps N", model.key));
    o.until = *model.run.until;
  }
  if (o.adaptive != 0.0 && models_step && *o.until < 0.0) o.step = -std::fabs(o.step);  // only a first guess
  if (o.until && o.step != 0.0 && *o.until / o.step < 0.0) {
    if (models_step)
      throw Error(
          fmt::format("--until {0:g} is never reached from t = 0 with the model's step {1:g}. Pass --step {2:g}, "
                      "too, to integrate that way",
                      *o.until, o.step, -o.step));
    throw Error(fmt::format("--step {:g} never reaches {} {:g} from t = 0; steps and end must have the same sign",
                            o.step, models_end ? "the model's end" : "--until", *o.until));
  }
  o.project = o.project || model.project;
  return o;
}

}  // namespace rattleback
