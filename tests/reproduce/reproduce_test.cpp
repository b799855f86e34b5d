// The experiments of the documents find the numbers they should, in short runs; in full: reproduce_long_test.sh.
#include "reproduce/reproduce.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

class ShortRun : public testing::TestWithParam<std::string> {};

TEST_P(ShortRun, FindsWhatIsExpected) {
  Request request;
  request.names = {GetParam()};
  request.quick = true;
  request.threads = 1;
  const Report report = reproduce(request);
  for (const Entry& entry : report.entries) {
    for (const Number& n : entry.finding.numbers)
      EXPECT_TRUE(n.ok()) << entry.recipe.id << ", " << n.what << ": " << n.found << ", expected " << n.expected.text;
    for (const std::string& fault : entry.finding.faults) ADD_FAILURE() << entry.recipe.id << ": " << fault;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const ShippedRecipe& recipe : shipped_recipes()) out.emplace_back(recipe.key);
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == '-' || c == '.') c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Experiments, ShortRun, testing::ValuesIn(names()), test_name);

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "rattleback_reproduce_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

const std::string kOwn = R"toml(id = "own"
title = "Mine <script>alert(1)</script>"
document = "Me"
place = "here"
says = "energy is kept"
verdict = "agrees"
because = "it is"
system = "skate"
[[run]]
methods = ["spark-lobatto-ab:2", "spark-lobatto-ab:3"]
steps = [0.1]
until = 5
[run.expect]
"energy.max_error" = ["2.503e-3", "<1e-6"]
[[panel]]
y = "energy_error"
)toml";

TEST_F(Folder, HoldsDataFigureNumbersAndAPage) {
  Request request;
  request.names = {write("own.toml", kOwn)};
  request.folder = (folder_ / "out").string();
  const Report report = reproduce(request);
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_TRUE(report.as_expected());
  const auto json = nlohmann::json::parse(read("out/own.json"));
  EXPECT_EQ(json["verdict"], "agrees");
  EXPECT_EQ(json["numbers"].size(), 2U);
  EXPECT_EQ(json["numbers"][0]["found"].get<double>(), report.entries[0].finding.numbers[0].found);
  // The data: 51 records of each run, with the numbers of the run.
  std::istringstream csv(read("out/own.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "panel,series,x,y");
  int rows = 0;
  double largest = 0.0;
  while (std::getline(csv, line)) {
    ++rows;
    if (line.starts_with("1,\"spark-lobatto-ab(2)\","))
      largest = std::fmax(largest, std::fabs(std::stod(line.substr(line.rfind(',') + 1))));
  }
  EXPECT_EQ(rows, 2 * 51);
  EXPECT_EQ(largest, report.entries[0].finding.numbers[0].found);
  EXPECT_NE(read("out/own.svg").find("<svg"), std::string::npos);
  const std::string page = read("out/index.html");
  EXPECT_NE(page.find("Mine &lt;script&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
}

TEST_F(Folder, AWrongNumberIsSeen) {
  std::string wrong = kOwn;
  wrong.replace(wrong.find("2.503e-3"), 8, "2.513e-3");
  Request request;
  request.names = {write("wrong.toml", wrong)};
  const Report report = reproduce(request);
  EXPECT_FALSE(report.as_expected());
  EXPECT_NE(to_text(report).find("NOT  spark-lobatto-ab(2): largest energy error: 0.00250"), std::string::npos)
      << to_text(report);
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["failed"][0], "own");
}

// A model file stands beside the recipe, wherever the program is called.
TEST_F(Folder, ModelsAreFoundBesideTheRecipe) {
  write("particle.toml",
        "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[initial]\nx = 1\n");
  std::string text = kOwn;
  text.replace(text.find("\"skate\""), 7, "\"particle.toml\"");
  text.replace(text.find("[\"2.503e-3\""), std::string("[\"2.503e-3\", \"<1e-6\"]").size(), "\"*\"");
  Request request;
  request.names = {write("own.toml", text)};
  const Report report = reproduce(request);
  EXPECT_TRUE(report.as_expected()) << to_text(report);
  EXPECT_NE(to_text(report).find("0 of 0 numbers"), std::string::npos) << "nothing was expected";
}

TEST_F(Folder, ARunThatCannotBeMadeIsAFault) {
  std::string wrong = kOwn;
  wrong.replace(wrong.find("energy_error"), 12, "no_column");
  Request request;
  request.names = {write("wrong.toml", wrong)};
  const Report report = reproduce(request);
  EXPECT_FALSE(report.as_expected());
  EXPECT_EQ(report.entries[0].finding.faults.size(), 2U);
}

// The bits do not depend on the threads.
TEST_F(Folder, ThreadsDoNotChangeNumbers) {
  Request request;
  request.names = {"H-4.2"};
  request.threads = 1;
  const Report one = reproduce(request);
  request.threads = 2;
  const Report two = reproduce(request);
  const auto &a = one.entries[0].finding, &b = two.entries[0].finding;
  EXPECT_EQ(a.csv, b.csv);
  ASSERT_EQ(a.numbers.size(), b.numbers.size());
  for (std::size_t i = 0; i < a.numbers.size(); ++i) EXPECT_EQ(a.numbers[i].found, b.numbers[i].found);
}

TEST(FindRecipes, KnowsDocumentsAndOrders) {
  const auto ids = [](const std::vector<std::string>& names) {
    std::string out;
    for (const Recipe& r : find_recipes(names, false)) out += r.id + " ";
    return out;
  };
  EXPECT_EQ(ids({"J"}), "J-8.1 J-8.2 J-8.3 J-8.4 ");
  EXPECT_EQ(ids({"c-4", "C-2", "c-4"}), "C-4 C-2 ");
  EXPECT_TRUE(ids({}).starts_with("H-2.1 H-2.2 H-2.3"));
  EXPECT_THROW(find_recipes({"H-9"}, false), Error);
}

}  // namespace
}  // namespace rattleback::reproduce
