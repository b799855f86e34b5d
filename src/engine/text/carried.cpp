#include "engine/text/carried.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

#include "engine/text/instruction_text.hpp"

namespace rattleback {
namespace {

// Formulas, numbered; equal ones have one number.
class Formulas {
 public:
  static constexpr int kNone = -1;
  enum class Leaf { constant, input, state, step, unknown };

  int leaf(Leaf kind, std::uint64_t which) {
    const auto [place, added] = leaves_.try_emplace({kind, which}, size());
    if (added) nodes_.push_back({Code::end, kind, which, {kNone, kNone, kNone}});
    return place->second;
  }
  int fresh() { return leaf(Leaf::unknown, static_cast<std::uint64_t>(size())); }  // a value that is not known here
  int make(Code code, int a, int b = kNone, int c = kNone) {
    const Key key = key_of(code, a, b, c);
    const auto [place, added] = numbers_.try_emplace(key, size());
    if (added) nodes_.push_back({code, Leaf::unknown, 0, {std::get<1>(key), std::get<2>(key), std::get<3>(key)}});
    return place->second;
  }

  // Says which leaves a formula has.
  [[nodiscard]] bool has(int formula, Leaf kind) {
    const auto [place, added] = found_.try_emplace({formula, kind}, false);
    if (!added) return place->second;
    const Node n = nodes_[static_cast<std::size_t>(formula)];
    bool any = n.code == Code::end && n.kind == kind;
    if (n.code != Code::end)
      for (const int k : n.arguments) any = any || (k != kNone && has(k, kind));
    found_[{formula, kind}] = any;
    return any;
  }

  // The formula with the state replaced; kNone when that has not been formed.
  int at_end(int formula, const std::vector<int>& new_state) {
    const auto [place, added] = replaced_.try_emplace(formula, kNone);
    if (!added) return place->second;
    const Node n = nodes_[static_cast<std::size_t>(formula)];
    int out = kNone;
    if (n.code == Code::end) {
      if (n.kind == Leaf::state)
        out = new_state[n.which];
      else if (n.kind != Leaf::unknown)
        out = formula;
    } else {
      int x[3] = {kNone, kNone, kNone};
      bool known = true;
      for (int i = 0; i < 3; ++i)
        if (n.arguments[i] != kNone) {
          x[i] = at_end(n.arguments[i], new_state);
          known = known && x[i] != kNone;
        }
      if (known)
        if (const auto it = numbers_.find(key_of(n.code, x[0], x[1], x[2])); it != numbers_.end()) out = it->second;
    }
    replaced_[formula] = out;
    return out;
  }

 private:
  using Key = std::tuple<Code, int, int, int>;
  struct Node {
    Code code;
    Leaf kind;
    std::uint64_t which;
    int arguments[3];
  };
  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  static Key key_of(Code code, int a, int b, int c) {
    if ((code == Code::add || code == Code::mul) && b < a) std::swap(a, b);
    return {code, a, b, c};
  }

  std::vector<Node> nodes_;
  std::map<std::pair<Leaf, std::uint64_t>, int> leaves_;
  std::map<Key, int> numbers_;
  std::map<std::pair<int, Leaf>, bool> found_;
  std::map<int, int> replaced_;
};

class Search {
 public:
  explicit Search(const StepShape& shape) : shape_(shape), plan_(*shape.plan), image_(plan_.image()) {
    programs();
    for (std::size_t slot = 0; slot < image_.size(); ++slot)
      now_.push_back(written_.contains(static_cast<std::uint32_t>(slot)) || image_[slot] == 0.0 ||
                             plan_.parameters().has(static_cast<std::uint32_t>(slot))
                         ? formulas_.leaf(Leaf::input, slot)
                         : formulas_.leaf(Leaf::constant, std::bit_cast<std::uint64_t>(image_[slot])));
    for (std::size_t i = 0; i < shape.state; ++i) now_[state_slot(i)] = formulas_.leaf(Leaf::state, i);
    now_[static_cast<std::size_t>(plan_.slot(kStepSize))] = formulas_.leaf(Leaf::step, 0);
    for (const Space space : {kTime, kPreviousStep})  // other values in the next step
      if (plan_.has(space)) now_[static_cast<std::size_t>(plan_.slot(space))] = formulas_.fresh();
  }

  CarriedValues find();

 private:
  using Leaf = Formulas::Leaf;
  struct Step {
    const Program* program;
    bool plain;  // runs once in a step; others run in an iteration, and what they leave is out of date
    const Plan::Block* ends = nullptr;
  };
  void programs() {
    for (const Plan::Block& b : plan_.blocks()) {
      for (const Program* p : programs_of(b)) steps_.push_back({p, p == &b.before});
      steps_.back().ends = &b;
    }
    steps_.push_back({&plan_.finish(), true});
    for (const Step& s : steps_)
      for (const Instruction& in : s.program->code)
        if (in.code != Code::end)
          for (std::uint32_t k = 0; k < (in.code == Code::clear ? in.b : 1); ++k) ++written_[in.dst + k];
  }
  [[nodiscard]] std::size_t state_slot(std::size_t i) const {
    return static_cast<std::size_t>(plan_.slot(kPosition)) + i;
  }
  void follow(const Instruction& in);
  void add_first(std::uint32_t slot, std::vector<Instruction>& to);

  const StepShape& shape_;
  const Plan& plan_;
  const std::vector<double>& image_;
  Formulas formulas_;
  std::vector<Step> steps_;
  std::map<std::uint32_t, int> written_;  // slot -> instructions that do
  std::vector<int> now_;                  // slot -> formula
  std::map<std::uint32_t, const Instruction*> writer_;
  std::set<std::uint32_t> computed_;
};

void Search::follow(const Instruction& in) {
  const auto at = [&](std::uint32_t slot) { return now_[slot]; };
  int& to = now_[in.dst];
  switch (in.code) {
    case Code::end:
    case Code::loop: return;
    case Code::clear:
      for (std::uint32_t k = 0; k < in.b; ++k) now_[in.dst + k] = formulas_.leaf(Leaf::constant, 0);
      return;
    case Code::copy: to = at(in.a); return;
    case Code::lookup:
    case Code::lookup_slope: to = formulas_.fresh(); return;
    case Code::mul_add: to = formulas_.make(Code::add, formulas_.make(Code::mul, at(in.a), at(in.b)), at(in.c)); return;
    case Code::mul_sub: to = formulas_.make(Code::sub, formulas_.make(Code::mul, at(in.a), at(in.b)), at(in.c)); return;
    case Code::sub_mul: to = formulas_.make(Code::sub, at(in.c), formulas_.make(Code::mul, at(in.a), at(in.b))); return;
    default: break;
  }
  const int count = argument_count(in.code);
  to =
      formulas_.make(in.code, at(in.a), count > 1 ? at(in.b) : Formulas::kNone, count > 2 ? at(in.c) : Formulas::kNone);
}

// The instructions behind a slot that depends on the state and the step size only.
void Search::add_first(std::uint32_t slot, std::vector<Instruction>& to) {
  if (!computed_.insert(slot).second) return;
  const auto it = writer_.find(slot);
  if (it == writer_.end()) return;
  const Instruction& in = *it->second;
  const int count = argument_count(in.code);
  if (count > 0) add_first(in.a, to);
  if (count > 1) add_first(in.b, to);
  if (count > 2) add_first(in.c, to);
  to.push_back(in);
}

CarriedValues Search::find() {
  const bool composed = shape_.gamma.size() > 1;  // sub-steps have different sizes
  std::map<std::uint32_t, int> at_start;          // slot -> its formula of the state
  for (const Step& s : steps_) {
    for (const Instruction& in : s.program->code) {
      if (in.code == Code::end) break;
      if (s.plain) {
        follow(in);
      } else {
        for (std::uint32_t k = 0; k < (in.code == Code::clear ? in.b : 1); ++k) now_[in.dst + k] = formulas_.fresh();
        continue;
      }
      if (in.code == Code::clear || in.code == Code::copy || written_[in.dst] != 1) continue;
      const int f = now_[in.dst];
      if (!formulas_.has(f, Leaf::state) || formulas_.has(f, Leaf::unknown)) continue;
      writer_[in.dst] = &in;
      if (!composed || !formulas_.has(f, Leaf::step)) at_start[in.dst] = f;
    }
    if (s.ends != nullptr)
      for (const std::int32_t u : s.ends->unknowns) now_[static_cast<std::size_t>(u)] = formulas_.fresh();
  }
  // Also what depends on the step size only is needed before the first step.
  for (const Step& s : steps_)
    if (s.plain)
      for (const Instruction& in : s.program->code)
        if (in.code != Code::end && in.code != Code::clear && written_[in.dst] == 1) writer_.try_emplace(in.dst, &in);

  std::vector<int> new_state;
  for (std::size_t i = 0; i < shape_.state; ++i)
    new_state.push_back(now_[static_cast<std::size_t>(plan_.result_slot()) + i]);
  std::map<int, std::uint32_t> holder;  // formula -> slot that has it at the end
  for (const auto& [slot, count] : written_) holder.try_emplace(now_[slot], slot);
  const auto is_result = [&](std::uint32_t slot) {
    const auto first = static_cast<std::uint32_t>(plan_.result_slot());
    return slot >= first && slot < first + static_cast<std::uint32_t>(plan_.result_count());
  };
  std::map<std::uint32_t, std::uint32_t> candidates;
  for (const auto& [slot, formula] : at_start) {
    if (is_result(slot)) continue;
    const int end = formulas_.at_end(formula, new_state);
    if (end == Formulas::kNone) continue;
    if (const auto it = holder.find(end); it != holder.end()) candidates[slot] = it->second;
  }
  // Those that something else than a candidate reads; the others are then not needed.
  std::set<std::uint32_t> read;
  for (const Step& s : steps_)
    for (const Instruction& in : s.program->code) {
      if (in.code == Code::end || in.code == Code::clear) continue;
      if (s.plain && candidates.contains(in.dst)) continue;
      const std::uint32_t x[3] = {in.a, in.b, in.c};
      for (int i = 0; i < argument_count(in.code); ++i) read.insert(x[i]);
    }
  for (const Plan::Block& b : plan_.blocks()) {
    for (std::int32_t k = 0; k < b.size; ++k) read.insert(static_cast<std::uint32_t>(b.r + k));
    for (std::int32_t k = 0; k < b.size * b.size; ++k) read.insert(static_cast<std::uint32_t>(b.J + k));
    if (!b.leading) continue;
    for (std::int32_t k = 0; k < b.leading->size * b.leading->size; ++k)
      read.insert(static_cast<std::uint32_t>(b.leading->S + k));
  }
  CarriedValues out;
  for (const auto& [slot, end] : candidates) {
    out.skipped.push_back(slot);
    if (!read.contains(slot)) continue;
    out.values.push_back({.start = slot, .end = end});
    add_first(slot, out.first);
  }
  return out;
}

}  // namespace

CarriedValues carried_values(const StepShape& shape) { return Search(shape).find(); }

}  // namespace rattleback
