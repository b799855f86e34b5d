// From equations to a plan: substitution of explicit unknowns, block lower triangular form, programs.
#include <algorithm>
#include <numeric>

#include "expr/hinges.hpp"
#include "linalg/decompositions.hpp"
#include "rattleback/error.hpp"
#include "step/equations.hpp"
#include "step/explicit_unknowns.hpp"
#include "step/leading.hpp"
#include "step/solving_order.hpp"

namespace rattleback {
namespace {

// Blocks from this size on are iterated with the saddle-point matrix: below it, factoring the exact matrix and taking two
// iterations is cheaper than taking many with a poorer one.
constexpr std::size_t kSaddleFrom = 40;

// Inverse of rows * reaction; empty when it has none.
std::vector<double> inverse_of_rows(const SaddleHint& hint) {
  using Matrix = linalg::RowMajorXd;
  const Eigen::Map<const Matrix> rows(hint.rows.data(), hint.multipliers, hint.stages);
  const Eigen::Map<const Matrix> reaction(hint.reaction.data(), hint.stages, hint.multipliers);
  const std::optional<Matrix> inverse = linalg::inverse(linalg::product(Matrix(rows), Matrix(reaction)));
  if (!inverse) return {};
  return {inverse->data(), inverse->data() + inverse->size()};
}

// Blocks from this size on are worth a second look for shorter formulas of their matrix.
constexpr std::size_t kHingesFrom = 6;

// Replaces the matrix by an equal one, if that has shorter formulas.
void shorten(Graph& g, const std::vector<NodeId>& residuals, const std::vector<std::int32_t>& unknowns,
             std::vector<NodeId>& jacobian) {
  std::vector<NodeId> other;
  for (const GradientRow& row : jacobian_by_hinges(g, residuals, kUnknown))
    for (const std::int32_t u : unknowns) {
      const auto d = row.find(u);
      other.push_back(d == row.end() ? g.zero() : d->second);
    }
  if (other.empty()) return;
  if (reachable(g, other).size() < reachable(g, jacobian).size()) jacobian = std::move(other);
}

// What of the formulas does not contain the unknowns of a block.
class Independent {
 public:
  Independent(const Graph& g, std::span<const std::int32_t> unknowns)
      : g_(g), varies_(g.size(), 0), seen_(g.size(), 0) {
    for (NodeId id = 0; id < g.size(); ++id) {
      const Node& n = g[id];
      if (n.op == Op::variable)
        varies_[id] = n.space == kUnknown && std::find(unknowns.begin(), unknowns.end(), n.base()) != unknowns.end();
      for_each_argument(n, [&](NodeId k) { varies_[id] = static_cast<char>(varies_[id] | varies_[k]); });
    }
  }
  [[nodiscard]] bool holds(NodeId root) const { return varies_[root] == 0; }
  // The largest such parts of a formula, as far as earlier calls have not named them.
  std::vector<NodeId> parts(NodeId root) {
    if (holds(root)) return {root};
    std::vector<NodeId> varying, stack{root}, found;
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      if (seen_[id] != 0) continue;
      seen_[id] = 1;
      varying.push_back(id);
      for_each_argument(g_[id], [&](NodeId k) {
        if (varies_[k] != 0) stack.push_back(k);
      });
    }
    std::sort(varying.begin(), varying.end());
    for (const NodeId id : varying)
      for_each_argument(g_[id], [&](NodeId k) {
        if (varies_[k] == 0 && !is_leaf(g_[k].op)) found.push_back(k);
      });
    return found;
  }

 private:
  const Graph& g_;
  std::vector<char> varies_, seen_;
};

LeadingSlots write_leading(const LeadingForm& form, Assembler& assembler, std::int32_t solution,
                           std::int32_t correction) {
  LeadingSlots out;
  const auto k = static_cast<std::int32_t>(form.kept.size());
  out.size = k;
  out.y = solution;
  out.S = assembler.reserve(k * k);
  out.lu = assembler.reserve(k * k);
  out.pivots = assembler.reserve(2 * k);
  out.rhs = assembler.reserve(k);
  out.guess = assembler.reserve(static_cast<std::int32_t>(form.corrections.size()));
  for (const NodeId id : form.parts) assembler.value(out.matrix, id);
  const auto store = [&](Program& program, const std::vector<NodeId>& list, std::int32_t first) {
    for (std::size_t i = 0; i < list.size(); ++i)
      assembler.store(program, list[i], first + static_cast<std::int32_t>(i));
  };
  store(out.matrix, form.schur, out.S);
  store(out.right, form.right, out.rhs);
  store(out.expand, form.corrections, correction);
  return out;
}

void pack(Plan::Block& block) {
  for (Program* const p : {&block.before, &block.residual, &block.jacobian}) p->pack();
  if (block.leading)
    for (Program* const p : {&block.leading->matrix, &block.leading->right, &block.leading->expand}) p->pack();
}

}  // namespace

Plan::Plan(Equations eq) {
  Graph& g = eq.graph;
  const auto total = static_cast<std::int32_t>(eq.residuals.size());
  const std::vector<double> saddle_inverse = eq.saddle ? inverse_of_rows(*eq.saddle) : std::vector<double>{};
  struct Formulas {
    std::vector<NodeId> residuals, results, extra, power;
  };
  const Formulas whole = saddle_inverse.empty() ? Formulas{} : Formulas{eq.residuals, eq.results, eq.extra, eq.power};
  std::vector<char> alive_flag(eq.residuals.size(), 1);
  if (eq.eliminate) eliminate_explicit(eq, alive_flag);
  const bool use_saddle = !saddle_inverse.empty() && (eq.simplified || largest_block(eq, alive_flag) >= kSaddleFrom);
  std::vector<BlockRows> groups;
  if (use_saddle) {
    // The saddle-point iteration wants the stage system whole, in its own order.
    eq.residuals = whole.residuals;
    eq.results = whole.results;
    eq.extra = whole.extra;
    eq.power = whole.power;
    alive_flag.assign(eq.residuals.size(), 1);
    groups = {whole_block(eq)};
  } else {
    groups = solving_order(eq, alive_flag);
  }
  std::vector<std::int32_t> alive;
  for (std::int32_t u = 0; u < total; ++u)
    if (alive_flag[static_cast<std::size_t>(u)] != 0) alive.push_back(u);

  struct Wanted {
    std::vector<std::int32_t> unknowns, equations;
    std::vector<NodeId> residuals, jacobian;
    bool linear;
    std::int32_t first = 0;  // number of its first unknown, counted over the blocks
    std::optional<LeadingForm> leading = {};
  };
  std::vector<Wanted> wanted;
  std::int32_t placed = 0;
  std::vector<NodeId> roots(eq.results.begin(), eq.results.end());
  for (const BlockRows& group : groups) {
    Wanted wish{.unknowns = group.unknowns,
                .equations = group.equations,
                .residuals = {},
                .jacobian = {},
                .linear = !eq.simplified && !group.jumps};
    for (std::size_t k = 0; k < group.equations.size(); ++k) {
      wish.residuals.push_back(eq.residuals[static_cast<std::size_t>(group.equations[k])]);
      for (const std::int32_t u : wish.unknowns) {
        const auto d = group.rows[k].find(u);
        wish.jacobian.push_back(d == group.rows[k].end() ? g.zero() : d->second);
      }
    }
    for (const NodeId id : reachable(g, wish.jacobian))
      if (const Node& n = g[id]; n.op == Op::variable && n.space == kUnknown &&
                                 std::find(wish.unknowns.begin(), wish.unknowns.end(), n.base()) != wish.unknowns.end())
        wish.linear = false;
    if (!wish.linear && wish.unknowns.size() >= kHingesFrom) shorten(g, wish.residuals, wish.unknowns, wish.jacobian);
    roots.insert(roots.end(), wish.residuals.begin(), wish.residuals.end());
    roots.insert(roots.end(), wish.jacobian.begin(), wish.jacobian.end());
    wish.first = placed;
    placed += static_cast<std::int32_t>(wish.unknowns.size());
    if (eq.leading && !wish.linear && !use_saddle && wish.unknowns == wish.equations) {
      std::vector<Equations::Scale> scales;
      for (const std::int32_t u : wish.unknowns) scales.push_back(eq.scales[static_cast<std::size_t>(u)]);
      wish.leading = leading_form(g, wish.jacobian, scales, wish.first);
    }
    if (wish.leading)
      for (const auto* list :
           {&wish.leading->schur, &wish.leading->right, &wish.leading->corrections, &wish.leading->parts})
        roots.insert(roots.end(), list->begin(), list->end());
    wanted.push_back(std::move(wish));
  }
  if (use_saddle)
    for (const auto* list : {&eq.saddle->M, &eq.saddle->Bt, &eq.saddle->K})
      roots.insert(roots.end(), list->begin(), list->end());

  Assembler assembler(g);
  for (const auto& [space, size] : eq.inputs) inputs_.emplace_back(space, assembler.place(space, size));
  const std::int32_t first_unknown = assembler.place(kUnknown, total);
  const std::int32_t first_residual = assembler.place(kResidualValue, placed);
  const std::int32_t first_solution = assembler.place(kSchurSolution, placed);
  // Copied, and not computed in the unknown's place: the equations may contain the same expression.
  for (const std::int32_t u : alive)
    if (!eq.guesses.empty())
      guess_.add(Code::copy, first_unknown + u, assembler.value(guess_, eq.guesses[static_cast<std::size_t>(u)]), 0, 0);
  {
    // The guess program runs at other times than the rest: nothing it computed may be taken as current.
    std::vector<NodeId> all(g.size());
    std::iota(all.begin(), all.end(), NodeId{0});
    assembler.forget(all);
  }
  results_ = assembler.reserve(static_cast<std::int32_t>(eq.results.size()));
  result_count_ = static_cast<std::int32_t>(eq.results.size());
  for (std::size_t k = 0; k < eq.results.size(); ++k)
    assembler.pin(eq.results[k], results_ + static_cast<std::int32_t>(k));
  assembler.announce(roots);
  std::vector<std::int32_t> open_unknowns;  // not solved for yet
  for (const Wanted& wish : wanted)
    open_unknowns.insert(open_unknowns.end(), wish.unknowns.begin(), wish.unknowns.end());
  for (const Wanted& wish : wanted) {
    Independent independent(g, wish.unknowns);
    Block block;
    block.size = static_cast<std::int32_t>(wish.unknowns.size());
    block.linear = wish.linear;
    linear_ = linear_ && wish.linear;
    for (const std::int32_t u : wish.unknowns) {
      block.unknowns.push_back(first_unknown + u);
      block.scales.push_back(eq.scales[static_cast<std::size_t>(u)]);
      unknown_slots_.push_back(first_unknown + u);
      unknown_numbers_.push_back(u);
    }
    const std::int32_t n = block.size;
    block.r = first_residual + wish.first;
    block.J = assembler.reserve(n * n);
    block.lu = assembler.reserve(n * n);
    block.pivots = assembler.reserve(3 * n);  // permutation, row scales, correction
    for (const auto* list : {&wish.residuals, &wish.jacobian})
      for (const NodeId root : *list)
        for (const NodeId id : independent.parts(root)) assembler.value(block.before, id);
    if (wish.leading)
      for (const auto* list : {&wish.leading->schur, &wish.leading->parts})
        for (const NodeId root : *list)
          for (const NodeId id : independent.parts(root)) assembler.value(block.before, id);
    for (std::size_t k = 0; k < wish.residuals.size(); ++k)
      assembler.store(block.residual, wish.residuals[k], block.r + static_cast<std::int32_t>(k));
    if (wish.leading) {
      const std::vector<std::uint8_t> after_residual = assembler.current();
      block.leading = write_leading(*wish.leading, assembler, first_solution + wish.first, block.pivots + 2 * n);
      assembler.set_current(after_residual);
    }
    for (std::size_t k = 0; k < wish.jacobian.size(); ++k) {
      const std::int32_t place = block.J + static_cast<std::int32_t>(k);
      if (g.is_constant(wish.jacobian[k], 0.0)) continue;  // the image holds 0 there
      const bool fixed = independent.holds(wish.jacobian[k]);
      assembler.store(fixed ? block.before : block.jacobian, wish.jacobian[k], place);
    }
    if (use_saddle) {
      const SaddleHint& hint = *eq.saddle;
      SaddleSlots& d = block.saddle.emplace();
      d.n = hint.n;
      d.m = hint.m;
      d.stages = hint.stages;
      d.multipliers = hint.multipliers;
      d.reaction = hint.reaction;
      d.rows = hint.rows;
      d.inverse = saddle_inverse;
      d.h = assembler.slot_of(kStepSize);
      d.U = assembler.reserve(d.m * d.m);
      d.pivots = assembler.reserve(2 * (d.n + d.m));
      d.work = assembler.reserve(2 * d.m);
      d.D = assembler.reserve(d.m * d.n);
      const auto matrix = [&](const std::vector<NodeId>& nodes) {
        const std::int32_t first = assembler.reserve(static_cast<std::int32_t>(nodes.size()));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          // A copy, because the factorisation overwrites it.
          const std::int32_t from = assembler.value(block.before, nodes[i]);
          block.before.add(Code::copy, first + static_cast<std::int32_t>(i), from, 0, 0);
        }
        return first;
      };
      d.M = matrix(hint.M);
      d.Bt = matrix(hint.Bt);
      d.K = matrix(hint.K);
    }
    // Stale after this block: what contains its unknowns, and what contains unknowns of later blocks. The latter occur when
    // an equation contains an unknown that it does not depend on, as in (u + b) c - u c.
    open_unknowns.erase(open_unknowns.begin(), open_unknowns.begin() + block.size);
    std::vector<std::int32_t> stale = wish.unknowns;
    stale.insert(stale.end(), open_unknowns.begin(), open_unknowns.end());
    assembler.forget(kUnknown, stale);
    blocks_.push_back(std::move(block));
  }
  for (std::size_t k = 0; k < eq.results.size(); ++k)
    assembler.store(finish_, eq.results[k], results_ + static_cast<std::int32_t>(k));
  extra_count_ = static_cast<std::int32_t>(eq.extra.size());
  extra_ = assembler.reserve(extra_count_);
  for (std::size_t k = 0; k < eq.extra.size(); ++k)
    assembler.store(finish_, eq.extra[k], extra_ + static_cast<std::int32_t>(k));
  power_count_ = static_cast<std::int32_t>(eq.power.size());
  power_ = assembler.reserve(power_count_);
  for (std::size_t k = 0; k < eq.power.size(); ++k)
    assembler.store(finish_, eq.power[k], power_ + static_cast<std::int32_t>(k));
  image_ = assembler.image();
  guess_.pack();
  finish_.pack();
  for (Block& block : blocks_) pack(block);
}

bool Plan::has(Space input) const {
  return std::any_of(inputs_.begin(), inputs_.end(), [&](const auto& i) { return i.first == input; });
}

std::int32_t Plan::slot(Space input) const {
  for (const auto& [space, first] : inputs_)
    if (space == input) return first;
  throw Error("Plan: no such input");
}

std::size_t Plan::instruction_count() const {
  std::size_t n = finish_.code.size();
  for (const Block& b : blocks_) {
    n += b.before.code.size() + b.residual.code.size();
    if (b.leading)  // the exact matrix is hardly ever wanted then
      n += b.leading->matrix.code.size() + b.leading->right.code.size() + b.leading->expand.code.size();
    else
      n += b.jacobian.code.size();
  }
  return n;
}

}  // namespace rattleback
