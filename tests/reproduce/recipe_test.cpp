// Recipes: what is read, and what is wrong.
#include "reproduce/recipe.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "rattleback/error.hpp"

namespace rattleback::reproduce {
namespace {

const std::string kHead = R"toml(id = "X-1"
title = "A test"
document = "Nobody"
place = "nowhere"
says = "something"
verdict = "agrees"
because = "it does"
system = "skate"
)toml";

std::string fault(const std::string& rest) {
  try {
    (void)read_recipe(kHead + rest, "x.toml", false);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Recipe, IsReadWithEverythingInIt) {
  const Recipe r = read_recipe(kHead + R"toml(
set = { g = 2 }
[[run]]
methods = ["spark-gauss:2", "ode"]
steps = [0.1, "1/20"]
until = 1
rtol = 1e-7
cases = [{}, { label = "heavy", x = 3, set = { m = 3 }, newton-tol = 1e-3 }]
[run.expect]
"energy.max_error" = "<1"
[run.fit]
"energy.max_error" = "1~0.1"
[run.short]
until = 0.5
[[section]]
name = "cut"
where = "x'"
crossings = 3
axes = ["x", "y"]
values = { m = [1, "2*sqrt(2)"] }
[[panel]]
of = "cut"
x = "x"
y = "y"
log = "xy"
)toml",
                               "x.toml", false);
  ASSERT_EQ(r.studies.size(), 2U);
  const Study& s = r.studies[0];
  EXPECT_EQ(s.name, "run1");
  EXPECT_EQ(s.methods[0], (std::pair<std::string, int>{"spark-gauss", 2}));
  EXPECT_EQ(s.steps[1], 0.05);
  ASSERT_EQ(s.cases.size(), 2U);
  EXPECT_EQ(s.cases[1].load.set, (std::vector<std::pair<std::string, std::string>>{{"g", "2"}, {"m", "3"}}));
  EXPECT_EQ(s.cases[1].options.newton_tol, 1e-3);
  EXPECT_EQ(s.cases[1].options.rtol, 1e-7);
  EXPECT_EQ(s.cases[0].options.newton_tol, 0.0);
  EXPECT_EQ(s.wishes.size(), 2U);
  EXPECT_TRUE(s.wishes[1].fit);
  EXPECT_EQ(r.studies[1].members.count, 2U);
  EXPECT_DOUBLE_EQ(r.studies[1].members.values[1], 2.0 * std::sqrt(2.0));
  EXPECT_TRUE(r.panels[0].log_x && r.panels[0].log_y);
}

TEST(Recipe, ShortRunsReplaceAndDropExpectations) {
  const std::string text = kHead + R"toml(
[[run]]
until = 100
[run.expect]
"energy.max_error" = "1e-3"
[run.short]
until = 1
expect = { "constraints.velocity" = "<1" }
[[run]]
short = false
until = 1
)toml";
  const Recipe whole = read_recipe(text, "x.toml", false), brief = read_recipe(text, "x.toml", true);
  EXPECT_EQ(whole.studies.size(), 2U);
  ASSERT_EQ(brief.studies.size(), 1U);
  EXPECT_EQ(whole.studies[0].cases[0].options.until, 100.0);
  EXPECT_EQ(brief.studies[0].cases[0].options.until, 1.0);
  EXPECT_EQ(brief.studies[0].wishes[0].measure, "constraints.velocity");
}

TEST(Recipe, FaultsHaveAPlaceAndSayWhatIsAccepted) {
  const auto starts = [](const std::string& message, const std::string& with) {
    EXPECT_TRUE(message.starts_with(with)) << message;
  };
  starts(fault("[[run]]\nmethod = [\"ode\"]\n"),
         "x.toml:10:1: `method` is not a key of a study. Did you mean `methods`? Known here:");
  starts(fault("[[run]]\nmethods = [\"od\"]\n"), "x.toml:10:12: unknown method 'od'");
  starts(fault("[[run]]\nmethods = [\"ode:x\"]\n"), "x.toml:10:12: 'ode:x' is not of the form NAME or NAME:S");
  starts(fault("[[run]]\n[run.expect]\n\"error\" = 3.0\n"),
         "x.toml:11:1: expected numbers stand in quotes, so that their digits count");
  starts(fault("[[run]]\n[run.expect]\n\"eror\" = \"<1\"\n"),
         "x.toml:11:1: 'eror' is not a measure of this study. Did you mean `error`? Known here: energy.max_error, ");
  starts(fault("[[run]]\n[run.expect]\n\"maks(x)\" = \"<1\"\n"),
         "x.toml:11:1: 'maks(x)' is not a measure of this study.");
  starts(fault("[[run]]\n[run.expect]\n\"error\" = \"1..0\"\n"),
         "x.toml:11:1: '1..0': no number is above 1 and below 0");
  starts(fault("[run]\nuntil = 1\n"), "x.toml:9:2: write [[run]] instead of [run]: there may be several");
  starts(fault("[[run]]\nmethods = []\n"), "x.toml:10:1: `methods` is empty; name at least one");
  starts(fault("[[run]]\nuntil = \"soon\"\n"), "x.toml:10:1: 'soon' is neither a number nor an expression of numbers");
  starts(fault("[[run]]\n[run.expect]\n\"error\" = \"three\"\n"), "x.toml:11:1: 'three' is not an expected number");
  starts(fault("[[run]]\nsteps = [\"h\"]\n"), "x.toml:10:10: ");
  starts(fault("[[run]]\n[[panel]]\nof = \"other\"\ny = \"x\"\n"),
         "x.toml:11:1: there is no study with the name 'other'");
  starts(fault("[[run]]\n[[panel]]\ny = \"x\"\nlog = \"z\"\n"), "x.toml:12:1: `log` is x, y or xy, found 'z'");
  starts(fault("[[section]]\nwhere = \"x\"\ncrossings = 1.5\naxes = [\"x\"]\n"),
         "x.toml:11:1: `crossings` must be a whole number, found 1.5");
  starts(fault(""), "x.toml:1:1: a recipe needs at least one [[run]]");
  starts(fault("[[run]]\ncases = [3]\n"), "x.toml:10:10: a case is a table");
  EXPECT_THROW(read_recipe("id = 3", "x.toml", false), Error);
  for (const char* id : {"../evil", "/evil", "", ".hidden", "a b"})  // it names files
    EXPECT_THROW(read_recipe("id = \"" + std::string(id) + "\"\n" + kHead.substr(kHead.find('\n') + 1) + "[[run]]\n",
                             "x", false),
                 Error)
        << id;
}

// Every experiment of the five documents has its recipe, and one that goes beyond them.
TEST(Recipe, AllAreShipped) {
  const std::set<std::string> expected{"H-2.1", "H-2.2",  "H-2.3",  "H-2.4",  "H-T2.1", "H-3.4",  "H-4.1",   "H-4.2",
                                       "H-4.3", "H-4.4a", "H-4.4b", "H-4.4c", "H-4.5",  "J-8.1",  "J-8.2",   "J-8.3",
                                       "J-8.4", "C-2",    "C-3",    "C-4.3",  "C-4",    "S-4",    "S-6",     "S-8",
                                       "S-9",   "S-11",   "S-12",   "S-13",   "S-T",    "JS-4.1", "JS-4.1b", "JS-4.3"};
  std::set<std::string> found;
  for (const ShippedRecipe& shipped : shipped_recipes())
    for (const bool quick : {false, true}) {
      const Recipe r = read_recipe(std::string(shipped.text), std::string(shipped.key), quick);
      EXPECT_EQ(r.id, shipped.key);
      found.insert(r.id);
      if (!quick) EXPECT_FALSE(r.panels.empty()) << r.id;
      for (const Study& study : r.studies)
        for (const Wish& wish : study.wishes) EXPECT_FALSE(wish.expected.empty()) << r.id;
    }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace rattleback::reproduce
