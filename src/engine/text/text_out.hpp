// A text that is being written.
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace rattleback {

class TextOut {
 public:
  template <class... Args>
  void put(fmt::format_string<Args...> text, Args&&... args) {  // as it is
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    put_line(fmt::format(text, std::forward<Args>(args)...));
  }
  void open(std::string_view text) {
    line("{}{}{{", text, text.empty() ? "" : " ");
    ++depth_;
  }
  void close() {
    --depth_;
    put_line("}");
  }
  std::string take() { return std::exchange(out_, ""); }

 protected:
  std::string out_;
  int depth_ = 0;    // of lines
  int at_once_ = 1;  // a line with @ stands for so many, in which @ is a number

 private:
  void put_line(std::string_view text) {
    const int count = text.find('@') != std::string_view::npos ? at_once_ : 1;
    for (int c = 0; c < count; ++c) {
      out_.append(2 * static_cast<std::size_t>(depth_), ' ');
      for (const char x : text) out_ += x == '@' ? std::to_string(c) : std::string(1, x);
      out_ += '\n';
    }
  }
};

}  // namespace rattleback
