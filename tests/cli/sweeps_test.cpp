// Files, figures and JSON of sweeps, as users and their scripts see them. What members have is compared with `run` of that member.
#include <algorithm>
#include <cmath>

#include "cli/program.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;
using Sweeps = Program;

// Two balls on a spring and a rod, with outputs that need multipliers and accelerations.
const std::string kSwing =
    "coordinates = ['x', 'y']\n[parameters]\nl = 1\nc = 0\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = "
    "'9.81*y'\n"
    "[constraints.holonomic]\nrod = '(x^2 + y^2 - l^2)/2'\n[dissipation]\nrayleigh = \"c*(x'^2 + y'^2)/2\"\n"
    "[initial]\nx = 'l'\n[outputs]\npull = 'lambda(rod)*l'\ndown = \"y''\"\n[run]\nmethod = 'rattle'\nstep = "
    "0.01\nuntil = 1\n";

std::vector<std::vector<std::string>> csv(const std::string& text) {
  std::vector<std::vector<std::string>> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out.emplace_back(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"') quoted = !quoted;
      if (c == ',' && !quoted)
        out.back().emplace_back();
      else
        out.back().back() += c;
    }
  }
  return out;
}

double cell(const std::vector<std::vector<std::string>>& table, std::size_t row, const std::string& name) {
  const auto at = std::find(table[0].begin(), table[0].end(), name);
  if (at == table[0].end()) {
    ADD_FAILURE() << "no column " << name;
    return 0.0;
  }
  return std::stod(table[row + 1][static_cast<std::size_t>(at - table[0].begin())]);
}

TEST_F(Sweeps, MembersAreRowsWithTheNumbersOfTheirRuns) {
  write("swing.toml", kSwing);
  ASSERT_EQ(rattleback({"ensemble", "swing.toml", "--vary", "l=1,2*0.6,1.5", "--vary", "y'=-1:1:2", "--output-columns",
                        "x*y", "--members", "m.csv"})
                .status,
            0);
  const auto table = csv(read("m.csv"));
  ASSERT_EQ(table.size(), 7U);
  const std::vector<std::string> columns = {"member",
                                            "l",
                                            "start.y'",
                                            "t",
                                            "x",
                                            "y",
                                            "x'",
                                            "y'",
                                            "lambda.rod",
                                            "pull",
                                            "down",
                                            "x*y",
                                            "energy",
                                            "energy_error",
                                            "residual.position",
                                            "residual.velocity",
                                            "status",
                                            "message"};
  EXPECT_EQ(table[0], columns);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(table[i + 1][0], std::to_string(i));
    EXPECT_EQ(table[i + 1][1], std::vector<std::string>({"1", "1.2", "1.5"})[i / 2]);
    const Json run = json({"run", "swing.toml", "--set", "l=" + table[i + 1][1], "--start", "y'=" + table[i + 1][2],
                           "--output-columns", "x*y"});
    for (const char* name : {"x", "y"}) {
      EXPECT_EQ(cell(table, i, name), run["q"][name].get<double>());
      EXPECT_EQ(cell(table, i, std::string(name) + "'"), run["v"][name].get<double>());
    }
    EXPECT_EQ(cell(table, i, "lambda.rod"), run["multipliers"]["rod"].get<double>());
    for (const char* name : {"pull", "down", "x*y"})
      EXPECT_EQ(cell(table, i, name), run["outputs"][name].get<double>()) << name;
    EXPECT_EQ(cell(table, i, "energy"), run["energy"]["final"].get<double>());
    EXPECT_EQ(cell(table, i, "energy_error"), run["energy"]["max_error"].get<double>());
    EXPECT_EQ(cell(table, i, "t"), 1.0);
    EXPECT_EQ(table[i + 1][16], "done");
  }
}

// What the text says of outputs, from the rows: two passes instead of one.
TEST_F(Sweeps, TextsSayWhatOutputsAre) {
  write("swing.toml", kSwing);
  const Outcome outcome = rattleback({"ensemble", "swing.toml", "--vary", "l=1:2:9", "--members", "m.csv"});
  const auto table = csv(read("m.csv"));
  for (const std::string name : {"pull", "down"}) {
    double mean = 0.0, squares = 0.0, low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < 9; ++i) {
      const double x = cell(table, i, name);
      mean += x / 9.0;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    for (std::size_t i = 0; i < 9; ++i) squares += (cell(table, i, name) - mean) * (cell(table, i, name) - mean) / 9.0;
    std::istringstream lines(outcome.out);
    bool found = false;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      double m = 0.0, s = 0.0, a = 0.0, b = 0.0;
      if (!(words >> first) || first != name || !(words >> m >> s >> a >> b)) continue;
      found = true;
      EXPECT_NEAR(m, mean, 1e-5 * std::fabs(mean));
      EXPECT_NEAR(s, std::sqrt(squares), 1e-5 * std::sqrt(squares));
      EXPECT_NEAR(a, low, 1e-5 * std::fabs(low));
      EXPECT_NEAR(b, high, 1e-5 * std::fabs(high));
    }
    EXPECT_TRUE(found) << outcome.out;
  }
}

TEST_F(Sweeps, MembersThatStoppedHaveRowsToo) {
  write("escaping.toml", kEscaping);
  EXPECT_EQ(
      rattleback({"ensemble", "escaping.toml", "--vary", "x=-8:0:3", "--until", "4", "--members", "m.csv"}).status, 3);
  const auto table = csv(read("m.csv"));
  ASSERT_EQ(table.size(), 4U);
  const auto status =
      static_cast<std::size_t>(std::find(table[0].begin(), table[0].end(), "status") - table[0].begin());
  EXPECT_EQ(table[1][status], "done");
  EXPECT_EQ(table[3][status], "stopped");
  EXPECT_LT(cell(table, 2, "t"), 4.0);
  EXPECT_TRUE(table[3][status + 1].find("stopped at t = ") != std::string::npos) << table[3][status + 1];
}

// An event ends each member at its own time: no statistics over time, and all else as ever.
TEST_F(Sweeps, MembersMayEndAtDifferentTimes) {
  write("fall.toml",
        "coordinates = ['y']\n[lagrangian]\nkinetic = \"y'^2/2\"\npotential = '2*y'\n[initial]\ny = "
        "1\n[outputs]\nspeed = \"y'\"\n"
        "[events.floor]\nwhen = 'y'\nthen = 'stop'\n[run]\nstep = 0.01\nuntil = 10\n");
  const Json j = json({"ensemble", "fall.toml", "--vary", "y=1,4,9", "--members", "m.csv"});
  EXPECT_FALSE(j.contains("energy_error"));
  EXPECT_EQ(j["failed"], Json::array());
  // As many times, but others.
  EXPECT_FALSE(json({"ensemble", "fall.toml", "--vary", "y=1,4,9", "--every", "10000"}).contains("energy_error"));
  EXPECT_TRUE(json({"ensemble", "fall.toml", "--vary", "y=4,4", "--every", "10000"}).contains("energy_error"));
  const auto table = csv(read("m.csv"));
  for (std::size_t i = 0; i < 3; ++i) {  // y = y0 - t^2
    EXPECT_NEAR(cell(table, i, "t"), static_cast<double>(i + 1), 1e-12);
    EXPECT_NEAR(cell(table, i, "speed"), -2.0 * static_cast<double>(i + 1), 1e-12);
  }
  const std::string text = rattleback({"ensemble", "fall.toml", "--vary", "y=1,4,9"}).out;
  EXPECT_NE(text.find("3 members to t = 1 .. 3, "), std::string::npos) << text;
  EXPECT_NE(text.find("there are no statistics over"), std::string::npos) << text;
}

TEST_F(Sweeps, WorkIsNoError) {
  write("swing.toml", kSwing);
  const std::vector<std::string> words = {"ensemble", "swing.toml", "--vary", "c=0:1:3", "--members", "m.csv"};
  const Json j = json(words);
  EXPECT_EQ(j["energy_change"]["reason"], "Forces do work on this system");
  EXPECT_EQ(j["energy_change"]["max"], j["energy_error"]["max"]);
  EXPECT_EQ(j["energy_error"]["conserved"], false);
  const auto table = csv(read("m.csv"));
  EXPECT_EQ(std::count(table[0].begin(), table[0].end(), "energy_change"), 1);
  EXPECT_EQ(std::count(table[0].begin(), table[0].end(), "energy_error"), 0);
  EXPECT_TRUE(j["rows"][1].contains("energy_change"));
}

// Where the balance of power is known it is the audit.
TEST_F(Sweeps, PowerBalancesAreAudited) {
  const Json j = json({"ensemble", "mass-spring-damper", "--vary", "p1=0.5,1", "--until", "1", "--members", "m.csv"});
  const auto table = csv(read("m.csv"));
  double worst = 0.0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Json run = json({"run", "mass-spring-damper", "--start", i == 0 ? "p1=0.5" : "p1=1", "--until", "1"});
    EXPECT_EQ(cell(table, i, "power_balance"), run["power_balance"]["max_residual"].get<double>());
    worst = std::max(worst, cell(table, i, "power_balance"));
  }
  EXPECT_EQ(j["power_balance"]["max_residual"].get<double>(), worst);
  EXPECT_NE(rattleback({"ensemble", "mass-spring-damper", "--vary", "p1=0.5,1", "--until", "1"})
                .out.find("Power balance: stored = supplied - dissipated to "),
            std::string::npos);
  write("swing.toml", kSwing);
  const Json audited =
      json({"ensemble", "swing.toml", "--method", "prk-lobatto", "--vary", "c=0.1,0.2", "--audit", "power"});
  double largest = 0.0;
  for (const char* c : {"c=0.1", "c=0.2"})
    largest = std::max(largest, json({"run", "swing.toml", "--method", "prk-lobatto", "--set", c, "--audit",
                                      "power"})["power_balance"]["max_residual"]
                                    .get<double>());
  EXPECT_EQ(audited["power_balance"]["max_residual"].get<double>(), largest);
}

TEST_F(Sweeps, JsonNamesWhatVariesAndListsFewMembers) {
  write("swing.toml", kSwing);
  const Json j = json({"ensemble", "swing.toml", "--vary", "l=1:2:30", "--vary", "y'=0,1"});
  EXPECT_EQ(j["varied"], Json({"l", "start.y'"}));
  EXPECT_EQ(j["outputs"], Json({"pull", "down"}));
  EXPECT_EQ(j["members"], 60);
  ASSERT_EQ(j["rows"].size(), 20U);
  EXPECT_EQ(j["rows"][3]["member"], 3);
  EXPECT_EQ(j["rows"][3]["start.y'"], 1.0);
  EXPECT_EQ(j["rows"][3]["status"], "done");
  EXPECT_TRUE(j["rows"][3]["pull"].is_number());
  EXPECT_EQ(json({"ensemble", "swing.toml", "--vary", "l=1:2:30", "--rows", "30"})["rows"].size(), 30U);
  EXPECT_EQ(json({"ensemble", "swing.toml", "--vary", "l=1:2:3", "--rows", "0"})["rows"].size(), 0U);
}

TEST_F(Sweeps, KeptTrajectoriesAreThoseOfTheRuns) {
  ASSERT_TRUE(python_has("h5py")) << "python3-h5py is missing; ./test installs it";
  write("swing.toml", kSwing);
  std::string first;
  for (const char* threads : {"1", "3"}) {
    ASSERT_EQ(rattleback({"ensemble", "swing.toml", "--vary", "l=1:2:40", "--threads", threads, "--every", "3",
                          "--members", "k.h5", "--keep-trajectories"})
                  .status,
              0);
    const std::string bytes = read("k.h5");
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }
  ASSERT_EQ(rattleback({"run", "swing.toml", "--set", "l=2", "--every", "3", "--output", "one.h5"}).status, 0);
  EXPECT_EQ(
      python("import h5py, numpy\n"
             "k = h5py.File('k.h5'); one = h5py.File('one.h5')\n"
             "names = []\n"
             "one.visititems(lambda name, o: names.append(name) if isinstance(o, h5py.Dataset) else None)\n"
             "for name in sorted(names):\n"
             "    d = k['records/' + name]\n"
             "    assert d.chunks is not None\n"
             "    print(name, d.shape, numpy.array_equal(d[39], one[name][()]), list(d.attrs['columns']))\n"
             "print(k['records/count'][[0, 39]], k['members/values'][39], k['members/status'][39], k.attrs['status'])\n"
             "print(k['members/outputs'][39].tolist() == k['records/quantities'][39, -1].tolist())\n"),
      "energy (40, 35) True ['energy']\n"
      "multipliers (40, 35, 1) True ['lambda.rod']\n"
      "q (40, 35, 2) True ['x', 'y']\n"
      "quantities (40, 35, 2) True ['pull', 'down']\n"
      "residual/position (40, 35) True ['residual.position']\n"
      "residual/velocity (40, 35) True ['residual.velocity']\n"
      "t (40, 35) True ['t']\n"
      "v (40, 35, 2) True [\"x'\", \"y'\"]\n"
      "[35. 35.] [2.] b'done' done\nTrue\n");
}

// Members that stop have fewer records: the rest is nan, and how many there are stands beside them.
TEST_F(Sweeps, KeptTrajectoriesOfMembersThatStop) {
  ASSERT_TRUE(python_has("h5py"));
  write("escaping.toml", kEscaping);
  EXPECT_EQ(rattleback({"ensemble", "escaping.toml", "--vary", "x=0:-8:3", "--until", "4", "--members", "k.h5",
                        "--keep-trajectories"})
                .status,
            3);
  EXPECT_EQ(
      python("import h5py, numpy\nk = h5py.File('k.h5')\nn = k['records/count'][()].astype(int); q = k['records/q']\n"
             "print(q.shape[0], q.shape[1] == n.max(), n[0] < n[2])\n"
             "print([bool(numpy.isnan(q[i, n[i]:]).all()) and not bool(numpy.isnan(q[i, :n[i]]).any()) for i in "
             "range(3)])\n"
             "print(k.attrs['status'], k['members/status'][0])\n"),
      "3 True True\n[True, True, True]\nstopped b'stopped'\n");
}

TEST_F(Sweeps, FiguresShowWhatVaries) {
  write("swing.toml", kSwing);
  const auto draw = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"ensemble", "swing.toml", "--plot", "f.svg"});
    const Outcome outcome = rattleback(words);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return read("f.svg");
  };
  const auto count = [](const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
  };
  const std::string one = draw({"--vary", "l=1:2:7"});
  EXPECT_EQ(count(one, "data-panel"), 2U);  // pull, down
  EXPECT_EQ(count(one, "<circle"), 14U);
  EXPECT_EQ(count(one, "class=\"bar\""), 0U);
  const std::string two = draw({"--vary", "l=1:2:5", "--vary", "y'=0,1,3"});
  EXPECT_EQ(count(two, "class=\"bar\""), 2U);
  EXPECT_EQ(count(two, "<rect"), 2U * (15U + 100U + 3U));  // cells, the bar's steps, three frames
  const std::string over = draw({"--vary", "l=1:2:5", "--over-time", "x,pull"});
  EXPECT_EQ(count(over, "data-panel"), 2U);
  EXPECT_EQ(count(over, "<path class=\"curve\""), 10U);
  const std::string drawn = draw({"--random", "200", "--energy", "3", "--spread", "x=0.3"});
  EXPECT_EQ(count(drawn, "class=\"curve s0\""), 2U);
  EXPECT_NE(drawn.find(">members<"), std::string::npos);
}

TEST_F(Sweeps, RefuseWhatDoesNotFit) {
  const std::vector<std::string> base = {"ensemble", "skate", "--vary", "m=1,2"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  expect_refused(with({"--keep-trajectories"}),
                 "--keep-trajectories needs --members FILE.h5, the file that the records go to");
  expect_refused(with({"--keep-trajectories", "--members", "m.csv"}),
                 "--keep-trajectories writes HDF5: use --members FILE.h5, found 'm.csv'");
  expect_refused(with({"--over-time", "x"}), "--over-time needs --plot FILE, where it is drawn");
  expect_refused(
      with({"--over-time", "x,nope", "--plot", "f.svg"}),
      "member 0 (m = 1): --over-time nope: unknown name `nope` in the column \"nope\". Known here: I, beta, g, m, t, "
      "theta, theta', x, x', y, y'");
  expect_refused(with({"--over-time", "x,,y", "--plot", "f.svg"}),
                 "--over-time takes names with commas between them, for example x,theta; there is an empty place");
  expect_refused(with({"--rows", "3"}), "--rows is for --json: how many members are listed there");
  expect_refused(with({"--output", "a.csv", "--members", "./a.csv"}),
                 "--output and --members name the same file; give two names");
  expect_refused(with({"--energy", "3"}), "--energy needs --random N");
  expect_refused(
      {"ensemble", "suslov", "--random", "2", "--energy", "1"},
      "--energy draws velocities of mechanical systems, and 'suslov' is of kind skew-gradient. Use --spread alone");
}

}  // namespace
}  // namespace rattleback
