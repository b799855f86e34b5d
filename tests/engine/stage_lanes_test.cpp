// Stages in lanes: which formulas are packed, which are not, and that the bits stay.
#include "engine/text/stage_lanes.hpp"

#include <bit>
#include <random>
#include <set>

#include "engine/plan_stepper.hpp"
#include "engine/private_cache.hpp"
#include "engine/text/step_slots.hpp"
#include "expr/instructions.hpp"
#include "support/motion.hpp"

namespace rattleback::testing {
namespace {

// As step_text.cpp does; `named`: the text knows every slot.
StageLanes lanes_of(const Plan& plan, bool named) {
  const StepSlots slots(plan, 0);
  return {plan, slots, named ? std::vector<char>(plan.image().size(), 1) : slots.named(false)};
}

// Runs the statements as the text does: packs and slots are two kinds of memory.
class Machine {
 public:
  Machine(const StageLanes& lanes, std::vector<double> w)
      : lanes_(lanes), w_(std::move(w)), packs_(lanes.packs().size()) {
    for (std::size_t k = 0; k < packs_.size(); ++k) packs_[k].assign(lanes.packs()[k].size(), 0.0);
  }
  double& slot(std::uint32_t x) {
    const StageLanes::Place h = lanes_.home(x);
    return h.pack >= 0 ? packs_[static_cast<std::size_t>(h.pack)][static_cast<std::size_t>(h.lane)] : w_[x];
  }
  void run(const Program& p) {
    const auto steps = lanes_.steps(p);
    if (steps.empty())
      for (const Instruction& in : p.code) single(p, in);
    for (const LaneStep& step : steps)
      if (step.pack < 0)
        single(p, *step.code[0]);
      else
        pack(p, step);
  }

 private:
  // By the interpreter, on a workspace of its own.
  double value(const Program& p, const Instruction& in, double a, double b, double c) {
    if (in.code == Code::lookup || in.code == Code::lookup_slope) b = 0.0;
    double w[4] = {a, b, c, 0.0};
    Program one;
    one.tables = p.tables;
    const bool table = in.code == Code::lookup || in.code == Code::lookup_slope;
    one.add(in.code, 3, 0, table ? static_cast<std::int32_t>(in.b) : 1, 2);
    one.run(w);
    return w[3];
  }
  void single(const Program& p, const Instruction& in) {
    if (in.code == Code::end) return;
    if (in.code == Code::clear) {
      for (std::uint32_t k = 0; k < in.b; ++k) slot(in.dst + k) = 0.0;
      return;
    }
    const int count = slots_read(in.code);
    slot(in.dst) = value(p, in, slot(in.a), count > 1 ? slot(in.b) : 0.0, count > 2 ? slot(in.c) : 0.0);
  }
  void pack(const Program& p, const LaneStep& step) {
    const auto lanes = lanes_.packs()[static_cast<std::size_t>(step.pack)].size();
    std::vector<double> out;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      double x[3] = {0.0, 0.0, 0.0};
      for (std::size_t k = 0; k < 3; ++k)
        if (!step.operands[k].empty())
          x[k] =
              step.packs[k] >= 0 ? packs_[static_cast<std::size_t>(step.packs[k])][lane] : slot(step.operands[k][lane]);
      out.push_back(step.code.empty() ? x[0] : value(p, *step.code[lane], x[0], x[1], x[2]));
    }
    packs_[static_cast<std::size_t>(step.pack)] = out;
    for (std::size_t lane = 0; lane < step.code.size(); ++lane) slot(step.code[lane]->dst) = out[lane];
  }

  const StageLanes& lanes_;
  std::vector<double> w_;
  std::vector<std::vector<double>> packs_;
};

// All programs one after the other, twice, from numbers that do not belong to any motion.
void expect_same_bits(const Plan& plan, bool named) {
  const StageLanes lanes = lanes_of(plan, named);
  std::vector<double> w = plan.image();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  for (std::size_t slot = 0; slot < w.size(); ++slot)
    if (!lanes.constant(static_cast<std::uint32_t>(slot))) w[slot] = number(random);
  Machine machine(lanes, w);
  for (int round = 0; round < 2; ++round) {
    for (const Program* p : programs_of(plan)) {
      p->run(w.data());
      machine.run(*p);
      for (const Instruction& in : p->code)
        if (in.code != Code::end && in.code != Code::clear)
          ASSERT_EQ(std::bit_cast<std::uint64_t>(w[in.dst]), std::bit_cast<std::uint64_t>(machine.slot(in.dst)))
              << in.dst;
    }
    const auto change = [&](std::int32_t slot) {  // what the text around them writes
      machine.slot(static_cast<std::uint32_t>(slot)) = w[static_cast<std::size_t>(slot)] += 0.25;
    };
    for (const std::int32_t u : plan.unknown_slots()) change(u);
    for (const Plan::Block& b : plan.blocks())
      for (std::int32_t k = 0; b.leading && k < b.leading->size; ++k) change(b.leading->y + k);
  }
}

struct Counted {
  std::size_t vectors = 0, singles = 0, gathered = 0;
};
Counted count(const StageLanes& lanes, const Program& p) {
  Counted out;
  for (const LaneStep& step : lanes.steps(p))
    ++(step.pack < 0 ? out.singles : step.code.empty() ? out.gathered : out.vectors);
  return out;
}

const Plan& plan_of(const Motion& motion) {
  return *dynamic_cast<const PlanStepper&>(*motion.stepper).step_shape().plan;
}

TEST(StageLanes, GaussStagesAreAlike) {
  for (const int stages : {3, 4}) {
    SCOPED_TRACE(stages);
    const Motion motion(shipped("quartic-particles"), method("spark-gauss", stages));
    const Plan& plan = plan_of(motion);
    const StageLanes lanes = lanes_of(plan, false);
    const Program& residual = plan.blocks().at(0).residual;
    const Counted found = count(lanes, residual);
    // What is left is there once only, as the end of the step, or has a shape of its own: with three stages the middle one.
    EXPECT_LT(static_cast<double>(found.singles), 0.25 * static_cast<double>(residual.code.size()));
    EXPECT_LT(static_cast<double>(found.vectors + found.gathered),
              1.4 / stages * static_cast<double>(residual.code.size()));
  }
}

TEST(StageLanes, TheBitsAreThoseOfTheProgram) {
  const std::pair<const char*, int> methods[] = {
      {"spark-gauss", 2}, {"spark-gauss", 3}, {"spark-gauss", 5}, {"spark-lobatto-ab", 4}};
  for (const char* const system : {"quartic-particles", "nonholonomic-particle", "skate"})
    for (const auto& [name, stages] : methods) {
      SCOPED_TRACE(::testing::Message() << system << " " << name << " " << stages);
      const Motion motion(shipped(system), method(name, stages));
      const Plan& plan = plan_of(motion);
      for (const bool named : {false, true}) expect_same_bits(plan, named);
    }
  for (const char* const name : {"prk-lobatto", "prk-murua"})
    for (const int stages : {3, 4}) {
      SCOPED_TRACE(::testing::Message() << name << " " << stages);
      const Motion motion(shipped("double-pendulum"), method(name, stages));
      for (const bool named : {false, true}) expect_same_bits(plan_of(motion), named);
    }
}

// Unknowns x_i with equations that `equation` gives.
template <class Equation>
Plan small_plan(int count, Equation&& equation) {
  Equations eq;
  eq.inputs = {{kPosition, 1}, {kStepSize, 1}};
  Graph& g = eq.graph;
  for (std::int32_t i = 0; i < count; ++i) {
    NodeId all = g.zero();  // every equation has every unknown: one block
    for (std::int32_t j = 0; j < count; ++j)
      all = g.add(all, g.mul(g.constant(0.01 + 0.1 * i + 0.03 * j), g.variable(kUnknown, j)));
    eq.residuals.push_back(equation(g, i, g.variable(kUnknown, i), all));
    eq.scales.push_back(Equations::Scale::state);
    eq.guesses.push_back(g.zero());
  }
  eq.results = {g.variable(kUnknown, 0)};
  return Plan(std::move(eq));
}

TEST(StageLanes, FormulasOfAnotherShapeAreNotPacked) {
  const Plan alike = small_plan(4, [](Graph& g, int, NodeId x, NodeId all) {
    return g.sub(x, g.div(g.mul(all, all), g.add(g.constant(3.0), all)));
  });
  const StageLanes some = lanes_of(alike, true);
  const Counted found = count(some, alike.blocks().at(0).residual);
  EXPECT_GT(found.vectors, 0U);
  EXPECT_EQ(found.singles, 0U);
  expect_same_bits(alike, true);
  const Plan other = small_plan(4, [](Graph& g, int i, NodeId x, NodeId all) {
    NodeId y = g.unary(Op::sin, all);
    if (i == 1) y = g.unary(Op::exp, g.neg(all));
    if (i == 2) y = g.unary(Op::sqrt, g.add(g.constant(2.0), g.unary(Op::cos, all)));
    if (i == 3) y = g.div(g.constant(1.0), g.add(g.constant(5.0), g.unary(Op::sin, g.unary(Op::cos, all))));
    return g.sub(x, y);
  });
  const StageLanes sums = lanes_of(other, true);
  for (const LaneStep& step : sums.steps(other.blocks().at(0).residual))
    for (const Instruction* in : step.code) EXPECT_TRUE(step.pack < 0 || in->code == step.code[0]->code);
  expect_same_bits(other, true);
}

TEST(StageLanes, LanesAreIndependent) {
  const Motion motion(shipped("double-pendulum"), method("prk-murua", 4));
  const Plan& plan = plan_of(motion);
  const StageLanes lanes = lanes_of(plan, false);
  ASSERT_FALSE(lanes.empty());
  for (const Program* p : programs_of(plan)) {
    const auto steps = lanes.steps(*p);
    if (steps.empty()) continue;
    // Every instruction is there, and none reads what comes after it.
    std::set<const Instruction*> done;
    std::set<std::uint32_t> written, ready;
    for (const Instruction& in : p->code)
      if (in.code != Code::end && in.code != Code::clear) written.insert(in.dst);
    for (const LaneStep& step : steps) {
      for (const LaneSlots& x : step.operands)
        for (const std::uint32_t slot : x)
          if (step.pack >= 0) EXPECT_TRUE(!written.contains(slot) || ready.contains(slot)) << slot;
      for (const Instruction* in : step.code) {
        done.insert(in);
        ready.insert(in->dst);
      }
    }
    EXPECT_EQ(done.size(), p->code.size() - 1);
  }
}

// Compiled, with lanes and without them.
TEST_F(Native, StagesInLanesKeepTheBits) {
  const std::tuple<const char*, const char*, int> cases[] = {{"quartic-particles", "spark-gauss", 4},
                                                             {"nonholonomic-particle", "spark-gauss", 6},
                                                             {"double-pendulum", "prk-lobatto", 4}};
  for (const auto& [system, name, stages] : cases) {
    SCOPED_TRACE(system);
    Motion with(shipped(system), method(name, stages)), without(shipped(system), method(name, stages)),
        interpreted(shipped(system), method(name, stages));
    dynamic_cast<PlanStepper&>(*without.stepper).set_stage_lanes(false);
    EXPECT_NE(dynamic_cast<const PlanStepper&>(*with.stepper).step_text(),
              dynamic_cast<const PlanStepper&>(*without.stepper).step_text());
    ASSERT_EQ(with.stepper->go_native(false), "");
    ASSERT_EQ(without.stepper->go_native(false), "");
    for (Motion* m : {&with, &without, &interpreted}) m->advance(0.01, 300);
    for (const Motion* m : {&without, &interpreted})
      for (std::size_t i = 0; i < m->stepper->q().size(); ++i) {
        EXPECT_EQ(with.stepper->q()[i], m->stepper->q()[i]);
        EXPECT_EQ(with.stepper->v()[i], m->stepper->v()[i]);
      }
  }
}

}  // namespace
}  // namespace rattleback::testing
