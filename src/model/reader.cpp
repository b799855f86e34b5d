#include "model/reader.hpp"

#include <algorithm>
#include <cmath>

#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"

namespace rattleback::front {

bool Members::insert(const std::string& name, std::int64_t from, std::int64_t to) {
  if (to < from) return true;
  auto& ranges = ranges_[name];
  auto next = ranges.upper_bound(to);
  if (next != ranges.begin() && std::prev(next)->second >= from) return false;
  ranges[from] = to;
  return true;
}

void Reader::only(const Value& parent, const std::string& table, std::initializer_list<std::string_view> way) const {
  only(parent, table, keys_at(file_kind(world_), way));
}

void Reader::only(const Value& parent, const std::string& table, std::span<const KeyRow> accepted) const {
  std::vector<std::string> names;
  for (const KeyRow& row : accepted) names.emplace_back(row.key);
  only(parent, table, names);
}

void Reader::only(const Value& parent, const std::string& table, const std::vector<std::string>& accepted) const {
  for (const Value& v : parent.items) {
    if (std::find(accepted.begin(), accepted.end(), v.key) != accepted.end()) continue;
    const std::string shown = v.key.size() > 60 ? v.key.substr(0, 60) + "..." : v.key;
    const bool new_table = v.is_table() && table.empty();
    source_.fail(v.key_offset, "unknown " + (new_table ? "table [" + shown + "]" : "key `" + shown + "`") +
                                   (table.empty() ? "" : " in " + table) + ". " + did_you_mean(v.key, accepted) +
                                   "Known here: " + listed(accepted));
  }
}

const Value* Reader::table(const Value& parent, const std::string& key, const std::string& path) const {
  const Value* v = parent.find(key);
  if (v != nullptr && !v->is_table())
    source_.fail(v->offset, "`" + key + "` must be a table, found " + describe(v->type) + ". Write [" + path +
                                "] on a line of its own and its entries below");
  return v;
}

std::string Reader::text(const Value& value, const std::string& what) const {
  if (value.type != Value::Type::string)
    source_.fail(value.offset, "expected a string for " + what + ", found " + describe(value.type));
  return value.text;
}

bool Reader::boolean(const Value& value, const std::string& what) const {
  if (value.type != Value::Type::boolean)
    source_.fail(value.offset, "expected true or false for " + what + ", found " + describe(value.type));
  return value.boolean;
}

const Value& Reader::array(const Value& value, const std::string& what) const {
  if (value.type != Value::Type::array)
    source_.fail(value.offset, "expected an array of names for " + what + ", found " + describe(value.type) +
                                   ". Write [\"x\", \"y\"]");
  return value;
}

Formula Reader::formula(const Value& value, const std::string& role) const {
  if (value.type == Value::Type::string) return {source_, value.offset, role, value.text};
  if (!value.is_number())
    source_.fail(value.offset,
                 "expected a number or an expression in quotes for " + role + ", found " + describe(value.type));
  if (!std::isfinite(value.number))
    source_.fail(value.offset, "expected a finite number for " + role + ", found " + number_text(value.number));
  return Formula::constant(source_, value.offset, role, value.number);
}

double Reader::number(const Value& value, const std::string& role) {
  static const Rules rules{.accepts = "numbers and parameters"};
  return Numbers(world_, rules).finite(formula(value, role)).value;
}

Key Reader::key(const Value& value, const std::string& what) {
  Key k = key(parse_key(source_, value.key_offset, "the key of " + what, value.key));
  k.offset = value.key_offset;
  return k;
}

Key Reader::key(const KeyPattern& p) {
  Key k{p.stem, p.primed, p.indexed, p.index, 0, 0, 0};
  if (!p.indexed) return k;
  if (p.index.empty() && p.from != p.to)
    p.formula.fail(p.formula[p.from], "a range without an index",
                   "Write " + p.stem + "[i=" + std::string(p.formula.text_of(p.formula[p.from])) + ":" +
                       std::string(p.formula.text_of(p.formula[p.to])) + "]");
  const Scope none;
  if (!p.index.empty()) world_.check_index_name(p.formula, p.formula.text.find('[') + 1, p.index, none);
  std::tie(k.from, k.to) = world_.range(p.formula, p.from, p.to, none);
  return k;
}

std::int32_t Reader::position(const Key& k, const Names& names, Thing thing, const std::string& table) {
  const Symbol* symbol = world_.find(k.stem);
  const std::string what = world_.noun(thing);
  if (symbol == nullptr || symbol->thing != thing) {
    std::vector<std::string> stems, shown;
    const auto add = [&](const Names& some) {
      for (const Names::Group& g : some.groups()) {
        stems.push_back(g.stem);
        shown.push_back(g.family
                            ? g.stem + "[" + std::to_string(g.first) + ":" + std::to_string(g.first + g.count - 1) + "]"
                            : g.stem);
      }
    };
    add(names);
    // An odae's three lists of names all have starts and exact values.
    const bool any =
        world_.facts().named_velocities() && symbol == nullptr && table != "[v]" && thing == Thing::coordinate;
    if (any) add(world_.velocities);
    if (any) add(world_.algebraic);
    const std::string found = symbol == nullptr ? "unknown " + (any ? "name" : what) + " `" + k.stem + "`"
                                                : "`" + k.stem + "` is " + world_.describe(*symbol) + ", not a" +
                                                      (what.find_first_of("aeiou") == 0 ? "n " : " ") + what + ",";
    source_.fail(k.offset, found + " in " + table + ". " +
                               (symbol == nullptr ? did_you_mean(k.stem, stems) : Message()) +
                               "Known here: " + listed(shown));
  }
  const Names::Group& g = names.groups()[static_cast<std::size_t>(symbol->number)];
  const std::string range = std::to_string(g.first) + ":" + std::to_string(g.first + g.count - 1);
  if (g.family && !k.indexed)
    source_.fail(k.offset, "`" + k.stem + "` in " + table + " is a family, " + k.stem + "[" + range + "]. Write \"" +
                               k.stem + "[i=" + range + "]\", or \"" + k.stem + "[" + std::to_string(g.first) +
                               "]\" for one of them");
  if (!g.family && k.indexed)
    source_.fail(k.offset, "`" + k.stem + "` in " + table + " is not a family and takes no index");
  if (!g.family || k.to < k.from) return g.offset;
  const std::int64_t last = static_cast<std::int64_t>(g.first) + g.count - 1;
  if (k.from < g.first || k.to > last)
    source_.fail(k.offset, no_element(k.stem, k.from < g.first ? k.from : k.to, range) + " in " + table);
  return g.offset + static_cast<std::int32_t>(k.from - g.first);
}

std::vector<Line> Reader::lines_by_variable(const Value& parent, const std::string& table, const Names& names,
                                            Thing thing, const std::string& role, bool quasi) {
  std::vector<Line> lines;
  Members members;
  for (const Value& v : parent.items) {
    const Key k = key(v, "an entry of " + table);
    const Symbol* const symbol = world_.find(k.stem);
    const bool along_quasi = quasi && symbol != nullptr && symbol->thing == Thing::quasi;
    const std::int32_t row =
        along_quasi ? names.size() + position(k, world_.quasi, Thing::quasi, table) : position(k, names, thing, table);
    if (k.primed) source_.fail(k.offset, "`" + v.key + "` in " + table + " is a velocity. Write `" + k.stem + "`");
    if (!members.insert(k.stem, k.from, k.to)) source_.fail(k.offset, "`" + v.key + "` is given twice in " + table);
    lines.push_back({k.index, k.from, k.to, row, formula(v, role + " `" + v.key + "`")});
  }
  return lines;
}

std::vector<Line> Reader::constraint_lines(const Value& parent, Names& names, const std::string& role) {
  std::vector<Line> lines;
  Members members;
  std::map<std::string, bool> family;
  for (const Value& v : parent.items) {
    if (v.is_table())
      source_.fail(v.key_offset, "expected an expression in quotes for " + role + " `" + v.key + "`, found a table");
    const Key k = key(v, "a constraint");
    if (k.primed) source_.fail(k.offset, "the name of a constraint has no ', found `" + v.key + "`");
    const auto [it, fresh] = family.try_emplace(k.stem, k.indexed);
    if (fresh) world_.declare(k.stem, Thing::constraint, 0, k.offset);
    if (it->second != k.indexed || !members.insert(k.stem, k.from, k.to))
      source_.fail(k.offset, "constraint `" + v.key + "` is already there. Two things cannot have one name");
    lines.push_back({k.index, k.from, k.to, names.size(), formula(v, role + " `" + v.key + "`")});
    if (k.indexed)
      names.add_family(k.stem, static_cast<std::int32_t>(k.from), static_cast<std::int32_t>(k.to - k.from + 1));
    else
      names.add(k.stem);
    if (names.size() > kMaxCount) source_.fail(k.offset, "more than " + std::to_string(kMaxCount) + " constraints");
  }
  return lines;
}

DataText Reader::data(const Value& table, const std::string& what, std::span<const KeyRow> keys,
                      const std::string& at_key, const std::string& at, const std::string& column_key,
                      const std::string& column) {
  only(table, what, keys);
  const Value* const file = table.find("file");
  if (file == nullptr)
    source_.fail(table.offset, what + " has no `file`. Write file = \"data.csv\", " + at_key + " = \"" + at + "\", " +
                                   column_key + " = \"" + column + "\"");
  const auto word = [&](const std::string& key, const std::string& usual) {
    const Value* const v = table.find(key);
    return v != nullptr ? text(*v, "`" + key + "` of " + what) : usual;
  };
  const auto choice = [&](const std::string& key, const std::vector<std::string>& words) {
    const std::string found = word(key, words.front());
    const auto it = std::find(words.begin(), words.end(), found);
    if (it == words.end())
      source_.fail(table.find(key)->offset,
                   "`" + key + "` of " + what + " is \"" + found.substr(0, 40) + "\". It can be: " + listed(words));
    return it - words.begin();
  };
  DataText data;
  data.what = what;
  data.file = text(*file, "`file` of " + what);
  data.offset = file->offset;
  data.at_key = at_key;
  data.column_key = column_key;
  data.at = word(at_key, at);
  data.column = word(column_key, column);
  constexpr Interpolate kHow[] = {Interpolate::linear, Interpolate::cubic, Interpolate::hold};
  data.how = kHow[choice("interpolate", {"linear", "cubic", "hold"})];
  data.refuses = choice("outside", {"error", "hold"}) == 0;
  return data;
}

}  // namespace rattleback::front
