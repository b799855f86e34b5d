// Inputs from measured data, tables as functions: what is between the rows, beyond the ends, and wrong in a file.
#include "model/data.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include <gtest/gtest.h>

#include "expr/evaluator.hpp"
#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "rattleback/stepper.hpp"

namespace rattleback::testing {
namespace {

using front::DataTable;
using front::Interpolate;

double cubic(double x) { return 0.3 - 1.2 * x + 0.7 * x * x - 0.25 * x * x * x; }
double slope(double x) { return -1.2 + 1.4 * x - 0.75 * x * x; }
double bend(double x) { return 1.4 - 1.5 * x; }

const std::vector<double> kUneven = {-1.0, -0.7, 0.1, 0.15, 0.9, 2.0, 2.2, 3.5};

struct Values {
  double value, slope, bend;
};
Values at(const DataTable& table, double x) {
  Graph g;
  const NodeId q = g.variable(kPosition, 0);
  std::vector<NodeId> nodes = {front::interpolated(g, table, q)};
  for (int k = 0; k < 2; ++k) {
    const Entries d = gradient(g, nodes.back(), kPosition);
    nodes.push_back(d.empty() ? g.zero() : d[0].expr);
  }
  const double point[] = {x};
  Evaluator values(g, nodes, 1, 0);
  const auto v = values(0.0, point);
  return {v[0], v[1], v[2]};
}

TEST(Data, TheSplineIsTheCubicWhereThereIsOne) {
  DataTable table{"t", Interpolate::cubic, true, kUneven, {}};
  for (const double x : kUneven) table.value.push_back(cubic(x));
  for (std::size_t points = 4; points <= kUneven.size(); ++points) {
    DataTable part = table;
    part.at.resize(points);
    part.value.resize(points);
    for (double x = part.at.front(); x <= part.at.back(); x += 0.0371) {
      const Values found = at(part, x);
      EXPECT_NEAR(found.value, cubic(x), 2e-14);
      EXPECT_NEAR(found.slope, slope(x), 4e-13);
      EXPECT_NEAR(found.bend, bend(x), 2e-11);
    }
  }
  // Three points have a parabola, two a line.
  const DataTable three{"t", Interpolate::cubic, true, {0.0, 1.0, 3.0}, {0.0, 1.0, 9.0}};
  EXPECT_NEAR(at(three, 2.0).value, 4.0, 1e-14);
  const DataTable two{"t", Interpolate::cubic, true, {0.0, 2.0}, {1.0, 5.0}};
  EXPECT_NEAR(at(two, 0.5).value, 2.0, 1e-15);
}

// Of data that are no cubic: value, slope and bend do not jump at the points.
TEST(Data, TheSplineIsSmooth) {
  DataTable table{"t", Interpolate::cubic, true, kUneven, {}};
  for (const double x : kUneven) table.value.push_back(std::sin(2.0 * x));
  for (std::size_t i = 1; i + 1 < kUneven.size(); ++i) {
    const Values left = at(table, kUneven[i] - 1e-9), right = at(table, kUneven[i] + 1e-9);
    EXPECT_NEAR(left.value, right.value, 1e-8);
    EXPECT_NEAR(left.slope, right.slope, 1e-7);
    EXPECT_NEAR(left.bend, right.bend, 1e-5);
    EXPECT_NEAR(at(table, kUneven[i]).value, table.value[i], 1e-15);
  }
}

TEST(Data, HoldIsTheLastValueAtOrBefore) {
  const DataTable table{"t", Interpolate::hold, false, {0.0, 1.0, 2.5}, {3.0, -1.0, 4.0}};
  for (const auto& [x, y] :
       {std::pair(-1.0, 3.0), {0.0, 3.0}, {0.999, 3.0}, {1.0, -1.0}, {2.4, -1.0}, {2.5, 4.0}, {9.0, 4.0}}) {
    EXPECT_EQ(at(table, x).value, y) << x;
    EXPECT_EQ(at(table, x).slope, 0.0) << x;
  }
}

class Files {
 public:
  Files() {
    folder_ = std::filesystem::path(::testing::TempDir()) / ("rattleback-data-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] Model model(const std::string& text) const {
    write("model.toml", text);
    return load_model((folder_ / "model.toml").string());
  }
  [[nodiscard]] std::string refusal(const std::string& text) const {
    try {
      (void)model(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  }

 private:
  std::filesystem::path folder_;
};

std::string cart(const std::string& input) {
  return "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n[ports.motor]\ninput = { file = \"u.csv\"" +
         input + " }\nalong = { x = 1 }\n";
}

// x'' = u(t): straight lines and steps are exact when the steps end on the points.
TEST(Data, DrivesAPort) {
  const Files files;
  files.write("u.csv", "t,motor,other\n0,1,9\n0.5,3,9\n1,-1,9\n2,0,9\n");
  const Options options{.method = "spark-gauss", .stages = 3, .step = 0.25, .until = 2.0, .native = "off"};
  const auto velocity = [&](const std::string& how) {
    const Trajectory run = simulate(files.model(cart(", interpolate = \"" + how + "\"")), options);
    EXPECT_EQ(run.status, Status::done);
    return run.v[0];
  };
  EXPECT_NEAR(velocity("linear"), 1.0 + 0.5 - 0.5, 1e-14);
  EXPECT_NEAR(velocity("hold"), 0.5 + 1.5 - 1.0, 1e-14);
  EXPECT_GT(std::fabs(velocity("cubic") - 1.0), 1e-3);
  // Steps that do not are cut there (tests/run/knots_test.cpp).
  Options odd = options;
  odd.step = 0.3;
  const Trajectory cut = simulate(files.model(cart("")), odd);
  EXPECT_NEAR(cut.v[0], 1.0, 1e-14);
  EXPECT_EQ(cut.steps, 7);
  for (const std::string& note : cut.notes) EXPECT_EQ(note.find("kinks"), std::string::npos) << note;
  for (const std::string& note : simulate(files.model(cart("")), options).notes)
    EXPECT_EQ(note.find("kinks"), std::string::npos) << note;
}

TEST(Data, BeyondItsEndsIsRefusedUnlessHeld) {
  const Files files;
  files.write("u.csv", "t,motor\n0,1\n1,2\n");
  Options options{.method = "spark-gauss", .stages = 2, .step = 0.25, .until = 2.0, .native = "off"};
  try {
    (void)simulate(files.model(cart("")), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("its data reach from t = 0 to 1, and the run from 0 to 2"),
              std::string::npos)
        << error.what();
  }
  const Trajectory held = simulate(files.model(cart(", outside = \"hold\"")), options);
  EXPECT_NEAR(held.v[0], 1.5 + 2.0, 1e-14);
  options.until = 1.0;
  EXPECT_EQ(simulate(files.model(cart("")), options).status, Status::done);
}

// A road: the same motion as by its formula; where the data end, the run does.
TEST(Data, TablesAreFunctions) {
  const Files files;
  std::string road = "s,h\n";
  for (const double x : kUneven) road += std::to_string(x) + "," + std::to_string(cubic(x)) + "\n";
  files.write("road.csv", road);
  const std::string head = "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n";
  const std::string table = "[tables.road]\nfile = \"road.csv\"\nx = \"s\"\ny = \"h\"\ninterpolate = \"cubic\"\n";
  const Model by_table =
      files.model(head + "potential = \"road(x)\"\n" + table + "[initial]\n\"x'\" = \"road(0.5)\"\n");
  const Model by_formula = parse_model(
      head + "potential = \"0.3 - 1.2*x + 0.7*x^2 - 0.25*x^3\"\n[initial]\n\"x'\" = \"0.3 - 0.6 + 0.175 - 0.03125\"\n",
      "f.toml");
  Options options{.method = "spark-gauss", .stages = 3, .step = 0.05, .until = 1.0, .native = "off"};
  const Trajectory a = simulate(by_table, options), b = simulate(by_formula, options);
  EXPECT_NEAR(a.q[0], b.q[0], 1e-5);  // the file has six digits
  EXPECT_NEAR(a.start_v[0], b.start_v[0], 1e-6);
  options.until = 20.0;
  const Trajectory left = simulate(by_table, options);
  EXPECT_EQ(left.status, Status::stopped);
  EXPECT_NE(left.message.find("[tables.road] was asked at"), std::string::npos) << left.message;
  // Native code has the same bits.
  options.until = 1.0;
  options.native = Native::on;
  EXPECT_EQ(simulate(by_table, options).q, a.q);
}

TEST(Data, FaultsSayWhatAndWhere) {
  const Files files;
  const auto expect = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(files.refusal(cart("")), "u.csv");
  files.write("u.csv", "t,motor\n0,1\n1,\n2,3\n");
  expect(files.refusal(cart("")), "u.csv:3: expected a number in column 2");
  files.write("u.csv", "t,motor\n0,1\n1,2\n1,3\n");
  expect(files.refusal(cart("")), "u.csv:4: the time in column 1 does not increase");
  files.write("u.csv", "t,motor\n0,1\n1,2\n");
  expect(files.refusal(cart(", column = \"torque\"")), "has no column `torque`");
  expect(files.refusal(cart(", interpolate = \"quadratic\"")), "It can be: cubic, hold, linear");
  expect(files.refusal(cart(", colum = \"motor\"")), "Did you mean `column`");
  files.write("road.csv", "s,h\n1,2\n0,3\n");
  const std::string model =
      "coordinates = [\"x\"]\n[tables.road]\nx = \"s\"\ny = \"h\"\nfile = \"road.csv\"\n[lagrangian]\nL = "
      "\"road(x)\"\n";
  expect(files.refusal(model), "road.csv:3: `x` in column 1 does not increase");
  expect(files.refusal("coordinates = [\"road\"]\n" + model.substr(model.find('\n') + 1)), "already");
}

}  // namespace
}  // namespace rattleback::testing
