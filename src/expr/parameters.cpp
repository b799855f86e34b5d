#include "expr/parameters.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/apply.hpp"

namespace rattleback {

NumberClass number_class(double x) {
  if (x == 0.0) return NumberClass::zero;
  if (!std::isfinite(x)) return std::isinf(x) ? NumberClass::infinite : NumberClass::none;
  return x > 0.0 ? NumberClass::positive : NumberClass::negative;
}

ParameterSlots::ParameterSlots(const Graph& graph, std::span<const std::pair<std::int32_t, NodeId>> slots, bool guarded)
    : guarded_(guarded) {
  std::vector<char> wanted(graph.size(), 0);
  std::vector<NodeId> open;
  const auto want = [&](NodeId id) {
    if (wanted[id] != 0) return;
    wanted[id] = 1;
    open.push_back(id);
  };
  const auto takes_values = [&](NodeId id) { return graph.is_made(id) || graph[id].op == Op::input; };
  for (const auto& [slot, id] : slots)
    if (takes_values(id)) want(id);
  if (guarded)
    for (NodeId id = 0; id < graph.size(); ++id)
      if (graph.is_made(id)) want(id);
  while (!open.empty()) {
    const NodeId id = open.back();
    open.pop_back();
    for_each_source(graph, id, want);
  }
  std::map<NodeId, std::uint32_t> place;
  std::map<std::uint32_t, std::uint32_t> group_place;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (wanted[id] == 0) continue;
    const Node& n = graph[id];
    Step step{.how = n.c, .value = n.value, .is = number_class(n.value)};
    if (n.op == Op::input) {
      step.a = n.a;
      step.input = true;
    } else if (n.c == kMadeByParameter) {
      step.a = n.a;
    } else if (n.c == kMadeInGroup) {
      if (const auto number = static_cast<std::uint32_t>(groups_.size()); group_place.emplace(n.a, number).second) {
        const Graph::Group& g = graph.groups()[n.a];
        groups_.push_back({g.compute, {}, g.count, steps_.size(), group_room_});
        for (const NodeId k : g.from) groups_.back().from.push_back(place.at(k));
        group_room_ += g.from.size() + g.count;
      }
      step.a = group_place[n.a];
      step.b = n.b;
    } else if (n.c != 0) {
      step.a = place.at(n.a);
      if (arity(op_that_made(n.c)) > 1) step.b = place.at(n.b);
    }
    place.emplace(id, static_cast<std::uint32_t>(steps_.size()));
    steps_.push_back(step);
  }
  for (const auto& [slot, id] : slots)
    if (takes_values(id)) slots_.emplace_back(slot, place.at(id));
  std::sort(slots_.begin(), slots_.end());
  if (guarded)
    for (const auto& [id, value] : graph.settled()) settled_.emplace_back(place.at(id), value);
}

bool ParameterSlots::has(std::uint32_t slot) const {
  return std::binary_search(slots_.begin(), slots_.end(), std::pair(static_cast<std::int32_t>(slot), 0U),
                            [](const auto& x, const auto& y) { return x.first < y.first; });
}

bool ParameterSlots::is_settled(std::uint32_t step) const {
  return std::any_of(settled_.begin(), settled_.end(), [&](const auto& x) { return x.first == step; });
}

double ParameterSlots::number(std::size_t i, std::span<const double> parameters, Room& room) const {
  const Step& step = steps_[i];
  const double* const out = room.numbers.data();
  if (step.input) return step.a < parameters.size() ? parameters[step.a] : step.value;
  if (step.how == 0) return step.value;
  return value_as_made(
      step.how, step.a, step.b, [&](std::uint32_t k) { return parameters[k]; },
      [&](std::uint32_t group, std::uint32_t element) {
        const Group& g = groups_[group];
        const std::span<double> all = std::span(room.groups).subspan(g.offset, g.from.size() + g.count);
        const std::span<double> from = all.first(g.from.size()), values = all.subspan(g.from.size());
        if (g.first == i) {
          for (std::size_t k = 0; k < from.size(); ++k) from[k] = out[g.from[k]];
          g.compute(from, values);
        }
        return values[element];
      },
      [&](std::uint32_t k) { return out[k]; });
}

namespace {

// 0, 1, ... (std::views::iota, which clang 14 does not take from this library).
struct UpTo {
  std::uint32_t count;
  struct Iterator {
    std::uint32_t at;
    std::uint32_t operator*() const { return at; }
    void operator++() { ++at; }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };
  [[nodiscard]] Iterator begin() const { return {0}; }
  [[nodiscard]] Iterator end() const { return {count}; }
};

}  // namespace

template <class Numbers>
bool ParameterSlots::compute_each(const Numbers& steps, const Numbers& settled, std::span<const double> parameters,
                                  Room& room) const {
  bool alike = true;
  double* const out = room.numbers.data();
  for (const std::uint32_t i : steps) {
    const Step& step = steps_[i];
    double x = step.how >= kMadeByOperation  // most are; b is 0 where there is one argument
                   ? apply_here(op_that_made(step.how), out[step.a], out[step.b])
                   : number(i, parameters, room);
    if (!step.input) {
      x += 0.0;  // there is no -0 in a graph
      alike = is_in_class(x, step.is) && alike;
    }
    out[i] = x;
  }
  for (const std::uint32_t i : settled) alike = alike && room.numbers[settled_[i].first] == settled_[i].second;
  return alike || !guarded_;
}

bool ParameterSlots::compute(std::span<const double> parameters, Room& room) const {
  room.numbers.resize(steps_.size());
  room.groups.resize(group_room_);
  room.changed = kAll;
  return compute_each(UpTo{static_cast<std::uint32_t>(steps_.size())},
                      UpTo{static_cast<std::uint32_t>(settled_.size())}, parameters, room);
}

ParameterSlots::Affected ParameterSlots::affected_by(std::size_t parameter) const {
  std::vector<char> is(steps_.size(), 0);
  Affected out;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    if (step.input || step.how == kMadeByParameter) is[i] = step.a == parameter ? 1 : 0;
    for_each_argument(step, [&](std::uint32_t k) { is[i] = is[i] != 0 || is[k] != 0 ? 1 : 0; });
    if (is[i] != 0) out.steps.push_back(static_cast<std::uint32_t>(i));
  }
  for (std::uint32_t i = 0; i < settled_.size(); ++i)
    if (is[settled_[i].first] != 0) out.settled.push_back(i);
  for (std::uint32_t i = 0; i < slots_.size(); ++i)
    if (is[slots_[i].second] != 0) out.slots.push_back(i);
  return out;
}

bool ParameterSlots::compute(std::span<const double> parameters, std::size_t changed, Room& room) const {
  if (room.numbers.size() != steps_.size()) return compute(parameters, room);
  if (room.affected.empty()) {
    room.affected.resize(parameters.size());
    for (std::size_t k = 0; k < parameters.size(); ++k) room.affected[k] = affected_by(k);
  }
  room.changed = changed;
  const Affected& by = room.affected[changed];
  const bool good = compute_each(by.steps, by.settled, parameters, room);
  if (!good) room.numbers.clear();  // they are those of no values
  return good;
}

std::optional<std::vector<double>> ParameterSlots::numbers(std::span<const double> parameters) const {
  Room room;
  if (!compute(parameters, room)) return std::nullopt;
  return std::move(room.numbers);
}

void ParameterSlots::put(std::span<const double> numbers, double* w, std::size_t lanes, std::size_t lane) const {
  for (const auto& [slot, step] : slots_) w[static_cast<std::size_t>(slot) * lanes + lane] = numbers[step];
}

void ParameterSlots::put(const Room& room, double* w) const {
  if (room.changed == kAll) return put(room.numbers, w);
  for (const std::uint32_t i : room.affected[room.changed].slots)
    w[static_cast<std::size_t>(slots_[i].first)] = room.numbers[slots_[i].second];
}

bool ParameterSlots::set(std::span<const double> parameters, double* w, std::size_t lanes, std::size_t lane) const {
  const std::optional<std::vector<double>> all = numbers(parameters);
  if (all) put(*all, w, lanes, lane);
  return all.has_value();
}

bool ParameterSlots::set(std::span<const double> parameters, double* w, Room& room) const {
  if (!compute(parameters, room)) return false;
  put(room.numbers, w);
  return true;
}

}  // namespace rattleback
