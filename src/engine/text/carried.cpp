#include "engine/text/carried.hpp"

#include <array>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "engine/text/step_slots.hpp"
#include "expr/instructions.hpp"

namespace rattleback {
namespace {

// Formulas, numbered; equal ones have one number.
class Formulas {
 public:
  int fresh() { return count_++; }  // a value that is like no other
  int constant(double x) { return number({static_cast<std::uint64_t>(Code::end), std::bit_cast<std::uint64_t>(x)}); }
  int make(Code code, int a, int b = 0, int c = 0) {
    if ((code == Code::add || code == Code::mul) && b < a) std::swap(a, b);
    return number({static_cast<std::uint64_t>(code), static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b),
                   static_cast<std::uint64_t>(c)});
  }

 private:
  using Key = std::array<std::uint64_t, 4>;
  int number(const Key& key) {
    const auto [place, added] = numbers_.try_emplace(key, count_);
    if (added) ++count_;
    return place->second;
  }
  std::map<Key, int> numbers_;
  int count_ = 0;
};

class Search {
 public:
  explicit Search(const StepShape& shape);
  CarriedValues find();

 private:
  struct Part {
    const Program* program;
    bool plain;  // runs once in a step; others run in an iteration, and what they leave is out of date
    const Plan::Block* ends = nullptr;
  };
  std::map<std::uint32_t, int> step();
  void follow(const Instruction& in);
  void add_first(std::uint32_t slot, std::vector<Instruction>& to);

  const StepShape& shape_;
  const Plan& plan_;
  const StepSlots slots_;
  Formulas formulas_;
  std::vector<Part> parts_;
  std::map<std::uint32_t, const Instruction*> writer_;  // of slots that one plain instruction writes
  std::vector<int> now_;                                // slot -> formula
  std::set<std::uint32_t> computed_;
};

Search::Search(const StepShape& shape) : shape_(shape), plan_(*shape.plan), slots_(plan_, shape.state) {
  for (const Plan::Block& b : plan_.blocks()) {
    for (const Program* p : programs_of(b)) parts_.push_back({p, p == &b.before});
    parts_.back().ends = &b;
  }
  parts_.push_back({&plan_.finish(), true});
  std::map<std::uint32_t, int> writers;
  for (const Part& part : parts_)
    for (const Instruction& in : part.program->code)
      for_each_written(in, [&](std::uint32_t slot) {
        if (++writers[slot] == 1 && part.plain && in.code != Code::clear)
          writer_[slot] = &in;
        else
          writer_.erase(slot);
      });
  for (std::uint32_t slot = 0; slot < plan_.image().size(); ++slot)
    now_.push_back(slots_.is_constant(slot) ? formulas_.constant(plan_.image()[slot]) : formulas_.fresh());
}

void Search::follow(const Instruction& in) {
  const int a = now_[in.a], b = slots_read(in.code) > 1 ? now_[in.b] : 0, c = slots_read(in.code) > 2 ? now_[in.c] : 0;
  int& to = now_[in.dst];
  switch (in.code) {
    case Code::end:
    case Code::loop: return;
    case Code::clear: for_each_written(in, [&](std::uint32_t slot) { now_[slot] = formulas_.constant(0.0); }); return;
    case Code::copy: to = a; return;
    case Code::lookup:
    case Code::lookup_slope: to = formulas_.fresh(); return;
    case Code::mul_add: to = formulas_.make(Code::add, formulas_.make(Code::mul, a, b), c); return;
    case Code::mul_sub: to = formulas_.make(Code::sub, formulas_.make(Code::mul, a, b), c); return;
    case Code::sub_mul: to = formulas_.make(Code::sub, c, formulas_.make(Code::mul, a, b)); return;
    default: to = formulas_.make(in.code, a, b, c);
  }
}

// Takes a step from what the slots hold. Returns the formulas of slots that one plain instruction computes.
std::map<std::uint32_t, int> Search::step() {
  std::map<std::uint32_t, int> out;
  const auto forget = [&](std::uint32_t slot) { now_[slot] = formulas_.fresh(); };
  for (const Space space : {kTime, kPreviousStep})  // other values in every step
    if (plan_.has(space)) forget(static_cast<std::uint32_t>(plan_.slot(space)));
  if (shape_.gamma.size() > 1) forget(static_cast<std::uint32_t>(plan_.slot(kStepSize)));  // and in sub-steps
  for (const Part& part : parts_) {
    for (const Instruction& in : part.program->code) {
      if (!part.plain) {
        for_each_written(in, forget);
        continue;
      }
      follow(in);
      const auto it = writer_.find(in.dst);
      if (it != writer_.end() && it->second == &in && in.code != Code::copy) out[in.dst] = now_[in.dst];
    }
    if (part.ends != nullptr)
      for (const std::int32_t u : part.ends->unknowns) forget(static_cast<std::uint32_t>(u));
  }
  return out;
}

// The instructions behind a slot that depends on the state and the step size only.
void Search::add_first(std::uint32_t slot, std::vector<Instruction>& to) {
  if (!computed_.insert(slot).second) return;
  const auto it = writer_.find(slot);
  if (it == writer_.end()) return;
  for_each_read(*it->second, [&](std::uint32_t k) { add_first(k, to); });
  to.push_back(*it->second);
}

CarriedValues Search::find() {
  const auto state = [&](std::uint32_t i) -> int& {
    return now_[static_cast<std::uint32_t>(plan_.slot(kPosition)) + i];
  };
  const auto result = static_cast<std::uint32_t>(plan_.result_slot()),
             results = static_cast<std::uint32_t>(plan_.result_count());
  // From one state, from another one, and from where that step ends.
  const std::map<std::uint32_t, int> one = step();
  for (std::uint32_t i = 0; i < shape_.state; ++i) state(i) = formulas_.fresh();
  const std::map<std::uint32_t, int> other = step();
  std::map<int, std::uint32_t> holder;  // formula -> slot that has it at the end
  for (const std::uint32_t slot : slots_.written()) holder.try_emplace(now_[slot], slot);
  for (std::uint32_t i = 0; i < shape_.state; ++i) state(i) = now_[result + i];
  std::map<std::uint32_t, std::uint32_t> candidates;
  for (const auto& [slot, formula] : step())
    if (const auto it = holder.find(formula);
        it != holder.end() && one.at(slot) != other.at(slot) && (slot < result || slot >= result + results))
      candidates[slot] = it->second;
  // Those that something else than a candidate reads; the others are then not needed.
  const std::vector<char> named = slots_.named(true);
  std::set<std::uint32_t> read;
  for (const Part& part : parts_)
    for (const Instruction& in : part.program->code)
      if (!part.plain || !candidates.contains(in.dst))
        for_each_read(in, [&](std::uint32_t slot) { read.insert(slot); });
  CarriedValues out;
  for (const auto& [slot, end] : candidates) {
    out.skipped.push_back(slot);
    if (!read.contains(slot) && named[slot] == 0) continue;
    out.values.push_back({.start = slot, .end = end});
    add_first(slot, out.first);
  }
  return out;
}

}  // namespace

CarriedValues carried_values(const StepShape& shape) { return Search(shape).find(); }

}  // namespace rattleback
