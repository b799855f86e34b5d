// Members of an ensemble that step together in lanes have the bits of single runs, interpreted and compiled, for any number of
// threads. Cases: every path through a step that golden cases and single runs have.
#include <cstdio>
#include <cstring>
#include <functional>

#include "bind/bind.hpp"
#include "engine/lane_group.hpp"
#include "engine/private_cache.hpp"
#include "rattleback/analysis.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "run/shared_run.hpp"
#include "support/count_allocations.hpp"
#include "system/start/start.hpp"

namespace rattleback::testing {
namespace {

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

// A run of its own adds what to try.
bool same_words(const std::string& member, const std::string& run) {
  return member.empty() ? run.empty() : run.starts_with(member);
}

struct Case {
  const char *what, *system, *method;
  int stages;
  std::vector<Variation> vary;
  std::function<void(Options&)> change = [](Options&) {};
  bool lanes = true;  // false: members are runs of their own
};

// 19 and more members: a whole group of lanes and one that is not full.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"linear", "contact-oscillator", "mclachlan-perlmutter", 0, {{"z0", -0.7, 0.6, 19}}},
      {"linear, nonlinear forces",
       "contact-oscillator",
       "spark-lobatto-ab",
       2,
       {{"z", -0.7, 0.6, 19}},
       [](Options& o) { o.project = true; }},
      {"a parameter of the starts", "quartic-particles", "spark-lobatto-ab", 2, {{"j", 0.0, 9.0, 37}}},
      {"composed, linear",
       "contact-oscillator",
       "mclachlan-perlmutter",
       0,
       {{"z0", -0.7, 0.6, 19}},
       [](Options& o) { o.compose = 8; }},
      {"composed",
       "double-pendulum",
       "prk-lobatto",
       2,
       {{"x2'", -1.0, 2.0, 19}},
       [](Options& o) {
         o.compose = 6;
         o.project = true;
       }},
      {"rattle", "double-pendulum", "rattle", 0, {{"y2'", -3.0, 5.0, 33}}, [](Options& o) { o.project = true; }},
      {"many unknowns",
       "double-pendulum",
       "prk-murua",
       3,
       {{"y2'", -3.0, 5.0, 19}},
       [](Options& o) { o.project = true; }},
      {"stiff start values",
       "double-pendulum",
       "prk-lobatto",
       3,
       {{"y2'", -9.0, 9.0, 19}},
       [](Options& o) {
         o.project = true;
         o.step = 0.05;
       }},
      {"two steps",
       "nonholonomic-particle",
       "cortes-martinez",
       0,
       {{"y'", 0.5, 1.5, 19}},
       [](Options& o) { o.project = true; }},
      {"angles that turn",
       "chaplygin-sleigh",
       "spark-gauss",
       2,
       {{"theta'", 0.5, 2.5, 19}},
       [](Options& o) {
         o.project = true;
         o.step = 0.1;
         o.steps = 400;
       }},
      {"angles that turn, explicit",
       "rolling-disk",
       "spark-lobatto-ab",
       2,
       {{"phi'", 1.0, 9.0, 19}},
       [](Options& o) {
         o.project = true;
         o.step = 0.02;
         o.steps = 1000;
       }},
      {"a shorter last step",
       "double-pendulum",
       "rattle",
       0,
       {{"y2'", -3.0, 5.0, 19}},
       [](Options& o) {
         o.project = true;
         o.steps.reset();
         o.until = 2.0033;
       }},
      {"a tolerance",
       "chaplygin-sleigh",
       "spark-gauss",
       3,
       {{"theta'", 0.5, 2.5, 19}},
       [](Options& o) {
         o.newton_tol = 1e-6;
         o.project = true;
       }},
      {"carried multipliers",
       "double-pendulum",
       "rk-lobatto-iiia",
       3,
       {{"y2'", -3.0, 5.0, 19}},
       [](Options& o) {
         o.project = true;
         o.formulation = "index2";
       }},
      {"dae", "dae-hessenberg", "srk-gauss", 2, {{"y1", 0.95, 1.05, 19}}, [](Options& o) { o.project = true; }},
      {"every step", "skate", "spark-gauss", 2, {{"theta'", 0.5, 1.5, 19}}, [](Options& o) { o.every = 1; }},
      {"a parameter of the motion", "skate", "spark-gauss", 2, {{"g", 0.9, 1.1, 5}}, [](Options&) {}, false},
      {"the energy of the start", "quartic-particles", "dg-gonzalez", 0, {{"j", 0.0, 9.0, 5}}, [](Options&) {}, false},
  };
  return all;
}

EnsembleRequest request_of(const Case& c) {
  EnsembleRequest r;
  r.members = members_on_grid(c.vary);
  r.options.method = c.method;
  r.options.stages = c.stages;
  r.options.steps = 250;
  r.options.every = 7;
  c.change(r.options);
  const Model model = load_model(c.system);
  if (!model.run.step && r.options.step == 0.0) r.options.step = 0.01;
  const std::string name = model.coordinates[0];
  r.options.output_columns = "2*" + name + (model.kind == Kind::mechanical ? ", " + name + "'' - t" : "");
  return r;
}

Trajectory alone(const Case& c, const EnsembleRequest& r, std::size_t member, bool& read) {
  LoadOptions load;
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", r.members.values[member]);
  const bool start = c.vary[0].name.find('\'') != std::string::npos || c.vary[0].name == "z" || c.vary[0].name == "y1";
  (start ? load.start : load.set).emplace_back(c.vary[0].name, text);
  Options o = r.options;
  o.native = "off";
  read = true;
  return simulate(load_model(c.system, load), o);
}

void expect_single_runs(const Case& c, const EnsembleRequest& r, const EnsembleReport& report) {
  ASSERT_EQ(report.members.size(), r.members.count);
  for (std::size_t i = 0; i < report.members.size(); ++i) {
    bool read = false;
    const Trajectory run = alone(c, r, i, read);
    const EnsembleMember& m = report.members[i];
    EXPECT_EQ(m.status, run.status) << i;
    EXPECT_TRUE(same_words(m.message, run.message)) << i;
    EXPECT_TRUE(same_bits(m.q, run.q)) << i;
    EXPECT_TRUE(same_bits(m.v, run.v)) << i;
    EXPECT_TRUE(same_bits(m.multipliers, run.multipliers)) << i;
    EXPECT_TRUE(same_bits(m.outputs, run.quantities)) << i;
    EXPECT_EQ(report.output_names, run.quantity_names);
    EXPECT_EQ(m.t, run.t);
    if (run.energy) EXPECT_EQ(m.energy, run.energy->final) << i;
    if (run.energy) EXPECT_EQ(m.energy_error, run.energy->max_error) << i;
    EXPECT_EQ(m.constraint_position, run.constraint_position) << i;
    if (m.constraint_velocity) EXPECT_EQ(m.constraint_velocity, run.constraint_velocity) << i;
  }
}

using Lanes = Native;

TEST_F(Lanes, InterpretedMembersHaveTheBitsOfSingleRuns) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    EnsembleRequest r = request_of(c);
    r.options.native = "off";
    expect_single_runs(c, r, ensemble(MemberSource{c.system}, r));
  }
}

TEST_F(Lanes, CompiledMembersHaveTheBitsOfSingleRuns) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    EnsembleRequest r = request_of(c);
    r.options.native = "on";
    expect_single_runs(c, r, ensemble(MemberSource{c.system}, r));
  }
}

// Records of members in lanes are those of single runs, too, and come in order.
TEST_F(Lanes, KeptRecordsHaveTheBitsOfSingleRuns) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    EnsembleRequest r = request_of(c);
    r.options.native = "off";
    r.threads = 2;
    std::size_t next = 0;
    r.keep = [&](std::size_t member, const Trajectory& kept) {
      EXPECT_EQ(member, next++);
      bool read = false;
      const Trajectory run = alone(c, r, member, read);
      EXPECT_EQ(kept.records.rows, run.records.rows) << member;
      using R = Trajectory::Records;
      for (auto list : {&R::t, &R::q, &R::v, &R::multipliers, &R::energy, &R::residual_position, &R::residual_velocity,
                        &R::quantities, &R::balance, &R::inputs, &R::outputs})
        EXPECT_TRUE(same_bits(kept.records.*list, run.records.*list)) << member;
      EXPECT_EQ(kept.quantity_names, run.quantity_names);
      EXPECT_EQ(kept.method, run.method);
      EXPECT_EQ(kept.every, run.every);
      EXPECT_EQ(kept.steps, run.steps);
    };
    const EnsembleReport report = ensemble(MemberSource{c.system}, r);
    EXPECT_EQ(next, r.members.count);
    expect_single_runs(c, r, report);
  }
}

void expect_same(const EnsembleReport& a, const EnsembleReport& b) {
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    EXPECT_TRUE(same_bits(a.members[i].q, b.members[i].q)) << i;
    EXPECT_TRUE(same_bits(a.members[i].multipliers, b.members[i].multipliers)) << i;
    EXPECT_TRUE(same_bits(a.members[i].outputs, b.members[i].outputs)) << i;
    EXPECT_EQ(a.members[i].energy_error, b.members[i].energy_error) << i;
    EXPECT_EQ(a.members[i].message, b.members[i].message) << i;
  }
  ASSERT_EQ(a.energy.has_value(), b.energy.has_value());
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.notes, b.notes);
  EXPECT_EQ(a.moved, b.moved);
  EXPECT_EQ(a.steps, b.steps);
  if (!a.energy) return;
  EXPECT_TRUE(same_bits(a.energy->t, b.energy->t));
  EXPECT_TRUE(same_bits(a.energy->mean, b.energy->mean));
  EXPECT_TRUE(same_bits(a.energy->variance, b.energy->variance));
  EXPECT_TRUE(same_bits(a.energy->max, b.energy->max));
}

TEST_F(Lanes, ReportsDoNotDependOnThreads) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    EnsembleRequest r = request_of(c);
    r.options.native = "off";
    r.threads = 1;
    const EnsembleReport one = ensemble(MemberSource{c.system}, r);
    for (const int threads : {2, 3}) {
      r.threads = threads;
      expect_same(one, ensemble(MemberSource{c.system}, r));
    }
  }
}

// One of the members leaves its domain in finite time: it stops where it would alone, with the same words, and its neighbours in
// the lanes do not notice.
TEST_F(Lanes, AMemberThatStopsDoesNotTouchTheOthers) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x)\"\n", "escaping.toml");
  for (const char* native : {"off", "on"})
    for (const char* method : {"spark-gauss", "spark-lobatto-ab"}) {
      EnsembleRequest r;
      r.members = members_on_grid({{"x", -8.0, 0.0, 21}});
      r.options = {.method = method, .stages = 2, .step = 0.01, .until = 4.0, .native = native};
      const EnsembleReport found = ensemble(model, r);
      EXPECT_FALSE(found.failed.empty());
      EXPECT_LT(found.failed.size(), 10U);
      for (std::size_t i = 0; i < found.members.size(); ++i) {
        Model one = model;
        one.q0 = {r.members.values[i]};
        Options o = r.options;
        o.native = "off";
        const Trajectory run = simulate(one, o);
        EXPECT_EQ(found.members[i].status, run.status) << method << ' ' << i;
        EXPECT_TRUE(same_words(found.members[i].message, run.message)) << method << ' ' << i << run.message;
        EXPECT_TRUE(same_bits(found.members[i].q, run.q)) << method << ' ' << i;
      }
    }
}

// Hertz contact: neighbours in the lanes take different branches, and the slope of the one that is not taken is no number.
TEST_F(Lanes, TakeTheirOwnBranches) {
  const Model model = parse_model(
      "coordinates = [\"x\", \"y\"]\n[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"if(x < 0, 20*(-x)^2.5, "
      "0) "
      "+ x + max(y^2, log(x - 0.1))\"\n[constraints.nonholonomic]\nlevel = \"y' - x*x'\"\n",
      "contact.toml");
  for (const char* method : {"spark-gauss", "spark-lobatto-ab", "dg-gonzalez"}) {
    const int stages = std::string_view(method).starts_with("spark") ? 2 : 0;
    for (const char* native : {"off", "on"}) {
      EnsembleRequest r;
      r.members = members_on_grid({{"x", -0.2, 0.3, 17}});
      r.options = {.method = method, .stages = stages, .step = 0.01, .until = 2.0, .native = native};
      const EnsembleReport found = ensemble(model, r);
      EXPECT_TRUE(found.failed.empty()) << method;
      for (std::size_t i = 0; i < found.members.size(); ++i) {
        Model one = model;
        one.q0[0] = r.members.values[i];
        Options o = r.options;
        o.native = "off";
        const Trajectory run = simulate(one, o);
        EXPECT_EQ(run.status, Status::done) << run.message;
        EXPECT_TRUE(same_bits(found.members[i].q, run.q)) << method << ' ' << i;
        EXPECT_LT(run.energy->max_error, stages > 0 ? 1e-3 : 1e-12) << method << ' ' << i;
      }
    }
  }
}

// The tests above would pass as well if nothing were ever taken in lanes.
TEST_F(Lanes, AreTakenWhereTheyCanBe) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.what);
    const EnsembleRequest r = request_of(c);
    Options o = r.options;
    o.keep_records = false;
    LaneCode code(rattleback::Native::off, 0.0, 1);
    try {
      SharedRun shared(load_model(c.system), o, code);
      EXPECT_TRUE(c.lanes || std::strcmp(c.what, "a parameter of the motion") == 0);
      EXPECT_TRUE(shared.add());
      const auto results = shared.run();
      ASSERT_EQ(results.size(), 1U);
      EXPECT_TRUE(results[0].has_value());
    } catch (const Error& e) {
      EXPECT_FALSE(c.lanes) << e.what();
    }
  }
}

TEST_F(Lanes, DoNotAllocateInAStep) {
  for (const char* native : {"off", "on"})
    for (const Case& c : cases()) {
      if (!c.lanes) continue;
      SCOPED_TRACE(c.what);
      Options o = request_of(c).options;
      const Model model = load_model(c.system);
      o = complete(model, o);
      const System system(model);
      const Start start = consistent_start(system, true);
      BoundMethod method = bind(system, o, start);
      auto& stepper = dynamic_cast<PlanStepper&>(*method.stepper);
      LaneGroup lanes(stepper);
      NativeCode compiled;
      if (std::strcmp(native, "on") == 0) {
        compiled = native_code(LaneGroup::step_text(stepper));
        ASSERT_NE(compiled.steps, nullptr) << compiled.fault;
        lanes.set_code(reinterpret_cast<LaneSteps>(compiled.steps));
      }
      for (int lane = 0; lane < LaneGroup::kWidth; ++lane) {
        stepper.start(0.0, start.q, start.v, start.multipliers, start.acceleration);
        lanes.put(lane);
      }
      lanes.advance(o.step, 10);
      const long before = allocations;
      lanes.advance(o.step, 200);
      EXPECT_EQ(allocations, before);
      EXPECT_TRUE(lanes.has(3));
    }
}

}  // namespace
}  // namespace rattleback::testing
