// A thousand runs for one question: how long must the arm be for the tip to come back to its height after 3 s? Everything is
// derived once.
#include <cmath>
#include <cstdio>

#include <rattleback/rattleback.hpp>

constexpr const char* kPendulum = R"toml(coordinates = ["theta"]
parameters = { l = 1.0, g = 9.81, c = 0.02 }
[lagrangian]
kinetic   = "l^2*theta'^2/2"
potential = "-g*l*cos(theta)"
[forces]
theta = "-c*theta'"
[initial]
theta = 1.0
)toml";

int main() {
  using namespace rattleback;
  const Prepared pendulum =
      prepare(parse_model(kPendulum, "pendulum.toml"),
              {.method = "spark-gauss", .stages = 2, .step = 0.03, .steps = 100, .keep_records = false});
  double best = 0.0, least = 1e300;
  for (int k = 0; k < 1000; ++k) {
    const double l = 0.5 + 0.002 * k;
    const Trajectory run = pendulum.run({.parameters = {{"l", l}}});
    const double miss = std::fabs(run.v[run.index("theta'")]) - run.q[run.index("theta")];
    if (miss < least) {
      least = miss;
      best = l;
    }
  }
  std::printf("l = %.3f\n", best);
}
