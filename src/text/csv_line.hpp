// One line of a CSV text as cells, as in RFC 4180: a cell in quotes may hold commas, and doubled quotes. A cell ends on its
// line: where a quote is still open there, what was meant cannot be known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback::front {

struct CsvLine {
  std::vector<std::string> cells;    // without the blanks around them
  std::vector<std::size_t> columns;  // where each begins, in characters from 1
  bool open = false;                 // a quote was not closed
};

CsvLine csv_line(std::string_view line);

// The lines of a text, one after the other, without their ends.
class CsvText {
 public:
  explicit CsvText(std::string_view text) : rest_(text) {}
  // The next line that is not blank; false at the end.
  bool next(std::string_view& line);
  [[nodiscard]] std::size_t number() const { return number_; }  // of the line that next() gave, from 1

 private:
  std::string_view rest_;
  std::size_t number_ = 0;
};

}  // namespace rattleback::front
