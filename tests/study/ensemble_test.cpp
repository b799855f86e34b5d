// Ensembles: their statistics are those of single runs, whatever the threads. Numbers at line ends: measured.
#include <fmt/format.h>

#include "study/support.hpp"

namespace rattleback::testing {
namespace {

// Ten starts on one energy surface. [Jay2009, 8.4]
EnsembleRequest quartic(const std::string& method, double until, int threads = 0) {
  EnsembleRequest r;
  r.members = members_on_grid({{"j", 0, 9, 10}});
  r.options.method = method;
  r.options.until = until;
  r.options.every = 20;
  r.threads = threads;
  return r;
}

TEST(Ensemble, HasTheStatisticsOfSingleRuns) {
  const EnsembleReport r = ensemble(MemberSource{"quartic-particles"}, quartic("spark-lobatto-ab", 50.0));
  ASSERT_TRUE(r.energy.has_value());
  ASSERT_EQ(r.energy->t.size(), 51U);
  std::vector<std::vector<double>> errors;
  for (int j = 0; j < 10; ++j) {
    Options o = quartic("spark-lobatto-ab", 50.0).options;
    const Trajectory run = simulate(load_model("quartic-particles", {.set = {{"j", std::to_string(j)}}}), o);
    EXPECT_EQ(run.q, r.members[static_cast<std::size_t>(j)].q);
    EXPECT_EQ(run.v, r.members[static_cast<std::size_t>(j)].v);
    EXPECT_EQ(run.energy->max_error, r.members[static_cast<std::size_t>(j)].energy_error);
    EXPECT_EQ(run.records.t, r.energy->t);
    errors.push_back(run.records.energy);
    for (double& e : errors.back()) e -= run.records.energy[0];
  }
  for (std::size_t i = 0; i < 51; ++i) {
    double mean = 0, square = 0, max = 0;
    for (const auto& e : errors) {
      mean += e[i] / 10.0;
      square += e[i] * e[i] / 10.0;
      max = std::fmax(max, std::fabs(e[i]));
    }
    EXPECT_NEAR(r.energy->mean[i], mean, 1e-18);
    EXPECT_NEAR(r.energy->mean_square[i], square, 1e-12 * square);
    EXPECT_NEAR(r.energy->variance[i], square - mean * mean, 1e-11 * square);
    EXPECT_EQ(r.energy->max[i], max);
  }
  EXPECT_TRUE(r.failed.empty());
  EXPECT_EQ(r.moved, 0U);
}

// Parameters in lanes: one derivation and one compiled step for all that decide alike. kappa = 0 is no friction at all, and
// g = 0 no weight; l1 = 1 and m2 = 1 are numbers like others.
TEST(Ensemble, OfParametersHasTheBitsOfSingleRuns) {
  struct Case {
    const char *system, *method;
    std::vector<Variation> vary;
  };
  for (const Case& c : std::vector<Case>{
           {"double-pendulum", "rattle", {{"g", 0.0, 20.0, 5}, {"kappa", 0.0, 1.0, 3}, {"m2", 0.5, 1.5, 3}}},
           {"double-pendulum", "prk-murua", {{"m1", 1.0, 3.0, 5}, {"g", 5.0, 10.0, 4}}},
           {"double-pendulum", "ode-dop853", {{"m1", 1.0, 3.0, 5}, {"g", 5.0, 10.0, 4}}},
           {"chaplygin-sleigh", "spark-lobatto-ab", {{"a", 0.1, 1.0, 5}, {"I", 1.0, 3.0, 5}}},
           {"chaplygin-sleigh", "cortes-martinez", {{"m", 0.5, 2.0, 5}, {"I", 1.0, 3.0, 5}}},
           {"heavy-top", "spark-lobatto-ab", {{"m", 0.5, 2.0, 20}}},
           {"contact-oscillator", "mclachlan-perlmutter", {{"eps", 0.0, 0.4, 9}, {"b", 0.8, 1.0, 3}}}}) {
    EnsembleRequest r;
    r.members = members_on_grid(c.vary);
    r.options.method = c.method;
    r.options.step = 0.01;
    r.options.until = 0.3;
    r.threads = 2;
    const EnsembleReport all = ensemble(MemberSource{c.system}, r);
    ASSERT_TRUE(all.failed.empty()) << c.system;
    for (std::size_t i = 0; i < r.members.count; ++i) {
      LoadOptions load;
      for (std::size_t k = 0; k < c.vary.size(); ++k)
        load.set.emplace_back(c.vary[k].name, fmt::format("{}", r.members.values[i * c.vary.size() + k]));
      const Trajectory one = simulate(load_model(c.system, load), r.options);
      EXPECT_EQ(all.members[i].q, one.q) << c.system << ' ' << c.method << ' ' << i;
      EXPECT_EQ(all.members[i].v, one.v) << c.system << ' ' << c.method << ' ' << i;
      EXPECT_EQ(all.members[i].energy_error, one.energy->max_error);
    }
  }
}

TEST(Ensemble, HasTheSameBitsForAnyNumberOfThreads) {
  const EnsembleReport one = ensemble(MemberSource{"quartic-particles"}, quartic("spark-lobatto-ab", 20.0, 1));
  for (const int threads : {2, 3, 10}) {
    const EnsembleReport more = ensemble(MemberSource{"quartic-particles"}, quartic("spark-lobatto-ab", 20.0, threads));
    EXPECT_EQ(more.threads, threads);
    EXPECT_EQ(more.energy->mean, one.energy->mean);
    EXPECT_EQ(more.energy->variance, one.energy->variance);
    EXPECT_EQ(more.energy->mean_square, one.energy->mean_square);
    EXPECT_EQ(more.energy->max, one.energy->max);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(more.members[i].q, one.members[i].q);
  }
}

// J-8.4 and C-2 at reduced length: the mean square energy error of an order-2 method is about 0.25 h^4, and that of a
// discrete gradient method is rounding.
TEST(Ensemble, ShowsTheRandomWalkOfTheEnergyError) {
  const EnsembleReport spark = ensemble(MemberSource{"quartic-particles"}, quartic("spark-lobatto-ab", 1000.0));
  double sum = 0.0;
  for (const double x : spark.energy->mean_square) sum += x / std::pow(0.05, 4);
  EXPECT_NEAR(sum / static_cast<double>(spark.energy->t.size()), 0.25, 0.1);  // chaotic: its size only
  EXPECT_GT(spark.energy->variance.back(), 1e-8);
  const EnsembleReport gonzalez = ensemble(MemberSource{"quartic-particles"}, quartic("dg-gonzalez", 20.0));
  EXPECT_LT(gonzalez.energy->variance.back(), 1e-28);  // 1.1e-31
}

TEST(Ensemble, ListsMembersThatStopAndLeavesThemOut) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x)\"\n", "escaping.toml");
  EnsembleRequest r;
  r.members = members_on_grid({{"x", -8.0, 0.0, 3}});
  r.options = {.method = "spark-gauss", .stages = 2, .step = 0.01, .until = 4.0};
  const EnsembleReport found = ensemble(model, r);
  ASSERT_EQ(found.failed, std::vector<std::size_t>{2});
  EXPECT_NE(found.members[2].message.find("stopped at t = "), std::string::npos);
  r.members = members_on_grid({{"x", -8.0, -4.0, 2}});
  const EnsembleReport without = ensemble(model, r);
  EXPECT_EQ(found.energy->mean, without.energy->mean);
  EXPECT_EQ(found.energy->variance, without.energy->variance);
}

TEST(Ensemble, RefusesOrMovesInconsistentStarts) {
  EnsembleRequest r;
  const Model model = load_model("contact-oscillator");
  r.members = members_at_random(model, {{"x'", 0.1}}, 20, 3);
  r.options.until = 1.0;
  const std::string message = message_of([&] { ensemble(MemberSource{"contact-oscillator"}, r); });
  EXPECT_TRUE(message.starts_with("member 0 (x' = ")) << message;
  EXPECT_NE(message.find("--project"), std::string::npos) << message;
  r.options.project = true;
  const EnsembleReport moved = ensemble(MemberSource{"contact-oscillator"}, r);
  EXPECT_EQ(moved.moved, 20U);
  EXPECT_GT(moved.moved_by, 0.01);
  EXPECT_LT(*moved.members[7].constraint_velocity, 1e-14);
}

// The first member that cannot be made is the one that is named, whichever thread finds one first.
TEST(Ensemble, NamesTheFirstMemberThatIsWrong) {
  for (const int threads : {1, 2, 7}) {
    EnsembleRequest r;
    r.members = members_on_grid({{"z0", 0.0, 3.0, 31}});
    r.options.until = 1.0;
    r.threads = threads;
    const std::string message = message_of([&] { ensemble(MemberSource{"contact-oscillator"}, r); });
    EXPECT_TRUE(message.starts_with("member 15 (z0 = 1.5): ")) << message;
  }
}

TEST(Ensemble, TakesAllKindsOfSystems) {
  struct Case {
    const char* system;
    Spread spread;
    double until;
    bool energy;
  };
  for (const Case& c :
       {Case{"pendulum", {"g", 0.1}, 1.0, true}, Case{"suslov", {"rho1", 0.1}, 1.0, true},
        Case{"mass-spring-damper", {"p1", 0.1}, 1.0, true}, Case{"dae-hessenberg", {"y1", 0.01}, 0.5, false}}) {
    const Model model = load_model(c.system);
    EnsembleRequest r;
    r.members = members_at_random(model, {c.spread}, 5, 1);
    r.options.until = c.until;
    r.options.project = true;
    if (!model.run.step) r.options.step = 0.01;
    const EnsembleReport found = ensemble(MemberSource{c.system}, r);
    EXPECT_TRUE(found.failed.empty()) << c.system;
    EXPECT_EQ(found.energy.has_value(), c.energy) << c.system;
  }
}

// Invariants are audited in lanes, too, with the parameters and the turns of each member.
TEST(Ensemble, AuditsInvariantsAsSingleRunsDo) {
  const std::string text =
      "coordinates = ['r', 'phi']\nangles = ['phi']\n[parameters]\nm = 1\n[lagrangian]\nkinetic = \"m*(r'^2 + "
      "r^2*phi'^2)/2\"\n"
      "potential = '-1/r'\n[initial]\nr = 1\n\"phi'\" = 1.1\n[invariants]\nspin = \"m*r^2*phi'\"\nwrong = "
      "\"sin(phi/2)*m\"\n";
  const Model model = parse_model(text, "kepler.toml");
  EnsembleRequest r;
  r.members = members_on_grid({{"m", 1.0, 2.0, 20}});
  r.options = {.method = "spark-gauss", .stages = 1, .step = 0.1, .until = 30.0};
  const EnsembleReport all = ensemble(model, r);
  EXPECT_EQ(all.invariant_names, (std::vector<std::string>{"spin", "wrong"}));
  EXPECT_EQ(all.output_names, (std::vector<std::string>{"invariant.spin", "invariant.wrong"}));
  for (std::size_t i = 0; i < 20; ++i) {
    const Trajectory run = simulate(model.with({{"m", fmt::format("{}", r.members.values[i])}}), r.options);
    ASSERT_EQ(run.invariants.size(), 2U);
    EXPECT_GT(run.invariants[1].max_error, 0.1);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(all.members[i].invariants.at(k), run.invariants[k].max_error) << i;
    EXPECT_EQ(all.members[i].outputs, run.quantities);
  }
}

}  // namespace
}  // namespace rattleback::testing
