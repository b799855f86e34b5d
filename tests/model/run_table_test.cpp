// [run]: every option of the table that a model file may give is read, checked and refused there. The table itself is walked, so
// that a new option is looked at as soon as it has its row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "option/option_table.hpp"
#include "support.hpp"

namespace rattleback::test {
namespace {

const std::string kBeforeRun =
    "coordinates = [\"x\"]\n[parameters]\na = 3\n[lagrangian]\nkinetic = \"x'^2/2\"\n[run]\n";  // six lines

Model with_run(const std::string& lines) { return parse_model(kBeforeRun + lines, "m.toml"); }
std::string refusal(const std::string& lines) {
  return message_of([&] { (void)with_run(lines); });
}

// All that [run] says, in one.
Options all_of(const RunDefaults& run) {
  Options all = run.others ? *run.others : Options{};
  all.method = run.method.value_or("");
  all.stages = run.stages.value_or(0);
  all.step = run.step.value_or(0.0);
  all.until = run.until;
  return all;
}

const std::vector<double> kCandidates = {0.25, 1.0, 2.0, 4.0, -1e300, -1.0, 0.0, 0.5, 1e300};

// A value that the row takes, as it stands in a file.
std::string sample(const OptionRow& row) {
  if (!row.word.empty()) return "\"" + std::string(row.word) + "\"";
  switch (shape_of(row.field)) {
    case Shape::flag: return "true";
    case Shape::texts: return "[\"x\", \"x'\"]";
    case Shape::text: return "\"" + (words_of(row).empty() ? "rattle" : std::string(words_of(row).back())) + "\"";
    case Shape::numbers:
    case Shape::values:
    case Shape::none: break;
    case Shape::whole:
    case Shape::number:
      for (const double x : kCandidates)
        if (fault_of(row, x).empty() && (!is_whole(row) || x == std::floor(x))) return fmt::format("{}", x);
  }
  ADD_FAILURE() << row.name << " has no value";
  return "";
}

TEST(RunTable, TakesEveryOptionThatDescribesARun) {
  int read = 0;
  for (const OptionRow& row : option_table()) {
    if (!row.places.has(Place::model_file)) continue;
    // What cannot stand alone.
    const std::string partner = row.name == "controller" ? "adaptive = 1e-6\n" : "";
    const Options all = all_of(with_run(partner + std::string(row.name) + " = " + sample(row) + "\n").run);
    for (const OptionRow& other : option_table())
      if (partner.empty() || other.name != "adaptive")
        EXPECT_EQ(is_default(other, all), &other != &row) << row.name << ' ' << flag_of(other);
    ++read;
  }
  EXPECT_GE(read, 24);
}

TEST(RunTable, ValuesArriveAsTheyStandThere) {
  const Model m = with_run(
      "method = \"prk-lobatto\"\nstages = 3\nstep = \"a/30\"\nuntil = 2\ncompose = 4\nformulation = \"ggl\"\n"
      "newton_tol = \"1e-3/a\"\nproject = true\nevent = \"x\"\noutput-every = 0.5\naudit = [\"power\", \"order\"]\n"
      "rtol = 1e-6\n");
  EXPECT_EQ(m.run.method, "prk-lobatto");
  EXPECT_EQ(m.run.stages, 3);
  EXPECT_DOUBLE_EQ(*m.run.step, 0.1);
  EXPECT_EQ(m.run.until, 2.0);
  ASSERT_TRUE(m.run.others);
  const Options& o = *m.run.others;
  EXPECT_EQ(o.compose, 4);
  EXPECT_EQ(o.formulation, Formulation::ggl);
  EXPECT_DOUBLE_EQ(o.newton_tol, 1e-3 / 3);
  EXPECT_TRUE(o.project);
  EXPECT_EQ(o.event, std::vector<std::string>{"x"});
  EXPECT_EQ(o.output_every, 0.5);
  EXPECT_TRUE(o.audit_power && o.audit_order && !o.audit_reverse);
  EXPECT_TRUE(o.rtol.given());  // although it is the usual one
  EXPECT_TRUE(o.method.empty() && o.stages == 0 && o.step == 0.0 && !o.until);
  EXPECT_FALSE(with_run("step = 0.1\n").run.others);  // the four have their own places
  EXPECT_FALSE(parse_model(kBeforeRun, "m.toml").run.others);
}

TEST(RunTable, RangesAndWordsAreThoseOfTheTable) {
  int refused = 0;
  for (const OptionRow& row : option_table()) {
    if (!row.places.has(Place::model_file)) continue;
    const std::string key(row.name), called = "`" + key + "` in [run] ";
    const std::string place = "m.toml:7:" + std::to_string(key.size() + 4) + ": ";
    const auto begins = [&](const std::string& value, const std::string& message) {
      const std::string found = refusal(key + " = " + value + "\n");
      EXPECT_EQ(found.substr(0, place.size() + message.size()), place + message) << found;
      ++refused;
    };
    if (is_number(row)) {
      for (const double x : kCandidates)
        if (!fault_of(row, x).empty()) begins(fmt::format("{}", x), called);
      begins("inf", "expected a finite number for `" + key + "` in [run]");
      begins("true", "expected a number or an expression in quotes for `" + key + "` in [run], found a boolean");
      if (is_whole(row) && words_of(row).empty()) begins("2.5", called + "must be a whole number");
      if (is_whole(row) && words_of(row).empty()) begins("1e300", called + "is too large: 1e+300");
    } else if (!row.word.empty()) {
      begins("\"powr\"", called + "takes reverse, order and power, found 'powr'");
      begins("3", "expected a string or an array of strings for `" + key + "` in [run], found an integer");
    } else if (shape_of(row.field) == Shape::flag) {
      begins("1", "expected true or false for `" + key + "` in [run], found an integer");
    } else if (shape_of(row.field) == Shape::texts) {
      begins("{}", "expected a string or an array of strings for `" + key + "` in [run], found a table");
    } else {
      begins("[]", "expected a string for `" + key + "` in [run], found an array");
      if (!words_of(row).empty()) begins("\"sideways\"", called + "takes ");
    }
  }
  EXPECT_GE(refused, 50);
}

TEST(RunTable, WhatIsAboutFilesOrTheMachineIsForTheCommandLine) {
  for (const char* key : {"checkpoint", "resume", "checkpoint-seconds", "native", "tableau"})
    EXPECT_EQ(refusal(std::string(key) + " = \"x\"\n"),
              "m.toml:7:1: `" + std::string(key) +
                  "` is no key of [run], which says what is computed, not with which files or how on this machine. "
                  "Pass --" +
                  key);
  const std::string misspelt = refusal("newton_tl = 1\n"), of_programs = refusal("keep-records = false\n");
  EXPECT_TRUE(misspelt.starts_with("m.toml:7:1: unknown key `newton_tl` in [run]. Did you mean `newton-tol`?"))
      << misspelt;
  EXPECT_TRUE(of_programs.starts_with("m.toml:7:1: unknown key `keep-records` in [run]")) << of_programs;
}

TEST(RunTable, WhatContradictsItselfIsRefusedAtItsPlace) {
  EXPECT_EQ(refusal("until = 1\nsteps = 3\n"),
            "m.toml:8:1: `until` and `steps` both say where to stop; give one of them (in [run])");
  EXPECT_EQ(refusal("adaptive = 1e-6\naudit = [\"order\"]\n"),
            "m.toml:8:1: `audit` repeats with h/2 and h/4, but `adaptive` chooses the steps; leave one of them out (in "
            "[run])");
  EXPECT_EQ(refusal("every = 2\noutput-every = 0.1\n"),
            "m.toml:8:1: `every` and `output-every` both say what to record; give one of them (in [run])");
  EXPECT_EQ(refusal("step = 1\ncontroller = \"pi\"\n"),
            "m.toml:8:1: `controller` needs `adaptive`: a fixed step has none (in [run])");
  EXPECT_EQ(refusal("newton-tol = 1\nnewton_tol = 2\n"), "m.toml:8:1: `newton-tol` is given twice in [run]");
}

}  // namespace
}  // namespace rattleback::test
