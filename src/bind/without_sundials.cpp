// In the place of baselines.cpp in builds that leave SUNDIALS out. The registry does not have these methods then.
#include "bind/baselines.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

std::unique_ptr<StepTaker> make_baseline(Baseline, const System&, double, double, double,
                                         std::stop_token) {  // NOLINT(performance-unnecessary-value-param)
  throw Error("this build has none of the methods of SUNDIALS (RATTLEBACK_WITH_SUNDIALS=OFF)");
}

}  // namespace rattleback
