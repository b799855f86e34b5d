// Every option with a number, of every verb, is refused by its own name when the value is no number or out of range.
#include "cli/program.hpp"

#include <cmath>

#include <fmt/format.h>

#include "option/option_table.hpp"

namespace rattleback {
namespace {

class OptionNames : public Program {
 protected:
  struct Option {
    std::string flag, unit;
  };
  // As --help lists them.
  [[nodiscard]] std::vector<Option> options_of(const std::string& verb) const {
    std::istringstream help(rattleback({verb, "--help"}).out);
    std::vector<Option> out;
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
      listed = listed || line == "Options";
      if (!listed || !line.starts_with("  --")) continue;
      std::istringstream words(line);
      Option option;
      words >> option.flag >> option.unit;
      if (line.find("  ", 4) == 2 + option.flag.size()) option.unit.clear();  // a flag, then its help
      out.push_back(option);
    }
    return out;
  }
  // What the verb needs besides.
  [[nodiscard]] static std::vector<std::string> base_of(const std::string& verb, const std::string& flag) {
    std::vector<std::string> words = {verb};
    if (verb != "reproduce") words.emplace_back("skate");
    const auto add = [&](const std::string& name, const std::string& value) {
      if (name != flag) words.insert(words.end(), {name, value});
    };
    if (verb == "order" || verb == "compare") {
      add("--methods", "spark-gauss");
      if (flag != "--step") add("--step-list", "0.1,0.05");
    }
    if (verb == "section") {
      add("--where", "y");
      add("--crossings", "1");
    }
    if (verb == "ensemble" && flag != "--vary" && flag != "--random" && flag != "--seed") add("--vary", "m=1:2:2");
    if (verb == "ensemble" && (flag == "--random" || flag == "--seed")) {
      add("--spread", "m=0.1");
      add("--random", "2");
    }
    return words;
  }
  void expect_named(const std::string& verb, const std::string& flag, const std::string& value) const {
    std::vector<std::string> words = base_of(verb, flag);
    words.push_back(flag + "=" + value);
    const Outcome outcome = rattleback(words);
    EXPECT_EQ(outcome.status, 2) << verb << ' ' << words.back();
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with(flag)) << verb << ' ' << words.back() << ": " << outcome.err;
  }
};

TEST_F(OptionNames, AreInEveryMessageAboutTheirNumbers) {
  int numbers = 0;
  std::vector<std::string> seen;
  for (const std::string verb : {"run", "order", "compare", "section", "ensemble", "generate", "reproduce"})
    for (const Option& option : options_of(verb)) {
      const bool short_unit =
          option.unit.size() <= 3 && option.unit.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos;
      const bool number = (!option.unit.empty() && short_unit && option.unit != "DIR") ||
                          option.flag == "--step-list" || option.flag == "--compose";
      if (!number) continue;
      ++numbers;
      seen.push_back(option.flag);
      expect_named(verb, option.flag, "12x");
      expect_named(verb, option.flag, "nan");
    }
  EXPECT_GE(numbers, 55);
  // The list above is complete as far as the table goes, and ranges are those of the table.
  const double candidates[] = {-1e300, -1.0, 0.0, 0.5, 1e300};
  for (const OptionRow& row : option_table()) {
    if (!is_number(row) || row.help.empty()) continue;
    const std::string flag = flag_of(row);
    EXPECT_NE(std::find(seen.begin(), seen.end(), flag), seen.end()) << flag;
    for (const double x : candidates)
      if (!fault_of(row, x).empty() && (!is_whole(row) || std::fabs(x) <= 1.0))
        expect_named("run", flag, fmt::format("{}", x));
  }
}

// Each row of the table is in the help of exactly the verbs that it names, or in none, because it is for C++ alone.
TEST_F(OptionNames, AreInTheHelpOfTheVerbsThatTheirRowsName) {
  const std::vector<std::pair<Place, std::string>> verbs = {
      {Place::run, "run"},         {Place::order, "order"},       {Place::compare, "compare"},
      {Place::section, "section"}, {Place::ensemble, "ensemble"}, {Place::generate, "generate"}};
  for (const auto& [place, verb] : verbs) {
    std::vector<std::string> flags;
    for (const Option& option : options_of(verb)) flags.push_back(option.flag);
    for (const OptionRow& row : option_table()) {
      const std::string flag = "--" + std::string(row.name);
      const bool own = (flag == "--until" && (verb == "order" || verb == "compare")) ||  // they read it themselves
                       (flag == "--step" && verb == "compare");
      const auto table = option_table();  // a list of words has a row for each
      const bool here = std::any_of(table.begin(), table.end(), [&, at = place](const OptionRow& other) {
        return other.name == row.name && other.places.has(at);
      });
      EXPECT_EQ(std::count(flags.begin(), flags.end(), flag), own || here ? 1 : 0) << verb << ' ' << flag;
    }
  }
  std::vector<std::string> in_programs_alone;
  for (const OptionRow& row : option_table()) {
    if (row.places.empty()) in_programs_alone.emplace_back(row.name);
    EXPECT_EQ(row.places.empty(), !row.places.has(Place::run)) << row.name << ": `run` has all that any verb has";
    EXPECT_TRUE(row.places.empty() || !row.help.empty() || !row.word.empty()) << row.name;
  }
  EXPECT_EQ(in_programs_alone, (std::vector<std::string>{"keep-records", "record-multipliers", "from", "q0", "v0",
                                                         "parameters", "progress", "warn", "stop", "observe"}));
}

// What the command line says comes before [run], also when it is the usual value.
TEST_F(OptionNames, ComeBeforeTheModelsOwn) {
  write("loose.toml", kBead + "[run]\nstep = 0.1\nuntil = 1\nnewton-tol = 0.5\nevery = 3\naudit = \"reverse\"\n");
  write("plain.toml", kBead + "[run]\nstep = 0.1\nuntil = 1\n");
  const auto plain = json({"run", "plain.toml", "--json"}), loose = json({"run", "loose.toml", "--json"}),
             exact = json({"run", "loose.toml", "--newton-tol", "0", "--audit", "order", "--json"});
  EXPECT_NE(loose["q"], plain["q"]);
  EXPECT_EQ(exact["q"], plain["q"]);
  EXPECT_TRUE(loose.dump().find("reversibility") != std::string::npos);
  EXPECT_TRUE(exact.dump().find("reversibility") == std::string::npos);
  write("ode.toml", kBead + "[run]\nmethod = \"ode\"\nrtol = 1e-3\nstep = 0.1\nuntil = 1\n");
  EXPECT_EQ(rattleback({"run", "ode.toml", "--method", "spark-gauss"}).status, 0);
  write("composed.toml", kBead + "[run]\nstep = 0.1\nuntil = 1\ncompose = 4\n");
  EXPECT_EQ(json({"run", "composed.toml", "--json"})["compose"], 4);
  write("unused.toml", kBead + "[run]\nrtol = 1e-3\nstep = 0.1\nuntil = 1\n");
  EXPECT_TRUE(rattleback({"run", "unused.toml"}).err.starts_with("[run] rtol is for the adaptive methods"));
  write("wide.toml", kBead + "[run]\nstep = 0.1\nuntil = 1\ncompose = 5\n");
  expect_refused({"run", "wide.toml"}, "wide.toml:13:11: `compose` in [run] takes 2, 4, 6 or 8, found 5");
  write("moved.toml", kBead + "\"y'\" = 1\n[run]\nproject = true\nstep = 0.1\nuntil = 1\n");
  EXPECT_EQ(rattleback({"run", "moved.toml", "--keep", "y'"}).err.find("--keep says"), std::string::npos);
}

TEST_F(OptionNames, AreInMessagesOfEndsThatAreNeverReached) {
  for (const std::string verb : {"run", "section", "ensemble"}) {
    std::vector<std::string> words = base_of(verb, "--until");
    words.emplace_back("--until=-1");
    EXPECT_NE(rattleback(words).err.find("--until -1 is never reached"), std::string::npos) << verb;
  }
}

TEST_F(OptionNames, ByteOrderMarksAreAccepted) {
  const std::string mark = "\xEF\xBB\xBF";
  write("plain.toml", kBead + "[run]\nstep = 0.1\nuntil = 1\n");
  write("marked.toml", mark + read("plain.toml"));
  auto plain = json({"run", "plain.toml", "--json"}), marked = json({"run", "marked.toml", "--json"});
  EXPECT_EQ(plain["q"], marked["q"]);
  write("wrong.toml", mark + "nonsense\n");
  EXPECT_TRUE(rattleback({"run", "wrong.toml"}).err.starts_with("wrong.toml:1:9: "))
      << rattleback({"run", "wrong.toml"}).err;
  write("starts.csv", mark + "x\n1\n2\n");
  EXPECT_EQ(json({"ensemble", "plain.toml", "--starts", "starts.csv", "--json"})["members"], 2);
  write("tableau.toml", mark + "name = \"own midpoint\"\norder = 2\nA = [[\"1/2\"]]\nb = [\"1\"]\n");
  EXPECT_EQ(rattleback({"run", "plain.toml", "--tableau", "tableau.toml"}).err, "");
  EXPECT_EQ(json({"run", "plain.toml", "--tableau", "tableau.toml", "--stages", "1", "--json"})["stages"], 1);
}

// [run] stages counts without [run] method, for every method that leaves a choice.
TEST_F(OptionNames, StagesOfTheModelTakeEffectWithoutItsMethod) {
  write("four.toml", kBead + "[run]\nstages = 4\nstep = 0.1\nuntil = 1\n");
  EXPECT_EQ(json({"run", "four.toml", "--json"})["stages"], 4);
  EXPECT_EQ(json({"run", "four.toml", "--method", "spark-gauss", "--json"})["stages"], 4);
  EXPECT_EQ(json({"run", "four.toml", "--method", "spark-gauss", "--stages", "2", "--json"})["stages"], 2);
  EXPECT_EQ(json({"run", "four.toml", "--method", "mclachlan-perlmutter", "--json"})["stages"], 1);
  write("of-gauss.toml", kBead + "[run]\nmethod = \"spark-gauss\"\nstages = 4\nstep = 0.1\nuntil = 1\n");
  EXPECT_EQ(json({"run", "of-gauss.toml", "--method", "spark-lobatto-ab", "--json"})["stages"], 2);
}

TEST_F(OptionNames, AFixedNumberOfStagesMayBeSaid) {
  EXPECT_EQ(json({"run", "skate", "--method", "spark-lobatto-ab-modified", "--stages", "2", "--steps", "2",
                  "--json"})["stages"],
            2);
  EXPECT_EQ(
      json({"run", "skate", "--method", "mclachlan-perlmutter", "--stages", "1", "--steps", "2", "--json"})["stages"],
      1);
  EXPECT_EQ(
      rattleback({"order", "skate", "--methods", "mclachlan-perlmutter:1", "--step-list", "0.1,0.05", "--until", "1"})
          .status,
      0);
}

}  // namespace
}  // namespace rattleback
