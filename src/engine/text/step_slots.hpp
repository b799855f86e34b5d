// What the slots of a plan's workspace are in the text of a step: constants, the state, names that the text around the
// programs uses, and variables of one piece of a program. The texts for one run and for runs in lanes share it.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "engine/text/emit.hpp"

namespace rattleback {

// Slots of the correction of a block, as in step/block_newton.hpp.
inline std::int32_t correction_slot(const Plan::Block& b) { return b.pivots + 2 * b.size; }

// In the order of a step.
std::vector<const Program*> programs_of(const Plan& plan);

class StepSlots {
 public:
  StepSlots(const Plan& plan, std::size_t state);  // so many slots hold the state

  // Written in a step: by a program or by the text around it.
  [[nodiscard]] bool is_written(std::uint32_t slot) const { return written_.contains(slot); }
  [[nodiscard]] const std::set<std::uint32_t>& written() const { return written_; }
  [[nodiscard]] bool is_state(std::uint32_t slot) const { return state_.contains(slot); }
  // A slot that nothing writes holds a constant, or an input that stays as it is during the run: inputs that are 0 in the
  // image, and what comes from parameters.
  [[nodiscard]] bool is_constant(std::uint32_t slot) const {
    return stays(slot) && plan_.image()[slot] != 0.0 && !is_parameter(slot);
  }
  [[nodiscard]] bool is_parameter(std::uint32_t slot) const { return stays(slot) && plan_.parameters().has(slot); }
  // By slot: does the text around the programs know it? residuals: also those that go through a leading matrix, which only
  // programs read unless a general solver stands by.
  [[nodiscard]] std::vector<char> named(bool residuals) const;

 private:
  [[nodiscard]] bool stays(std::uint32_t slot) const { return !is_written(slot) && !is_state(slot); }

  const Plan& plan_;
  std::size_t state_size_;
  std::set<std::uint32_t> written_, state_;
};

// Finds the slots that one piece of a program writes and nobody else reads. It is shown all reads and writes, piece by piece.
class PieceSlots {
 public:
  explicit PieceSlots(std::vector<char> shared) : shared_(std::move(shared)), written_in_(shared_.size(), -1) {}

  void next() { ++piece_; }
  [[nodiscard]] int piece() const { return piece_; }
  void share(std::uint32_t slot) { shared_[slot] = 1; }
  void read(std::uint32_t slot) {
    if (written_in_[slot] != piece_) share(slot);
  }
  void write(std::uint32_t slot) { written_in_[slot] = piece_; }
  [[nodiscard]] bool written_elsewhere(std::uint32_t slot) const {
    return written_in_[slot] >= 0 && written_in_[slot] != piece_;
  }
  [[nodiscard]] bool is_shared(std::uint32_t slot) const { return shared_[slot] != 0; }
  // Of the slots that are written in a step.
  [[nodiscard]] std::set<std::uint32_t> local(const StepSlots& slots) const;

 private:
  std::vector<char> shared_;
  std::vector<int> written_in_;  // the last piece that has
  int piece_ = 0;
};

}  // namespace rattleback
