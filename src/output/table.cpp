#include "output/table.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include "files/replace.hpp"
#include "output/columns.hpp"
#include "output/csv.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report {

void write_rows(const std::string& path, const std::vector<std::string>& columns, std::size_t rows,
                const std::function<void(std::size_t row, std::string& text)>& fill) {
  files::write_whole(path, [&](const std::string& place) {
    const auto fail = [] { throw Error(fmt::format("cannot write the CSV file: {}", std::strerror(errno))); };
    struct Close {
      void operator()(std::FILE* f) const { std::fclose(f); }
    };
    std::unique_ptr<std::FILE, Close> file(std::fopen(place.c_str(), "wb"));
    if (!file) fail();
    std::string text;
    for (const std::string& column : columns) {
      if (!text.empty()) text += ',';
      append_cell(text, column);
    }
    text += '\n';
    constexpr std::size_t kPortion = 1 << 18;
    const auto flush = [&] {
      if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
      text.clear();
    };
    for (std::size_t row = 0; row < rows; ++row) {
      fill(row, text);
      text += '\n';
      if (text.size() >= kPortion) flush();
    }
    flush();
    if (std::fclose(file.release()) != 0) fail();
  });
}

void write_table(const std::string& path, const std::vector<std::string>& columns, std::size_t rows,
                 const std::function<void(std::size_t row, std::vector<double>& cells)>& fill) {
  std::vector<double> cells;
  write_rows(path, columns, rows, [&](std::size_t row, std::string& text) {
    cells.clear();
    fill(row, cells);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) text += ',';
      append_number(text, cells[i]);
    }
  });
}

}  // namespace rattleback::report
