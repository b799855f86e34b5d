#include "engine/text/step_slots.hpp"

#include "engine/text/instruction_text.hpp"

namespace rattleback {

StepSlots::StepSlots(const StepShape& shape) : shape_(shape), plan_(*shape.plan) {
  const auto range = [](std::set<std::uint32_t>& to, std::int32_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      to.insert(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(k));
  };
  for (const Plan::Block& b : plan_.blocks())
    for (const Program* p : programs_of(b)) written_by(*p);
  written_by(plan_.finish());
  range(state_, plan_.slot(kPosition), shape_.state);
  for (const Space space : {kTime, kStepSize, kPreviousStep})
    if (plan_.has(space)) range(written_, plan_.slot(space), 1);
  for (const std::int32_t u : plan_.unknown_slots()) range(written_, u, 1);
  for (const Plan::Block& b : plan_.blocks())
    if (b.leading) range(written_, b.leading->y, static_cast<std::size_t>(b.leading->size));
}

void StepSlots::written_by(const Program& p) {
  for (const Instruction& in : p.code) {
    if (in.code == Code::end) continue;
    const std::uint32_t count = in.code == Code::clear ? in.b : 1;
    for (std::uint32_t k = 0; k < count; ++k) written_.insert(in.dst + k);
  }
}

std::vector<char> StepSlots::named(bool residuals) const {
  std::vector<char> out(plan_.image().size(), 0);
  const auto range = [&](std::int32_t first, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) out[static_cast<std::size_t>(first) + static_cast<std::size_t>(k)] = 1;
  };
  range(plan_.slot(kPosition), static_cast<std::int32_t>(shape_.state));
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

void PieceSlots::see(const Instruction& in) {
  if (in.code == Code::clear) {
    for (std::uint32_t k = 0; k < in.b; ++k) share(in.dst + k);
    return;
  }
  for_each_read(in, [&](std::uint32_t slot) { read(slot); });
  write(in.dst);
}

std::set<std::uint32_t> PieceSlots::local(const StepSlots& slots) const {
  std::set<std::uint32_t> out;
  for (const std::uint32_t slot : slots.written())
    if (shared_[slot] == 0) out.insert(slot);
  return out;
}

}  // namespace rattleback
