// A long run that is watched, and ended from outside without losing what there is.
#include <cstdio>
#include <stop_token>

#include <rattleback/rattleback.hpp>

int main() {
  using namespace rattleback;
  const Model model = load_model("double-pendulum");
  Options options{.method = "rattle", .step = 0.01, .until = 1e6, .every = 100};

  // A sensor: it is called at the start and after each recorded step, and may end the run.
  double highest = -1e300;
  options.observe = [&](const StepView& now) {
    highest = now.q[1] > highest ? now.q[1] : highest;
    return now.t < 50.0 ? Go::on : Go::stop;
  };
  const Trajectory watched = simulate(model, options);
  std::printf("%s at t = %.0f with %zu records\n", to_string(watched.status), watched.t, watched.records.rows);

  // Somebody else: another thread, a signal, a button.
  std::stop_source button;
  options.stop = button.get_token();
  options.observe = [&](const StepView& now) {
    if (now.t > 20.0) button.request_stop();
    return Go::on;
  };
  const Trajectory cancelled = simulate(model, options);
  std::printf("%s: energy kept to %.0e so far\n", cancelled.message.c_str(), cancelled.energy->max_error);
}
