// From syntax tree to expression graph. Parameters become inputs, definitions are shared nodes, dt(f) is carried out.
//
// A family or sum with more members than the limit becomes a loop: one body whose index is affine in the loop counter,
// k = 0..count-1. What has no such form (a sum in a sum that uses both indices, an index i*i) is unrolled, under a limit
// on the work, so that a hostile size is an error and not an exhausted memory.
#pragma once

#include <map>
#include <tuple>

#include "model/grammar/world.hpp"

namespace rattleback::front {

struct UnrollPolicy {
  std::int32_t below = 64;  // families and sums with at most this many members are unrolled
  bool all = false;
};

// One line of a table of expressions: a formula for one element or for the members from..to of a family.
struct Line {
  std::string index;  // "" for a single element
  std::int64_t from = 0, to = 0;
  std::int32_t row = 0;  // of the first member
  Formula formula;

  [[nodiscard]] std::int64_t count() const { return index.empty() ? 1 : to - from + 1; }
};

class Elaborator {
 public:
  Elaborator(World& world, Graph& graph, UnrollPolicy policy) : world_(world), graph_(graph), policy_(policy) {}

  NodeId expression(const Formula& f, const Rules& rules);
  // The part `node` of a formula with its indices bound.
  NodeId part(const Formula& f, std::int32_t node, const Rules& rules, Scope scope);
  // Appends the expressions of one line.
  void line(const Line& line, const Rules& rules, Entries& out);
  // Looks at every definition once, so that a fault in one that nobody uses is reported too.
  void check_definitions();

  // What quasi-velocities are, by number; and how many constraints stand between holonomic and nonholonomic ones in the
  // list of multipliers because they keep what the kinematics keep.
  void use(std::vector<NodeId> quasi, std::int32_t kept) {
    quasi_ = std::move(quasi);
    kept_ = kept;
  }
  // A table at a node; that is remembered.
  NodeId data(const std::shared_ptr<const DataTable>& table, NodeId at);
  [[nodiscard]] std::vector<DataUse> take_data_uses() { return std::move(data_uses_); }

  [[nodiscard]] bool has_loops() const { return has_loops_; }
  [[nodiscard]] Graph& graph() { return graph_; }

 private:
  struct Contents {
    bool time = false, positions = false, velocities = false, algebraic = false, multipliers = false,
         accelerations = false;
  };
  struct Defined {
    NodeId node = 0;
    int levels = 1;  // of definitions within it, itself counted
    Contents contents;
  };
  using Use = std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int32_t>;  // definition, base, stride, loop

  NodeId walk(const Formula& f, std::int32_t node, Scope& scope);
  NodeId combine(const Formula& f, const AstNode& node, Scope& scope);
  NodeId reference(const Formula& f, const AstNode& node, Scope& scope);
  NodeId parameter(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope);
  NodeId variable(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope);
  NodeId definition(const Formula& f, const AstNode& node, const Symbol& symbol, Scope& scope);
  NodeId own_function(const Formula& f, const AstNode& node, Scope& scope);
  NodeId multiplier(const Formula& f, const AstNode& node, Scope& scope);
  NodeId rate(const Formula& f, const AstNode& node, Scope& scope);
  NodeId sum(const Formula& f, const AstNode& node, Scope& scope);
  NodeId element(const Formula& f, const AstNode& node, const Names::Group& g, Space space, Scope& scope);
  [[noreturn]] void depends_on_itself(const Formula& f, const AstNode& node, const std::vector<Use>& circle) const;
  [[nodiscard]] std::vector<Use> uses_in(const Use& use) const;
  const DefinitionPiece& piece(const Formula& f, const AstNode& node, const Definition& d, Affine i,
                               const Scope& scope) const;
  const Defined& define(const Use& use);
  void define_below(const Use& top);
  [[nodiscard]] Contents contents_of(NodeId id);
  [[nodiscard]] bool wants_loop(std::int64_t count) const { return !policy_.all && count > policy_.below; }
  [[noreturn]] void forbidden(const Formula& f, const AstNode& node, const std::string& what) const;

  World& world_;
  Graph& graph_;
  UnrollPolicy policy_;
  std::vector<NodeId> quasi_;
  std::int32_t kept_ = 0;
  const Rules* rules_ = nullptr;  // of the formula at hand
  bool has_loops_ = false;
  std::vector<DataUse> data_uses_;
  int depth_ = 0;
  int levels_ = 0;  // of the definitions that the formula at hand has referred to so far
  std::int64_t steps_ = 0;
  std::map<Use, Defined> defined_;
  std::vector<Use> in_progress_;
  bool chain_is_clear_ = true;               // false: what is in progress cannot be defined from the innermost on
  std::vector<const OwnFunction*> calling_;  // functions that the part at hand is in
  std::vector<std::uint32_t> spaces_;        // for each node of the graph: a bit for each vector that occurs below it
};

}  // namespace rattleback::front
