// Programs in batches: another order of the instructions, the same bits in every slot.
#include "expr/batches.hpp"

#include <algorithm>
#include <bit>
#include <random>

#include <gtest/gtest.h>

namespace rattleback {
namespace {

// A program of few slots, so that nearly every instruction meets one before it: reads what was written, writes what was read
// or written, and now and then its own operand.
Program random_program(std::mt19937_64& random, int length, std::int32_t slots) {
  const auto below = [&](int n) { return static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(n)); };
  // What programs consist of most, more often than the rest.
  constexpr Code kCommon[] = {Code::add, Code::mul,     Code::mul,     Code::sub,     Code::copy,
                              Code::neg, Code::mul_add, Code::sub_mul, Code::mul_sub, Code::div};
  Program p;
  p.tables = {{0, 1, 3, 5, 7, 3}, {-1, 1, 2, 2, -4, 0}};
  for (int i = 0; i < length; ++i) {
    const int kind = below(12);
    Code code = kCommon[below(10)];
    if (kind == 0) code = static_cast<Code>(below(static_cast<int>(Code::select) + 1));
    if (kind == 1) code = below(2) == 0 ? Code::lookup : Code::lookup_slope;
    const std::int32_t dst = below(slots);
    if (kind == 2 && below(4) == 0)
      p.add(Code::clear, dst, 0, 1 + below(std::min(3, slots - dst)), 0);
    else if (kind == 3)
      p.add(Code::add, dst, dst, below(slots), 0);
    else if (kind == 1)
      p.add(code, dst, below(slots), below(2), 0);
    else
      p.add(code, dst, below(slots), below(slots), below(slots));
  }
  return p;
}

std::vector<double> random_workspace(std::mt19937_64& random, std::int32_t slots) {
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::vector<double> w(static_cast<std::size_t>(slots));
  for (double& x : w) x = uniform(random);
  return w;
}

// NaN is NaN: which of two is kept by x + y is the compiler's choice.
bool same_bits(double x, double y) {
  return (x != x && y != y) || std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

TEST(Batches, LeaveTheSameBitsInEverySlot) {
  std::mt19937_64 random(5);
  std::size_t moved[2] = {0, 0};
  for (int trial = 0; trial < 4000; ++trial) {
    const std::int32_t slots = 4 + static_cast<std::int32_t>(random() % 60);
    Program p = random_program(random, 1 + static_cast<int>(random() % 120), slots);
    const std::vector<double> start = random_workspace(random, slots);
    std::vector<double> written = start, packed = start;
    p.run(written.data());
    p.pack();
    ASSERT_TRUE(p.is_packed());
    p.run(packed.data());
    for (std::size_t i = 0; i < start.size(); ++i)
      ASSERT_TRUE(same_bits(written[i], packed[i]))
          << "trial " << trial << ", slot " << i << ": " << written[i] << " and " << packed[i];
    for (const Arrangement how : {Arrangement::batches, Arrangement::chains}) {
      const std::vector<std::uint32_t> order = arranged(std::span(p.code).first(p.code.size() - 1), how);
      moved[how == Arrangement::chains] += std::is_sorted(order.begin(), order.end()) ? 0 : 1;
    }
  }
  for (const std::size_t count : moved) EXPECT_GT(count, 3000U);  // otherwise the comparison says nothing
}

// Each kind of hazard on its own, in the smallest program in which the greedy order would go wrong without it.
TEST(Batches, KeepReadsAndWritesOfASlotInOrder) {
  // Slots 0..3 are inputs. One sub among many mul would be put last or first.
  const auto places = [](const Program& p) {
    const std::vector<std::uint32_t> order = arranged(std::span(p.code).first(p.code.size() - 1), Arrangement::batches);
    std::vector<std::size_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    return place;
  };
  Program read_after_write;
  read_after_write.add(Code::sub, 4, 0, 1, 0);
  for (int i = 0; i < 3; ++i) read_after_write.add(Code::mul, 5 + i, 4, i, 0);
  for (std::size_t i = 1; i <= 3; ++i) EXPECT_LT(places(read_after_write)[0], places(read_after_write)[i]);

  Program write_after_read;
  write_after_read.add(Code::sub, 4, 0, 1, 0);
  for (int i = 0; i < 3; ++i) write_after_read.add(Code::mul, i, 3, 3, 0);
  EXPECT_LT(places(write_after_read)[0], places(write_after_read)[1]);
  EXPECT_LT(places(write_after_read)[0], places(write_after_read)[2]);

  Program write_after_write;
  write_after_write.add(Code::sub, 4, 0, 1, 0);
  for (int i = 0; i < 3; ++i) write_after_write.add(Code::mul, 4 + i, 3, 3, 0);
  EXPECT_LT(places(write_after_write)[0], places(write_after_write)[1]);

  Program cleared;
  cleared.add(Code::clear, 4, 0, 3, 0);
  for (int i = 0; i < 3; ++i) cleared.add(Code::add, 4 + i, 4 + i, i, 0);
  cleared.add(Code::clear, 4, 0, 3, 0);
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_LT(places(cleared)[0], places(cleared)[i]);
    EXPECT_LT(places(cleared)[i], places(cleared)[4]);
  }
}

TEST(Batches, TakeFewerJumpsThanInstructions) {
  // Two sums of four products, written one after the other.
  Program p;
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) p.add(Code::mul, 10 + 10 * k + i, i, i + 1, 0);
    p.add(Code::add, 14 + 10 * k, 10 + 10 * k, 11 + 10 * k, 0);
    p.add(Code::add, 15 + 10 * k, 12 + 10 * k, 13 + 10 * k, 0);
    p.add(Code::add, 16 + 10 * k, 14 + 10 * k, 15 + 10 * k, 0);
  }
  EXPECT_LE(jump_count(pack_batches(p.code)), 4U);  // eight products; six sums, some of them linked
}

// A longer program must not be run in its old form.
TEST(Batches, AreGivenUpWhenAnInstructionIsAdded) {
  Program p;
  p.add(Code::add, 2, 0, 1, 0);
  p.pack();
  p.add(Code::add, 2, 2, 1, 0);
  EXPECT_FALSE(p.is_packed());
  double w[3] = {1.0, 2.0, 0.0};
  p.run(w);
  EXPECT_EQ(w[2], 5.0);
  p.pack();
  p.run(w);
  EXPECT_EQ(w[2], 5.0);
}

TEST(Batches, LeaveAloneWhatDoesNotFit) {
  Program empty, far, loops;
  empty.pack();
  EXPECT_FALSE(empty.is_packed());
  std::vector<double> w(65537 + 1, 2.0);
  empty.run(w.data());
  for (const std::int32_t slot : {65535, 65536}) {
    far.add(Code::add, slot, 0, 1, 0);
    far.pack();
    EXPECT_EQ(far.is_packed(), slot == 65535);
    far.run(w.data());
    EXPECT_EQ(w[static_cast<std::size_t>(slot)], 4.0);
  }
  loops.loops.push_back({.count = 1, .registers = 1, .scratch = 0, .body = {}});
  loops.add(Code::loop, 0, 0, 0, 0);
  loops.pack();
  EXPECT_FALSE(loops.is_packed());
}

}  // namespace
}  // namespace rattleback
