// The writer of a step as C: what one run (emit.cpp) and many in lanes (lanes_text.cpp) have in common. Its words are
// numbers or vectors of four; what a run decides by itself, lanes decide by masks.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/text/carried.hpp"
#include "engine/text/emit.hpp"
#include "engine/text/instruction_text.hpp"
#include "engine/text/said.hpp"
#include "engine/text/stage_lanes.hpp"
#include "engine/text/step_slots.hpp"
#include "engine/text/text_out.hpp"
#include "step/stopping.hpp"

namespace rattleback {

// Steps up to this many instructions are one function, and all slots are variables of it: the fastest code. Longer ones
// are cut into functions that meet in the workspace, because compilers take a time that grows faster than a function.
// kPiece measured with vectors (prk-murua with five stages), 120, 250, 500 and 2000: 5.40, 5.38, 5.51, 5.86 us a step and 2.1,
// 1.8, 2.1, 4.9 s to compile.
inline constexpr std::size_t kOneFunction = 800, kPiece = 250;

class StepText : protected TextOut {
 public:
  // Words of the rules in step/stopping.hpp. A text never knows whether an iteration has arrived: they return false.
  void set(const Said& x, const Said& y) { line("{} = {};", x.text, y.in(words_)); }
  void set(const Condition& x, const Condition& y) { line("{} = {};", x.text, y.text); }
  template <class Body>
  bool when(const Condition& condition, const Body& body) {
    open(fmt::format("if ({})", condition.text));
    body();
    close();
    return false;
  }
  template <class Body>
  bool where(const Condition& condition, const Body& body) {
    if (!words_.wide) return when(condition, body);
    within_ = truth("slow");
    set(within_, going() && !arrived() && condition);
    open("if (" + any(within_) + ")");
    body();
    close();
    within_ = Condition(true);
    return false;
  }
  bool arrive(const Condition& condition) {
    if (words_.wide)
      line("{} |= {};", arrived().text, (within_ && condition).mask());
    else
      line("if ({}) break;", condition.text);
    return false;
  }
  bool stuck(const Condition& condition) {  // left to the interpreter
    fail(within_ && !arrived() && condition);
    return false;
  }
  void noise(newton::Progress<Said, SaidCount>& p);

 protected:
  StepText(const StepShape& shape, Words words, bool header);

  // `x in any lane`, over all vectors.
  [[nodiscard]] std::string any(const Condition& x) const;

  [[nodiscard]] std::string called(const std::string& name) const { return name + (words_.wide ? "_@" : ""); }
  // Variables of the text; variables() declares them.
  [[nodiscard]] Said number(const std::string& name) {
    numbers_.insert(name);
    return Said(called(name), words_);
  }
  [[nodiscard]] Condition truth(const std::string& name) {
    truths_.insert(name);
    return Condition(called(name), words_);
  }
  // Lanes whose steps have been plain so far, those of them that iterate, and those that have arrived.
  [[nodiscard]] Condition fine() const { return words_.wide ? Condition(called("ok"), words_) : Condition(true); }
  [[nodiscard]] Condition going() { return words_.wide ? truth("go") : Condition(true); }
  [[nodiscard]] Condition arrived() { return words_.wide ? truth("arrived") : Condition(false); }
  // The step is left to the interpreter where this holds.
  void fail(const Condition& condition);

  void prepare();
  std::string s(std::uint32_t slot);
  std::string s(std::int32_t slot) { return s(static_cast<std::uint32_t>(slot)); }
  Said at(std::int32_t slot) { return Said(s(slot), words_); }
  Said cell(const Plan::Block& b, std::int32_t k);  // of the matrix
  [[nodiscard]] std::int32_t state(std::size_t i) const { return plan_.slot(kPosition) + static_cast<std::int32_t>(i); }
  [[nodiscard]] std::int32_t result(std::size_t i) const { return plan_.result_slot() + static_cast<std::int32_t>(i); }
  Said sum(std::int32_t first);  // of as many slots as the state has: finite if they are
  Said largest(std::int32_t first, std::size_t count);

  [[nodiscard]] virtual Said multiplier_scale() const = 0;
  virtual void predict() = 0;  // the unknowns
  virtual void leave() = 0;    // what a sub-step leaves to the next one, if it was plain
  void sub_step();             // stepping::sub_step
  void step();                 // all sub-steps

  void program(const Program& p);
  void piece(const Program& p, std::span<const LaneStep> steps, const std::set<int>& made);
  void functions();  // tables, starting values, solves, pieces
  void variables();
  void job();  // what a function is told

  const StepShape& shape_;
  const Plan& plan_;
  const std::vector<double>& image_;
  const StepSlots slots_;
  const Words words_;
  const bool header_;              // for a C++ class: the state is stored when the loop ends, values are carried
  const bool looks_far_;           // C++ classes always do: where the prediction is good, they save an iteration
  std::set<std::uint32_t> used_;   // variables that occur in the text, besides those of one program
  std::set<std::uint32_t> local_;  // slots that one program writes and nobody else reads
  bool cut_ = false;               // into functions that meet in the workspace
  std::optional<StageLanes> lanes_;
  int cell_count_ = 0;  // of packs that leave their piece
  CarriedValues carried_;
  std::set<std::uint32_t> skipped_;          // carried, so not computed in the loop
  std::set<std::int32_t> loops_, unrolled_;  // sizes of matrices
  std::int32_t largest_block_ = 1;
  std::set<std::string> numbers_, truths_;
  newton::Sizes<Said> sizes_;

 private:
  void find_local();
  template <class Write>
  void in_piece(const Write& write);
  [[nodiscard]] std::vector<LaneStep> statements(const Program& p) const;
  template <class Piece>
  void each_piece(std::span<const LaneStep> all, const Piece& piece) const;
  [[nodiscard]] int home(std::uint32_t slot) const { return lanes_ ? lanes_->home(slot).pack : -1; }
  std::string table(const std::vector<double>& values);

  // newton_text.cpp
  void sizes();
  void blocks();
  using Cells = std::function<Said(std::int32_t)>;
  void factor(std::int32_t n, const Cells& matrix);
  void substitute(std::int32_t n, const Cells& right, const Cells& to);
  void eliminate(std::int32_t n, const Cells& matrix, const Cells& right);
  void linear_solve(const Plan::Block& b, bool kept);
  void leading_solve(const Plan::Block& b);
  void short_solve(const Plan::Block& b, bool kept);
  void newton(const Plan::Block& b);
  void linear(const Plan::Block& b);
  void block(const Plan::Block& b);
  template <class Of>
  Said over_kinds(const Of& of);

  std::vector<int> cells_;  // of a pack: where it is in p, when it leaves its piece; else -1
  std::string pieces_;      // the functions that the step was cut into
  std::size_t piece_count_ = 0, block_ = 0;
  std::vector<std::vector<double>> tables_;
  Condition within_ = true;         // lanes that the text is about
  bool kinds_[2] = {false, false};  // of the unknowns of this block
};

}  // namespace rattleback
