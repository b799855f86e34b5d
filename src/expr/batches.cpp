#include "expr/batches.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "expr/instructions.hpp"

namespace rattleback {
namespace {

constexpr std::size_t kCodes = static_cast<std::size_t>(Code::end) + 1;
constexpr std::uint32_t kMostSlots = 1U << 16;
constexpr std::size_t kChainsUpTo = 100;  // longer programs have enough that need not wait

bool comes_in_batches(Code code) {
  return code == Code::neg || code == Code::copy || (code >= Code::add && code <= Code::div) ||
         (code >= Code::mul_add && code <= Code::sub_mul);
}

// What a piece of one instruction begins with.
std::size_t number_of(Code code) { return kLargestBatch * static_cast<std::size_t>(code); }
std::size_t number_of(Link link) { return kFirstLink + kLargestLink * static_cast<std::size_t>(link); }

// An instruction whose operand is the last result, in slot r.
struct Linked {
  Link link;
  std::array<std::uint32_t, 2> operands;  // the others
  std::size_t count;                      // of them
};

std::optional<Linked> linked(const Instruction& in, std::uint32_t r) {
  const auto either = [&](Link if_a, Link if_b) -> std::optional<Linked> {
    if (in.a == r) return Linked{if_a, {in.b, 0}, 1};
    if (in.b == r) return Linked{if_b, {in.a, 0}, 1};
    return {};
  };
  const auto product = [&](Link if_factor, Link if_addend) -> std::optional<Linked> {
    if (in.c == r) return Linked{if_addend, {in.a, in.b}, 2};
    if (in.a == r) return Linked{if_factor, {in.b, in.c}, 2};
    if (in.b == r) return Linked{if_factor, {in.a, in.c}, 2};
    return {};
  };
  switch (in.code) {
    case Code::neg: return in.a == r ? std::optional(Linked{Link::neg, {}, 0}) : std::nullopt;
    case Code::copy: return in.a == r ? std::optional(Linked{Link::copy, {}, 0}) : std::nullopt;
    case Code::add: return either(Link::add, Link::add);
    case Code::sub: return either(Link::sub, Link::from);
    case Code::mul: return either(Link::mul, Link::mul);
    case Code::div: return either(Link::div, Link::under);
    case Code::mul_add: return product(Link::mul_add, Link::plus);
    case Code::mul_sub: return product(Link::mul_sub, Link::less);
    case Code::sub_mul: return product(Link::sub_mul, Link::minus);
    default: return {};
  }
}

// Which instructions have to wait for which.
class Waiting {
 public:
  explicit Waiting(std::span<const Instruction> code)
      : missing(code.size(), 0), height(code.size(), 0), first_(code.size() + 1, 0) {
    std::uint32_t size = 0;
    for (const Instruction& in : code) {
      size = std::max(size, in.dst + slots_written(in));
      for_each_read(in, [&](std::uint32_t slot) { size = std::max(size, slot + 1); });
    }
    constexpr std::uint32_t kNone = ~0U;
    struct Reader {
      std::uint32_t instruction, before;  // before: of the same slot, a place in `readers`
    };
    std::vector<Reader> readers;
    std::vector<std::uint32_t> writer(size, kNone), last_reader(size, kNone);  // since it was written
    struct Pair {
      std::uint32_t earlier, later;
    };
    std::vector<Pair> pairs;
    readers.reserve(3 * code.size());
    pairs.reserve(4 * code.size());
    for (std::uint32_t i = 0; i < code.size(); ++i) {
      const Instruction& in = code[i];
      const auto wait_for = [&](std::uint32_t earlier) {
        if (earlier == i) return;  // it reads its own destination
        pairs.push_back({earlier, i});
        ++first_[earlier + 1];
        ++missing[i];
      };
      for_each_read(in, [&](std::uint32_t slot) {
        if (writer[slot] != kNone) wait_for(writer[slot]);
        readers.push_back({i, last_reader[slot]});
        last_reader[slot] = static_cast<std::uint32_t>(readers.size() - 1);
      });
      for (std::uint32_t slot = in.dst; slot < in.dst + slots_written(in); ++slot) {
        if (writer[slot] != kNone) wait_for(writer[slot]);
        for (std::uint32_t r = last_reader[slot]; r != kNone; r = readers[r].before) wait_for(readers[r].instruction);
        last_reader[slot] = kNone;
        writer[slot] = i;
      }
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    later_.resize(pairs.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const Pair& pair : pairs) later_[next[pair.earlier]++] = pair.later;
    for (std::size_t i = code.size(); i-- > 0;)
      for (const std::uint32_t k : after(i)) height[i] = std::max(height[i], height[k] + 1);
  }
  // Those that wait for instruction i.
  [[nodiscard]] std::span<const std::uint32_t> after(std::size_t i) const {
    return std::span(later_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  std::vector<std::uint32_t> missing;  // how many it waits for
  std::vector<std::uint32_t> height;   // how many follow one another from here on

 private:
  std::vector<std::uint32_t> first_, later_;
};

// Of what is ready, the operation with most instructions, and those on which most others wait first.
std::vector<std::uint32_t> in_batches(std::span<const Instruction> code, Waiting waiting) {
  const auto later = [&](std::uint32_t x, std::uint32_t y) {
    return waiting.height[x] != waiting.height[y] ? waiting.height[x] < waiting.height[y] : x > y;
  };
  std::array<std::vector<std::uint32_t>, kCodes> ready;  // heaps
  const auto make_ready = [&](std::uint32_t i) {
    std::vector<std::uint32_t>& heap = ready[static_cast<std::size_t>(code[i].code)];
    heap.push_back(i);
    std::push_heap(heap.begin(), heap.end(), later);
  };
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (waiting.missing[i] == 0) make_ready(i);
  std::vector<std::uint32_t> order;
  order.reserve(code.size());
  while (order.size() < code.size()) {
    std::vector<std::uint32_t>& most =
        *std::max_element(ready.begin(), ready.end(), [](const auto& x, const auto& y) { return x.size() < y.size(); });
    while (!most.empty()) {
      std::pop_heap(most.begin(), most.end(), later);
      const std::uint32_t i = most.back();
      most.pop_back();
      order.push_back(i);
      for (const std::uint32_t k : waiting.after(i))
        if (--waiting.missing[k] == 0) make_ready(k);
    }
  }
  return order;
}

// After each instruction one that reads its result, if there is one.
std::vector<std::uint32_t> in_chains(std::span<const Instruction> code, Waiting waiting) {
  std::vector<std::uint32_t> ready, order;
  for (std::uint32_t i = 0; i < code.size(); ++i)
    if (waiting.missing[i] == 0) ready.push_back(i);
  order.reserve(code.size());
  const auto lower = [&](std::uint32_t x, std::uint32_t y) { return waiting.height[x] < waiting.height[y]; };
  while (order.size() < code.size()) {
    auto next = ready.end();
    if (!order.empty())
      for (auto k = ready.begin(); k != ready.end(); ++k)
        if (linked(code[*k], code[order.back()].dst) && (next == ready.end() || lower(*next, *k))) next = k;
    if (next == ready.end()) next = std::max_element(ready.begin(), ready.end(), lower);
    const std::uint32_t i = *next;
    ready.erase(next);
    order.push_back(i);
    for (const std::uint32_t k : waiting.after(i))
      if (--waiting.missing[k] == 0) ready.push_back(k);
  }
  return order;
}

// A program in a given order, cut into pieces: batches and chains.
class Packer {
 public:
  Packer(std::span<const Instruction> code, std::span<const std::uint32_t> order) : code_(code), order_(order) {}

  [[nodiscard]] std::vector<std::uint16_t> packed() const;
  // About how many cycles a present-day processor takes: it reads instructions ahead of those it waits for, up to a limit,
  // and a value that goes through memory arrives later than one in a register.
  [[nodiscard]] double cycles() const;

 private:
  [[nodiscard]] const Instruction& instruction(std::size_t at) const { return code_[order_[at]]; }
  // A link of a chain, when the instruction at this place reads the result of the one before it.
  [[nodiscard]] std::optional<Linked> link_at(std::size_t at) const {
    if (at == 0 || instruction(at - 1).code == Code::clear) return {};
    return linked(instruction(at), instruction(at - 1).dst);
  }
  struct Piece {
    std::size_t number, count;  // number: what it begins with when there is one instruction
  };
  [[nodiscard]] std::size_t number_at(std::size_t at) const {
    if (const std::optional<Linked> link = link_at(at)) return number_of(link->link);
    return number_of(instruction(at).code);
  }
  [[nodiscard]] Piece piece_from(std::size_t first) const {
    Piece out{.number = number_at(first), .count = 1};
    const std::size_t most = out.number >= kFirstLink                    ? kLargestLink
                             : comes_in_batches(instruction(first).code) ? kLargestBatch
                                                                         : 1;
    while (out.count < most && first + out.count < order_.size() && number_at(first + out.count) == out.number)
      ++out.count;
    return out;
  }

  std::span<const Instruction> code_;
  std::span<const std::uint32_t> order_;
};

std::vector<std::uint16_t> Packer::packed() const {
  std::vector<std::uint16_t> out;
  const auto put = [&](std::size_t number) { out.push_back(static_cast<std::uint16_t>(number)); };
  for (std::size_t at = 0; at < order_.size();) {
    const Piece piece = piece_from(at);
    put(piece.number + piece.count - 1);
    for (const std::size_t end = at + piece.count; at < end; ++at) {
      const Instruction& in = instruction(at);
      put(in.dst);
      if (const std::optional<Linked> link = link_at(at))
        for (std::size_t k = 0; k < link->count; ++k) put(link->operands[k]);
      else
        for_each_read(in, put);
      if (in.code == Code::clear || in.code == Code::lookup || in.code == Code::lookup_slope) put(in.b);
    }
  }
  put(number_of(Code::end));
  return out;
}

double Packer::cycles() const {
  constexpr double kJump = 3.0, kInstruction = 1.6, kThroughMemory = 8.0;
  constexpr double kOperation = 3.5, kDivision = 14.0, kCall = 40.0;
  constexpr std::size_t kAhead = 36;  // instructions that are under way at the same time
  std::vector<double> done(order_.size()), retired(order_.size()), available;  // the last: by slot
  const auto slot = [&](std::uint32_t k) -> double& {
    if (k >= available.size()) available.resize(k + 1, 0.0);
    return available[k];
  };
  double read = 0.0;
  for (std::size_t at = 0; at < order_.size();) {
    read += kJump;
    for (const std::size_t end = at + piece_from(at).count; at < end; ++at) {
      const Instruction& in = instruction(at);
      read = std::max(read + kInstruction, at >= kAhead ? retired[at - kAhead] : 0.0);
      double start = read;
      if (const std::optional<Linked> link = link_at(at)) {
        start = std::max(start, done[at - 1]);
        for (std::size_t k = 0; k < link->count; ++k) start = std::max(start, slot(link->operands[k]));
      } else {
        for_each_read(in, [&](std::uint32_t s) { start = std::max(start, slot(s)); });
      }
      done[at] = start + (in.code == Code::div ? kDivision : comes_in_batches(in.code) ? kOperation : kCall);
      retired[at] = std::max(done[at], at > 0 ? retired[at - 1] : 0.0);
      for (std::uint32_t s = in.dst; s < in.dst + slots_written(in); ++s) slot(s) = done[at] + kThroughMemory;
    }
  }
  return retired.back();
}

}  // namespace

std::vector<std::uint32_t> arranged(std::span<const Instruction> code, Arrangement arrangement) {
  Waiting waiting(code);
  return arrangement == Arrangement::batches ? in_batches(code, std::move(waiting))
                                             : in_chains(code, std::move(waiting));
}

std::vector<std::uint16_t> pack_batches(std::span<const Instruction> code) {
  if (!code.empty() && code.back().code == Code::end) code = code.first(code.size() - 1);
  if (code.empty()) return {};
  for (const Instruction& in : code) {
    std::uint32_t last = std::max(in.dst + slots_written(in) - 1, in.b);  // b may be a table or a count
    for_each_read(in, [&](std::uint32_t slot) { last = std::max(last, slot); });
    if (in.code == Code::loop || last >= kMostSlots) return {};
  }
  const std::vector<std::uint32_t> batches = arranged(code, Arrangement::batches);
  if (code.size() <= kChainsUpTo) {
    const std::vector<std::uint32_t> chains = arranged(code, Arrangement::chains);
    if (Packer(code, chains).cycles() < Packer(code, batches).cycles()) return Packer(code, chains).packed();
  }
  return Packer(code, batches).packed();
}

std::size_t jump_count(std::span<const std::uint16_t> packed) {
  std::size_t jumps = 0;
  for (std::size_t at = 0; at < packed.size(); ++jumps) {
    if (packed[at] >= kFirstLink) {
      const std::size_t link = (packed[at] - kFirstLink) / kLargestLink;
      const std::size_t others = link <= static_cast<std::size_t>(Link::copy)    ? 0
                                 : link <= static_cast<std::size_t>(Link::under) ? 1
                                                                                 : 2;
      at += 1 + (1 + others) * ((packed[at] - kFirstLink) % kLargestLink + 1);
      continue;
    }
    const auto code = static_cast<Code>(packed[at] / kLargestBatch);
    if (code == Code::end) break;
    const bool with_number = code == Code::clear || code == Code::lookup || code == Code::lookup_slope;
    const std::size_t words = 1 + static_cast<std::size_t>(slots_read(code)) + (with_number ? 1 : 0);
    at += 1 + words * (packed[at] % kLargestBatch + 1);
  }
  return jumps;
}

void Program::pack() { batches_ = pack_batches(code); }

}  // namespace rattleback
