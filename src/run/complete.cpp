#include "run/complete.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "method/registry.hpp"
#include "model/kind_facts.hpp"
#include "model/usable.hpp"
#include "option/option_table.hpp"
#include "rattleback/error.hpp"
#include "tableau/user_tableau.hpp"

namespace rattleback {
namespace {

// Options of few methods.
struct Special {
  std::string_view option;
  bool (*takes)(const MethodInfo& method);
  std::string_view is_for, instead;
};
constexpr Special adaptive(std::string_view option) {
  return {option, [](const MethodInfo& m) { return m.adaptive; },
          "for the adaptive methods ode, index1 and baumgarte; here --step sets the accuracy", "ode"};
}
constexpr std::array kSpecial = {Special{"gain", [](const MethodInfo& m) { return m.name == "baumgarte"; },
                                         "the feedback of method 'baumgarte'", "baumgarte"},
                                 adaptive("rtol"), adaptive("atol"),
                                 Special{"alpha", [](const MethodInfo& m) { return m.kinds.has(Kind::odae); },
                                         "for the euler methods of overdetermined systems", "euler-true"}};

bool is_taken(const Special& special, const Model& model, const Options& o) {
  return (special.option == "alpha" && facts_of(model).alpha) ||
         (o.tableau.empty() && special.takes(find_method(o.method)));
}

[[noreturn]] void refuse(const Special& special, const Model& model, const Options& o) {
  const OptionRow& row = option_row(special.option);
  const bool models = model.run.others && !is_default(row, *model.run.others) &&
                      option_text(row, *model.run.others) == option_text(row, o);
  throw Error(fmt::format("{} is {}. Leave it out, or pass --method {}{}",
                          models ? fmt::format("[run] {}", special.option) : flag_of(row), special.is_for,
                          special.instead, o.tableau.empty() ? " instead of " + o.method : ""));
}

}  // namespace

Options as_taken(const Model& model, Options options) {
  for (const Special& each : kSpecial)
    if (!is_taken(each, model, options)) copy_value(option_row(each.option).field, Options{}, options);
  return options;
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
  for (const Special& each : kSpecial)
    if (!is_default(option_row(each.option), o) && !is_taken(each, model, o)) refuse(each, model, o);
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
  if (o.adaptive != 0.0 && models_step && *o.until < o.from) o.step = -std::fabs(o.step);  // only a first guess
  if (o.until && o.step != 0.0 && (*o.until - o.from) / o.step < 0.0) {
    if (models_step)
      throw Error(
          fmt::format("--until {0:g} is never reached from t = {3:g} with the model's step {1:g}. Pass --step {2:g}, "
                      "too, to integrate that way",
                      *o.until, o.step, -o.step, o.from));
    throw Error(fmt::format("--step {:g} never reaches {} {:g} from t = {:g}; steps and end must have the same sign",
                            o.step, models_end ? "the model's end" : "--until", *o.until, o.from));
  }
  o.project = o.project || model.project;
  return o;
}

}  // namespace rattleback
