// From graph nodes to instructions.
#include <algorithm>
#include <map>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

#include "expr/program.hpp"

namespace rattleback {

Code code_of(Op op) {
  return op == Op::select ? Code::select : static_cast<Code>(static_cast<int>(op) - static_cast<int>(Op::neg));
}

std::int32_t Assembler::reserve(std::int32_t size) {
  const std::int32_t first = next_;
  next_ += size;
  return first;
}

std::int32_t Assembler::place(Space space, std::int32_t size) {
  const std::int32_t first = reserve(size);
  spaces_.emplace_back(space, first);
  return first;
}

std::int32_t Assembler::slot_of(Space space) const {
  for (const auto& [id, first] : spaces_)
    if (id == space) return first;
  throw std::logic_error("Assembler: a formula uses variables that were not placed");
}

void Assembler::announce(std::span<const NodeId> roots) {
  announced_.insert(announced_.end(), roots.begin(), roots.end());
  uses_.assign(graph_.size(), 0);
  for (const NodeId id : reachable(graph_, announced_)) for_each_argument(graph_[id], [&](NodeId k) { ++uses_[k]; });
  for (const NodeId id : announced_) ++uses_[id];
}

std::int32_t Assembler::slot(NodeId node) {
  if (slots_.size() < graph_.size()) slots_.resize(graph_.size(), -1);
  if (slots_[node] < 0) {
    const Node& n = graph_[node];
    if (n.op == Op::variable) {
      slots_[node] = slot_of(n.space) + n.base();
    } else {
      slots_[node] = reserve(1);
      if (n.op == Op::constant || n.op == Op::input) constants_.emplace_back(slots_[node], node);
    }
  }
  return slots_[node];
}

std::int32_t Assembler::value(Program& program, NodeId node) {
  emit(program, node);
  return slot(node);
}

void Assembler::pin(NodeId node, std::int32_t target) {
  if (slots_.size() < graph_.size()) slots_.resize(graph_.size(), -1);
  if (slots_[node] < 0 && !is_leaf(graph_[node].op)) slots_[node] = target;  // computed where it is wanted
}

void Assembler::store(Program& program, NodeId node, std::int32_t target) {
  pin(node, target);
  emit(program, node);
  if (slot(node) != target) program.add(Code::copy, target, slot(node), 0, 0);
}

void Assembler::emit(Program& program, NodeId root) {
  if (ready_.size() < graph_.size()) ready_.resize(graph_.size(), 0);
  // Depth first with an explicit stack: arguments before users, and each node close to its first use.
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const Node& n = graph_[id];
    if (ready_[id] != 0) {
      stack.pop_back();
      continue;
    }
    if (is_leaf(n.op)) {
      slot(id);
      ready_[id] = 1;
      stack.pop_back();
      continue;
    }
    const std::size_t before = stack.size();
    if (n.op != Op::sum) {  // a sum's body is emitted as a loop, in emit_one
      const auto want = [&](NodeId k) {
        if (ready_[k] == 0) stack.push_back(k);
      };
      const auto want_argument = [&](NodeId k) {
        // A product that only this node uses is fused into it, so its factors are wanted instead.
        const Node& m = graph_[k];
        if ((n.op == Op::add || n.op == Op::sub) && m.op == Op::mul && k < uses_.size() && uses_[k] == 1 &&
            ready_[k] == 0 && n.a != n.b) {
          want(m.a);
          want(m.b);
        } else {
          want(k);
        }
      };
      for_each_argument(n, want_argument);
    }
    if (stack.size() == before) {
      emit_one(program, id);
      ready_[id] = 1;
      stack.pop_back();
    }
  }
}

bool Assembler::try_fuse(Program& program, const Node& n, std::int32_t dst) {
  const auto product = [&](NodeId k) {
    return graph_[k].op == Op::mul && k < uses_.size() && uses_[k] == 1 && ready_[k] == 0;
  };
  if (n.a == n.b) return false;
  const bool fa = product(n.a), fb = product(n.b);
  if (!fa && !fb) return false;
  // When both arguments are products, one is computed on its own.
  const NodeId fused = fb ? n.b : n.a;
  const NodeId other = fb ? n.a : n.b;
  if (fa && fb) {
    const Node& m = graph_[other];
    program.add(Code::mul, slot(other), slot(m.a), slot(m.b), 0);
    ready_[other] = 1;
  }
  const Node& m = graph_[fused];
  const Code code = n.op == Op::add ? Code::mul_add : (fb ? Code::sub_mul : Code::mul_sub);
  program.add(code, dst, slot(m.a), slot(m.b), slot(other));
  return true;
}

void Assembler::emit_one(Program& program, NodeId id) {
  const Node n = graph_[id];
  const std::int32_t dst = slot(id);
  if (n.op == Op::sum) {
    program.add(Code::clear, dst, 0, 1, 0);
    const Sink sink{n.a, LoopCode::reduce, dst, 0};
    emit_loop(program, static_cast<std::int32_t>(n.b), std::span(&sink, 1));
    return;
  }
  if (n.count != 0) throw std::logic_error("Assembler: a member of a family outside its loop");
  if (is_lookup(n.op)) {
    const auto values = graph_.table_values(n.c);
    const auto known = std::find_if(program.tables.begin(), program.tables.end(), [&](const std::vector<double>& t) {
      return std::equal(t.begin(), t.end(), values.begin(), values.end());
    });
    const auto number = static_cast<std::int32_t>(known - program.tables.begin());
    if (known == program.tables.end()) program.tables.emplace_back(values.begin(), values.end());
    program.add(n.op == Op::lookup ? Code::lookup : Code::lookup_slope, dst, slot(n.a), number, 0);
    return;
  }
  if ((n.op == Op::add || n.op == Op::sub) && try_fuse(program, n, dst)) return;
  const int k = arity(n.op);
  program.add(code_of(n.op), dst, slot(n.a), k > 1 ? slot(n.b) : 0, k > 2 ? slot(n.c) : 0);
}

void Assembler::emit_loop(Program& program, std::int32_t count, std::span<const Sink> sinks) {
  Loop loop;
  loop.count = count;
  std::vector<NodeId> roots;
  for (const Sink& sink : sinks) roots.push_back(sink.body);
  const std::vector<NodeId> below = reachable(graph_, roots);
  // Values that are the same for all members are computed before the loop and read by broadcast.
  std::unordered_set<NodeId> read(roots.begin(), roots.end());
  for (const NodeId id : below)
    if (graph_[id].count != 0 && graph_[id].op != Op::sum)
      for_each_argument(graph_[id], [&](NodeId k) { read.insert(k); });
  for (const NodeId id : below)
    if (graph_[id].count == 0 && read.contains(id)) emit(program, id);

  std::unordered_map<NodeId, std::int32_t> reg;
  for (const NodeId id : below) {
    const Node& n = graph_[id];
    if (n.count == 0 && !read.contains(id)) continue;
    LoopInstruction in;
    in.dst = reg[id] = loop.registers++;
    if (n.count == 0) {
      in.what = LoopCode::broadcast;
      in.a = slot(id);
    } else if (n.op == Op::variable) {
      in.what = LoopCode::load;
      in.a = slot_of(n.space) + n.base();
      in.b = n.stride();
    } else if (n.op == Op::index) {
      in.what = LoopCode::index;
      in.a = n.base();
      in.b = n.stride();
    } else if (n.op == Op::table) {
      in.what = LoopCode::table;
      in.a = n.base();
      in.b = n.stride();
      const auto values = graph_.table_values(n.c);
      in.c = static_cast<std::int32_t>(program.tables.size());
      program.tables.emplace_back(values.begin(), values.end());
    } else {
      in.code = code_of(n.op);
      const int k = arity(n.op);
      in.a = reg.at(n.a);
      if (k > 1) in.b = reg.at(n.b);
      if (k > 2) in.c = reg.at(n.c);
    }
    loop.body.push_back(in);
  }
  for (const Sink& sink : sinks)
    loop.body.push_back({sink.what, Code::copy, reg.at(sink.body), sink.slot, sink.step, 0});
  std::stable_partition(loop.body.begin(), loop.body.end(),
                        [](const LoopInstruction& in) { return in.what == LoopCode::broadcast; });
  loop.scratch = reserve(loop.registers * kChunk);
  program.loops.push_back(std::move(loop));
  program.add(Code::loop, 0, static_cast<std::int32_t>(program.loops.size() - 1), 0, 0);
}

void Assembler::store(Program& program, std::span<const Entry> entries, std::int32_t base, std::int32_t row_step,
                      std::int32_t col_step, std::int32_t clear_size) {
  if (clear_size > 0) program.add(Code::clear, base, 0, clear_size, 0);
  // Entries that meet in one place add up; a loop may reach any of them.
  bool add_up = false;
  std::unordered_set<std::int32_t> seen;
  for (const Entry& e : entries)
    add_up = add_up || e.count != 0 || !seen.insert(e.row.base * row_step + e.col.base * col_step).second;
  std::map<std::int32_t, std::vector<Sink>> loops;
  for (const Entry& e : entries) {
    const std::int32_t target = base + e.row.base * row_step + e.col.base * col_step;
    const std::int32_t step = e.row.stride * row_step + e.col.stride * col_step;
    if (e.count == 0) {
      if (add_up) {
        const std::int32_t s = value(program, e.expr);
        program.add(Code::add, target, target, s, 0);
      } else {
        store(program, e.expr, target);
      }
      continue;
    }
    loops[e.count].push_back({e.expr, LoopCode::store_add, target, step});
  }
  // One loop for all entries of a size, so that they share what they have in common.
  for (const auto& [count, sinks] : loops) emit_loop(program, count, sinks);
}

void Assembler::add(Program& program, std::span<const Entry> entries, std::int32_t base) {
  emit_vector(program, entries, base, true);
}

void Assembler::put(Program& program, std::span<const Entry> entries, std::int32_t base) {
  emit_vector(program, entries, base, false);
}

void Assembler::emit_vector(Program& program, std::span<const Entry> entries, std::int32_t base, bool add_up) {
  std::map<std::int32_t, std::vector<Sink>> loops;
  for (const Entry& e : entries) {
    const std::int32_t target = base + e.row.base;
    if (e.count != 0)
      loops[e.count].push_back({e.expr, add_up ? LoopCode::store_add : LoopCode::store, target, e.row.stride});
    else if (add_up)
      program.add(Code::add, target, target, value(program, e.expr), 0);
    else
      store(program, e.expr, target);
  }
  for (const auto& [count, sinks] : loops) emit_loop(program, count, sinks);
}

void Assembler::forget(Space space, std::span<const std::int32_t> indices) {
  std::vector<std::uint8_t> stale(graph_.size(), 0);
  std::vector<std::int32_t> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  for (NodeId id = 0; id < graph_.size(); ++id) {
    const Node& n = graph_[id];
    if (n.op == Op::variable) {
      stale[id] = n.space == space && (n.count != 0 || std::binary_search(sorted.begin(), sorted.end(), n.base()));
      continue;  // a variable's own slot is always current
    }
    for_each_argument(n, [&](NodeId k) { stale[id] = stale[id] | stale[k]; });
    if (stale[id] != 0 && id < ready_.size()) ready_[id] = 0;
  }
}

void Assembler::forget(std::span<const NodeId> nodes) {
  for (const NodeId id : nodes)
    if (id < ready_.size()) ready_[id] = 0;
}

std::vector<double> Assembler::image(int lanes) const {
  std::vector<double> w(static_cast<std::size_t>(next_) * static_cast<std::size_t>(lanes), 0.0);
  for (const auto& [s, node] : constants_)
    std::fill_n(w.begin() + static_cast<std::ptrdiff_t>(s) * lanes, lanes, graph_[node].value);
  return w;
}

}  // namespace rattleback
