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

// What will be computed for a block.
struct Wanted {
  std::vector<std::int32_t> unknowns, equations;
  std::vector<NodeId> residuals, jacobian;
  bool linear;
  std::int32_t first = 0;  // number of its first unknown, counted over the blocks
  std::optional<LeadingForm> leading = {};
};

// The equations, split into blocks.
struct Split {
  std::vector<BlockRows> groups;
  std::vector<std::int32_t> alive;     // unknowns that are not substituted away
  std::vector<double> saddle_inverse;  // empty: no saddle-point iteration
};

Split split(Equations& eq) {
  Split out;
  if (eq.saddle) out.saddle_inverse = inverse_of_rows(*eq.saddle);
  struct Formulas {
    std::vector<NodeId> residuals, results, extra, power;
  };
  const Formulas whole =
      out.saddle_inverse.empty() ? Formulas{} : Formulas{eq.residuals, eq.results, eq.extra, eq.power};
  std::vector<char> alive(eq.residuals.size(), 1);
  if (eq.eliminate) eliminate_explicit(eq, alive);
  if (!out.saddle_inverse.empty() && !eq.simplified && largest_block(eq, alive) < kSaddleFrom)
    out.saddle_inverse.clear();
  if (out.saddle_inverse.empty()) {
    out.groups = solving_order(eq, alive);
  } else {
    // The saddle-point iteration wants the stage system whole, in its own order.
    eq.residuals = whole.residuals;
    eq.results = whole.results;
    eq.extra = whole.extra;
    eq.power = whole.power;
    alive.assign(eq.residuals.size(), 1);
    out.groups = {whole_block(eq)};
  }
  for (std::size_t u = 0; u < alive.size(); ++u)
    if (alive[u] != 0) out.alive.push_back(static_cast<std::int32_t>(u));
  return out;
}

bool contains_any(const Graph& g, const std::vector<NodeId>& formulas, const std::vector<std::int32_t>& unknowns) {
  for (const NodeId id : reachable(g, formulas))
    if (const Node& n = g[id]; n.op == Op::variable && n.space == kUnknown &&
                               std::find(unknowns.begin(), unknowns.end(), n.base()) != unknowns.end())
      return true;
  return false;
}

// first: the number of its first unknown.
Wanted wish_for(const BlockRows& group, Equations& eq, bool saddle, std::int32_t first) {
  Graph& g = eq.graph;
  Wanted wish{.unknowns = group.unknowns,
              .equations = group.equations,
              .residuals = {},
              .jacobian = {},
              .linear = !eq.simplified && !group.jumps,
              .first = first};
  for (std::size_t k = 0; k < group.equations.size(); ++k) {
    wish.residuals.push_back(eq.residuals[static_cast<std::size_t>(group.equations[k])]);
    for (const std::int32_t u : wish.unknowns) {
      const auto d = group.rows[k].find(u);
      wish.jacobian.push_back(d == group.rows[k].end() ? g.zero() : d->second);
    }
  }
  if (contains_any(g, wish.jacobian, wish.unknowns)) wish.linear = false;
  if (!wish.linear && wish.unknowns.size() >= kHingesFrom) shorten(g, wish.residuals, wish.unknowns, wish.jacobian);
  if (eq.leading && !wish.linear && !saddle && wish.unknowns == wish.equations) {
    std::vector<Equations::Scale> scales;
    for (const std::int32_t u : wish.unknowns) scales.push_back(eq.scales[static_cast<std::size_t>(u)]);
    wish.leading = leading_form(g, wish.jacobian, scales, wish.first);
  }
  return wish;
}

// Everything that the programs of the step compute.
std::vector<NodeId> roots_of(const Equations& eq, const std::vector<Wanted>& wanted, bool saddle) {
  std::vector<NodeId> roots(eq.results.begin(), eq.results.end());
  const auto add = [&](const std::vector<NodeId>& list) { roots.insert(roots.end(), list.begin(), list.end()); };
  for (const Wanted& wish : wanted) {
    add(wish.residuals);
    add(wish.jacobian);
    if (!wish.leading) continue;
    for (const auto* list :
         {&wish.leading->schur, &wish.leading->right, &wish.leading->corrections, &wish.leading->parts})
      add(*list);
  }
  if (saddle)
    for (const auto* list : {&eq.saddle->M, &eq.saddle->Bt, &eq.saddle->K}) add(*list);
  return roots;
}

}  // namespace

// Gives slots to everything, and writes the programs in the order in which they will run.
class Plan::Writer {
 public:
  Writer(Plan& plan, const Equations& eq, const Split& parts, const std::vector<Wanted>& wanted)
      : plan_(plan), eq_(eq), parts_(parts), wanted_(wanted), g_(eq.graph), assembler_(eq.graph) {}

  void write() {
    place();
    guess();
    announce();
    for (const Wanted& wish : wanted_) block(wish);
    finish();
    plan_.image_ = assembler_.image();
    plan_.parameters_ = assembler_.parameters(true);
    plan_.guess_.pack();
    plan_.finish_.pack();
    for (Block& b : plan_.blocks_) pack(b);
  }

 private:
  void place();
  void guess();
  void announce();
  void block(const Wanted& wish);
  void saddle(Block& block);
  void finish();

  Plan& plan_;
  const Equations& eq_;
  const Split& parts_;
  const std::vector<Wanted>& wanted_;
  const Graph& g_;
  Assembler assembler_;
  std::int32_t first_unknown_ = 0, first_residual_ = 0, first_solution_ = 0;
  std::vector<std::int32_t> open_unknowns_;  // not solved for yet
};

void Plan::Writer::place() {
  std::int32_t placed = 0;
  for (const Wanted& wish : wanted_) placed += static_cast<std::int32_t>(wish.unknowns.size());
  for (const auto& [space, size] : eq_.inputs) plan_.inputs_.emplace_back(space, assembler_.place(space, size));
  first_unknown_ = assembler_.place(kUnknown, static_cast<std::int32_t>(eq_.residuals.size()));
  first_residual_ = assembler_.place(kResidualValue, placed);
  first_solution_ = assembler_.place(kSchurSolution, placed);
}

void Plan::Writer::guess() {
  Program& guess = plan_.guess_;
  // Copied, and not computed in the unknown's place: the equations may contain the same expression.
  for (const std::int32_t u : parts_.alive)
    if (!eq_.guesses.empty())
      guess.add(Code::copy, first_unknown_ + u, assembler_.value(guess, eq_.guesses[static_cast<std::size_t>(u)]), 0,
                0);
  // The guess program runs at other times than the rest: nothing it computed may be taken as current.
  std::vector<NodeId> all(g_.size());
  std::iota(all.begin(), all.end(), NodeId{0});
  assembler_.forget(all);
}

void Plan::Writer::announce() {
  plan_.result_count_ = static_cast<std::int32_t>(eq_.results.size());
  plan_.results_ = assembler_.reserve(plan_.result_count_);
  for (std::size_t k = 0; k < eq_.results.size(); ++k)
    assembler_.pin(eq_.results[k], plan_.results_ + static_cast<std::int32_t>(k));
  assembler_.announce(roots_of(eq_, wanted_, !parts_.saddle_inverse.empty()));
  for (const Wanted& wish : wanted_)
    open_unknowns_.insert(open_unknowns_.end(), wish.unknowns.begin(), wish.unknowns.end());
}

void Plan::Writer::block(const Wanted& wish) {
  Independent independent(g_, wish.unknowns);
  Block block;
  block.size = static_cast<std::int32_t>(wish.unknowns.size());
  block.linear = wish.linear;
  plan_.linear_ = plan_.linear_ && wish.linear;
  for (const std::int32_t u : wish.unknowns) {
    block.unknowns.push_back(first_unknown_ + u);
    block.scales.push_back(eq_.scales[static_cast<std::size_t>(u)]);
    plan_.unknown_slots_.push_back(first_unknown_ + u);
    plan_.unknown_numbers_.push_back(u);
  }
  const std::int32_t n = block.size;
  block.r = first_residual_ + wish.first;
  block.J = assembler_.reserve(n * n);
  block.lu = assembler_.reserve(n * n);
  block.pivots = assembler_.reserve(3 * n);  // permutation, row scales, correction
  const auto before = [&](const std::vector<NodeId>& roots) {
    for (const NodeId root : roots)
      for (const NodeId id : independent.parts(root)) assembler_.value(block.before, id);
  };
  before(wish.residuals);
  before(wish.jacobian);
  if (wish.leading) {
    before(wish.leading->schur);
    before(wish.leading->parts);
  }
  for (std::size_t k = 0; k < wish.residuals.size(); ++k)
    assembler_.store(block.residual, wish.residuals[k], block.r + static_cast<std::int32_t>(k));
  if (wish.leading) {
    const std::vector<std::uint8_t> after_residual = assembler_.current();
    block.leading = write_leading(*wish.leading, assembler_, first_solution_ + wish.first, block.pivots + 2 * n);
    assembler_.set_current(after_residual);
  }
  for (std::size_t k = 0; k < wish.jacobian.size(); ++k) {
    const std::int32_t place = block.J + static_cast<std::int32_t>(k);
    if (g_.is_constant(wish.jacobian[k], 0.0)) continue;  // the image holds 0 there
    const bool fixed = independent.holds(wish.jacobian[k]);
    assembler_.store(fixed ? block.before : block.jacobian, wish.jacobian[k], place);
  }
  if (!parts_.saddle_inverse.empty()) saddle(block);
  // Stale after this block: what contains its unknowns, and what contains unknowns of later blocks. The latter occur when
  // an equation contains an unknown that it does not depend on, as in (u + b) c - u c.
  open_unknowns_.erase(open_unknowns_.begin(), open_unknowns_.begin() + block.size);
  std::vector<std::int32_t> stale = wish.unknowns;
  stale.insert(stale.end(), open_unknowns_.begin(), open_unknowns_.end());
  assembler_.forget(kUnknown, stale);
  plan_.blocks_.push_back(std::move(block));
}

void Plan::Writer::saddle(Block& block) {
  const SaddleHint& hint = *eq_.saddle;
  SaddleSlots& d = block.saddle.emplace();
  d.n = hint.n;
  d.m = hint.m;
  d.stages = hint.stages;
  d.multipliers = hint.multipliers;
  d.reaction = hint.reaction;
  d.rows = hint.rows;
  d.inverse = parts_.saddle_inverse;
  d.h = assembler_.slot_of(kStepSize);
  d.U = assembler_.reserve(d.m * d.m);
  d.pivots = assembler_.reserve(2 * (d.n + d.m));
  d.work = assembler_.reserve(2 * d.m);
  d.D = assembler_.reserve(d.m * d.n);
  const auto matrix = [&](const std::vector<NodeId>& nodes) {
    const std::int32_t first = assembler_.reserve(static_cast<std::int32_t>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      // A copy, because the factorisation overwrites it.
      const std::int32_t from = assembler_.value(block.before, nodes[i]);
      block.before.add(Code::copy, first + static_cast<std::int32_t>(i), from, 0, 0);
    }
    return first;
  };
  d.M = matrix(hint.M);
  d.Bt = matrix(hint.Bt);
  d.K = matrix(hint.K);
}

void Plan::Writer::finish() {
  const auto store = [&](const std::vector<NodeId>& list, std::int32_t first) {
    for (std::size_t k = 0; k < list.size(); ++k)
      assembler_.store(plan_.finish_, list[k], first + static_cast<std::int32_t>(k));
  };
  store(eq_.results, plan_.results_);
  plan_.extra_count_ = static_cast<std::int32_t>(eq_.extra.size());
  plan_.extra_ = assembler_.reserve(plan_.extra_count_);
  store(eq_.extra, plan_.extra_);
  plan_.power_count_ = static_cast<std::int32_t>(eq_.power.size());
  plan_.power_ = assembler_.reserve(plan_.power_count_);
  store(eq_.power, plan_.power_);
}

Plan::Plan(Equations eq) {
  const Split parts = split(eq);
  std::vector<Wanted> wanted;
  std::int32_t placed = 0;
  for (const BlockRows& group : parts.groups) {
    wanted.push_back(wish_for(group, eq, !parts.saddle_inverse.empty(), placed));
    placed += static_cast<std::int32_t>(group.unknowns.size());
  }
  Writer(*this, eq, parts, wanted).write();
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
