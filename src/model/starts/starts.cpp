// Initial values. Each may be an expression of the parameters and of other starts, so they are evaluated on demand:
// a value that the user gives with --start is followed by everything that depends on it. A family is evaluated member by
// member from its one formula.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/grammar/circle.hpp"
#include "model/grammar/kind_rules.hpp"
#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"
#include "rattleback/error.hpp"

namespace rattleback::front {
namespace {

constexpr int kMaxLevels = 1000;

struct StartLine {
  std::string index;
  std::int64_t from = 0;
  std::int32_t row = 0;
  Formula formula;
};

// The starts of one vector. line[i]: -1 nothing given or evaluated already, otherwise the line that gives element i.
struct Vector {
  std::vector<double> values, errors;
  std::vector<std::int32_t> line;
  std::vector<bool> given, busy;
  void resize(std::int32_t n) {
    values.assign(static_cast<std::size_t>(n), 0.0);
    errors = values;
    line.assign(static_cast<std::size_t>(n), -1);
    given.assign(static_cast<std::size_t>(n), false);
    busy.assign(static_cast<std::size_t>(n), false);
  }
};

class Starts {
 public:
  Starts(ModelText& text, Reader& reader)
      : text_(text), reader_(reader), world_(text.world), numbers_(world_, rules(), [this](Space s, std::int32_t i) {
          if (s != kPosition && world_.hamiltonian) refuse_unknown(s, i);
          if (s == kVelocity) refuse_derived(i, world_.source.place(text_.kinematics.place), "a start refers to it");
          return value(s, i);
        }) {
    vector(kPosition).resize(world_.coordinates.size());
    vector(kVelocity).resize(facts().primed ? world_.coordinates.size() : world_.velocities.size());
    vector(kMultiplier).resize(names(kMultiplier).size());
  }

  void read(const Value& table) {
    for (const Value& v : table.items) {
      const Key k = reader_.key(v, "a start");
      const Space space = space_of(k);
      if (v.type == Value::Type::array) {
        read_array(v, k, space);
        continue;
      }
      const std::int32_t row = reader_.position(k, names(space), thing(space), "[initial]");
      if (space == kVelocity)
        for (std::int64_t i = 0; i < count(k); ++i)
          refuse_derived(row + static_cast<std::int32_t>(i), world_.source.place(k.offset),
                         "[initial] gives it a start");
      const auto number = static_cast<std::int32_t>(lines_.size());
      for (std::int64_t i = 0; i < count(k); ++i) give(k, v, space, row + static_cast<std::int32_t>(i), number);
      lines_.push_back({k.index, k.from, row, reader_.formula(v, "the start of `" + v.key + "`")});
    }
  }

  void take(const std::vector<KnownStart>& known) {
    for (const KnownStart& start : known) {
      const auto i = static_cast<std::size_t>(start.position);
      vector(start.space).values[i] = start.value.value + 0.0;  // -0 becomes 0
      vector(start.space).errors[i] = std::fmax(start.value.error, kUlp * std::fabs(start.value.value));
    }
  }

  void override_with(const std::string& name, const std::string& value) {
    const std::string option = "--start " + name + "=" + value;
    const Key k = reader_.key(parse_option_key(option, "the name of a start", name));
    const Space space = space_of(k, option);
    std::int32_t row = 0;
    try {
      row = reader_.position(k, names(space), thing(space), "--start");
    } catch (const Error& fault) {  // the same message, with the option for its place
      const std::string message = fault.what();
      throw Error(option + ": " + message.substr(world_.source.place(k.offset).size()), {}, fault.suggestion());
    }
    if (space == kVelocity)
      for (std::int64_t i = 0; i < count(k); ++i)
        refuse_derived(row + static_cast<std::int32_t>(i), option + ": ", "--start gives it a value");
    const auto number = static_cast<std::int32_t>(lines_.size());
    for (std::int64_t i = 0; i < count(k); ++i) vector(space).line[static_cast<std::size_t>(row + i)] = number;
    lines_.push_back({k.index, k.from, row, Formula(option, "the start of `" + name + "`", value)});
  }

  // `keep`: a name holds all its members, x[2] and x[i=2:4] some.
  void keep(const Value& list) {
    for (const Value& v : reader_.array(list, "`keep`").items) {
      Key k =
          reader_.key(parse_key(world_.source, v.offset, "an entry of `keep`", reader_.text(v, "an entry of `keep`")));
      k.offset = v.offset;
      hold(k, "`keep`", {});
    }
  }
  void keep(const std::vector<std::string>& names) {
    text_.keep_q.clear();
    text_.keep_v.clear();
    text_.held_by.clear();
    for (const std::string& name : names) {
      const std::string option = "--keep " + name;
      const Key k = reader_.key(parse_option_key(option, "the name of a start", name));
      try {
        hold(k, "--keep", option);
      } catch (const Error& fault) {  // the same message, with the option for its place
        const std::string message = fault.what(), place = world_.source.place(k.offset);
        throw Error(message.starts_with(place) ? option + ": " + message.substr(place.size()) : message, {},
                    fault.suggestion());
      }
    }
  }

  void evaluate() {
    if (world_.hamiltonian) {
      text_.velocities_given = any(kVelocity);
      if (text_.velocities_given && any(kMultiplier))
        world_.source.fail(text_.kinematics.place,
                           "the start has momenta and velocities. Give one of them; the others follow from H");
    }
    for (const Space space : {kPosition, kVelocity, kMultiplier})
      for (std::size_t i = 0; i < vector(space).values.size(); ++i) (void)value(space, static_cast<std::int32_t>(i));
    text_.q0 = std::move(vector(kPosition).values);
    text_.v0 = std::move(vector(kVelocity).values);
    (facts().lagrangian ? text_.w0 : text_.z0) = std::move(vector(kMultiplier).values);
    text_.w0_error = std::move(vector(kMultiplier).errors);
    text_.q0_error = std::move(vector(kPosition).errors);
    text_.v0_error = std::move(vector(kVelocity).errors);
  }

 private:
  [[nodiscard]] const KindFacts& facts() const { return world_.facts(); }
  [[nodiscard]] const Rules& rules() const { return rules_of(world_.kind).start; }
  Vector& vector(Space space) { return vectors_[space == kPosition ? 0 : space == kVelocity ? 1 : 2]; }
  [[nodiscard]] const Names& names(Space space) const {
    if (space == kVelocity && !facts().primed) return world_.velocities;
    if (space == kMultiplier) return facts().lagrangian ? world_.quasi : world_.algebraic;
    return world_.coordinates;
  }
  [[nodiscard]] Thing thing(Space space) const {
    if (space == kVelocity && !facts().primed) return Thing::velocity;
    if (space == kMultiplier) return facts().lagrangian ? Thing::quasi : Thing::algebraic;
    return Thing::coordinate;
  }
  static std::int64_t count(const Key& k) { return k.indexed ? k.to - k.from + 1 : 1; }

  Space space_of(const Key& k, const std::string& option = {}) const {
    const Symbol* s = world_.find(k.stem);
    if (s != nullptr && s->thing == Thing::parameter && !option.empty())
      throw Error(option + ": `" + k.stem + "` is a parameter, not a start value. Parameters are changed with --set");
    if (k.primed && !facts().primed) {
      const std::string message = "`" + k.stem + "'` is a derivative; " + rules_of(world_.kind).primed_start;
      option.empty() ? world_.source.fail(k.offset, message) : throw Error(option + ": " + message);
    }
    if (s != nullptr && s->thing == Thing::quasi && k.primed) {
      const std::string message =
          "`" + k.stem + "` is " + world_.describe(*s) + " and has no velocity. Write `" + k.stem + "`";
      option.empty() ? world_.source.fail(k.offset, message) : throw Error(option + ": " + message);
    }
    if (s != nullptr && (s->thing == Thing::algebraic || s->thing == Thing::quasi)) return kMultiplier;
    if (s != nullptr && s->thing == Thing::velocity) return kVelocity;
    return k.primed ? kVelocity : kPosition;
  }

  // Is a start given in this space?
  bool any(Space space) {
    const Vector& x = vector(space);
    return std::ranges::any_of(x.given, [](bool given) { return given; }) ||
           std::ranges::any_of(x.line, [](std::int32_t line) { return line >= 0; });
  }
  // Of momenta and velocities, those follow that are not given.
  void refuse_unknown(Space space, std::int32_t i) const {
    if ((space == kVelocity) == text_.velocities_given) return;
    throw Error(world_.source.place(text_.kinematics.place) + "a start refers to `" + label(space, i) +
                "`, which is not known yet: it follows from the " + (space == kVelocity ? "momenta" : "velocities") +
                " at the start");
  }

  // Velocities of coordinates that have a line in [kinematics] follow from the quasi-velocities.
  void refuse_derived(std::int32_t i, const std::string& place, const std::string& what) const {
    for (const Line& line : text_.kinematics.lines)
      if (line.row == i)
        throw Error(
            fmt::format("{}`{}'` follows from [kinematics], and {}. Starts are those of the quasi-velocities: {}",
                        place, world_.coordinates[i], what, listed(world_.quasi.all())));
  }

  void hold(Key k, const std::string& where, const std::string& option) {
    const Space space = space_of(k, option);
    const Holder who{(option.empty() ? world_.source.place(k.offset) : option + ": ") + "`" + k.stem + "` in " + where,
                     option.empty() ? world_.source.where(k.offset) : FilePlace{}};
    if (space == kMultiplier && facts().lagrangian)
      throw Error(who.words + " is " + world_.describe({Thing::quasi}) +
                      ". Held can be positions, and velocities that have starts of their own",
                  who.place);
    if (space == kMultiplier) refuse_to_hold(who);
    const Symbol* s = world_.find(k.stem);
    if (s != nullptr && s->thing == thing(space) && !k.indexed) {
      const Names::Group& g = names(space).groups()[static_cast<std::size_t>(s->number)];
      if (g.family) {
        k.indexed = true;
        k.from = g.first;
        k.to = g.first + g.count - 1;
      }
    }
    const std::int32_t row = reader_.position(k, names(space), thing(space), where);
    for (const std::int32_t i : text_.auxiliary)
      if (i >= row && i < row + count(k)) refuse_to_hold(who);
    std::vector<std::int32_t>& held = space == kVelocity ? text_.keep_v : text_.keep_q;
    for (std::int64_t i = 0; i < count(k); ++i) {
      held.push_back(row + static_cast<std::int32_t>(i));
      // Which states are algebraic is known when the equations are built.
      if (space == kPosition && facts().algebraic_states) text_.held_by.emplace_back(held.back(), who);
    }
    std::sort(held.begin(), held.end());
    held.erase(std::unique(held.begin(), held.end()), held.end());
  }

  void give(const Key& k, const Value& v, Space space, std::int32_t row, std::int32_t line) {
    Vector& x = vector(space);
    const auto i = static_cast<std::size_t>(row);
    if (x.given[i])
      world_.source.fail(k.offset,
                         "the start of `" + label(space, row) + "` is given twice, the second time by `" + v.key + "`");
    x.given[i] = true;
    x.line[i] = line;
  }

  void read_array(const Value& v, Key k, Space space) {
    const Symbol* s = world_.find(k.stem);
    if (s != nullptr && s->thing == thing(space) && !k.indexed) {
      const Names::Group& g = names(space).groups()[static_cast<std::size_t>(s->number)];
      if (!g.family)
        world_.source.fail(
            v.offset, "expected a number or an expression in quotes for the start of `" + v.key + "`, found an array");
      k.indexed = true;
      k.from = g.first;
      k.to = g.first + g.count - 1;
    }
    const std::int32_t row = reader_.position(k, names(space), thing(space), "[initial]");
    if (static_cast<std::int64_t>(v.items.size()) != count(k))
      world_.source.fail(v.offset, "the start of `" + v.key + "` has " + std::to_string(v.items.size()) +
                                       " values, but the family has " + std::to_string(count(k)) + " (" + k.stem + "[" +
                                       std::to_string(k.from) + ":" + std::to_string(k.to) + "])");
    for (std::size_t e = 0; e < v.items.size(); ++e) {
      const std::int32_t at = row + static_cast<std::int32_t>(e);
      const Value& item = v.items[e];
      if (item.is_number() && std::isfinite(item.number)) {
        give(k, v, space, at, -1);
        vector(space).values[static_cast<std::size_t>(at)] = item.number;
        vector(space).errors[static_cast<std::size_t>(at)] = kUlp * std::fabs(item.number);
      } else {
        give(k, v, space, at, static_cast<std::int32_t>(lines_.size()));
        lines_.push_back({{}, 0, at, reader_.formula(item, "the start of `" + label(space, at) + "`")});
      }
    }
  }

  std::string label(Space space, std::int32_t i) const {
    return names(space)[i] + (space == kVelocity && facts().primed ? "'" : "");
  }

  using Place = std::pair<Space, std::int32_t>;

  [[noreturn]] void depends_on_itself(const StartLine& line, const std::vector<Place>& circle) const {
    std::vector<std::string> names;
    for (const auto& [space, i] : circle) names.push_back(label(space, i));
    line.formula.fail(0, "the start of `" + names.front() + "` depends on itself: " + circle_text(names),
                      "Give one of them a number");
  }

  // Starts that the formula of a start refers to.
  std::vector<Place> uses_in(const Place& place) {
    std::vector<Place> out;
    const std::int32_t number = vector(place.first).line[static_cast<std::size_t>(place.second)];
    if (number < 0) return out;
    const StartLine& line = lines_[static_cast<std::size_t>(number)];
    Scope scope;
    if (!line.index.empty()) scope.indices.push_back({line.index, line.from + (place.second - line.row)});
    for (const std::int32_t id : references(line.formula, true)) {
      const AstNode& node = line.formula[id];
      const Symbol* const symbol = world_.find(line.formula.name_of(node));
      if (symbol == nullptr) continue;
      const bool state = symbol->thing == Thing::coordinate, velocity = symbol->thing == Thing::velocity;
      const bool quasi = symbol->thing == Thing::quasi;
      if (!state && !velocity && !quasi && symbol->thing != Thing::algebraic) continue;
      const Space space = node.primed || velocity ? kVelocity : state ? kPosition : kMultiplier;
      const Names& among = state      ? world_.coordinates
                           : velocity ? world_.velocities
                           : quasi    ? world_.quasi
                                      : world_.algebraic;
      const Names::Group& g = among.groups()[static_cast<std::size_t>(symbol->number)];
      if (g.family == (node.first < 0)) continue;
      try {
        const std::int64_t i = g.family ? world_.integer(line.formula, node.first, scope).base : 0;
        if (!g.family || (i >= g.first && i - g.first < g.count))
          out.emplace_back(space, g.family ? static_cast<std::int32_t>(g.offset + (i - g.first)) : g.offset);
      } catch (const Error&) {  // an index that is wrong is reported when it is used
      }
    }
    return out;
  }

  Rounded value(Space space, std::int32_t position) {
    Vector& x = vector(space);
    const auto i = static_cast<std::size_t>(position);
    if (x.line[i] < 0) return {x.values[i], x.errors[i]};
    const StartLine& line = lines_[static_cast<std::size_t>(x.line[i])];
    if (x.busy[i]) {
      depends_on_itself(line, {std::find(path_.begin(), path_.end(), Place{space, position}), path_.end()});
    }
    if (path_.size() >= kMaxLevels) {
      const auto circle = find_circle<Place>({space, position}, [this](const Place& p) { return uses_in(p); });
      if (!circle.empty()) depends_on_itself(line, circle);
      line.formula.fail(0,
                        "starts that depend on each other through more than " + std::to_string(kMaxLevels) + " levels",
                        "Refer to members with smaller indices, or write the value as a formula of the index");
    }
    x.busy[i] = true;
    path_.emplace_back(space, position);
    Scope scope;
    if (!line.index.empty()) scope.indices.push_back({line.index, line.from + (position - line.row)});
    const Rounded found = numbers_.finite(line.formula, scope);
    x.values[i] = found.value + 0.0;  // -0 becomes 0
    x.errors[i] = std::fmax(found.error, kUlp * std::fabs(found.value));
    path_.pop_back();
    x.busy[i] = false;
    x.line[i] = -1;
    return {x.values[i], x.errors[i]};
  }

  ModelText& text_;
  Reader& reader_;
  World& world_;
  Numbers numbers_;
  std::vector<StartLine> lines_;
  std::array<Vector, 3> vectors_;
  std::vector<std::pair<Space, std::int32_t>> path_;
};

}  // namespace

void refuse_to_hold(const Holder& who) {
  throw Error(who.words +
                  " is solved for at the start; its value in [initial] is a guess. Held can be what the constraints "
                  "restrict: positions, velocities and states",
              who.place);
}

void read_starts(ModelText& text, Reader& reader, const Value& document, const LoadOptions& options) {
  text.keep_q.clear();
  text.keep_v.clear();
  text.held_by.clear();
  Starts starts(text, reader);
  if (const Value* table = reader.table(document, "initial", "initial")) starts.read(*table);
  if (text.known_starts) starts.take(text.known_starts(text.world));
  for (const auto& [name, value] : options.start) starts.override_with(name, value);
  if (const Value* list = document.find("keep")) starts.keep(*list);
  if (!options.keep.empty()) starts.keep(options.keep);
  starts.evaluate();
}

}  // namespace rattleback::front
