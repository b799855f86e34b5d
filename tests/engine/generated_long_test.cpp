// Generated steps: headers for several methods and systems, compiled into one program without the library, against the
// library's own steps. One program holds them all, so they do not clash either.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "engine/plan_stepper.hpp"
#include "rattleback/generate.hpp"
#include "step/stopping.hpp"
#include "support/motion.hpp"
#include "system/angles.hpp"

namespace rattleback::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kBatches[] = {1, 6, 193, 100};  // the first steps one by one, then many

struct Case {
  Model model;
  std::string method;
  int stages = 0;
  double step = 0.0;
  int compose = 0;
  std::string formulation = {};
};

Model parsed(const char* text) { return parse_model(text, "test.toml"); }

// The constraint vanishes where x = 0, which the particle reaches at t = 1.
const char* const kGate = R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[constraints.nonholonomic]
gate = "x*x' + x*y'"
[initial]
x = 1.0
"x'" = -1.0
"y'" = 1.0
)toml";

// Blows up at a finite time.
const char* const kExplosion = R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
[forces]
x = "exp(x)*x'"
[constraints.nonholonomic]
level = "y' - y*x'"
[initial]
x = 0.1
"x'" = 1.0
)toml";

// Hertz contact of a ball on a plate: off it, the force of the contact has no value.
const char* const kContact = R"toml(
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "if(x < 0, 20*(-x)^2.5, 0) + x + min(y, sqrt(x + 1))"
[constraints.nonholonomic]
level = "y' - x*x'"
[initial]
x = 0.2
)toml";

// Time, an angle that turns, and functions that the shipped systems do not have.
const char* const kMixture = R"toml(
coordinates = ["phi", "r"]
angles = ["phi"]
[lagrangian]
kinetic = "(r^2*phi'^2 + r'^2)/2"
potential = "hypot(r, 1) + atan2(sin(phi), 2 + cos(phi))/5 + max(r, 2*r - 1)^2/4"
[forces]
r = "sin(3*t) - 0.1*abs(r')*r'"
[constraints.nonholonomic]
spiral = "r' - sin(phi)*phi'/4"
[initial]
r = 1.0
"phi'" = 4.0
)toml";

std::vector<Case> cases() {
  std::vector<Case> out;
  const Values nonlinear = {{"eps", "0.3"}, {"z0", "-0.4"}};
  out.push_back({shipped("contact-oscillator", nonlinear), "mclachlan-perlmutter", 0, 0.15});
  out.push_back({shipped("contact-oscillator", nonlinear), "spark-lobatto-ab", 2, 0.15});
  out.push_back({shipped("quartic-particles"), "mclachlan-perlmutter", 0, 0.05});
  out.push_back({shipped("quartic-particles"), "spark-lobatto-ab", 2, 0.05});
  out.push_back({shipped("nonholonomic-particle"), "spark-gauss", 2, 0.1});
  out.push_back({shipped("chaplygin-sleigh"), "mclachlan-perlmutter", 0, 0.05});
  out.push_back({shipped("chaplygin-sleigh"), "spark-lobatto-abd", 3, 0.05});
  out.push_back({shipped("double-pendulum"), "rattle", 0, 0.01});
  out.push_back({shipped("double-pendulum"), "prk-lobatto", 3, 0.01});
  out.push_back({shipped("double-pendulum"), "prk-murua", 3, 0.01});
  out.push_back({shipped("pendulum-ph"), "dg-gonzalez", 0, 0.05});
  out.push_back({shipped("rolling-disk"), "cortes-martinez", 0, 0.05});  // two-step
  out.push_back({shipped("skate"), "spark-lobatto-ab", 2, 0.1, 4});      // composed
  out.push_back({shipped("gearbox"), "spark-gauss", 2, 0.1});            // angles
  out.push_back({shipped("dae-hessenberg"), "srk-gauss", 2, 0.02});
  out.push_back({shipped("double-pendulum"), "spark-gauss", 2, 0.01, 0, "ggl"});
  out.push_back({shipped("skate"), "gonzalez-r", 0, 0.1});  // energy of the start
  out.push_back({parsed(kMixture), "spark-gauss", 2, 0.05});
  out.push_back({parsed(kMixture), "rk-radau-iia", 2, 0.05, 0});
  for (const char* const name : {"spark-gauss", "spark-lobatto-ab", "mclachlan-perlmutter"})
    out.push_back({parsed(kGate), name, name[6] == 'g' ? 2 : 0, 0.0625});
  out.push_back({parsed(kContact), "spark-gauss", 2, 0.02});
  out.push_back({parsed(kContact), "spark-lobatto-ab", 2, 0.02});
  out.push_back({parsed(kExplosion), "spark-gauss", 2, 0.02});
  out.push_back({parsed(kExplosion), "mclachlan-perlmutter", 0, 0.02});
  return out;
}

Options options_of(const Case& c) {
  Options o;
  o.method = c.method;
  o.stages = c.stages;
  o.step = c.step;
  o.compose = c.compose;
  o.formulation = c.formulation;
  return o;
}

std::string struct_of(std::size_t i) { return "generated::Case" + std::to_string(i); }

// What both sides tell after each batch.
struct Told {
  bool ok = true;
  std::int64_t done = 0, iterations = 0;
  int most = 0;
  std::string reason;
  std::vector<double> numbers;  // t, positions, velocities, multipliers of the newest stage
};

std::vector<Told> library(const Case& c) {
  Motion motion(c.model, method(c.method, c.stages, c.compose, c.formulation));
  StepTaker& s = *motion.stepper;
  std::vector<Told> out;
  for (const int steps : kBatches) {
    const AdvanceReport report = s.advance(c.step, steps);
    Told& told = out.emplace_back();
    told.ok = report.ok;
    told.done = report.done;
    told.iterations = s.iterations;
    told.most = s.max_iterations;
    told.reason = report.ok ? "" : report.failure.reason;
    told.numbers = {s.t()};
    for (const double x : unwrapped_positions(s)) told.numbers.push_back(x);
    for (const double x : s.v()) told.numbers.push_back(x);
    for (const double x : s.multiplier_guess()) told.numbers.push_back(x);
    if (!report.ok) break;
  }
  return out;
}

class Generated : public ::testing::Test {
 protected:
  Generated() {
    std::string pattern = (fs::temp_directory_path() / "rattleback_generated_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Generated() override { fs::remove_all(folder_); }

  void write_headers(const std::vector<Case>& all) {
    std::string source = "#include <cstdio>\n#include <cstdlib>\n#include <new>\n";
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::ofstream(folder_ / ("case" + std::to_string(i) + ".hpp"))
          << step_header(all[i].model, options_of(all[i]), struct_of(i));
      source += "#include \"case" + std::to_string(i) + ".hpp\"\n";
    }
    source += R"(
static long allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
template <class Steps>
void tell(const char* name) {
  Steps s;
  for (const int steps : {1, 6, 193, 100}) {
    const auto report = s.advance(Steps::kStep, steps);
    std::printf("%s %d %lld %lld %d %a", name, report.ok ? 1 : 0, static_cast<long long>(report.done),
                static_cast<long long>(s.iterations), s.max_iterations, s.t());
    for (std::size_t i = 0; i < s.kPositions; ++i) std::printf(" %a", s.position(i));
    for (const double x : s.v) std::printf(" %a", x);
    for (const double x : s.lambda) std::printf(" %a", x);
    std::printf(" |%s\n", report.reason);
    if (!report.ok) break;
  }
}
int main() {
  const long before = allocations;
)";
    for (std::size_t i = 0; i < all.size(); ++i)
      source += "  tell<" + struct_of(i) + ">(\"" + std::to_string(i) + "\");\n";
    source += "  std::printf(\"allocations %ld\\n\", allocations - before);\n}\n";
    std::ofstream(folder_ / "tell.cpp") << source;
  }

  // Compiles and runs. Nothing when there is no such compiler.
  bool told_by(const std::string& compiler, const std::string& flags, std::size_t count,
               std::vector<std::vector<Told>>& out) {
    const std::string program = compiler.substr(0, compiler.find(' '));
    if (std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) != 0) return false;
    const std::string to = (folder_ / "tell").string(), errors = (folder_ / "errors").string();
    const std::string command = compiler + " " + flags + " " + to + ".cpp -o " + to + " 2> " + errors;
    const int status = std::system(command.c_str());
    std::stringstream text;
    text << std::ifstream(errors).rdbuf();
    EXPECT_EQ(status, 0) << command << "\n" << text.str().substr(0, 4000);
    if (status != 0) return false;
    EXPECT_EQ(std::system((to + " > " + to + ".txt").c_str()), 0);
    out.assign(count, {});
    std::ifstream in(to + ".txt");
    bool counted = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("allocations ")) {
        EXPECT_EQ(line, "allocations 0");
        counted = true;
        continue;
      }
      const std::size_t bar = line.find('|');
      std::istringstream words(line.substr(0, bar));
      std::size_t which = 0;
      int ok = 0;
      Told told;
      words >> which >> ok >> told.done >> told.iterations >> told.most;
      told.ok = ok != 0;
      for (std::string word; words >> word;) told.numbers.push_back(std::strtod(word.c_str(), nullptr));
      told.reason = line.substr(bar + 1);
      out.at(which).push_back(told);
    }
    EXPECT_TRUE(counted);
    return true;
  }

  fs::path folder_;
};

// The whole step is a formula: there is nothing to be solved.
bool is_explicit(const Case& c) {
  const Motion motion(c.model, method(c.method, c.stages, c.compose, c.formulation));
  return dynamic_cast<const PlanStepper&>(*motion.stepper).data().step.blocks().empty();
}

// Every block is solved as the library does it: not by a formula for two unknowns, and not ended after one correction
// because of what earlier steps left.
bool same_way(const Case& c) {
  const Motion motion(c.model, method(c.method, c.stages, c.compose, c.formulation));
  const PlanStepperData& data = dynamic_cast<const PlanStepper&>(*motion.stepper).data();
  bool large = false;  // a header always looks whether older solutions predict better, the library where it pays
  for (const Plan::Block& b : data.step.blocks()) {
    if (b.size <= 2 || !(b.leading || b.linear || data.solve.cautious)) return false;
    large = large || (!b.linear && b.size > newton::kFullNewton);
  }
  return large;
}

// Largest difference, relative to the largest number.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0.0, size = 1.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    size = std::fmax(size, std::fabs(a[i]));
    worst = std::fmax(worst, std::fabs(a[i] - b[i]));
  }
  return worst / size;
}

// Without contraction to multiply-adds the bits are those of the library where a step is a formula, and where it is solved in
// the same way: then the iterations are as many, too. Where something is solved in another way, the solutions agree to rounding: 3e-16 to 1e-13 (double pendulum, which is chaotic), and 6e-12
// on pendulum-ph, whose equations are so sensitive that the library stops at corrections of that size. Failures
// come at the same step, with the same words.
TEST_F(Generated, StepsAreThoseOfTheLibrary) {
  const std::vector<Case> all = cases();
  write_headers(all);
  int compilers = 0, equal = 0;
  for (const std::string compiler : {"g++ -O1", "clang++ -O0"}) {
    std::vector<std::vector<Told>> told;
    if (!told_by(compiler, "-std=c++20 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Werror", all.size(), told))
      continue;
    ++compilers;
    for (std::size_t i = 0; i < all.size(); ++i) {
      SCOPED_TRACE(compiler + ": " + all[i].model.key + " " + all[i].method);
      const std::vector<Told> ours = library(all[i]);
      const bool formula = is_explicit(all[i]), same = same_way(all[i]);
      equal += same ? 1 : 0;
      ASSERT_EQ(told[i].size(), ours.size());
      for (std::size_t k = 0; k < ours.size(); ++k) {
        EXPECT_EQ(told[i][k].ok, ours[k].ok);
        EXPECT_EQ(told[i][k].done, ours[k].done);
        EXPECT_EQ(told[i][k].reason, ours[k].reason);
        ASSERT_EQ(told[i][k].numbers.size(), ours[k].numbers.size());
        if (formula || same)
          EXPECT_EQ(told[i][k].numbers, ours[k].numbers) << "after batch " << k;
        else
          EXPECT_LT(distance(ours[k].numbers, told[i][k].numbers), 1e-10) << "after batch " << k;
        if (same) {
          EXPECT_EQ(told[i][k].iterations, ours[k].iterations) << "after batch " << k;
          EXPECT_EQ(told[i][k].most, ours[k].most) << "after batch " << k;
        }
      }
    }
  }
  EXPECT_GT(compilers, 0);
  EXPECT_GE(equal, 4 * compilers);
}

// Other values of parameters give the motion of a header that was made with them; a value by which the step was decided is
// refused.
TEST_F(Generated, ParametersAreMembers) {
  const Model model = shipped("double-pendulum");
  const Case one{model, "rattle", 0, 0.01};
  std::ofstream(folder_ / "pendulum.hpp") << step_header(model, options_of(one), "Pendulum");
  std::ofstream(folder_ / "tell.cpp") << R"(
#include <cstdio>
#include "pendulum.hpp"
int main() {
  Pendulum s;
  s.parameters.g = 5.0;
  s.parameters.m1 = 2.0;
  if (!s.advance(0.01, 300).ok) return 1;
  for (std::size_t i = 0; i < s.kPositions; ++i) std::printf("%a %a ", s.q[i], s.v[i]);
  std::printf("%a\n", s.energy());
  s.parameters.g = 0.0;
  const auto refused = s.advance(0.01, 1);
  std::printf("%d %lld %s\n", refused.ok ? 1 : 0, static_cast<long long>(refused.done), refused.reason);
}
)";
  const std::string to = (folder_ / "tell").string();
  ASSERT_EQ(std::system(("g++ -std=c++20 -O1 -ffp-contract=off -Wall -Wextra -Werror " + to + ".cpp -o " + to + " && " +
                         to + " > " + to + ".txt")
                            .c_str()),
            0);
  std::ifstream in(to + ".txt");
  std::vector<double> told;
  std::string word, rest;
  for (int i = 0; i < 9 && in >> word; ++i) told.push_back(std::strtod(word.c_str(), nullptr));
  Motion motion(shipped("double-pendulum", {{"g", "5"}, {"m1", "2"}}), method("rattle"));
  motion.advance(0.01, 300);
  std::vector<double> ours;
  for (std::size_t i = 0; i < motion.stepper->q().size(); ++i) {
    ours.push_back(motion.stepper->q()[i]);
    ours.push_back(motion.stepper->v()[i]);
  }
  ours.push_back(motion.observe().energy);
  EXPECT_LT(distance(ours, told), 1e-10);
  std::getline(in >> std::ws, rest);
  EXPECT_EQ(rest.substr(0, 4), "0 0 ");
  EXPECT_NE(rest.find("a parameter was changed over a value by which this step was decided"), std::string::npos)
      << rest;
}

// With all that the machine has: the same motion to rounding.
TEST_F(Generated, StepsWithMultiplyAddsAgreeToRounding) {
  std::vector<Case> all = cases();
  all.resize(8);  // up to rattle: the others take long to compile, and say no more
  write_headers(all);
  std::vector<std::vector<Told>> told;
  const std::string flags = "-std=gnu++20 -O2 -march=native";
  ASSERT_TRUE(told_by("g++", flags, all.size(), told) || told_by("clang++", flags, all.size(), told)) << "no compiler";
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(all[i].model.key + " " + all[i].method);
    const std::vector<Told> ours = library(all[i]);
    ASSERT_EQ(told[i].size(), ours.size());
    for (std::size_t k = 0; k < ours.size(); ++k)
      EXPECT_LT(distance(ours[k].numbers, told[i][k].numbers), 1e-10) << "after batch " << k;
  }
}

// Against the exact solution. The order is that of the method, and not that of a method of lower order.
TEST_F(Generated, StepsHaveTheOrderOfTheMethod) {
  const Model model = shipped("skate");
  for (const int stages : {2, 3}) {
    Options options;
    options.method = "spark-lobatto-ab";
    options.stages = stages;
    options.step = 0.1;
    std::ofstream(folder_ / "skate.hpp") << step_header(model, options, "Skate");
    std::ofstream(folder_ / "order.cpp") << R"(#include <cstdio>
#include "skate.hpp"
int main() {
  for (const int steps : {20, 40, 80}) {
    Skate s;
    if (!s.advance(2.0 / steps, steps).ok) return 1;
    for (std::size_t i = 0; i < 3; ++i) std::printf("%a ", s.position(i));
    for (const double x : s.v) std::printf("%a ", x);
  }
}
)";
    const std::string to = (folder_ / "order").string();
    ASSERT_EQ(std::system(("c++ -std=c++20 -O1 " + to + ".cpp -o " + to + " && " + to + " > " + to + ".txt").c_str()),
              0);
    std::ifstream in(to + ".txt");
    System system(model);
    double error[3];
    for (double& e : error) {
      std::vector<double> q(3), v(3);
      std::string word;
      for (double& x : q) x = in >> word ? std::strtod(word.c_str(), nullptr) : NAN;
      for (double& x : v) x = in >> word ? std::strtod(word.c_str(), nullptr) : NAN;
      const double position = *system.exact_error(2.0, q, v, {}, kPosition);
      e = std::hypot(position, *system.exact_error(2.0, q, v, {}, kVelocity));
    }
    EXPECT_NEAR(std::log2(error[1] / error[2]), 2 * stages - 2, 0.05);
  }
}

}  // namespace
}  // namespace rattleback::testing
