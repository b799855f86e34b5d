// A table of numbers as a CSV file, written whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rattleback::report {

// `fill` appends a row without its end. Throws Error when the file cannot be written.
void write_rows(const std::string& path, const std::vector<std::string>& columns, std::size_t rows,
                const std::function<void(std::size_t row, std::string& text)>& fill);
// `fill` puts the cells of a row, as many as there are columns. Throws Error when the file cannot be written.
void write_table(const std::string& path, const std::vector<std::string>& columns, std::size_t rows,
                 const std::function<void(std::size_t row, std::vector<double>& cells)>& fill);

}  // namespace rattleback::report
