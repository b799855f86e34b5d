// From vectors of equations to the programs and lists of a sparse plan.
#include "step/sparse_plan.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "expr/traverse.hpp"
#include "expr/vectors.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

using Group = FamilyEquations::Group;
using Set = std::vector<char>;  // of groups

std::int32_t members(const Entry& e) { return e.count == 0 ? 1 : e.count; }

bool same(const Entries& x, const Entries& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Entry& a, const Entry& b) {
    return a.expr == b.expr && a.count == b.count && a.row == b.row;
  });
}

bool can_jump(Op op) {
  return op == Op::abs || op == Op::sign || op == Op::min || op == Op::max || op == Op::less || op == Op::less_equal ||
         op == Op::select;
}

// One product of derivatives, on its way into an element of a sparse matrix.
struct Term {
  std::int32_t row, col, a, b;
};

// Which elements of a sparse matrix may be neighbours in a family: those on a diagonal, or in a row or column that is
// full.
class Kinds {
 public:
  explicit Kinds(const std::vector<Term>& list) {
    const Term* last = nullptr;
    for (const Term& t : list) {
      if (last != nullptr && last->row == t.row && last->col == t.col) continue;
      ++rows_[t.row];
      ++columns_[t.col];
      last = &t;
    }
  }
  std::int64_t operator()(const Term& t) const {
    constexpr std::int64_t kOther = std::int64_t{1} << 40;
    if (rows_.at(t.row) >= kFull) return kOther + t.row;
    if (columns_.at(t.col) >= kFull) return 2 * kOther + t.col;
    return t.col - t.row;
  }

 private:
  static constexpr std::int32_t kFull = 64;
  std::unordered_map<std::int32_t, std::int32_t> rows_, columns_;
};

}  // namespace

class SparseCompiler {
 public:
  SparseCompiler(FamilyEquations equations, SparsePlan& plan)
      : eq_(std::move(equations)), g_(eq_.graph), out_(plan), groups_(eq_.groups.size()), assembler_(eq_.graph) {
    for (std::size_t k = 0; k < groups_; ++k) by_base_.emplace(eq_.groups[k].base, k);
  }

  void compile() {
    alive_.assign(groups_, 1);
    merge_equal_vectors();
    choose_explicit();
    write_residuals();
    find_reach();
    find_blocks();
    for (Wish& wish : wishes_) differentiate(wish);
    place();
    for (const Wish& wish : wishes_) write(wish);
    finish();
  }

 private:
  struct Derivative {
    Entry entry;
    std::size_t to = 0;  // group of its columns
    bool fixed = false;  // the same at all iterations of the block
    std::int32_t slot = 0;
  };
  struct Wish {
    std::vector<std::size_t> groups;        // whose equations are solved for their unknowns
    std::vector<std::size_t> outer, inner;  // explicit groups: before the block, at its iterations
    Set varies;                             // groups and inner
    std::vector<std::vector<Derivative>> d_equations, d_inner;
    bool linear = true;
  };

  std::size_t group_of(std::int32_t variable) const { return std::prev(by_base_.upper_bound(variable))->second; }

  // Groups whose members occur below a node; every node is looked at once.
  const Set& below(NodeId root) {
    for (const NodeId id : reachable(g_, std::span(&root, 1))) {
      if (below_.contains(id)) continue;
      Set set(groups_, 0);
      const Node n = g_[id];
      if (n.op == Op::variable && n.space == kUnknown) set[group_of(n.base())] = 1;
      for_each_argument(n, [&](NodeId k) {
        const Set& part = below_.at(k);
        for (std::size_t i = 0; i < groups_; ++i) set[i] = static_cast<char>(set[i] | part[i]);
      });
      below_.emplace(id, std::move(set));
    }
    return below_.at(root);
  }
  bool varies(NodeId root, const Set& groups) {
    const Set& b = below(root);
    for (std::size_t i = 0; i < groups_; ++i)
      if (b[i] != 0 && groups[i] != 0) return true;
    return false;
  }
  Set needs(const Entries& f) {
    Set out(groups_, 0);
    for (const Entry& e : f) {
      const Set& b = below(e.expr);
      for (std::size_t i = 0; i < groups_; ++i) out[i] = static_cast<char>(out[i] | b[i]);
    }
    return out;
  }

  template <class F>
  void for_each_list(F&& f) {
    for (Group& group : eq_.groups) {
      f(group.equation);
      f(group.position_equation);
    }
    f(eq_.results);
  }

  // Explicit vectors with the same formula: the second one is the first one.
  void merge_equal_vectors() {
    for (std::size_t i = 0; i < groups_; ++i)
      for (std::size_t j = i + 1; j < groups_; ++j) {
        const Group &x = eq_.groups[i], &y = eq_.groups[j];
        if (alive_[i] == 0 || alive_[j] == 0 || !x.solved || !y.solved || x.size != y.size) continue;
        if (!same(x.equation, y.equation)) continue;
        alive_[j] = 0;
        const std::int32_t shift = x.base - y.base;
        std::unordered_map<NodeId, NodeId> image;
        for_each_list([&](Entries& list) {
          for (Entry& e : list) {
            for (const NodeId id : reachable(g_, std::span(&e.expr, 1))) {
              if (image.contains(id)) continue;
              const Node n = g_[id];
              const bool moved = n.op == Op::variable && n.space == kUnknown && group_of(n.base()) == j;
              image.emplace(id, moved ? g_.variable(kUnknown, n.base() + shift, n.stride(), n.count)
                                      : rebuild(g_, id, [&](NodeId k) { return image.at(k); }));
            }
            e.expr = image.at(e.expr);
          }
        });
        i = 0;  // other vectors may have become equal
        j = 0;
      }
  }

  // A solved vector is explicit when its formula does not lead back to it.
  void choose_explicit() {
    explicit_.assign(groups_, 0);
    needs_.resize(groups_);
    for (std::size_t k = 0; k < groups_; ++k) {
      Entries all = eq_.groups[k].equation;
      all.insert(all.end(), eq_.groups[k].position_equation.begin(), eq_.groups[k].position_equation.end());
      needs_[k] = needs(all);
    }
    for (std::size_t k = 0; k < groups_; ++k) {
      if (alive_[k] == 0 || !eq_.groups[k].solved) continue;
      explicit_[k] = 1;
      if (through_explicit(needs_[k])[k] != 0) explicit_[k] = 0;
    }
  }

  // The set and all that its explicit members need.
  Set through_explicit(Set set) const {
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < groups_; ++i)
      if (set[i] != 0) todo.push_back(i);
    while (!todo.empty()) {
      const std::size_t i = todo.back();
      todo.pop_back();
      if (explicit_[i] == 0) continue;
      for (std::size_t j = 0; j < groups_; ++j)
        if (needs_[i][j] != 0 && set[j] == 0) {
          set[j] = 1;
          todo.push_back(j);
        }
    }
    return set;
  }

  // Solved vectors that are not explicit: x - value = 0.
  void write_residuals() {
    for (std::size_t k = 0; k < groups_; ++k) {
      Group& group = eq_.groups[k];
      if (alive_[k] == 0 || explicit_[k] != 0 || !group.solved) continue;
      for (Entry& e : group.equation) e.expr = g_.neg(e.expr);
      group.equation.push_back({g_.variable(kUnknown, group.base, 1, group.size), group.size, {0, 1}, {}});
      needs_[k][k] = 1;
    }
  }

  void find_reach() {
    reach_.resize(groups_);
    for (std::size_t k = 0; k < groups_; ++k)
      if (alive_[k] != 0 && explicit_[k] == 0) reach_[k] = through_explicit(needs_[k]);
  }
  // Does a block contain an equation without any unknown of the block? Then equations and unknowns of the same number
  // do not belong together, and there is one block for all.
  [[nodiscard]] bool is_hollow(const std::vector<std::size_t>& block) const {
    return std::any_of(block.begin(), block.end(), [&](std::size_t e) {
      return std::none_of(block.begin(), block.end(), [&](std::size_t u) { return reach_[e][u] != 0; });
    });
  }

  // Blocks are strongly connected components, those that others need first. [Tarjan1972]
  void find_blocks() {
    std::vector<std::int32_t> index(groups_, -1), low(groups_, 0);
    std::vector<std::size_t> stack, all;
    std::vector<std::vector<std::size_t>> blocks;
    Set on_stack(groups_, 0), computed(groups_, 0);
    std::int32_t next = 0;
    const std::function<void(std::size_t)> visit = [&](std::size_t e) {
      index[e] = low[e] = next++;
      stack.push_back(e);
      on_stack[e] = 1;
      for (std::size_t f = 0; f < groups_; ++f) {
        if (reach_[e][f] == 0 || explicit_[f] != 0) continue;
        if (index[f] < 0) {
          visit(f);
          low[e] = std::min(low[e], low[f]);
        } else if (on_stack[f] != 0) {
          low[e] = std::min(low[e], index[f]);
        }
      }
      if (low[e] != index[e]) return;
      std::vector<std::size_t>& block = blocks.emplace_back();
      do {
        block.push_back(stack.back());
        stack.pop_back();
        on_stack[block.back()] = 0;
      } while (block.back() != e);
      std::sort(block.begin(), block.end());
    };
    for (std::size_t k = 0; k < groups_; ++k) {
      if (alive_[k] == 0 || explicit_[k] != 0) continue;
      all.push_back(k);
      if (index[k] < 0) visit(k);
    }
    if (std::any_of(blocks.begin(), blocks.end(), [&](const auto& block) { return is_hollow(block); })) blocks = {all};
    for (const auto& block : blocks) {
      Wish& wish = wishes_.emplace_back();
      wish.groups = block;
      sort_explicit(wish, computed);
    }
    for (std::size_t k = 0; k < groups_; ++k)
      if (alive_[k] != 0 && explicit_[k] != 0) append_in_order(k, Set(groups_, 1), computed, last_);
  }

  // The explicit vectors that a block needs, in the order in which they can be computed.
  void sort_explicit(Wish& wish, Set& computed) {
    Set unknowns(groups_, 0), wanted(groups_, 0);
    for (const std::size_t u : wish.groups) unknowns[u] = 1;
    for (const std::size_t e : wish.groups)
      for (std::size_t i = 0; i < groups_; ++i) wanted[i] = static_cast<char>(wanted[i] | reach_[e][i]);
    Set inner(groups_, 0), outer(groups_, 0);
    for (std::size_t i = 0; i < groups_; ++i) {
      if (wanted[i] == 0 || explicit_[i] == 0 || computed[i] != 0) continue;
      const Set s = through_explicit(needs_[i]);
      bool depends = false;
      for (std::size_t u = 0; u < groups_; ++u) depends = depends || (s[u] != 0 && unknowns[u] != 0);
      (depends ? inner : outer)[i] = 1;
    }
    for (std::size_t i = 0; i < groups_; ++i) append_in_order(i, outer, computed, wish.outer);
    for (std::size_t i = 0; i < groups_; ++i) append_in_order(i, inner, computed, wish.inner);
    wish.varies = unknowns;
    for (const std::size_t i : wish.inner) wish.varies[i] = 1;
  }
  void append_in_order(std::size_t k, const Set& allowed, Set& computed, std::vector<std::size_t>& list) {
    if (allowed[k] == 0 || explicit_[k] == 0 || computed[k] != 0) return;
    computed[k] = 1;
    for (std::size_t j = 0; j < groups_; ++j)
      if (needs_[k][j] != 0) append_in_order(j, allowed, computed, list);
    list.push_back(k);
  }

  void differentiate(Wish& wish) {
    const auto of = [&](const Entries& f) {
      std::vector<Derivative> list;
      Entries varying;
      for (const Entry& e : f) {
        if (!varies(e.expr, wish.varies)) continue;
        varying.push_back(e);
        for (const NodeId id : reachable(g_, std::span(&e.expr, 1)))
          if (can_jump(g_[id].op) && varies(id, wish.varies)) wish.linear = false;
      }
      for (const Entry& e : jacobian(g_, varying, kUnknown)) {
        const std::size_t to = group_of(e.col.base);
        if (wish.varies[to] == 0) continue;
        const bool fixed = !varies(e.expr, wish.varies);
        wish.linear = wish.linear && fixed;
        list.push_back({e, to, fixed, 0});
      }
      return list;
    };
    for (const std::size_t k : wish.groups) {
      wish.d_equations.push_back(of(eq_.groups[k].equation));
      // Derivatives of position rows are kept apart by their row numbers, see write().
      const auto more = of(eq_.groups[k].position_equation);
      wish.d_equations.back().insert(wish.d_equations.back().end(), more.begin(), more.end());
    }
    for (const std::size_t k : wish.inner) wish.d_inner.push_back(of(eq_.groups[k].equation));
  }

  // Inputs, unknowns and results get their slots; what single nodes are wanted is announced.
  void place() {
    for (const auto& [space, size] : eq_.inputs) out_.inputs.emplace_back(space, assembler_.place(space, size));
    std::int32_t total = 0;
    for (const Group& group : eq_.groups) total = std::max(total, group.base + group.size);
    first_unknown_ = assembler_.place(kUnknown, total);
    out_.results = assembler_.reserve(eq_.result_count);
    out_.result_count = eq_.result_count;
    for (std::size_t k = 0; k < groups_; ++k) {
      const Group& group = eq_.groups[k];
      if (alive_[k] == 0 || explicit_[k] != 0) continue;
      out_.guess.add(Code::clear, first_unknown_ + group.base, 0, group.size, 0);
      assembler_.put(out_.guess, group.guess, first_unknown_ + group.base);
    }
    std::vector<NodeId> all(g_.size());
    std::iota(all.begin(), all.end(), NodeId{0});
    assembler_.forget(all);  // the guess program runs at other times than the rest
    std::vector<NodeId> roots;
    for_each_list([&](Entries& list) {
      for (const Entry& e : list)
        if (e.count == 0) roots.push_back(e.expr);
    });
    for (const Wish& wish : wishes_)
      for (const auto* lists : {&wish.d_equations, &wish.d_inner})
        for (const auto& list : *lists)
          for (const Derivative& d : list)
            if (d.entry.count == 0) roots.push_back(d.entry.expr);
    assembler_.announce(roots);
    one_ = out_.one_ = assembler_.value(out_.guess, g_.one());
  }

  // Entries that meet in one place become one.
  Entries gathered(const Entries& f) {
    std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::size_t> where;
    Entries out;
    for (const Entry& e : f) {
      const auto [it, fresh] = where.try_emplace({e.count, e.row.base, e.row.stride}, out.size());
      if (fresh)
        out.push_back(e);
      else
        out[it->second].expr = g_.add(out[it->second].expr, e.expr);
    }
    for (const Entry& e : out) (void)below(e.expr);  // forget() knows only nodes that were looked at
    return out;
  }

  // A vector function that is computed at every iteration. Its fixed part is computed once per step and copied.
  struct Computed {
    std::int32_t slot, size;
    Entries rest;
    bool copied;
  };
  Computed write_fixed_part(SparsePlan::Block& block, const Entries& f, const Set& varying, std::int32_t slot,
                            std::int32_t size) {
    Computed out{slot, size, {}, false};
    Entries fixed;
    for (const Entry& e : f) (varies(e.expr, varying) ? out.rest : fixed).push_back(e);
    if (!fixed.empty()) {
      const std::int32_t start = assembler_.reserve(size);
      block.before.add(Code::clear, start, 0, size, 0);
      assembler_.add(block.before, gathered(fixed), start);
      block.copies.push_back({slot, start, size});
      out.copied = true;
    }
    return out;
  }
  void write_rest(Program& program, const Computed& f) {
    if (!f.copied) program.add(Code::clear, f.slot, 0, f.size, 0);
    assembler_.add(program, gathered(f.rest), f.slot);
  }

  void write_explicit(Program& program, std::size_t k) {
    const Group& group = eq_.groups[k];
    program.add(Code::clear, first_unknown_ + group.base, 0, group.size, 0);
    assembler_.add(program, gathered(group.equation), first_unknown_ + group.base);
    forget(k);
  }

  void forget(const Set& groups) {
    std::vector<NodeId> stale;
    for (const auto& [id, set] : below_) {
      bool is = false;
      for (std::size_t i = 0; i < groups_; ++i) is = is || (set[i] != 0 && groups[i] != 0);
      if (is && g_[id].op != Op::variable) stale.push_back(id);
    }
    assembler_.forget(stale);
  }
  void forget(std::size_t k) {
    Set one(groups_, 0);
    one[k] = 1;
    forget(one);
  }

  void write(const Wish& wish) {
    SparsePlan::Block& block = out_.blocks_.emplace_back();
    block.linear = wish.linear;
    out_.linear = out_.linear && wish.linear;
    std::vector<std::int32_t> offset(groups_, -1);  // of equations and of unknowns: pairs share it
    for (std::size_t i = 0; i < wish.groups.size(); ++i) {
      const Group& group = eq_.groups[wish.groups[i]];
      offset[wish.groups[i]] = block.size;
      block.unknowns.push_back({first_unknown_ + group.base, group.size, group.scale});
      for (std::int32_t k = 0; k < group.size; ++k) {
        out_.unknown_slots.push_back(first_unknown_ + group.base + k);
        out_.unknown_numbers.push_back(group.base + k);
      }
      block.size += group.size;
    }
    reused_ = 0;
    block.r = reserve_in_block(block.size);
    block.delta = reserve_in_block(block.size);
    block.bound = reserve_in_block(block.size);
    // Programs are written in the order in which they run, because a later one uses what an earlier one has computed.
    for (const std::size_t k : wish.outer) write_explicit(block.before, k);
    std::vector<Computed> values, residuals;
    for (const std::size_t k : wish.inner)
      values.push_back(write_fixed_part(block, eq_.groups[k].equation, wish.varies, first_unknown_ + eq_.groups[k].base,
                                        eq_.groups[k].size));
    for (std::size_t i = 0; i < wish.groups.size(); ++i) {
      const Group& group = eq_.groups[wish.groups[i]];
      Entries all = group.equation;
      all.insert(all.end(), group.position_equation.begin(), group.position_equation.end());
      residuals.push_back(write_fixed_part(block, all, wish.varies, block.r + offset[wish.groups[i]], group.size));
    }
    std::vector<std::vector<Derivative>> d_inner = wish.d_inner, d_equations = wish.d_equations;
    Entries fixed, rest;  // all in one go, so that loops of the same length are one loop
    for (auto* lists : {&d_inner, &d_equations})
      for (auto& list : *lists) place_derivatives(list, fixed, rest);
    assembler_.put(block.before, fixed, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      write_rest(block.values, values[i]);
      forget(wish.inner[i]);
    }
    for (const Computed& f : residuals) write_rest(block.residual, f);
    assembler_.put(block.jacobian, rest, 0);
    write_matrix(block, wish, offset, d_inner, d_equations);
    forget(wish.varies);
  }

  // Slots for what a block needs while it is solved; the next block uses them again, while they are still in a cache.
  std::int32_t reserve_in_block(std::int32_t size) {
    for (; reused_ < pool_.size(); ++reused_)
      if (pool_[reused_].second >= size && pool_[reused_].second <= 2 * size) return pool_[reused_++].first;
    const std::int32_t slot = assembler_.reserve(size);
    pool_.emplace_back(slot, size);
    reused_ = pool_.size();
    return slot;
  }

  // Values of derivatives get slots of their own.
  void place_derivatives(std::vector<Derivative>& list, Entries& fixed, Entries& rest) {
    for (Derivative& d : list) {
      d.slot = d.entry.count == 0 ? assembler_.reserve(1) : reserve_in_block(d.entry.count);
      Entry e = d.entry;
      e.row = {d.slot, e.count == 0 ? 0 : 1};
      e.col = {};
      (d.fixed ? fixed : rest).push_back(e);
    }
  }

  void write_matrix(SparsePlan::Block& block, const Wish& wish, const std::vector<std::int32_t>& offset,
                    const std::vector<std::vector<Derivative>>& d_inner,
                    const std::vector<std::vector<Derivative>>& d_equations) {
    std::vector<char> fixed_slot(at(assembler_.size()), 1);
    for (const auto* lists : {&d_inner, &d_equations})
      for (const auto& list : *lists)
        for (const Derivative& d : list)
          if (!d.fixed) std::fill_n(fixed_slot.begin() + d.slot, members(d.entry), 0);

    // S of the explicit vectors, row by row.
    struct Rows {
      std::vector<std::int32_t> first, col, slot;
    };
    std::vector<Rows> S(groups_);
    const auto terms = [&](const std::vector<Derivative>& list, std::int32_t row_offset, std::vector<Term>& to) {
      for (const Derivative& d : list)
        for (std::int32_t i = 0; i < members(d.entry); ++i) {
          const std::int32_t row = row_offset + d.entry.row.at(i), slot = d.slot + (d.entry.count == 0 ? 0 : i);
          const std::int32_t col = d.entry.col.at(i) - eq_.groups[d.to].base;
          if (offset[d.to] >= 0) {
            to.push_back({row, offset[d.to] + col, slot, one_});
            continue;
          }
          const Rows& s = S[d.to];
          for (std::int32_t k = s.first[at(col)]; k < s.first[at(col) + 1]; ++k)
            to.push_back({row, s.col[at(k)], slot, s.slot[at(k)]});
        }
      std::stable_sort(to.begin(), to.end(),
                       [](const Term& x, const Term& y) { return std::pair(x.row, x.col) < std::pair(y.row, y.col); });
    };
    const auto end_of = [](const std::vector<Term>& list, std::size_t begin) {
      std::size_t end = begin;
      while (end < list.size() && list[end].row == list[begin].row && list[end].col == list[begin].col) ++end;
      return end;
    };
    for (std::size_t i = 0; i < wish.inner.size(); ++i) {
      const Group& group = eq_.groups[wish.inner[i]];
      std::vector<Term> list;
      terms(d_inner[i], 0, list);
      const Kinds kinds(list);
      Rows& s = S[wish.inner[i]];
      s.first.assign(at(group.size) + 1, 0);
      for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
        end = end_of(list, begin);
        std::int32_t slot = list[begin].a;
        if (end - begin > 1 || list[begin].b != one_) {
          slot = assembler_.reserve(1);
          bool fixed = true;
          for (std::size_t k = begin; k < end; ++k)
            fixed = fixed && fixed_slot[at(list[k].a)] != 0 && fixed_slot[at(list[k].b)] != 0;
          fixed_slot.resize(at(slot) + 1, 1);
          fixed_slot[at(slot)] = static_cast<char>(fixed);
          add_products(fixed ? block.fixed : block.chain, slot, std::span(list).subspan(begin, end - begin), kinds);
        }
        ++s.first[at(list[begin].row) + 1];
        s.col.push_back(list[begin].col);
        s.slot.push_back(slot);
      }
      std::partial_sum(s.first.begin(), s.first.end(), s.first.begin());
      block.fixed.barrier();  // the derivatives of the next vector may need these
      block.chain.barrier();
    }

    std::vector<Term> list;
    for (std::size_t i = 0; i < wish.groups.size(); ++i) terms(d_equations[i], offset[wish.groups[i]], list);
    std::vector<SparseSolver::Place> pattern;
    for (std::size_t k = 0; k < list.size(); k = end_of(list, k)) pattern.emplace_back(list[k].row, list[k].col);
    block.solver = std::make_unique<SparseSolver>(block.size, pattern, storage_);
    const Kinds kinds(list);
    std::size_t element = 0;
    for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
      end = end_of(list, begin);
      add_products(block.matrix, block.solver->places()[element++], std::span(list).subspan(begin, end - begin), kinds);
    }
    write_bounds(block, wish, d_equations, offset);
  }

  static void add_products(Products& to, std::int32_t target, std::span<const Term> list, const Kinds& kinds) {
    std::vector<std::pair<std::int32_t, std::int32_t>> terms;
    for (const Term& t : list) terms.emplace_back(t.a, t.b);
    to.add(target, terms, kinds(list[0]));
  }

  void write_bounds(SparsePlan::Block& block, const Wish& wish, const std::vector<std::vector<Derivative>>& d_equations,
                    const std::vector<std::int32_t>& offset) {
    if (block.linear) return;
    struct Weight {
      std::int32_t row, slot;
      std::int32_t kind;
    };
    std::vector<Weight> list;
    std::vector<char> position_row(at(block.size), 0);
    for (std::size_t i = 0; i < wish.groups.size(); ++i) {
      const std::int32_t first = offset[wish.groups[i]];
      for (const Entry& e : eq_.groups[wish.groups[i]].position_equation)
        for (std::int32_t k = 0; k < members(e); ++k) position_row[at(first + e.row.at(k))] = 1;
      for (const Derivative& d : d_equations[i])
        for (std::int32_t k = 0; k < members(d.entry); ++k) {
          const std::int32_t row = first + d.entry.row.at(k);
          const int kind = static_cast<int>(eq_.groups[d.to].scale) + (position_row[at(row)] != 0 ? 2 : 0);
          list.push_back({row, d.slot + (d.entry.count == 0 ? 0 : k), kind});
        }
    }
    std::stable_sort(list.begin(), list.end(), [](const Weight& x, const Weight& y) { return x.row < y.row; });
    std::vector<std::pair<std::int32_t, std::int32_t>> terms;
    for (std::size_t begin = 0, end = 0; begin < list.size(); begin = end) {
      terms.clear();
      for (end = begin; end < list.size() && list[end].row == list[begin].row; ++end)
        terms.emplace_back(list[end].slot, list[end].kind);
      block.bounds.add(list[begin].row, terms, 0);
    }
  }

  void finish() {
    for (const std::size_t k : last_) write_explicit(out_.finish_, k);
    assembler_.put(out_.finish_, eq_.results, out_.results);
    out_.image = assembler_.image();
  }

  FamilyEquations eq_;
  Graph& g_;
  SparsePlan& out_;
  std::size_t groups_;
  Assembler assembler_;
  std::map<std::int32_t, std::size_t> by_base_;
  std::unordered_map<NodeId, Set> below_;
  Set alive_, explicit_;
  std::vector<Set> needs_, reach_;
  std::vector<Wish> wishes_;
  std::vector<std::size_t> last_;  // explicit groups that no block needs
  std::int32_t first_unknown_ = 0, one_ = 0;
  std::vector<std::pair<std::int32_t, std::int32_t>> pool_;  // slot and size of what blocks share
  std::size_t reused_ = 0;
  std::shared_ptr<SparseSolver::Storage> storage_ = std::make_shared<SparseSolver::Storage>();
};

SparsePlan::SparsePlan(FamilyEquations equations) { SparseCompiler(std::move(equations), *this).compile(); }

Plan::Plan(FamilyEquations equations) : sparse_(std::make_shared<SparsePlan>(std::move(equations))) {
  inputs_ = sparse_->inputs;
  unknown_slots_ = sparse_->unknown_slots;
  unknown_numbers_ = sparse_->unknown_numbers;
  guess_ = sparse_->guess;
  results_ = sparse_->results;
  result_count_ = sparse_->result_count;
  linear_ = sparse_->linear;
  image_ = std::move(sparse_->image);
}

void Plan::choose_pivots(double* w) const {
  if (sparse_) sparse_->choose_pivots(w);
}

}  // namespace rattleback
