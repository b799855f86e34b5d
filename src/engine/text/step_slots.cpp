#include "engine/text/step_slots.hpp"

#include "expr/instructions.hpp"

namespace rattleback {

std::vector<const Program*> programs_of(const Plan& plan) {
  std::vector<const Program*> out;
  for (const Plan::Block& b : plan.blocks())
    for (const Program* const p : programs_of(b)) out.push_back(p);
  out.push_back(&plan.finish());
  return out;
}

StepSlots::StepSlots(const Plan& plan, std::size_t state) : plan_(plan), state_size_(state) {
  const auto range = [](std::set<std::uint32_t>& to, std::int32_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      to.insert(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(k));
  };
  for (const Program* p : programs_of(plan_))
    for (const Instruction& in : p->code) for_each_written(in, [&](std::uint32_t slot) { written_.insert(slot); });
  range(state_, plan_.slot(kPosition), state);
  for (const Space space : {kTime, kStepSize, kPreviousStep})
    if (plan_.has(space)) range(written_, plan_.slot(space), 1);
  for (const std::int32_t u : plan_.unknown_slots()) range(written_, u, 1);
  for (const Plan::Block& b : plan_.blocks())
    if (b.leading) range(written_, b.leading->y, static_cast<std::size_t>(b.leading->size));
}

std::vector<char> StepSlots::named(bool residuals) const {
  std::vector<char> out(plan_.image().size(), 0);
  const auto range = [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) out[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 1;
  };
  range(plan_.slot(kPosition), static_cast<std::int32_t>(state_size_));
  for (const Space space : {kTime, kStepSize, kPreviousStep})
    if (plan_.has(space)) range(plan_.slot(space), 1);
  for (const std::int32_t u : plan_.unknown_slots()) range(u, 1);
  range(plan_.result_slot(), plan_.result_count());
  range(plan_.extra_slot(), plan_.extra_count());
  range(plan_.power_slot(), plan_.power_count());
  for (const Plan::Block& b : plan_.blocks()) {
    range(b.J, b.size * b.size);
    if (!b.leading || residuals) range(b.r, b.size);
    if (!b.leading) continue;
    range(b.leading->S, b.leading->size * b.leading->size);
    range(b.leading->rhs, b.leading->size);
    range(b.leading->y, b.leading->size);
    range(correction_slot(b), b.size);
  }
  return out;
}

std::set<std::uint32_t> PieceSlots::local(const StepSlots& slots) const {
  std::set<std::uint32_t> out;
  for (const std::uint32_t slot : slots.written())
    if (shared_[slot] == 0) out.insert(slot);
  return out;
}

}  // namespace rattleback
