// Every reader takes regular files of a sensible size, and refuses all else at once: devices, pipes that nobody writes to,
// folders, sockets, files without end. Texts that would take long or deep are read quickly or refused.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <fmt/format.h>

#include "rattleback/generate.hpp"
#include "rattleback/model.hpp"
#include "safety/limited_program.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

class Readers : public LimitedProgram {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("bead.toml", kBead);
    fs::create_symlink("/dev/zero", folder_ / "zero.toml");
    ASSERT_EQ(mkfifo((folder_ / "pipe.toml").c_str(), 0600), 0);
    fs::create_directory(folder_ / "folder.toml");
    socket_ = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string place = (folder_ / "socket.toml").string();
    ASSERT_LT(place.size(), sizeof address.sun_path);
    place.copy(address.sun_path, place.size());
    ASSERT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    write("huge.toml", "");
    fs::resize_file(folder_ / "huge.toml", std::uintmax_t{8} << 30U);  // takes no room on the disk
    write("oscillator.toml", kOscillator);
  }
  void TearDown() override {
    close(socket_);
    Program::TearDown();
  }

  // $file stands for the names of all of them. The message names the file and says what is wrong with it.
  void expect_all_refused(const std::string& command, bool pipes_are_waited_for = false) {
    struct Bad {
      const char *name, *reason;
    };
    for (const Bad& bad : {Bad{"zero.toml", pipes_are_waited_for ? "is larger than the" : "is not a regular file"},
                           Bad{"pipe.toml", pipes_are_waited_for ? "nobody writes to" : "is not a regular file"},
                           Bad{"folder.toml", "folder"}, Bad{"socket.toml", "cannot be read: "},
                           Bad{"huge.toml", "is larger than the"}}) {
      const Outcome o = shell(fmt::format("file={}; {}", bad.name, command));
      EXPECT_EQ(o.status, 2) << bad.name << ": " << o.err;
      EXPECT_EQ(o.out, "") << bad.name;
      EXPECT_NE(o.err.find(bad.name), std::string::npos) << o.err;
      EXPECT_NE(o.err.find(bad.reason), std::string::npos) << o.err;
      EXPECT_LT(o.err.size(), 1000U);
    }
  }

  static inline const std::string kOscillator =
      "kind = \"port-hamiltonian\"\nstates = [\"p\", \"v\"]\nhamiltonian = \"v^2/2 + p^2/2\"\n"
      "[E]\n\"p,p\" = 1\n\"v,v\" = 1\n[J]\n\"p,v\" = 1\n[z]\np = \"p\"\nv = \"v\"\n[B.l]\nv = 1\n[B.r]\nv = 1\n"
      "[inputs]\nl = 0\nr = 0\n";

  int socket_ = -1;
};

TEST_F(Readers, ATableauIsARegularFileOfAtMostOneMegabyte) {
  expect_all_refused("$program run bead.toml --step 0.1 --until 1 --tableau $file");
}

TEST_F(Readers, ARecipeIsARegularFileOfAtMostOneMegabyte) { expect_all_refused("$program reproduce --check $file"); }

TEST_F(Readers, StartsAreInARegularFile) {
  expect_all_refused("$program ensemble bead.toml --step 0.1 --until 1 --starts $file");
}

TEST_F(Readers, TheTimeSeriesOfAModelIsARegularFile) {
  expect_all_refused(
      "sed \"s/^l = 0/l = { csv = '$file', column = 'u' }/\" oscillator.toml > driven.toml; $program check "
      "driven.toml");
}

TEST_F(Readers, ThePartOfAnInterconnectionIsARegularFile) {
  expect_all_refused(
      "printf 'kind = \"interconnection\"\\n[systems]\\na = \"%s\"\\n[connect]\\nc = \"a.u.l\"\\n' $file > whole.toml; "
      "$program check whole.toml");
}

TEST_F(Readers, AModelIsARegularFileOrAPipeThatSomebodyWritesTo) {
  expect_all_refused("$program check $file", true);
  for (const char* command :
       {"$program check /dev/stdin < bead.toml", "cat bead.toml | $program check /dev/stdin",
        "(sleep 0.3; cat bead.toml) | $program check /dev/stdin", "$program check <(cat bead.toml)",
        "cat bead.toml > pipe.toml & $program check ./pipe.toml",
        "(sleep 0.3; cat bead.toml) > pipe.toml & $program check ./pipe.toml"}) {
    const Outcome o = shell(command);
    EXPECT_EQ(o.status, 0) << command << ": " << o.err;
  }
}

TEST_F(Readers, AHeaderIsComparedWithAnOldFileOfAnySize) {
  const Model model = load_model("double-pendulum");
  Options options;
  options.method = "rattle";
  options.step = 0.1;
  fs::rename(folder_ / "huge.toml", folder_ / "steps.hpp");
  EXPECT_EQ(write_step_header(model, options, "Steps", (folder_ / "steps.hpp").string()), 0);
  EXPECT_EQ(read("steps.hpp"), step_header(model, options, "Steps"));
}

// d1 = "x", d2 = "d1 + 1", ...: in the order of the file or against it, the last one used.
std::string chain(int count, bool backwards, const std::string& table, const std::string& first) {
  std::string text = "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"" +
                     (table == "define" ? "d" + std::to_string(count) : "x") + "\"\n[" + table + "]\n";
  for (int k = 1; k <= count; ++k) {
    const int i = backwards ? count + 1 - k : k;
    text += fmt::format("d{} = {}\n", i, i == 1 ? first : fmt::format("\"d{} + 1\"", i - 1));
  }
  return text;
}

TEST_F(Readers, ChainsOfDefinitionsAreReadOrRefusedInAMomentAndWithoutTheStack) {
  for (const bool backwards : {false, true}) {
    write("chain.toml", chain(1000, backwards, "define", "\"x\""));
    for (const char* command : {"$program check chain.toml", "$program run chain.toml --step 0.1 --until 1"}) {
      const Outcome o = shell(command, {.stack_kilobytes = 256});
      EXPECT_EQ(o.status, 0) << command << ": " << o.err;
    }
    write("chain.toml", chain(10'000, backwards, "define", "\"x\""));
    const Outcome o = shell("$program check chain.toml", {.stack_kilobytes = 256});
    EXPECT_EQ(o.status, 2);
    EXPECT_NE(o.err.find("more than 1000 levels deep in definition `d1001`"), std::string::npos) << o.err;
  }
  write("circle.toml", chain(10'000, true, "define", "\"d10000\""));
  const Outcome circle = shell("$program check circle.toml", {.stack_kilobytes = 256});
  EXPECT_EQ(circle.status, 2);
  EXPECT_NE(circle.err.find("depends on itself"), std::string::npos) << circle.err;
  write("wrong.toml", chain(10'000, true, "define", "\"y\""));
  const Outcome wrong = shell("$program check wrong.toml", {.stack_kilobytes = 256});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("unknown name `y`"), std::string::npos) << wrong.err;
}

TEST_F(Readers, ChainedParametersAndStartsAreReadOrRefusedWithoutTheStack) {
  write("forwards.toml", chain(10'000, false, "parameters", "1"));
  EXPECT_EQ(shell("$program check forwards.toml", {.stack_kilobytes = 256}).status, 0);
  write("backwards.toml", chain(10'000, true, "parameters", "1"));
  const Outcome parameters = shell("$program check backwards.toml", {.stack_kilobytes = 256});
  EXPECT_EQ(parameters.status, 2) << parameters.err;
  EXPECT_FALSE(parameters.err.empty());
  write("starts.toml",
        "coordinates = [\"x[1:900]\"]\n[lagrangian]\nkinetic = \"sum(i = 1:900, x[i]'^2/2)\"\n[initial]\n"
        "\"x[i=1:899]\" = \"x[i+1]\"\n\"x[900]\" = 1\n");
  const Outcome starts = shell("$program check starts.toml", {.stack_kilobytes = 256});
  EXPECT_TRUE(starts.status == 0 || starts.status == 2) << starts.status;
}

TEST_F(Readers, NestedTextsAreReadOrRefusedWithoutExhaustingTheStack) {
  const auto model = [&](const std::string& kinetic, const std::string& more = "") {
    write("deep.toml", "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"" + kinetic + "\"\n" + more);
    const Outcome o = shell("$program check deep.toml", {.stack_kilobytes = 256});
    EXPECT_TRUE(o.status == 0 || o.status == 2) << kinetic.substr(0, 40) << ": " << o.status;
  };
  const auto nested = [](int levels, const std::string& open, const std::string& inner, const std::string& close) {
    std::string text;
    for (int i = 0; i < levels; ++i) text += open;
    text += inner;
    for (int i = 0; i < levels; ++i) text += close;
    return text;
  };
  for (const int levels : {50, 390, 1000}) {
    model(nested(levels, "(", "x'^2/2", ")"));
    model(nested(levels, "sin(", "x'", ")"));
    model(nested(levels, "if(x < 1, 2, ", "x'^2/2", ")"));
    model(nested(levels, "-", "x'^2/2", ""));
    model("x'^2/2", "[parameters]\na = " + nested(levels, "[", "1", "]") + "\n");
    model("x'^2/2", "[parameters]\na = \"" + nested(levels, "sqrt(", "2", ")") + "\"\n");
    model("x'^2/2", "[initial]\n" + nested(levels, "a = {", "b = 1", "}") + "\n");
    write("deep.toml", "order = 1\nb = [1]\nA = " + nested(levels, "[", "1", "]") + "\n");
    EXPECT_EQ(shell("$program run bead.toml --tableau deep.toml", {.stack_kilobytes = 256}).status, 2) << levels;
  }
  // Definitions through sums, which are walked through one in the other.
  std::string sums;
  for (int i = 2; i <= 3000; ++i) sums += fmt::format("d{} = \"sum(k = 1:2, d{})\"\n", i, i - 1);
  model("x'^2/2 + d3000", "[define]\nd1 = \"x\"\n" + sums);
}

// Written out, each of these would be 2^40 times as long as the first.
TEST_F(Readers, WhatOccursTwiceInWhatOccursTwiceIsNotWrittenOut) {
  for (const char* formula : {"d{0} + sin(d{0})", "if(d{0} < x, d{0}, 2*x)", "d{0} + (d{0} - x)", "d{0}*(d{0} + 1)"}) {
    std::string text = chain(1, false, "define", "\"x\"");
    for (int i = 2; i <= 40; ++i) text += fmt::format("d{} = \"{}\"\n", i, fmt::format(fmt::runtime(formula), i - 1));
    text.replace(text.find("potential = \"d1\""), 16, "potential = \"d40\"");
    write("twice.toml", text);
    for (const char* command : {"$program check twice.toml", "$program run twice.toml --step 0.1 --steps 1"}) {
      const Outcome o = shell(command);
      EXPECT_TRUE(o.status == 0 || o.status == 2 || o.status == 3) << formula << ", " << command << ": " << o.status;
    }
  }
}

// Each file joins the one before with itself: 2^k oscillators in a row.
TEST_F(Readers, DoublingsOfAnInterconnectionAreQuickOrRefused) {
  fs::rename(folder_ / "oscillator.toml", folder_ / "d0.toml");
  std::string left = "l", right = "r";
  for (int k = 1; k <= 20; ++k) {
    write(fmt::format("d{}.toml", k),
          fmt::format("kind = \"interconnection\"\n[systems]\na = \"d{0}.toml\"\nb = \"d{0}.toml\"\n[connect]\n"
                      "force = \"a.u.{2} + b.u.{1}\"\nspeed = \"a.y.{2} - b.y.{1}\"\n",
                      k - 1, left, right));
    left = "a." + left;
    right = "b." + right;
  }
  EXPECT_EQ(shell("$program check d8.toml").status, 0);  // 256 oscillators: 0.7 s
  for (const char* file : {"d10.toml", "d16.toml", "d20.toml"}) {
    const Outcome o = shell(fmt::format("$program check {}", file));
    EXPECT_EQ(o.status, 2) << file;
    EXPECT_NE(o.err.find(".toml:"), std::string::npos) << o.err;
  }
  write("x.toml", "kind = \"interconnection\"\n[systems]\na = \"y.toml\"\n[connect]\nc = \"a.u.l\"\n");
  write("y.toml", "kind = \"interconnection\"\n[systems]\na = \"x.toml\"\n[connect]\nc = \"a.u.l\"\n");
  EXPECT_EQ(rattleback({"check", "x.toml"}).err,
            "y.toml:3:5: part `a`: `x.toml` contains itself through its parts: x.toml -> y.toml -> x.toml\n");
}

}  // namespace
}  // namespace rattleback
