// Every model in bad_models.txt is wrong, and the message says so in exactly these words, quickly.
//
// The file is a list of cases:
//   === title
//   the model text; {{N text}} stands for N times the text; a line "%set a=1" or "%start x=2" is an option
//   --- the expected first line of the message
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <optional>

#include "support.hpp"

namespace rattleback::test {
namespace {

struct Case {
  std::string title, text, expected;
  LoadOptions options;
};

std::string expanded(const std::string& text) {
  const std::size_t open = text.find("{{");
  if (open == std::string::npos) return text;
  const std::size_t space = text.find(' ', open), close = text.find("}}", open);
  const int times = std::atoi(text.c_str() + open + 2);
  const std::string piece = text.substr(space + 1, close - space - 1);
  std::string out = text.substr(0, open);
  for (int i = 0; i < times; ++i) out += piece;
  return out + expanded(text.substr(close + 2));
}

std::vector<Case> read_cases() {
  std::ifstream in(std::string(RATTLEBACK_SOURCE_DIR) + "/tests/model/bad_models.txt");
  std::vector<Case> cases;
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), {}, {}, {}});
    } else if (cases.empty()) {
      continue;  // the head comment
    } else if (line.starts_with("--- ")) {
      cases.back().expected = line.substr(4);
    } else if (line.starts_with("%set ") || line.starts_with("%start ")) {
      const std::size_t space = line.find(' '), equals = line.find('=');
      auto& list = line[3] == 't' && line[4] == ' ' ? cases.back().options.set : cases.back().options.start;
      list.emplace_back(line.substr(space + 1, equals - space - 1), line.substr(equals + 1));
    } else {
      cases.back().text += expanded(line) + "\n";
    }
  }
  return cases;
}

TEST(BadModels, AreRefusedQuicklyWithExactlyThisMessage) {
  const bool print = std::getenv("RATTLEBACK_PRINT_MESSAGES") != nullptr;  // to write the expectations of new cases
  const auto cases = read_cases();
  EXPECT_GE(cases.size(), 60U);
  for (const Case& c : cases) {
    const std::clock_t begin = std::clock();
    std::optional<Error> error;
    try {
      (void)parse_model(c.text, "m.toml", c.options);
    } catch (const Error& fault) {
      error = fault;
    }
    ASSERT_TRUE(error) << c.title;
    const std::string all = error->what();
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    const std::string first = all.substr(0, all.find('\n'));
    if (print) std::cout << "=== " << c.title << "\n--- " << first << "\n";
    EXPECT_EQ(first, c.expected) << c.title;
    // What programs are told apart is what the text says.
    const FilePlace& place = error->place();
    const std::string begin_of_text =
        place.file.empty() ? ""
                           : place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    EXPECT_TRUE(all.starts_with(begin_of_text)) << c.title;
    EXPECT_EQ(all.starts_with("m.toml:"), !place.file.empty()) << c.title;
    const bool suggests = !error->suggestion().empty();
    EXPECT_EQ(suggests, c.expected.find("Did you mean") != std::string::npos) << c.title;
    if (suggests) EXPECT_NE(all.find("Did you mean `" + error->suggestion() + "`? "), std::string::npos) << c.title;
    EXPECT_LT(seconds, 5.0) << c.title;  // the largest sums: 0.5, with sanitizers 3; milliseconds for all else
    EXPECT_LT(all.size(), 1000U) << c.title;
  }
}

}  // namespace
}  // namespace rattleback::test
