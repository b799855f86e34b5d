#include "model/grammar/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/grammar/circle.hpp"
#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"
#include "rattleback/error.hpp"
#include "text/stack_room.hpp"

namespace rattleback::front {
namespace {

std::string with_article(const std::string& noun) { return (noun.find_first_of("aeiou") == 0 ? "an " : "a ") + noun; }

}  // namespace

void World::declare(const std::string& name, Thing thing, std::int32_t number, std::size_t offset) {
  const auto [it, fresh] = symbols_.try_emplace(name, Symbol{thing, number, offset});
  if (fresh) return;
  std::string before = source.has_places() ? source.place(it->second.offset) : "";
  if (!before.empty()) before = " (" + before.substr(0, before.size() - 2) + ")";
  source.fail(offset, "`" + name + "` is already the name of " + describe(it->second) + before +
                          ". Two things cannot have one name");
}

const Symbol* World::find(std::string_view name) const {
  const auto it = symbols_.find(name);
  return it == symbols_.end() ? nullptr : &it->second;
}

std::string World::describe(const Symbol& symbol) const {
  switch (symbol.thing) {
    case Thing::parameter: return "a parameter";
    case Thing::coordinate: return with_article(facts().coordinate);
    case Thing::velocity: return "a velocity";
    case Thing::algebraic: return with_article(facts().algebraic);
    case Thing::definition: return "a definition";
    case Thing::function: return "a function";
    case Thing::constraint: return "a constraint";
    case Thing::port: return with_article(facts().port);
    case Thing::invariant: return "an invariant";
    case Thing::symmetry: return "a symmetry";
    case Thing::quasi: return hamiltonian ? "a momentum" : "a quasi-velocity";
  }
  return {};
}

std::string World::noun(Thing thing) const {
  const std::string text = describe({thing});
  return text.substr(text.find(' ') + 1);
}

std::vector<std::string> World::known(const Rules& rules, const Scope& scope) const {
  std::vector<std::string> names;
  const auto ranged = [](const std::string& stem, std::int64_t first, std::int64_t last) {
    return stem + "[" + std::to_string(first) + ":" + std::to_string(last) + "]";
  };
  const auto group = [&](const Names::Group& g, const char* mark) {
    names.push_back((g.family ? ranged(g.stem, g.first, g.first + g.count - 1) : g.stem) + mark);
  };
  if (rules.time) names.emplace_back("t");
  for (const Index& i : scope.indices) names.emplace_back(i.name);
  if (rules.positions)
    for (const Names::Group& g : coordinates.groups()) group(g, "");
  if (rules.velocities && facts().primed)
    for (const Names::Group& g : coordinates.groups()) group(g, "'");
  if (rules.velocities)
    for (const Names::Group& g : velocities.groups()) group(g, "");
  if (rules.velocities || rules.quasi)
    for (const Names::Group& g : quasi.groups()) group(g, "");
  if (rules.algebraic)
    for (const Names::Group& g : algebraic.groups()) group(g, "");
  for (const Parameter& p : parameters)
    names.push_back(p.array ? ranged(p.name, 1, static_cast<std::int64_t>(p.formulas.size())) : p.name);
  if (rules.definitions)
    for (const Definition& d : definitions) names.push_back(d.family ? d.name + "[i]" : d.name);
  return names;
}

void World::unknown(const Formula& f, const AstNode& node, const Rules& rules, const Scope& scope) const {
  const std::string name(f.name_of(node));
  if (std::find(named_later.begin(), named_later.end(), name) != named_later.end())
    f.fail(node, "`" + name + "` is not a parameter, so it cannot occur",
           "Accepted here: numbers and other parameters");
  std::vector<std::string> names = known(rules, scope), stems;
  for (const std::string& n : names) stems.push_back(n.substr(0, n.find_first_of("['")));
  std::string mark = node.primed && !nearest(name, stems).empty() ? "'" : "";
  Message near;
  if (const std::string stem = nearest(name, stems); !stem.empty())
    near = Message("Did you mean `" + stem + mark + "`? ", stem + mark);
  f.fail(node.name_begin, "unknown name `" + name.substr(0, 60) + "`",
         near + "Known here: " + listed(std::move(names)));
}

Rounded World::parameter(std::int32_t number, std::size_t element) {
  Parameter& p = parameters[static_cast<std::size_t>(number)];
  if (p.state[element] == 2) {
    p.uses[element] |= static_cast<std::uint8_t>(use_);
    return {p.values[element], p.errors[element]};
  }
  const Formula& f = p.formulas[element];
  const std::string name = p.array ? p.name + "[" + std::to_string(element + 1) + "]" : p.name;
  if (p.state[element] == 1) {
    const std::vector<std::string> circle(std::find(evaluating_.begin(), evaluating_.end(), name), evaluating_.end());
    f.fail(0, "parameter `" + name + "` depends on itself: " + circle_text(circle), "Give one of them a number");
  }
  if (evaluating_.size() > 1000) {
    using Element = std::pair<std::int32_t, std::size_t>;
    std::vector<std::string> names;
    for (const Element& e : find_circle<Element>({number, element}, [this](const Element& x) { return uses_in(x); })) {
      const Parameter& each = parameters[static_cast<std::size_t>(e.first)];
      names.push_back(each.array ? element_name(each.name, static_cast<std::int64_t>(e.second) + 1) : each.name);
    }
    if (!names.empty())
      f.fail(0, "parameter `" + names.front() + "` depends on itself: " + circle_text(names),
             "Give one of them a number");
    f.fail(0, "parameters depend on each other through more than 1000 levels");
  }
  p.state[element] = 1;
  evaluating_.push_back(name);
  static const Rules rules{.accepts = "numbers and other parameters"};
  const Rounded found = Numbers(*this, rules).finite(f);
  p.values[element] = found.value;
  p.errors[element] = std::fmax(found.error, kUlp * std::fabs(found.value));
  evaluating_.pop_back();
  p.state[element] = 2;
  return {p.values[element], p.errors[element]};
}

std::vector<std::pair<std::int32_t, std::size_t>> World::uses_in(std::pair<std::int32_t, std::size_t> element) {
  std::vector<std::pair<std::int32_t, std::size_t>> out;
  const Formula& f = parameters[static_cast<std::size_t>(element.first)].formulas[element.second];
  for (const std::int32_t id : references(f, true)) {
    const AstNode& node = f[id];
    const Symbol* const symbol = find(f.name_of(node));
    if (symbol == nullptr || symbol->thing != Thing::parameter) continue;
    const Parameter& p = parameters[static_cast<std::size_t>(symbol->number)];
    if (p.array == (node.first < 0)) continue;
    if (p.array && f[node.first].kind != Ast::number) continue;  // which one is not known yet
    const double i = p.array ? f[node.first].value : 1.0;
    if (i >= 1.0 && i <= static_cast<double>(p.formulas.size()))
      out.emplace_back(symbol->number, static_cast<std::size_t>(i) - 1);
  }
  return out;
}

std::string element_name(std::string_view stem, std::int64_t i) {
  return std::string(stem) + "[" + std::to_string(i) + "]";
}

void World::note(Use use) {
  use_ = use;
  if (use != Use::none)
    for (Parameter& p : parameters) p.used = p.values;
}

bool World::unchanged(Use use) const {
  for (const Parameter& p : parameters)
    for (std::size_t e = 0; e < p.values.size(); ++e)
      if ((p.uses[e] & static_cast<std::uint8_t>(use)) != 0 && p.values[e] != p.used[e]) return false;
  return true;
}

std::vector<std::pair<std::string, double>> World::values() const {
  std::vector<std::pair<std::string, double>> out;
  for (const Parameter& p : parameters)
    for (std::size_t e = 0; e < p.values.size(); ++e)
      out.emplace_back(p.array ? element_name(p.name, static_cast<std::int64_t>(e) + 1) : p.name, p.values[e]);
  return out;
}

std::vector<double> World::errors() const {
  std::vector<double> out;
  for (const Parameter& p : parameters) out.insert(out.end(), p.errors.begin(), p.errors.end());
  return out;
}

std::size_t World::place(std::int32_t number, std::size_t element) const {
  for (std::int32_t i = 0; i < number; ++i) element += parameters[static_cast<std::size_t>(i)].formulas.size();
  return element;
}

std::string no_element(std::string_view stem, std::int64_t i, const std::string& range) {
  return "`" + element_name(stem, i) + "` does not exist: " +
         (range.empty() ? "the family is empty" : "the index of `" + std::string(stem) + "` is out of range " + range);
}

std::size_t World::array_element(const Formula& f, const AstNode& node, const Parameter& p, std::int64_t i,
                                 const Scope& scope, std::int64_t k) {
  const auto size = static_cast<std::int64_t>(p.formulas.size());
  if (i < 1 || i > size) f.fail(node, no_element(p.name, i, "1:" + std::to_string(size)) + where(scope, k));
  return static_cast<std::size_t>(i - 1);
}

const OwnFunction& World::function(const Formula& f, const AstNode& node) const {
  const std::string name(f.name_of(node));
  const Symbol* const symbol = find(name);
  std::vector<std::string> own;
  for (const OwnFunction& each : functions) own.push_back(each.name);
  if (symbol == nullptr) unknown_function(f, node, own);
  if (symbol->thing != Thing::function)
    f.fail(node, "`" + name + "` is " + describe(*symbol) + ", not a function",
           "A product is written with a star: " + name + "*(...)");
  const OwnFunction& found = functions[static_cast<std::size_t>(symbol->number)];
  std::size_t count = 0;
  for (std::int32_t c = node.first; c >= 0; c = f[c].next) ++count;
  if (count != found.arguments.size())
    f.fail(node, "`" + name + "` takes " + std::to_string(found.arguments.size()) +
                     (found.arguments.size() == 1 ? " argument" : " arguments") + ", found " + std::to_string(count));
  return found;
}

const Argument* World::find_argument(const Scope& scope, std::string_view name) {
  for (const Argument& each : scope.arguments)
    if (each.name == name) return &each;
  return nullptr;
}

const Index* World::find_index(const Scope& scope, std::string_view name) {
  for (auto it = scope.indices.rbegin(); it != scope.indices.rend(); ++it)
    if (it->name == name) return &*it;
  return nullptr;
}

std::string World::where(const Scope& scope, std::int64_t k) {
  std::string text;
  for (const Index& i : scope.indices) {
    if (i.hidden) continue;
    text += (text.empty() ? " for " : ", ") + std::string(i.name) + " = " + std::to_string(i.base + i.stride * k);
  }
  return text;
}

void World::check_index_name(const Formula& f, std::size_t at, std::string_view name, const Scope& scope) const {
  const Symbol* symbol = find(name);
  if (symbol != nullptr)
    f.fail(at, "the index `" + std::string(name) + "` is already the name of " + describe(*symbol),
           "Choose another letter");
  if (find_index(scope, name) != nullptr)
    f.fail(at, "the index `" + std::string(name) + "` is already the index of a loop around this one",
           "Choose another letter");
}

Affine World::integer(const Formula& f, std::int32_t id, const Scope& scope) {
  const AstNode& node = f[id];
  if (stack_is_short(Room::within_a_level)) f.fail(node, std::string("indices ") + kStackIsShort);
  const auto whole = [&](double value, std::string_view name) {
    if (std::fabs(value) > 1e12) f.fail(node, "an index beyond 1e12");
    if (value != std::floor(value))
      f.fail(node,
             "an index must be an integer, found " + (name.empty() ? "" : "`" + std::string(name) + "` = ") +
                 number_text(value),
             "Index expressions are integer arithmetic");
    return Affine{static_cast<std::int64_t>(value), 0};
  };
  const auto checked = [&](double base, double stride) {
    if (std::fabs(base) > 1e12 || std::fabs(stride) > 1e12) f.fail(node, "an index beyond 1e12");
    return Affine{static_cast<std::int64_t>(base), static_cast<std::int64_t>(stride)};
  };
  const auto d = [](std::int64_t i) { return static_cast<double>(i); };
  switch (node.kind) {
    case Ast::number: return whole(node.value, {});
    case Ast::reference: {
      const std::string_view name = f.name_of(node);
      if (const Argument* const a = find_argument(scope, name); a != nullptr && !node.primed && node.first < 0) {
        const Affine i = integer(*a->formula, a->part, *a->scope);
        if (a->hidden && i.stride != 0) throw NotALoop();
        return i;
      }
      if (!node.primed && node.first < 0) {
        if (const Index* i = find_index(scope, name)) {
          if (i->hidden) throw NotALoop();
          return {i->base, i->stride};
        }
      }
      const Symbol* symbol = find(name);
      static const Rules none;
      if (symbol == nullptr) unknown(f, node, none, scope);
      if (symbol->thing != Thing::parameter || node.primed)
        f.fail(node,
               "`" + std::string(f.text_of(node)) + "` is " + (node.primed ? "a velocity" : describe(*symbol)) +
                   ", but an index must be an integer",
               "Index expressions are integer arithmetic of the index and of integer parameters");
      const Parameter& p = parameters[static_cast<std::size_t>(symbol->number)];
      if (p.array != (node.first >= 0))
        f.fail(node, "`" + p.name + (p.array ? "` is an array, it needs an index" : "` is not an array"));
      std::size_t element = 0;
      if (p.array) {
        const Affine i = integer(f, node.first, scope);
        if (i.stride != 0) throw NotALoop();
        element = array_element(f, node, p, i.base, scope, 0);
      }
      const double value = parameter(symbol->number, element).value;
      return whole(value, f.text_of(node));
    }
    case Ast::negate: {
      const Affine a = integer(f, node.first, scope);
      return {-a.base, -a.stride};
    }
    case Ast::chain: {
      Affine a{};
      bool first = true;
      for (std::int32_t child = node.first; child >= 0; child = f[child].next) {
        const Affine b = integer(f, child, scope);
        switch (first ? Op::add : f[child].joined) {
          case Op::add: a = checked(d(a.base) + d(b.base), d(a.stride) + d(b.stride)); break;
          case Op::sub: a = checked(d(a.base) - d(b.base), d(a.stride) - d(b.stride)); break;
          case Op::mul:
            if (a.stride != 0 && b.stride != 0) throw NotALoop();
            a = checked(d(a.base) * d(b.base), d(a.stride) * d(b.base) + d(a.base) * d(b.stride));
            break;
          default:
            if (b.stride != 0) throw NotALoop();
            if (b.base == 0 || a.base % b.base != 0 || a.stride % b.base != 0) {
              if (b.base != 0 && a.stride != 0) throw NotALoop();
              f.fail(node, "the index division " + std::to_string(a.base) + "/" + std::to_string(b.base) +
                               " is not exact" + where(scope, 0));
            }
            a = {a.base / b.base, a.stride / b.base};
        }
        first = false;
      }
      return a;
    }
    default:
      f.fail(node, "expected an index, found `" + std::string(f.text_of(node).substr(0, 40)) + "`",
             "Index expressions are integer arithmetic (+ - * /) of the index and of integer parameters");
  }
}

std::pair<std::int64_t, std::int64_t> World::range(const Formula& f, std::int32_t from, std::int32_t to,
                                                   const Scope& scope) {
  const Affine a = integer(f, from, scope), b = integer(f, to, scope);
  if (a.stride != 0 || b.stride != 0) throw NotALoop();
  const std::string text = std::to_string(a.base) + ":" + std::to_string(b.base);
  if (std::max(std::abs(a.base), std::abs(b.base)) > 1'000'000'000)
    f.fail(f[from], "the range " + text + " goes beyond 1000000000");
  if (b.base < a.base - 1)
    f.fail(f[from], "the range " + text + " ends before it begins" + where(scope, 0),
           "The empty range is " + std::to_string(a.base) + ":" + std::to_string(a.base - 1));
  if (b.base - a.base >= kMaxCount)
    f.fail(f[from], "the range " + text + " has " + std::to_string(b.base - a.base + 1) + " members, where " +
                        std::to_string(kMaxCount) + " are allowed,");
  return {a.base, b.base};
}

}  // namespace rattleback::front
