// Stages in lanes: the same formulas at several places of a program become vectors.
//
// In the programs of a step the stages are written out: s copies of the same formulas with other operands. This pass finds
// them. A pack is a list of 2 to 4 slots whose instructions are the same; its operands are packs again, or one value for all
// lanes, or constants, or are gathered from scalars. Packs begin where formulas of the same shape end, and go down from
// there as long as that saves operations. Each lane keeps its operations and their order, so the bits are those of the
// program.
//
// Nothing here knows what a stage is. The shape of a formula has constants left out, and unknowns replaced by the shape of
// the equation that defines them: the stages have the same shape then, and the components of a vector have not.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/text/step_slots.hpp"

namespace rattleback {

using LaneSlots = std::vector<std::uint32_t>;  // one per lane

// A statement: an instruction, the same one in several lanes, or (no code) lanes gathered from scalars.
struct LaneStep {
  std::vector<const Instruction*> code;
  int pack = -1;  // what it writes; -1: a single instruction
  std::array<LaneSlots, 3> operands = {};
  std::array<int, 3> packs = {-1, -1, -1};  // those that hold the operands; -1: one slot or constants
};

class StageLanes {
 public:
  // named: by slot, does the text around the programs know it by its name?
  StageLanes(const Plan& plan, const StepSlots& slots, std::vector<char> named);

  [[nodiscard]] bool empty() const { return packs_.empty(); }
  [[nodiscard]] const std::vector<LaneSlots>& packs() const { return packs_; }
  // The statements in place of a program, in their order; empty: it stays as it is.
  [[nodiscard]] std::span<const LaneStep> steps(const Program& program) const;
  // The lane that a slot lives in, instead of being a variable.
  struct Place {
    int pack = -1, lane = 0;
  };
  [[nodiscard]] Place home(std::uint32_t slot) const { return homes_[slot]; }
  [[nodiscard]] bool named(std::uint32_t slot) const { return named_[slot] != 0; }
  [[nodiscard]] bool constant(std::uint32_t slot) const { return constant_[slot] != 0; }  // nothing writes it

 private:
  friend class LaneSearch;
  struct Work {  // one program
    const Program* program = nullptr;
    bool often = false;                    // in every iteration
    std::vector<std::int32_t> definition;  // of a slot: the instruction, or -1
    std::vector<std::uint64_t> shape;      // of formulas
    std::vector<std::int32_t> depth;
    std::vector<std::vector<std::int32_t>> after;  // instructions that come before this one
    std::vector<char> fixed;                       // not for packs
    std::map<LaneSlots, LaneStep> made;
    std::vector<LaneStep> steps;
    double gain = 0.0;
  };
  void list_programs(const Plan& plan);
  void look_at(Work& work);
  void shapes(const Plan& plan);
  void schedule(std::size_t number);
  [[nodiscard]] std::int32_t writer(const LaneSlots& slots) const;
  [[nodiscard]] bool lasting(const LaneSlots& slots, std::size_t reader) const;
  [[nodiscard]] bool wanted_later(const LaneSlots& x, std::size_t number) const;

  std::vector<char> named_, constant_;
  std::vector<Work> work_;
  std::vector<std::uint64_t> shape_;  // of what a slot holds
  std::vector<std::int32_t> writer_;  // of a slot: the program, -1 for none, -2 for several, or the text around them
  std::vector<LaneSlots> packs_;
  std::map<LaneSlots, int> numbers_;
  std::vector<Place> homes_;
};

}  // namespace rattleback
