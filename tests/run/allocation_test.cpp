// Adaptive steps, dense output and the search for events allocate nothing in a step: a run that is longer has as many
// allocations as a short one.

#include "run/support.hpp"
#include "support/count_allocations.hpp"
#include "support/count_allocations_of.hpp"

namespace rattleback::testing {

long allocations_so_far() { return allocations; }

namespace {

long allocations_in(const Model& model, Options options, double until) {
  options.until = until;
  options.keep_records = false;
  const long before = allocations;
  const Trajectory run = simulate(model, options);
  EXPECT_EQ(run.status, Status::done);
  return allocations - before;
}

TEST(SingleSteps, DoNotAllocate) {
  const Model model = kepler();
  for (const char* controller : {"pi", "reversible"}) {
    const Options options = adaptive("spark-gauss", 2, 1e-6, 1.0, controller);
    (void)allocations_in(model, options, 1.0);  // what is made once
    EXPECT_EQ(allocations_in(model, options, 20.0), allocations_in(model, options, 200.0)) << controller;
  }
  for (const int stages : {2, 5}) {  // dense output from the ends, and through the stages
    Options options = adaptive("spark-gauss", stages, 0.0, 1.0);
    options.step = 0.01;
    options.event = {"x - 100", "sin(x) + 3"};
    options.output_every = 0.003;
    (void)allocations_in(model, options, 1.0);
    EXPECT_EQ(allocations_in(model, options, 20.0), allocations_in(model, options, 60.0)) << stages;
  }
}

// q3 of the gearbox turns every 25 steps.
TEST(SingleSteps, DoNotAllocateWhenAnglesAreWrapped) {
  const Model model = shipped("gearbox");
  Options plain = adaptive("spark-gauss", 2, 0.0, 1.0);
  plain.formulation = "";
  plain.step = 0.1;
  plain.native = "off";  // to compile allocates, and where steps are slow the longer run would
  Options looking = plain;
  looking.event = {"q3 - 1e6"};
  looking.output_every = 0.03;
  Options controlled = plain;
  controlled.adaptive = 1e-6;
  for (const Options& options : {plain, looking, controlled}) {
    (void)allocations_in(model, options, 1.0);
    EXPECT_EQ(allocations_in(model, options, 20.0), allocations_in(model, options, 200.0));
  }
}

}  // namespace
}  // namespace rattleback::testing
