#include "engine/text/stagger.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rattleback {
namespace {

using Access = LoopStatement::Access;

// Statements are compared in pairs; more than this are the single equations of a model without families.
constexpr std::size_t kMost = 1000;
constexpr std::int32_t kShortest = 64;  // pieces of a loop are not shorter

std::int64_t slot(const LoopStatement& s, const Access& a, std::int64_t place) {
  return a.slot + static_cast<std::int64_t>(a.step) * (s.begin + place);
}

// A loop over two vectors that follow one another in memory is two loops, when others treat them as two.
void cut(std::vector<LoopStatement>& statements) {
  std::vector<LoopStatement> out;
  for (const LoopStatement& s : statements) {
    std::vector<std::int32_t> cuts;
    if (s.unit == 1 && s.count >= 2 * kShortest)
      for (const LoopStatement& other : statements)
        for (const Access& x : s.accesses)
          for (const Access& y : other.accesses) {
            if (x.array != y.array || x.step != 1 || y.step != 1 || other.count < kShortest) continue;
            const std::int64_t at = slot(other, y, 0) - slot(s, x, 0);
            if (at >= kShortest && at <= s.count - kShortest) cuts.push_back(static_cast<std::int32_t>(at));
          }
    std::sort(cuts.begin(), cuts.end());
    std::int32_t from = 0;
    const auto piece = [&](std::int32_t to) {
      LoopStatement& p = out.emplace_back(s);
      p.begin = s.begin + from;
      p.count = to - from;
      from = to;
    };
    for (const std::int32_t c : cuts)
      if (c - from >= kShortest && s.count - c >= kShortest) piece(c);
    piece(s.count);
  }
  statements = std::move(out);
}

constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::min();

// How far the offset of s must be above that of the earlier statement p, for these accesses; kFree: they never meet.
std::int64_t distance(const LoopStatement& p, const Access& x, const LoopStatement& s, const Access& y) {
  if (x.array != y.array || (!x.writes && !y.writes)) return kFree;
  const auto range = [](const LoopStatement& z, const Access& a) {
    const std::int64_t first = slot(z, a, 0), last = slot(z, a, z.count - 1);
    return std::pair(std::min(first, last), std::max(first, last));
  };
  const auto px = range(p, x), sy = range(s, y);
  if (px.second < sy.first || sy.second < px.first) return kFree;
  const std::int64_t last = p.count - 1;
  const std::int64_t apart = slot(s, y, 0) - slot(p, x, 0);
  if (x.step == y.step && x.step != 0) return apart % x.step != 0 ? kFree : apart / x.step;  // place of p - place of s
  if (x.step == 0 && y.step == 0) return last;
  if (x.step == 0) return (-apart) % y.step != 0 ? kFree : last - (-apart) / y.step;
  if (y.step == 0) return apart % x.step != 0 ? kFree : apart / x.step;
  return last;
}

}  // namespace

std::int32_t stagger(std::vector<LoopStatement>& statements) {
  const bool many = statements.size() > kMost;
  if (!many) cut(statements);
  std::int64_t end = 0;
  for (std::size_t k = 0; k < statements.size(); ++k) {
    LoopStatement& s = statements[k];
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < k && !many; ++i)
      for (const Access& x : statements[i].accesses)
        for (const Access& y : s.accesses)
          if (const std::int64_t d = distance(statements[i], x, s, y); d != kFree)
            offset = std::max(offset, statements[i].offset + d);
    offset = (offset + s.unit - 1) / s.unit * s.unit;
    s.offset = static_cast<std::int32_t>(offset);
    end = std::max(end, offset + s.count);
  }
  return many ? 0 : static_cast<std::int32_t>(std::min<std::int64_t>(end, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace rattleback
