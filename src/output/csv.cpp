#include "output/csv.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "output/columns.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report {
void append_cell(std::string& text, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) text.append(c == '"' ? 2 : 1, c);
  text += '"';
}

void write_csv(const Model& model, const Trajectory& trajectory, const std::string& path) {
  const auto fail = [&] { throw Error(fmt::format("cannot write the CSV file: {}", std::strerror(errno))); };
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (!file) fail();

  const std::vector<Block> blocks = record_blocks(model, trajectory);
  std::string text;
  for (const Block& block : blocks)
    for (const std::string& column : block.columns) {
      if (!text.empty()) text += ',';
      append_cell(text, column);
    }
  text += '\n';

  constexpr std::size_t kPortion = 1 << 18;
  const auto flush = [&] {
    if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) fail();
    text.clear();
  };
  for (std::size_t row = 0; row < trajectory.records.rows; ++row) {
    bool first = true;
    for (const Block& block : blocks) {
      const std::size_t width = block.columns.size();
      for (std::size_t i = 0; i < width; ++i) {
        if (!first) text += ',';
        first = false;
        append_number(text, block.values != nullptr ? block.values[row * width + i] : 0.0);
      }
    }
    text += '\n';
    if (text.size() >= kPortion) flush();
  }
  flush();
  if (std::fclose(file.release()) != 0) fail();
}

}  // namespace rattleback::report
