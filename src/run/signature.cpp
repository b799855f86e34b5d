#include "run/signature.hpp"

#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "files/digest.hpp"
#include "files/read.hpp"
#include "model/kind_facts.hpp"
#include "option/option_table.hpp"

namespace rattleback {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kNamed = 64;  // so many values of a kind are listed one by one

std::uint64_t digest_of(std::initializer_list<std::uint64_t> numbers, std::uint64_t more) {
  for (const std::uint64_t x : numbers) {
    char bytes[sizeof x];
    for (std::size_t i = 0; i < sizeof x; ++i) bytes[i] = static_cast<char>(x >> (8 * i));
    more = digest({bytes, sizeof bytes}, more);
  }
  return more;
}

std::uint64_t digest_of(std::span<const double> values, std::uint64_t more) {
  for (const double x : values) more = digest_of({std::bit_cast<std::uint64_t>(x)}, more);
  return more;
}

// The formulas as they were built: parts of an interconnection, tables of a CSV file and arrays of parameters are in them, too.
std::string digest_of(const Model& model) {
  const Graph& graph = *model.graph;
  std::uint64_t more = digest("");
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& n = graph[id];
    const bool constant = n.op == Op::constant;
    more = digest_of({static_cast<std::uint64_t>(n.op), n.space, static_cast<std::uint64_t>(n.count), n.a, n.b, n.c,
                      constant ? std::bit_cast<std::uint64_t>(n.value) : 0},
                     more);
    if (n.op == Op::table || n.op == Op::lookup) more = digest_of(graph.table_values(n.c), more);
  }
  const auto entries = [&](const Entries& list) {
    more = digest_of({list.size()}, more);
    for (const Entry& e : list) {
      const auto number = [](std::int32_t x) { return static_cast<std::uint64_t>(x); };
      more = digest_of(
          {e.expr, number(e.count), number(e.row.base), number(e.row.stride), number(e.col.base), number(e.col.stride)},
          more);
    }
  };
  for (const Entries* list : {&model.forces, &model.holonomic, &model.nonholonomic, &model.constraints, &model.odae.v,
                              &model.odae.f, &model.odae.r, &model.odae.p, &model.pi, &model.ph.E, &model.ph.J,
                              &model.ph.R, &model.ph.r, &model.ph.z, &model.ph.S, &model.ph.N})
    entries(*list);
  for (const Entries& list : model.parts) entries(list);
  for (const ForceGroup& group : model.force_groups)
    more = digest_of({static_cast<std::uint64_t>(group.coefficients), group.first, group.count}, more);
  for (const auto& input : model.ph.inputs) {
    more = digest_of({input.u}, more);
    entries(input.B);
    entries(input.P);
  }
  more =
      digest_of({static_cast<std::uint64_t>(model.kind), model.lagrangian, model.kinetic.value_or(0),
                 model.potential.value_or(0), model.hamiltonian, std::bit_cast<std::uint64_t>(model.odae.restitution)},
                more);
  return fmt::format("{:016x}", more);
}

std::string file_digest(const std::string& path) {
  return fmt::format("a file with the digest {:016x}", digest(files::read_text(path, files::kLargestTableau).text));
}

template <class Name>
void add_values(Lines& out, const std::string& flag, std::span<const double> values, const Name& name) {
  if (values.size() > kNamed) {
    out.emplace_back(flag,
                     fmt::format("{} values with the digest {:016x}", values.size(), digest_of(values, digest(""))));
    return;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    out.emplace_back(fmt::format("{} {}", flag, name(static_cast<std::int32_t>(i))), fmt::format("{}", values[i]));
}

}  // namespace

Lines signature(const Model& model, const Options& used, const Start& start) {
  Lines out;
  out.emplace_back(kSystemLine, model.key.empty() ? model.name : model.key);
  for (const OptionRow& row : option_table()) {
    if (row.on_resume != OnResume::same) continue;
    const bool file = row.unit.starts_with("FILE") && !is_default(row, used);
    const std::string value = option_text(row, used);
    out.emplace_back(flag_of(row), file ? file_digest(value) : value);
    if (used.adaptive > 0.0 && row.name == "step") {  // its sign is that of the way to the end
      out.back().second = fmt::format("{}", std::fabs(used.step));
      out.emplace_back("--until", used.step < 0.0 ? "back in time" : "forward in time");
    }
  }
  std::vector<double> values;
  for (const auto& [name, value] : model.parameters) values.push_back(value);
  add_values(out, "--set", values, [&](std::int32_t i) { return model.parameters[static_cast<std::size_t>(i)].first; });
  add_values(out, "--start", start.q, [&](std::int32_t i) { return model.coordinates[i]; });
  add_values(out, "--start", start.v, [&](std::int32_t i) { return velocity_name(model, i); });
  if (!facts_of(model).primed)  // of a mechanical system they follow from the rest
    add_values(out, "--start", start.multipliers, [&](std::int32_t i) { return model.multiplier_name(i); });
  out.emplace_back(kTextLine, fmt::format("{:016x}", digest(model.text)));
  out.emplace_back("an array of parameters, or a file that the model reads,", digest_of(model));
  return out;
}

}  // namespace rattleback
