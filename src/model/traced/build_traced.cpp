// The members of a class are called once, and what they say is put together as build.cpp does it with formulas of a text.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "expr/spaces.hpp"
#include "model/build_forces.hpp"
#include "model/check_angles.hpp"
#include "model/grammar/suggest.hpp"
#include "model/starts/auxiliary.hpp"
#include "model/traced/traced.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

void detail::no_such_value(const char* what, std::string_view name, std::span<const std::string> names) {
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string asked(name.substr(0, 60));
  throw error_of(fmt::format("there is no {} `{}`. ", what, asked) + front::did_you_mean(asked, known) +
                 (known.empty() ? fmt::format("This model has no {}s", what) : "Known: " + front::listed(known)));
}

void detail::no_such_value(const char* what, std::size_t number, std::size_t size) {
  throw Error(fmt::format("there is no {} number {}: this model has {}, counted from 0", what, number, size));
}

namespace front {
namespace {

using detail::Traced;

class TracedModel {
 public:
  TracedModel(ModelText& text, const Traceable& from, Model& model)
      : text_(text), from_(from), model_(model), graph_(std::make_shared<Graph>()), g_(*graph_), x_(g_) {}

  void build() {
    start();
    from_.tracer.formulas(x_);
    energies();
    constraints();
    forces();
    exact();
    kept();
    model_.graph = std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& text) const { text_.world.source.fail(0, text); }

  void start() {
    x_.t = Expr(g_, g_.variable(kTime, 0));
    for (std::int32_t i = 0; i < model_.coordinates.size(); ++i) {
      x_.q.emplace_back(g_, g_.variable(kPosition, i));
      x_.v.emplace_back(g_, g_.variable(kVelocity, i));
    }
    text_.world.note(World::Use::formulas);
    text_.world.set_asking(World::Use::inputs);
    x_.parameters = parameters_of(text_.world, g_);
    text_.world.note(World::Use::none);
    std::vector<std::pair<std::string, Expr>> inputs;
    for (std::size_t k = 0; k < from_.options.inputs.size(); ++k)
      inputs.emplace_back(from_.options.inputs[k], Expr(g_, g_.variable(kTracedInput, static_cast<std::int32_t>(k))));
    x_.inputs = Inputs<Expr>(std::move(inputs));
  }

  void energies() {
    if (x_.lagrangian) {
      model_.lagrangian = x_.lagrangian->id(g_);
      return;
    }
    model_.kinetic = model_.lagrangian = x_.kinetic->id(g_);
    if (!x_.potential) return;
    model_.potential = x_.potential->id(g_);
    model_.lagrangian = g_.sub(model_.lagrangian, *model_.potential);
  }

  void constraints() {
    const std::vector<std::string>& given = from_.options.constraints;
    const std::size_t m = x_.holonomic.size() + x_.nonholonomic.size();
    if (!given.empty() && given.size() != m)
      fail(fmt::format("{} constraint name{} given ({}), but holonomic() and nonholonomic() return {} constraint{}",
                       given.size(), given.size() == 1 ? " was" : "s were", fmt::join(given, ", "), m,
                       m == 1 ? "" : "s"));
    std::size_t next = 0;
    const auto name_of = [&](std::size_t k) {
      if (!given.empty()) return given[k];
      std::string name = fmt::format("c{}", k + 1);
      while (text_.world.find(name) != nullptr) name += '_';
      return name;
    };
    const auto take = [&](const std::vector<Expr>& list, Entries& entries, Names& names) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        entries.push_back({list[i].id(g_), 0, {static_cast<std::int32_t>(i), 0}, {}});
        names.add(name_of(next++));
      }
    };
    take(x_.holonomic, model_.holonomic, model_.holonomic_names);
    take(x_.nonholonomic, model_.nonholonomic, model_.nonholonomic_names);
    text_.world.holonomic = model_.holonomic_names;
    text_.world.nonholonomic = model_.nonholonomic_names;
  }

  // What is left of a force when no input acts.
  NodeId without_inputs(NodeId force) {
    return from_.options.inputs.empty()
               ? force
               : substitute(g_, force, [&](NodeId leaf) { return g_[leaf].space == kTracedInput ? g_.zero() : leaf; });
  }

  void forces() {
    Entries all;
    if (x_.forces) {
      const auto n = static_cast<std::size_t>(model_.coordinates.size());
      if (x_.forces->size() != n && !x_.forces->empty())
        fail(fmt::format("forces() returned {} values, but there are {} coordinates", x_.forces->size(), n));
      for (std::size_t i = 0; i < x_.forces->size(); ++i)
        all.push_back({(*x_.forces)[i].id(g_), 0, {static_cast<std::int32_t>(i), 0}, {}});
    }
    for (Entry e : all) {
      e.expr = without_inputs(e.expr);
      if (!g_.is_constant(e.expr, 0.0)) model_.forces.push_back(e);
    }
    const std::size_t plain = model_.forces.size();
    if (x_.rayleigh) add_dissipation(g_, x_.rayleigh->id(g_), model_);
    const std::size_t others = model_.ph.R.empty() ? model_.forces.size() : plain;
    ports(all);
    model_.dissipative = !model_.forces.empty();
    name_other_forces(g_, others, model_);
  }

  void ports(const Entries& all) {
    const std::vector<std::string>& names = from_.options.inputs;
    const auto& formulas = x_.formulas_of_inputs;
    if (formulas && formulas->size() != names.size())
      fail(fmt::format("inputs() returns {} value{}, but {} name{} of inputs {} given ({})", formulas->size(),
                       formulas->size() == 1 ? "" : "s", names.size(), names.size() == 1 ? "" : "s",
                       names.size() == 1 ? "was" : "were", fmt::join(names, ", ")));
    const Entries B = jacobian(g_, all, kTracedInput);
    std::vector<Port> found(names.size());
    for (const Entry& e : B) {
      if (g_.is_constant(e.expr, 0.0)) continue;
      const auto k = static_cast<std::size_t>(e.col.base);
      for (const Space space : {kTracedInput, kVelocity, kMultiplier})
        if (depends_on(g_, std::span(&e.expr, 1), space))
          fail(
              fmt::format("the force on `{}` must be linear in the input `{}`, with a factor of t and q, so that the "
                          "input is a port; what enters in another way is a parameter",
                          model_.coordinates[e.row.base], names[k]));
      found[k].along.push_back({e.expr, 0, e.row, {}});
    }
    const auto used = std::count_if(found.begin(), found.end(), [](const Port& p) { return !p.along.empty(); });
    if (static_cast<std::size_t>(used) != names.size())
      fail(fmt::format("{} input{} named ({}), but {} of them occur{} in forces(t, q, v, p, u)", names.size(),
                       names.size() == 1 ? " was" : "s were", fmt::join(names, ", "), used, used == 1 ? "s" : ""));
    const auto first = static_cast<std::uint32_t>(model_.parameters.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      found[k].name = names[k];
      found[k].input = formulas ? (*formulas)[k].id(g_) : g_.input(first + static_cast<std::uint32_t>(k), 0.0);
      add_port(g_, std::move(found[k]), model_);
    }
  }

  void exact() {
    for (const auto& [name, value] : x_.exact) {
      const bool primed = name.ends_with('\'');
      const auto at = model_.coordinates.find(std::string_view(name).substr(0, name.size() - (primed ? 1 : 0)));
      if (!at)
        fail("exact() gives `" + name + "`, which is no coordinate and no velocity. " +
             did_you_mean(name, model_.coordinates.all()).text + "Known here: " + listed(model_.coordinates.all()));
      const Space space = primed ? kVelocity : kPosition;
      for (const ExactValue& other : model_.exact)
        if (other.space == space && other.index == *at) fail("`" + name + "` is given twice by exact()");
      model_.exact.push_back({space, *at, value.id(g_)});
    }
  }

  // Names that nothing else has, as those of a text: columns, plots and keys are called by them.
  void check_name(const std::string& name, const char* member, std::vector<std::string>& before) const {
    if (!is_name(name)) fail(fmt::format("{}() gives the name `{}`. Names are letters, digits and _", member, name));
    if (text_.world.find(name) != nullptr || std::ranges::find(before, name) != before.end())
      fail(fmt::format("{}() gives the name `{}`, which something else in the model has already", member, name));
    before.push_back(name);
  }

  void kept() {
    std::vector<std::string> names = model_.holonomic_names.all();
    const std::vector<std::string> others = model_.nonholonomic_names.all();
    names.insert(names.end(), others.begin(), others.end());
    for (const auto& [name, value] : x_.invariants) {
      check_name(name, "invariants", names);
      model_.invariants.push_back({name, value.id(g_)});
    }
    for (const auto& [name, field] : x_.symmetries) {
      check_name(name, "symmetries", names);
      const auto n = static_cast<std::size_t>(model_.coordinates.size());
      if (field.size() != n)
        fail(fmt::format("symmetries() gives {} values for `{}`, but there are {} coordinates", field.size(), name, n));
      Symmetry& to = model_.symmetries.emplace_back(Symmetry{name, {}});
      for (std::size_t i = 0; i < n; ++i) {
        const NodeId xi = field[i].id(g_);
        if (depends_on(g_, std::span(&xi, 1), kTime))
          fail(fmt::format("t occurs in symmetry `{}`: a symmetry moves positions, whatever the time", name));
        if (!g_.is_constant(xi, 0.0)) to.field.push_back({xi, 0, {static_cast<std::int32_t>(i), 0}, {}});
      }
    }
  }

  ModelText& text_;
  const Traceable& from_;
  Model& model_;
  std::shared_ptr<Graph> graph_;
  Graph& g_;
  Traced x_;
};

}  // namespace

Model build_traced(ModelText& text, const Traceable& from) {
  Model model = without_formulas(text);
  TracedModel(text, from, model).build();
  solve_auxiliary(text, model);
  check_traced(text, model);
  check_angles(text, model);
  return model;
}

}  // namespace front
}  // namespace rattleback
