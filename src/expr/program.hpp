// Programs: straight-line code over one flat workspace, made from the graph and interpreted.
//
// A workspace is an array of slots. Inputs, unknowns, constants, intermediate values and results all live in it, so a
// program needs no copying in or out and its neighbours find its results where they are. Evaluating W points at once
// is the same program over slots that are W doubles wide: w[slot*W + lane]. Stages of a step and members of an ensemble
// are such lanes; members of a family are the lanes of a loop instruction. Every path applies the same operations in
// the same order, so the bits of a result do not depend on how many points were evaluated together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "expr/parameters.hpp"
#include "expr/traverse.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

// clang-format off
enum class Code : std::uint16_t {
  // The arithmetic of Op, in the same order, from neg on ...
  neg, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, exp, log, sqrt, abs, sign,
  add, sub, mul, div, pow, atan2, min, max, hypot, less, less_equal, select,
  // ... and what only programs have.
  copy,      // dst = a
  mul_add,   // dst = a*b + c   (two roundings: the same bits as mul, add)
  mul_sub,   // dst = a*b - c
  sub_mul,   // dst = c - a*b
  clear,     // b slots from dst on = 0
  loop,      // run loop number a
  lookup,    // dst = the piecewise linear function of table b at a
  lookup_slope,
  end        // the last instruction of a program that is not empty
};
// clang-format on

Code code_of(Op op);  // of arithmetic

struct Instruction {
  Instruction(Code what, std::int32_t to, std::int32_t x, std::int32_t y, std::int32_t z)
      : code(what),
        dst(static_cast<std::uint32_t>(to)),
        a(static_cast<std::uint32_t>(x)),
        b(static_cast<std::uint32_t>(y)),
        c(static_cast<std::uint32_t>(z)) {}
  Code code;
  std::uint32_t dst, a, b, c;  // slots
};

// Instructions of a loop body address registers that hold kChunk members at a time.
enum class LoopCode : std::uint16_t { arithmetic, load, broadcast, index, table, store, store_add, reduce };
struct LoopInstruction {
  LoopCode what = LoopCode::arithmetic;
  Code code = Code::copy;
  std::int32_t dst = 0, a = 0, b = 0, c = 0;  // load/store: a = slot of member 0, b = stride
};
inline constexpr int kChunk = 16;

struct Loop {
  std::int32_t count = 0, registers = 0, scratch = 0;  // scratch: first slot of the register file
  std::vector<LoopInstruction> body;
};

class Program {
 public:
  std::vector<Instruction> code;
  std::vector<Loop> loops;
  std::vector<std::vector<double>> tables;

  [[nodiscard]] bool empty() const { return code.empty(); }
  // Appends an instruction; a program always ends with Code::end.
  void add(Code what, std::int32_t to, std::int32_t x, std::int32_t y, std::int32_t z) {
    if (!code.empty()) code.pop_back();
    code.emplace_back(what, to, x, y, z);
    code.emplace_back(Code::end, 0, 0, 0, 0);
    batches_.clear();
  }
  // To be called when the program is complete and will be run often: the form of batches.hpp, for one point.
  void pack();
  [[nodiscard]] bool is_packed() const { return !batches_.empty(); }
  void run(double* w) const {  // one point
    if (is_packed())
      run_batches(w);
    else if (!code.empty())
      run_lanes<1>(w);
  }
  template <int W>
  void run_lanes(double* w) const;  // W points, w[slot*W + lane]; instantiated for 1, 2, 4, 8, 16

 private:
  void run_batches(double* w) const;
  std::vector<std::uint16_t> batches_;
};

// Gives slots to the nodes of a graph and writes programs. A node keeps its slot for good; `forget` says that the
// values of nodes depending on some variables are out of date, so that later programs compute them again.
class Assembler {
 public:
  explicit Assembler(const Graph& graph) : graph_(graph) {}

  // Variables of this space occupy the returned slot and those after it.
  std::int32_t place(Space space, std::int32_t size);
  [[nodiscard]] std::int32_t slot_of(Space space) const;
  std::int32_t reserve(std::int32_t size);

  // The node's value, whenever it is computed, goes to this slot (unless it has one already).
  void pin(NodeId node, std::int32_t slot);
  // Declares what will be asked for, so that single-use products can fuse into multiply-adds.
  void announce(std::span<const NodeId> roots);

  std::int32_t value(Program& program, NodeId node);             // slot that holds it after `program` has run
  void store(Program& program, NodeId node, std::int32_t slot);  // value into exactly this slot
  // A vector (or matrix) function: entry (row, col) goes to slot base + row*row_step + col*col_step. Places that no
  // entry reaches are not touched unless clear_size > 0, which zeroes that many slots first; entries that add up need it.
  void store(Program& program, std::span<const Entry> entries, std::int32_t base, std::int32_t row_step,
             std::int32_t col_step, std::int32_t clear_size);

  // The same for vectors whose places are ready: slot base + row is increased by, or becomes, the entry. What is put must
  // not meet in one place.
  void add(Program& program, std::span<const Entry> entries, std::int32_t base);
  void put(Program& program, std::span<const Entry> entries, std::int32_t base);

  // Everything that depends on the variable `index` of `space` is out of date.
  void forget(Space space, std::span<const std::int32_t> indices);
  void forget(std::span<const NodeId> nodes);

  // Which values are current, to go back to when a program that is not always run has been written.
  [[nodiscard]] const std::vector<std::uint8_t>& current() const { return ready_; }
  void set_current(std::vector<std::uint8_t> current) { ready_ = std::move(current); }

  [[nodiscard]] std::int32_t size() const { return next_; }
  // The workspace before anything has run: constants filled in, all else 0.
  [[nodiscard]] std::vector<double> image(int lanes = 1) const;
  // Which of them come from parameters. guarded: see there.
  [[nodiscard]] ParameterSlots parameters(bool guarded = false) const { return {graph_, constants_, guarded}; }

 private:
  std::int32_t slot(NodeId node);
  void emit(Program& program, NodeId node);
  void emit_one(Program& program, NodeId node);
  bool try_fuse(Program& program, const Node& n, std::int32_t dst);
  struct Sink {  // what becomes of a loop body's value
    NodeId body;
    LoopCode what;
    std::int32_t slot, step;
  };
  void emit_loop(Program& program, std::int32_t count, std::span<const Sink> sinks);
  void emit_vector(Program& program, std::span<const Entry> entries, std::int32_t base, bool add_up);

  const Graph& graph_;
  std::int32_t next_ = 0;
  std::vector<std::pair<Space, std::int32_t>> spaces_;
  std::vector<std::pair<std::int32_t, NodeId>> constants_;
  std::vector<std::int32_t> slots_;  // node -> slot, -1 = none
  std::vector<std::uint8_t> ready_;  // node -> its slot holds the current value
  std::vector<std::uint32_t> uses_;  // node -> users below the announced roots
  std::vector<NodeId> announced_;
};

}  // namespace rattleback
