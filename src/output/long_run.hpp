// On which stretch the plots of a long run open: all of it would be a painted block.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "output/thinning.hpp"

namespace rattleback::report {

// The number of rows, from the first, in which the fastest of the columns turns around twenty-four times: twelve
// oscillations. 0: in the whole run no column has more oscillations than a plot can show.
std::size_t first_window(std::span<const Column> columns, std::size_t rows);

// Rows to show of a run: as shown_rows() gives them, and of the first `window` rows all, as long as these are no more than
// half of `most`.
std::vector<std::size_t> shown_rows_with(std::size_t window, std::span<const Column> columns, std::size_t rows,
                                         std::size_t most);

}  // namespace rattleback::report
