// The steps of a run with a fixed step, and which of them are recorded.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

inline constexpr std::int64_t kMaxRecords = 1'000'000;
inline constexpr std::int64_t kMaxRecordBytes = 200'000'000;

// Options must be complete; width: numbers in one record.
struct TimeGrid {
  TimeGrid(const Options& o, std::int64_t width) {
    h = o.step;
    if (o.adaptive > 0.0) {  // there is no grid
      every = std::max<std::int64_t>(1, o.every);
      return;
    }
    if (o.steps) {
      whole = *o.steps;
    } else {
      const double ratio = (*o.until - o.from) / h;
      if (!(ratio < 9e15))
        throw Error(fmt::format("{:g} steps to t = {:g} are too many; use a larger --step or an earlier --until", ratio,
                                *o.until));
      whole = static_cast<std::int64_t>(std::floor(ratio * (1.0 + 1e-9)));
      last = (*o.until - o.from) - static_cast<double>(whole) * h;
      if (std::fabs(last) <= 1e-9 * std::fabs(*o.until - o.from)) last = 0.0;
    }
    every = std::max<std::int64_t>(1, (whole + kMaxRecords - 1) / kMaxRecords);
    const std::int64_t fit = kMaxRecordBytes / (8 * std::max<std::int64_t>(1, width));
    if (const std::int64_t room = std::max<std::int64_t>(1, fit); whole / room >= every) {
      every = whole / room + 1;
      thinned = o.every == 0;
    }
    if (o.every > 0) every = o.every;
  }
  double h = 0.0, last = 0.0;  // last: a shorter last step, or 0
  std::int64_t whole = 0, every = 1;
  bool thinned = false;                  // because all records would not fit
  std::int64_t bytes = kMaxRecordBytes;  // into which they fit then
};

inline std::string thinned_note(const TimeGrid& grid) {
  return fmt::format(
      "every {}th step was recorded, so that the records fit into {:.0f} MB; --every K takes another number",
      grid.every, static_cast<double>(grid.bytes) / 1e6);
}

}  // namespace rattleback
