// Loops in strips give what the same loops give one after the other.
#include "engine/text/stagger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace rattleback::testing {
namespace {

using Access = LoopStatement::Access;

// Member by member: every slot that is written becomes a number that tells what was read, and by whom.
void run_member(const LoopStatement& s, std::uint64_t who, std::int32_t member, std::vector<std::uint64_t>& w) {
  std::uint64_t h = who * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(member);
  const auto at = [&](const Access& a) -> std::uint64_t& {
    return w[static_cast<std::size_t>(a.slot + a.step * member)];
  };
  for (const Access& a : s.accesses)
    if (!a.writes) h = (h ^ at(a)) * 0x100000001b3U;
  for (const Access& a : s.accesses)
    if (a.writes) at(a) = (at(a) ^ h) * 0x100000001b3U;
}

// Pieces of one statement keep its name: members are what counts.
std::vector<std::uint64_t> in_order(const std::vector<LoopStatement>& statements, std::size_t slots) {
  std::vector<std::uint64_t> w(slots, 1);
  for (std::size_t k = 0; k < statements.size(); ++k)
    for (std::int32_t j = 0; j < statements[k].count; ++j) run_member(statements[k], k, statements[k].begin + j, w);
  return w;
}
std::vector<std::uint64_t> in_strips(const std::vector<LoopStatement>& statements,
                                     const std::vector<std::size_t>& names, std::size_t slots, std::int32_t end,
                                     std::int32_t strip) {
  std::vector<std::uint64_t> w(slots, 1);
  for (std::int32_t from = 0; from < end; from += strip)
    for (std::size_t k = 0; k < statements.size(); ++k) {
      const LoopStatement& s = statements[k];
      for (std::int32_t j = std::max(0, from - s.offset); j < std::min(s.count, from + strip - s.offset); ++j)
        run_member(s, names[k], s.begin + j, w);
    }
  return w;
}

// Which statement a piece comes from: pieces are in order and cover its members.
std::vector<std::size_t> names_of(const std::vector<LoopStatement>& whole, const std::vector<LoopStatement>& pieces) {
  std::vector<std::size_t> names;
  std::size_t k = 0;
  std::int32_t seen = 0;
  for (const LoopStatement& p : pieces) {
    names.push_back(k);
    seen += p.count;
    if (seen == whole[k].count) {
      ++k;
      seen = 0;
    }
  }
  return names;
}

TEST(Stagger, StripsKeepTheOrderOfEveryPairThatMeets) {
  std::minstd_rand random(7);
  const auto number = [&](int below) { return static_cast<std::int32_t>(random() % static_cast<unsigned>(below)); };
  for (int repeat = 0; repeat < 200; ++repeat) {
    constexpr std::int32_t n = 300, arrays = 6, slots = arrays * n + 10;
    std::vector<LoopStatement> statements;
    for (int k = 0; k < 12; ++k) {
      LoopStatement& s = statements.emplace_back();
      const int kind = number(6);
      s.count = kind == 0 ? 1 : kind == 1 ? 2 * n - 8 : n - 4;
      s.unit = kind == 2 ? 16 : 1;
      for (int a = 0; a < 3; ++a) {
        const std::int32_t space = kind == 1 ? number(arrays - 1) : number(arrays);
        const bool single = kind == 0 || number(8) == 0;
        if (single && a == 0 && kind != 0) continue;  // a loop that writes one slot would read itself
        const std::int32_t shift = number(5);
        const bool wide = !single && kind > 2 && number(6) == 0 && space + 1 < arrays;
        const bool back = !single && kind == 3;
        const std::int32_t first = space * n + shift + (back ? n - 5 : 0);
        s.accesses.push_back({LoopStatement::kWorkspace, a == 0,
                              first + (single ? number(n) : 0) - (back && single ? n - 5 : 0),
                              single ? 0
                              : back ? -1
                              : wide ? 2
                                     : 1});
      }
      if (s.accesses.empty() || !s.accesses[0].writes)
        s.accesses.insert(s.accesses.begin(), {LoopStatement::kWorkspace, true, number(arrays - 1) * n, 1});
    }
    const std::vector<std::uint64_t> expected = in_order(statements, slots + n);
    std::vector<LoopStatement> pieces = statements;
    const std::int32_t end = stagger(pieces);
    EXPECT_EQ(in_strips(pieces, names_of(statements, pieces), slots + n, end, 32), expected) << repeat;
  }
}

// b[i] = a[i], c[i] = b[i+1], two vectors at once in the first: the second and the third follow closely.
TEST(Stagger, NeighboursStayClose) {
  constexpr std::int32_t n = 1000;
  std::vector<LoopStatement> s(3);
  s[0].count = 2 * n;
  s[0].accesses = {{LoopStatement::kWorkspace, true, 5000, 1}, {LoopStatement::kWorkspace, false, 0, 1}};
  s[1].count = n - 1;
  s[1].accesses = {{LoopStatement::kWorkspace, true, 8000, 1}, {LoopStatement::kWorkspace, false, 5001, 1}};
  s[2].count = n;
  s[2].accesses = {{LoopStatement::kWorkspace, true, 9000, 1}, {LoopStatement::kWorkspace, false, 5000 + n, 1}};
  EXPECT_LE(stagger(s), n + 1);
  ASSERT_EQ(s.size(), 4U);  // the first in two pieces
  EXPECT_EQ(s[1].begin, n);
  EXPECT_EQ(s[2].offset, 1);
  EXPECT_EQ(s[3].offset, 0);
}

}  // namespace
}  // namespace rattleback::testing
