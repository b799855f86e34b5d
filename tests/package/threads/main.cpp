// Eight threads on one model, under the thread sanitizer: runs of several methods, checks, and an ensemble of its own threads.
#include <array>
#include <cstdio>
#include <rattleback/rattleback.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8, kRounds = 3;

struct Case {
  const char *system, *method;
  int stages;
  double step;
};
constexpr std::array kCases = {Case{"double-pendulum", "rattle", 0, 0.01},
                               Case{"double-pendulum", "prk-lobatto", 3, 0.02},
                               Case{"skate", "spark-lobatto-ab", 3, 0.1},
                               Case{"skate", "mclachlan-perlmutter", 0, 0.1},
                               Case{"skate", "gonzalez-r", 0, 0.1},
                               Case{"two-oscillators", "collocation-gauss", 2, 0.05},
                               Case{"nonholonomic-particle", "spark-gauss", 2, 0.05}};

std::string numbers(const rattleback::Model& model, const Case& c) {
  rattleback::Options options{.method = c.method, .stages = c.stages, .step = c.step, .steps = 40};
  options.native = "off";
  const rattleback::Trajectory run = rattleback::simulate(model, options);
  std::string out = run.message;
  for (const auto* list : {&run.q, &run.v, &run.records.energy})
    out.append(reinterpret_cast<const char*>(list->data()), list->size() * sizeof(double));
  return out;
}

}  // namespace

int main() {
  for (const Case& c : kCases) {
    const rattleback::Model model = rattleback::load_model(c.system);
    const std::string expected = numbers(model, c);
    std::vector<int> wrong(kThreads, 0);
    std::vector<std::jthread> threads;
    for (int k = 0; k < kThreads; ++k)
      threads.emplace_back([&, k] {
        for (int round = 0; round < kRounds; ++round)
          wrong[static_cast<std::size_t>(k)] += numbers(model, c) != expected;
        if (k % 4 == 1) wrong[static_cast<std::size_t>(k)] += rattleback::check(model).coordinates == 0;
        if (k % 4 == 2)
          wrong[static_cast<std::size_t>(k)] += rattleback::audit_statements(model, rattleback::check(model)).empty();
      });
    threads.clear();
    for (const int count : wrong)
      if (count != 0) {
        std::fprintf(stderr, "%s on %s: other numbers in a thread\n", c.method, c.system);
        return 1;
      }
  }
  // One Prepared for all of them, with and without parameters of their own.
  const rattleback::Model model = rattleback::load_model("double-pendulum");
  const auto [name, value] = model.parameters.front();
  const rattleback::Prepared prepared =
      rattleback::prepare(model, {.method = "rattle", .step = 0.01, .steps = 40, .native = "off"});
  const auto end = [&](double factor) { return prepared.run({.parameters = {{name, factor * value}}}).q; };
  const std::vector<double> own = end(1.0), other = end(1.5);
  std::vector<int> wrong(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < kThreads; ++k)
      threads.emplace_back([&, k] {
        for (int round = 0; round < 5; ++round)
          wrong[static_cast<std::size_t>(k)] += (round + k) % 2 == 0 ? end(1.0) != own : end(1.5) != other;
      });
  }
  for (const int count : wrong)
    if (count != 0) {
      std::fprintf(stderr, "other numbers from one Prepared in a thread\n");
      return 1;
    }
  rattleback::EnsembleRequest request;
  request.members = rattleback::members_on_grid({{"theta'", -1.0, 1.0, 100}});
  request.threads = kThreads;
  request.options.step = 0.1;
  request.options.until = 2.0;
  request.options.native = "off";
  return rattleback::ensemble(rattleback::MemberSource{"skate"}, request).members.size() == 100 ? 0 : 1;
}
