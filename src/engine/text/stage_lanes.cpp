#include "engine/text/stage_lanes.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "engine/text/emit.hpp"
#include "expr/instructions.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kLanes = 4;

// Costs in operations. What a lane gives away is stored once for all lanes and loaded where it is wanted.
constexpr double kBroadcast = 0.5, kPrepared = 0.5, kGatherTwo = 1.5, kGather = 4.0, kStored = 1.0;
// A step is left as it is when less than this part of its operations would be saved. Measured: with 0.12 it is 5 % slower
// (spark-gauss with two stages on the nonholonomic particle), with 0.22 it is 7 % faster (on the quartic particles).
constexpr double kWorthwhile = 0.2;
constexpr double kBetter = 1.25;  // another order of lanes must save so much more: others would have to follow it

int operations(Code code) {  // of a vector; 0: not done in vectors
  switch (code) {
    case Code::neg:
    case Code::add:
    case Code::sub:
    case Code::mul:
    case Code::div: return 1;
    case Code::mul_add:
    case Code::mul_sub:
    case Code::sub_mul: return 2;
    default: return 0;
  }
}
// a*b and b*a, a+b and b+a have the same bits.
bool commutes(Code code) { return operations(code) > 0 && code != Code::neg && code != Code::sub && code != Code::div; }

std::array<std::uint32_t, 3> arguments(const Instruction& in) { return {in.a, in.b, in.c}; }

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

std::uint64_t shape_of(const Instruction& in, std::array<std::uint64_t, 3> x) {
  const int count = slots_read(in.code);
  if (commutes(in.code) && x[1] < x[0]) std::swap(x[0], x[1]);
  std::uint64_t out = mixed(0xc0de, static_cast<std::uint64_t>(in.code));
  for (int k = 0; k < count; ++k) out = mixed(out, x[static_cast<std::size_t>(k)]);
  if (in.code == Code::lookup || in.code == Code::lookup_slope) out = mixed(out, in.b);
  return out;
}

// Of the instructions of a program. slots: shapes of what they hold, before and after; zero: that of a slot that is cleared.
std::vector<std::uint64_t> shapes_of(const Program& program, std::vector<std::uint64_t>& slots, std::uint64_t zero) {
  std::vector<std::uint64_t> out;
  for (const Instruction& in : program.code) {
    if (in.code == Code::end) break;
    const bool clear = in.code == Code::clear;
    out.push_back(clear ? 0 : shape_of(in, {slots[in.a], slots[in.b], slots[in.c]}));
    for_each_written(in, [&](std::uint32_t slot) { slots[slot] = clear ? zero : out.back(); });
  }
  return out;
}

bool one_slot(const LaneSlots& x) {
  return std::all_of(x.begin(), x.end(), [&](std::uint32_t slot) { return slot == x[0]; });
}

}  // namespace

// Finds the packs of one program.
class LaneSearch {
 public:
  LaneSearch(StageLanes& all, std::size_t number) : all_(all), number_(number), w_(all.work_[number]) {
    covered_.assign(w_.program->code.size(), 0);
  }

  void run() {
    prepare_wanted();
    classes();
  }

 private:
  // Packs of formulas of the same shape, the deepest first: what they consist of is found on the way down.
  void classes() {
    std::map<std::tuple<std::int32_t, std::uint64_t>, std::vector<std::int32_t>> found;
    for (std::size_t i = 0; i + 1 < w_.program->code.size(); ++i)
      if (w_.fixed[i] == 0) found[{-w_.depth[i], w_.shape[i]}].push_back(static_cast<std::int32_t>(i));
    for (auto& [key, left] : found) {
      std::erase_if(left, [&](std::int32_t i) { return covered_[static_cast<std::size_t>(i)] != 0; });
      if (left.size() < 2) continue;
      // In their order; or, for products of a matrix, those together that share an argument.
      double best = 0.0;
      std::vector<LaneSlots> chosen;
      for (int shared = -1; shared < slots_read(at(left[0]).code); ++shared) {
        const std::vector<LaneSlots> chunks = divide(left, shared);
        if (chunks.empty()) continue;
        const double gain = attempt(chunks);
        undo(0);
        if (gain > kBetter * best) {
          best = gain;
          chosen = chunks;
        }
      }
      if (!chosen.empty()) keep(attempt(chosen));
    }
  }

  [[nodiscard]] const Instruction& at(std::int32_t i) const { return w_.program->code[static_cast<std::size_t>(i)]; }
  [[nodiscard]] std::size_t number(const Instruction* in) const {
    return static_cast<std::size_t>(in - w_.program->code.data());
  }
  [[nodiscard]] std::int32_t definition(std::uint32_t slot) const { return w_.definition[slot]; }
  template <class T>
  static const T& of(const std::vector<T>& x, std::int32_t i) {
    return x[static_cast<std::size_t>(i)];
  }

  [[nodiscard]] bool all_constant(const LaneSlots& x) const {
    return std::all_of(x.begin(), x.end(), [&](std::uint32_t slot) { return all_.constant(slot); });
  }

  // Will an earlier program have them as a vector? One that is run before the iteration can always put them together.
  [[nodiscard]] bool will_be_prepared(const LaneSlots& x) const {
    const std::int32_t by = all_.writer(x);
    if (by < 0 || static_cast<std::size_t>(by) >= number_) return false;
    return (w_.often && !all_.work_[static_cast<std::size_t>(by)].often) ||
           std::all_of(x.begin(), x.end(), [&](std::uint32_t slot) {
             return all_.writer_[slot] == all_.writer_[x[0]] && all_.shape_[slot] == all_.shape_[x[0]];
           });
  }

  [[nodiscard]] double gather_cost(const LaneSlots& x) const {
    if (will_be_prepared(x)) return kPrepared;
    return x.size() == 2 ? kGatherTwo : kGather;
  }

  [[nodiscard]] bool same_instruction(const LaneSlots& x) const {
    const std::int32_t first = definition(x[0]);
    return std::all_of(x.begin(), x.end(), [&](std::uint32_t slot) {
      const std::int32_t i = definition(slot);
      // Of the same depth: lanes cannot depend on one another then, and neither can packs.
      return i >= 0 && of(w_.fixed, i) == 0 && at(i).code == at(first).code && of(w_.depth, i) == of(w_.depth, first);
    });
  }

  [[nodiscard]] LaneStep pack_of(const LaneSlots& x) const {
    LaneStep out;
    for (const std::uint32_t slot : x) out.code.push_back(&at(definition(slot)));
    const auto count = static_cast<std::size_t>(slots_read(out.code[0]->code));
    for (const Instruction* const in : out.code)
      for (std::size_t k = 0; k < count; ++k) out.operands[k].push_back(arguments(*in)[k]);
    return out;
  }

  // Makes these slots a vector; what that saves in operations, counted from scalars that cost nothing.
  double build(const LaneSlots& x) {
    if (one_slot(x)) return -kBroadcast;
    if (all_constant(x) || w_.made.contains(x)) return 0.0;
    if (all_.lasting(x, number_)) return 0.0;
    const double gather = gather_cost(x);
    const std::size_t mark = log_.size();
    if (!hopeless_.contains(x) && same_instruction(x)) {
      LaneStep& made = w_.made.emplace(x, pack_of(x)).first->second;
      log_.push_back(x);
      const int work = operations(made.code[0]->code);
      double gain = -work;
      for (const Instruction* const in : made.code)
        if (covered_[number(in)]++ == 0) gain += work;
      for (const LaneSlots& y : std::array(made.operands))
        if (!y.empty()) gain += build(y);
      if (gain > -gather) return gain;
      undo(mark);
      hopeless_.insert(x);
    }
    w_.made.emplace(x, LaneStep{});
    log_.push_back(x);
    return -gather;
  }

  void undo(std::size_t mark) {
    for (; log_.size() > mark; log_.pop_back()) {
      const auto it = w_.made.find(log_.back());
      for (const Instruction* const in : it->second.code) --covered_[number(in)];
      w_.made.erase(it);
    }
  }

  void keep(double gain) {
    w_.gain += gain;
    for (const LaneSlots& x : log_) {
      const auto [place, added] = all_.numbers_.try_emplace(x, static_cast<int>(all_.packs_.size()));
      if (added) all_.packs_.push_back(x);
      if (w_.made.at(x).code.empty()) continue;
      for (std::size_t k = 0; k < x.size(); ++k)
        if (all_.homes_[x[k]].pack < 0 && !all_.named(x[k])) all_.homes_[x[k]] = {place->second, static_cast<int>(k)};
    }
    log_.clear();
    hopeless_.clear();  // there is more to stand on
  }

  // shared: the argument that those of one pack have in common; -1: none.
  [[nodiscard]] std::vector<LaneSlots> divide(const std::vector<std::int32_t>& members, int shared) const {
    std::map<std::uint32_t, LaneSlots> groups;
    for (const std::int32_t i : members)
      groups[shared < 0 ? 0 : arguments(at(i))[static_cast<std::size_t>(shared)]].push_back(at(i).dst);
    if (shared >= 0 && (groups.size() == 1 || groups.size() == members.size())) return {};
    std::vector<LaneSlots> out;
    for (const auto& [slot, x] : groups)
      for (std::size_t first = 0; first + 1 < x.size(); first += kLanes)
        out.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(first),
                         x.begin() + static_cast<std::ptrdiff_t>(std::min(first + kLanes, x.size())));
    return out;
  }

  // Makes those that save something, on trial.
  double attempt(const std::vector<LaneSlots>& packs) {
    double sum = 0.0;
    for (const LaneSlots& x : packs) {
      if (w_.made.contains(x)) continue;
      const std::size_t mark = log_.size();
      const double gain = build(x) - kStored;
      const auto it = w_.made.find(x);
      if (it != w_.made.end() && !it->second.code.empty() && gain > 0.0)
        sum += gain;
      else
        undo(mark);
    }
    return sum;
  }

  // What later programs take from here as a vector.
  void prepare_wanted() {
    std::map<LaneSlots, bool> wanted;  // in every iteration?
    for (std::size_t reader = number_ + 1; reader < all_.work_.size(); ++reader)
      for (const auto& [x, made] : all_.work_[reader].made)
        if (made.code.empty() && comes_from_here(x)) wanted[x] = wanted[x] || all_.work_[reader].often;
    for (const auto& [x, often] : wanted) {
      if (w_.made.contains(x)) continue;
      const double gain = build(x);
      const auto it = w_.made.find(x);
      if (it == w_.made.end() || (it->second.code.empty() && (w_.often || !often)))
        undo(0);
      else
        keep(gain);
    }
  }
  [[nodiscard]] bool comes_from_here(const LaneSlots& x) const {
    return all_.writer(x) == static_cast<std::int32_t>(number_) &&
           std::all_of(x.begin(), x.end(),
                       [&](std::uint32_t slot) { return all_.writer_[slot] == -1 || definition(slot) >= 0; });
  }

  StageLanes& all_;
  std::size_t number_;
  StageLanes::Work& w_;
  std::vector<int> covered_;    // packs that compute an instruction
  std::vector<LaneSlots> log_;  // packs that were made on trial
  std::set<LaneSlots> hopeless_;
};

StageLanes::StageLanes(const Plan& plan, const StepSlots& slots, std::vector<char> named)
    : named_(std::move(named)), writer_(named_.size(), -1), homes_(named_.size()) {
  for (std::uint32_t slot = 0; slot < named_.size(); ++slot)
    constant_.push_back(slots.is_constant(slot) || slots.is_parameter(slot) ? 1 : 0);
  list_programs(plan);
  for (Work& w : work_) look_at(w);
  shapes(plan);
  // What is run in every iteration chooses first; what it would like to find in vectors is packed that way before it.
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < work_.size(); ++k)
    if (work_[k].often) order.push_back(k);
  for (std::size_t k = work_.size(); k-- > 0;)
    if (!work_[k].often) order.push_back(k);
  double gain = 0.0, all = 0.0;
  for (const std::size_t k : order) {
    LaneSearch(*this, k).run();
    gain += work_[k].gain;
    all += static_cast<double>(work_[k].program->code.size());
  }
  if (gain < kWorthwhile * all) {
    packs_.clear();
    homes_.assign(homes_.size(), {});
    return;
  }
  for (std::size_t k = 0; k < work_.size(); ++k) schedule(k);
}

void StageLanes::list_programs(const Plan& plan) {
  for (const std::int32_t u : plan.unknown_slots()) writer_[static_cast<std::size_t>(u)] = -2;
  for (const Plan::Block& b : plan.blocks())
    if (b.leading) std::fill_n(writer_.begin() + b.leading->y, b.leading->size, -2);
  const auto add = [&](const Program& p, bool often) {
    if (p.empty()) return;
    const auto number = static_cast<std::int32_t>(work_.size());
    Work& w = work_.emplace_back();
    w.program = &p;
    w.often = often;
    for (const Instruction& in : p.code)
      for_each_written(in, [&](std::uint32_t slot) {
        std::int32_t& writer = writer_[slot];
        writer = writer == -1 || writer == number ? number : -2;
      });
  };
  for (const Plan::Block& b : plan.blocks())
    for (const Program* p : programs_of(b))
      add(*p, !b.linear && (p == &b.residual || (b.leading && (p == &b.leading->right || p == &b.leading->expand))));
  add(plan.finish(), false);
}

// Who writes what, and in which order things have to be.
void StageLanes::look_at(Work& work) {
  const std::vector<Instruction>& code = work.program->code;
  std::vector<std::int32_t> last(named_.size(), -1);
  std::vector<std::vector<std::int32_t>> readers(named_.size());
  std::vector<char> irregular(named_.size(), 0);  // read before it is written, or written twice
  work.definition.assign(named_.size(), -1);
  work.after.resize(code.size());
  work.depth.assign(code.size(), 0);
  work.fixed.assign(code.size(), 0);
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const Instruction& in = code[i];
    const auto number = static_cast<std::int32_t>(i);
    for_each_read(in, [&](std::uint32_t slot) {
      if (last[slot] >= 0) work.after[i].push_back(last[slot]);
      readers[slot].push_back(number);
    });
    for_each_written(in, [&](std::uint32_t slot) {
      if (last[slot] >= 0 || !readers[slot].empty() || in.code == Code::clear) irregular[slot] = 1;
      if (last[slot] >= 0) work.after[i].push_back(last[slot]);
      for (const std::int32_t r : readers[slot])
        if (r != number) work.after[i].push_back(r);
      readers[slot].clear();
      last[slot] = number;
    });
    for (const std::int32_t k : work.after[i])
      work.depth[i] = std::max(work.depth[i], work.depth[static_cast<std::size_t>(k)] + 1);
  }
  for (std::size_t i = 0; i + 1 < code.size(); ++i) {
    const Instruction& in = code[i];
    bool regular = operations(in.code) > 0 && irregular[in.dst] == 0;
    for_each_read(in, [&](std::uint32_t slot) { regular = regular && irregular[slot] == 0; });
    work.fixed[i] = regular ? 0 : 1;
    if (irregular[in.dst] == 0 && in.code != Code::clear) work.definition[in.dst] = static_cast<std::int32_t>(i);
  }
}

void StageLanes::shapes(const Plan& plan) {
  constexpr std::uint64_t kNumber = 1, kUnknownValue = 2;
  std::vector<std::uint64_t> start(named_.size());
  for (std::size_t slot = 0; slot < named_.size(); ++slot)
    start[slot] = constant_[slot] != 0 ? kNumber : mixed(0x510f, slot);
  const auto unknowns = [&](auto&& shape) {
    for (const Plan::Block& b : plan.blocks()) {
      for (std::int32_t i = 0; i < b.size; ++i)
        start[static_cast<std::size_t>(b.unknowns[static_cast<std::size_t>(i)])] = shape(b.r + i);
      for (std::int32_t i = 0; b.leading && i < b.leading->size; ++i) {
        const std::int32_t y = b.leading->y + i;
        start[static_cast<std::size_t>(y)] = shape(b.leading->rhs + i);
      }
    }
  };
  // All unknowns alike first, to see the shapes of their equations.
  unknowns([](std::int32_t) { return kUnknownValue; });
  for (const bool final : {false, true}) {
    shape_ = start;
    for (Work& w : work_) w.shape = shapes_of(*w.program, shape_, kNumber);
    if (!final) unknowns([&](std::int32_t slot) { return shape_[static_cast<std::size_t>(slot)]; });
  }
}

// The one program that writes those of these slots that are written at all; -1: there is none, -2: there are several, or the
// text around them writes one.
std::int32_t StageLanes::writer(const LaneSlots& slots) const {
  std::int32_t by = -1;
  for (const std::uint32_t slot : slots) {
    const std::int32_t here = writer_[slot];
    if (here == -2 || (here >= 0 && by >= 0 && here != by)) return -2;
    by = std::max(by, here);
  }
  return by;
}

// Is there a vector of these slots that another program has left, with the values they have now?
bool StageLanes::lasting(const LaneSlots& slots, std::size_t reader) const {
  const auto number = numbers_.find(slots);
  if (number == numbers_.end()) return false;
  bool homes = true;
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const std::uint32_t slot = slots[k];
    const Place h = homes_[slot];
    homes = homes && h.pack == number->second && h.lane == static_cast<int>(k);
    if (writer_[slot] == static_cast<std::int32_t>(reader) || work_[reader].definition[slot] >= 0) return false;
  }
  const std::int32_t by = writer(slots);
  return homes || (by >= 0 && by < static_cast<std::int32_t>(reader) &&
                   work_[static_cast<std::size_t>(by)].made.contains(slots));
}

// The statements, in an order close to that of the program: each after what it needs.
void StageLanes::schedule(std::size_t number) {
  Work& work = work_[number];
  if (work.made.empty()) return;
  const std::vector<Instruction>& code = work.program->code;
  std::vector<LaneStep> units;
  std::vector<std::vector<std::size_t>> needs;
  std::vector<std::size_t> provider(code.size(), code.size());
  std::map<LaneSlots, std::size_t> packed;
  for (const auto& [x, made] : work.made) {
    if (made.code.empty() && lasting(x, number)) continue;
    LaneStep& unit = units.emplace_back(made);
    unit.pack = numbers_.at(x);
    if (made.code.empty()) unit.operands[0] = x;
    packed[x] = units.size() - 1;
    for (const Instruction* const in : made.code) {
      const auto i = static_cast<std::size_t>(in - code.data());
      if (provider[i] == code.size() || homes_[in->dst].pack == unit.pack) provider[i] = units.size() - 1;
    }
  }
  const std::size_t packs = units.size();
  for (std::size_t i = 0; i + 1 < code.size(); ++i)
    if (provider[i] == code.size()) {
      provider[i] = units.size();
      units.emplace_back().code = {&code[i]};
    }
  needs.resize(units.size());
  const auto need_slot = [&](std::size_t unit, std::uint32_t slot) {
    if (const std::int32_t i = work.definition[slot]; i >= 0)
      needs[unit].push_back(provider[static_cast<std::size_t>(i)]);
  };
  for (std::size_t u = 0; u < packs; ++u) {
    LaneStep& unit = units[u];
    for (std::size_t k = 0; k < 3; ++k) {
      const LaneSlots& x = unit.operands[k];
      if (x.empty()) continue;
      if (unit.code.empty()) {
        for (const std::uint32_t slot : x) need_slot(u, slot);
      } else if (one_slot(x)) {
        need_slot(u, x[0]);
      } else if (!std::all_of(x.begin(), x.end(), [&](std::uint32_t slot) { return constant(slot); })) {
        unit.packs[k] = numbers_.at(x);
        if (const auto it = packed.find(x); it != packed.end()) needs[u].push_back(it->second);
      }
    }
  }
  for (std::size_t i = 0; i + 1 < code.size(); ++i)
    if (const std::size_t u = provider[i]; u >= packs)
      for (const std::int32_t before : work.after[i]) needs[u].push_back(provider[static_cast<std::size_t>(before)]);
  std::vector<char> seen(units.size(), 0), done = seen;
  std::vector<std::size_t> open;
  const auto emit = [&](std::size_t root) {
    open.push_back(root);
    while (!open.empty()) {
      const std::size_t u = open.back();
      if (seen[u] == 0) {
        seen[u] = 1;
        std::copy_if(needs[u].rbegin(), needs[u].rend(), std::back_inserter(open),
                     [&](std::size_t x) { return seen[x] == 0; });
        continue;
      }
      open.pop_back();
      if (std::exchange(done[u], 1) == 0) work.steps.push_back(units[u]);
    }
  };
  for (std::size_t i = 0; i + 1 < code.size(); ++i) emit(provider[i]);
  for (std::size_t u = 0; u < packs; ++u)
    if (!units[u].code.empty() || wanted_later(units[u].operands[0], number)) emit(u);
}

bool StageLanes::wanted_later(const LaneSlots& x, std::size_t number) const {
  for (std::size_t reader = number + 1; reader < work_.size(); ++reader)
    if (const auto it = work_[reader].made.find(x); it != work_[reader].made.end() && it->second.code.empty())
      if (lasting(x, reader)) return true;
  return false;
}

std::span<const LaneStep> StageLanes::steps(const Program& program) const {
  for (const Work& w : work_)
    if (w.program == &program && !packs_.empty()) return w.steps;
  return {};
}

}  // namespace rattleback
