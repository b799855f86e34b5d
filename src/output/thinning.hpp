// Which records of a long run are shown, so that no extreme of a shown column is hidden.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rattleback::report {

// A column of records: element `offset` of rows that are `width` wide.
struct Column {
  const double* values = nullptr;  // null: all zero
  std::size_t width = 1, offset = 0;
  [[nodiscard]] double operator[](std::size_t row) const {
    return values != nullptr ? values[row * width + offset] : 0.0;
  }
};

// Ascending row numbers, at most `most` of them (or all rows, when they are fewer). The run is cut into equal pieces; of
// each the first and the last row are kept, and for each column the rows with its lowest and highest value; what is left of
// `most` goes to rows at equal distances.
std::vector<std::size_t> shown_rows(std::span<const Column> columns, std::size_t rows, std::size_t most);

}  // namespace rattleback::report
