#include "output/thinning.hpp"

#include <algorithm>
#include <cmath>

namespace rattleback::report {

std::vector<std::size_t> shown_rows(std::span<const Column> columns, std::size_t rows, std::size_t most) {
  std::vector<std::size_t> out;
  if (rows <= most) {
    out.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) out[i] = i;
    return out;
  }
  const std::size_t of_piece = 2 * columns.size() + 2, pieces = std::max<std::size_t>(1, most / of_piece);
  std::vector<std::size_t> kept;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * rows / pieces, end = (piece + 1) * rows / pieces;
    kept.assign({begin, end - 1});
    for (const Column& column : columns) {
      std::size_t lowest = begin, highest = begin;
      double low = column[begin], high = low;
      for (std::size_t i = begin; i < end; ++i) {
        const double value = column[i];
        if (value < low || std::isnan(low)) {
          low = value;
          lowest = i;
        }
        if (value > high || std::isnan(high)) {
          high = value;
          highest = i;
        }
      }
      kept.push_back(lowest);
      kept.push_back(highest);
    }
    std::ranges::sort(kept);
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    out.insert(out.end(), kept.begin(), kept.end());
  }
  // What is left of the number goes to rows at equal distances: extremes alone would leave gaps.
  if (const std::size_t extremes = out.size(); extremes + 1 < most) {
    const std::size_t stride = (rows + most - extremes - 1) / (most - extremes);
    for (std::size_t i = 0; i < rows; i += stride) out.push_back(i);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return out;
}

}  // namespace rattleback::report
