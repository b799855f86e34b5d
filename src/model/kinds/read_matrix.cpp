// Matrices of a model file: entries by the names of their row and column.
#include <fmt/format.h>

#include "model/reader.hpp"

namespace rattleback::front {

MatrixText Reader::matrix(const Value& parent, const std::string& table, const std::string& name, const Names& names,
                          Thing thing, MatrixSymmetry symmetry) {
  MatrixText out{name, symmetry, {}};
  std::map<std::pair<std::int32_t, std::int32_t>, bool> taken;
  for (const Value& v : parent.items) {
    const auto fail = [&](const std::string& what) { source_.fail(v.key_offset, what); };
    const std::size_t comma = v.key.find(',');
    if (comma == std::string::npos || v.key.find(',', comma + 1) != std::string::npos)
      fail("expected a row and a column in " + table + ", found `" + v.key.substr(0, 60) + "`. Write \"" +
           (names.size() > 1 ? names[0] + "," + names[1] : "a,b") + "\" = \"...\"");
    const KeyPattern row = parse_key(source_, v.key_offset, "the row of an entry of " + table, v.key.substr(0, comma));
    const KeyPattern column =
        parse_key(source_, v.key_offset + comma + 1, "the column of an entry of " + table, v.key.substr(comma + 1));
    if (row.primed || column.primed)
      fail("`" + v.key + "` in " + table + " has a '. Rows and columns are " + world_.noun(thing) + "s");
    if (!column.index.empty())
      fail("`" + v.key + "` in " + table +
           " has a range in its column. The range belongs to the row: \"x[i=1:3],y[i]\"");
    if (column.indexed && column.from != column.to)
      fail("`" + v.key + "` in " + table + " has a range in its column. A column is one " + world_.noun(thing) +
           ": \"x[i=1:3],y[i]\"");
    Key k = key(row);
    k.offset = v.key_offset;
    const std::int32_t first = position(k, names, thing, table);
    MatrixLine line{k.index, k.from, {}, formula(v, "entry `" + v.key + "` of " + table)};
    if (column.indexed && k.index.empty()) {
      const std::string index(column.formula.text_of(column.formula[column.from]));
      if (is_name(index) && world_.find(index) == nullptr)
        fail(fmt::format(
            "the column of `{}` in {} has the index `{}`, and its row has no range. Write \"x[{}=1:3],y[{}]\"", v.key,
            table, index, index, index));
    }
    const std::int64_t count = k.index.empty() ? 1 : k.to - k.from + 1;
    for (std::int64_t i = 0; i < count; ++i) {
      Scope scope;
      if (!k.index.empty()) scope.indices.push_back({line.index, k.from + i, 0});
      Key c{column.stem, false, column.indexed, {}, 0, 0, v.key_offset};
      if (column.indexed) std::tie(c.from, c.to) = world_.range(column.formula, column.from, column.to, scope);
      line.places.emplace_back(first + static_cast<std::int32_t>(i),
                               position(c, names, thing, table + World::where(scope, 0)));
      if (!taken.emplace(line.places.back(), true).second)
        fail("entry `" + names[line.places.back().first] + "," + names[line.places.back().second] +
             "` is given twice in " + table);
    }
    out.lines.push_back(std::move(line));
  }
  return out;
}

}  // namespace rattleback::front
