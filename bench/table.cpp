// The table of the benchmark: for each case a hand-written kernel, the text model interpreted and with compiled steps, and their
// ratios; then ensembles and the long chain. `rattleback bench` runs this program.
//   bench_table [--quick] [--json] [--output FOLDER] [--check]    --check: exit 1 when an enforced row exceeds its limit or a step allocates
//   bench_table --list                                            the cases, as instructions.py wants them
//   bench_table --once CASE WAY                                   2000 steps of one side, for callgrind
// Absolute times depend on the machine and its load. All sides of all cases are therefore timed in turn, in batches with one look
// of the audit, and the fastest batch of each counts, in time of the processor.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "chains.hpp"
#include "count_allocations.hpp"
#include "generated_side.hpp"
#include "lanes_side.hpp"
#include "rattleback/analysis.hpp"
#include "results.hpp"

namespace {

using bench::Case;
using bench::Way;
using Json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kBatch = 1000;  // steps between two looks of the audit

// Goals for text models: ratios to the kernel, of each row and of their geometric mean.
constexpr double kRowInterpreter = 15.0, kRowNative = 5.0, kRowCpp = 5.0;
constexpr double kMeanInterpreter = 8.0, kMeanNative = 3.0, kMeanCpp = 1.5, kEnsembleText = 3.0;
constexpr double kChainText = 120.0, kChainFlat = 1.15;

volatile double sink;

struct Effort {
  int rounds = 12;             // over all cases
  int batches = 5;             // of each side in a round
  double most_seconds = 0.02;  // of one side in a round
};

// Of the processor, not of the clock on the wall: others may run in between.
double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double seconds_of(const auto& work) {
  const double begin = processor_seconds();
  work();
  return processor_seconds() - begin;
}

// The least time of a unit of work that was done in turn with others.
struct Timed {
  double ns = kInfinity;
  std::int64_t allocations = 0;
  void see(double seconds, double units) { ns = std::min(ns, seconds * 1e9 / units); }
};

double geometric_mean(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += std::log(value);
  return std::exp(sum / static_cast<double>(x.size()));
}

struct CaseRow {
  Case what;
  std::array<std::unique_ptr<bench::Side>, bench::kWays.size()> sides;
  std::array<Timed, bench::kWays.size()> time;
  [[nodiscard]] bool has(Way way) const { return sides[index(way)] != nullptr; }
  [[nodiscard]] double ns(Way way) const { return time[index(way)].ns; }
  [[nodiscard]] double ratio(Way way) const { return ns(way) / ns(Way::kernel); }
};

void run(bench::Side& side, double h) {
  side.advance(h, kBatch);
  sink = side.audit();
}

std::vector<CaseRow> measure_cases(const Effort& effort) {
  std::vector<CaseRow> rows;
  for (Case& c : bench::cases_with_generated_steps()) {
    CaseRow row{.what = std::move(c), .sides = {}, .time = {}};
    for (const Way way : bench::kWays) {
      std::string why;
      auto& side = row.sides[index(way)] = bench::make_side(row.what, way, &why);
      if (side) run(*side, row.what.h);  // whatever is allocated or learnt once
      if (!side && way == Way::native) fmt::print(stderr, "{}: no native steps: {}\n", row.what.name(), why);
    }
    rows.push_back(std::move(row));
  }
  for (int round = 0; round < effort.rounds; ++round)
    for (CaseRow& row : rows)
      for (const Way way : bench::kWays) {
        if (!row.has(way)) continue;
        Timed& t = row.time[index(way)];
        const std::int64_t before = allocations();
        double spent = 0.0;  // the first batch of a visit fills the caches and teaches the branch predictor
        for (int i = 0; i < effort.batches && spent < effort.most_seconds; ++i) {
          const double s = seconds_of([&] { run(*row.sides[index(way)], row.what.h); });
          t.see(s, kBatch);
          spent += s;
        }
        t.allocations += allocations() - before;
      }
  return rows;
}

// --- ensembles: many trajectories in lanes on one thread, per trajectory and step

struct EnsembleRow {
  std::string method, system;
  std::size_t lanes = 0;  // of the kernel
  double reference_ns = 0.0;
  Timed kernel, compiled, interpreted;
};

template <class Kernel>
void measure_ensemble(std::vector<EnsembleRow>& rows, const Effort& effort, const std::string& method,
                      const std::string& system, const rattleback::LoadOptions& load, double h, double reference_ns,
                      Kernel kernel, void (*step)(Kernel&, double, std::int64_t)) {
  EnsembleRow row{.method = method,
                  .system = system,
                  .lanes = Kernel::kLanes,
                  .reference_ns = reference_ns,
                  .kernel = {},
                  .compiled = {},
                  .interpreted = {}};
  bench::Lanes compiled(system, load, method, h, true), interpreted(system, load, method, h, false);
  compiled.copy_to(kernel);
  for (int round = 0; round < effort.rounds * effort.batches; ++round) {
    row.kernel.see(seconds_of([&] {
                     step(kernel, h, kBatch);
                     sink = kernels::audit(kernel).energy;
                   }),
                   static_cast<double>(kBatch) * static_cast<double>(Kernel::kLanes));
    const double steps = static_cast<double>(kBatch) * static_cast<double>(bench::Lanes::kWidth);
    row.compiled.see(seconds_of([&] { sink = compiled.advance(kBatch); }), steps);
    if (round % 4 == 0) row.interpreted.see(seconds_of([&] { sink = interpreted.advance(kBatch); }), steps);
  }
  rows.push_back(row);
}

std::vector<EnsembleRow> measure_ensembles(const Effort& effort) {
  std::vector<EnsembleRow> rows;
  rattleback::LoadOptions oscillator;
  oscillator.set = {{"eps", std::to_string(bench::kEps)}, {"z0", "-0.4"}};
  measure_ensemble<kernels::ContactOscillators>(rows, effort, "mclachlan-perlmutter", "contact-oscillator", oscillator,
                                                bench::kOscillatorStep, 0.70, {.q = {}, .v = {}, .eps = bench::kEps},
                                                &kernels::mclachlan_perlmutter);
  measure_ensemble<kernels::DoublePendulums>(rows, effort, "rattle", "double-pendulum", {}, 0.01, 11.3, {},
                                             &kernels::rattle);
  return rows;
}

// --- the chain of N rods, per link and step

struct ChainRow {
  std::size_t links = 0;
  Timed kernel, compiled, interpreted;
  double constraint = 0.0;  // of the compiled steps, after the run
};

std::vector<ChainRow> measure_chains(const Effort& effort, bool quick) {
  constexpr std::int64_t kLinksPerBatch = 200'000;
  std::vector<ChainRow> rows;
  std::vector<std::unique_ptr<bench::Chain>> chains, interpreted;
  std::vector<kernels::Chain> kernel;
  for (const int n : {1000, 10'000, 100'000}) {
    if (quick && n > 10'000) continue;
    rows.push_back({.links = static_cast<std::size_t>(n), .kernel = {}, .compiled = {}, .interpreted = {}});
    const std::int32_t unroll_below = rattleback::LoadOptions{}.unroll_below;
    chains.push_back(std::make_unique<bench::Chain>(n, "prk-lobatto", 2, unroll_below, true));
    interpreted.push_back(std::make_unique<bench::Chain>(n, "prk-lobatto", 2, unroll_below));
    kernels::Chain& k = kernel.emplace_back(static_cast<std::size_t>(n));
    std::copy(chains.back()->start.q.begin(), chains.back()->start.q.end(), k.q.begin());
    kernels::rattle(k, bench::kChainStep, 5);
  }
  for (int round = 0; round < effort.rounds; ++round)
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto steps = std::max<std::int64_t>(1, kLinksPerBatch / static_cast<std::int64_t>(rows[i].links));
      rows[i].kernel.see(seconds_of([&] { kernels::rattle(kernel[i], bench::kChainStep, steps); }),
                         static_cast<double>(steps) * static_cast<double>(rows[i].links));
      const std::int64_t before = allocations();
      const double links = static_cast<double>(steps) * static_cast<double>(rows[i].links);
      rows[i].compiled.see(seconds_of([&] { chains[i]->advance(steps); }), links);
      if (round % 2 == 0) rows[i].interpreted.see(seconds_of([&] { interpreted[i]->advance(steps); }), links);
      rows[i].compiled.allocations += allocations() - before;
    }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const rattleback::StepTaker& s = *chains[i]->bound.stepper;
    const auto o = chains[i]->system.observe(s.t(), s.q(), s.v());
    rows[i].constraint = std::max(o.position, o.velocity);
  }
  return rows;
}

// --- what is said about them

struct Goal {
  std::string what;
  double value, most;
  [[nodiscard]] bool reached() const { return value <= most; }
};

std::vector<Goal> goals(const std::vector<CaseRow>& cases, const std::vector<EnsembleRow>& ensembles,
                        const std::vector<ChainRow>& chains) {
  std::vector<Goal> out;
  double allocated = 0.0;
  const auto way = [&](Way w, const char* name, double mean, double each) {
    std::vector<double> ratios;
    for (const CaseRow& row : cases)
      if (row.has(w) && row.what.counted) {
        ratios.push_back(row.ratio(w));
        allocated += static_cast<double>(row.time[index(w)].allocations);
      }
    if (ratios.empty()) return;
    out.push_back({fmt::format("{}, geometric mean of {} ratios to the kernel", name, ratios.size()),
                   geometric_mean(ratios), mean});
    out.push_back({fmt::format("{}, largest ratio", name), *std::max_element(ratios.begin(), ratios.end()), each});
  };
  way(Way::cpp, "C++ model", kMeanCpp, kRowCpp);
  way(Way::native, "text model, native", kMeanNative, kRowNative);
  way(Way::interpreter, "text model, interpreter", kMeanInterpreter, kRowInterpreter);
  std::vector<double> ratios;
  for (const EnsembleRow& row : ensembles) ratios.push_back(row.compiled.ns / row.kernel.ns);
  if (!ratios.empty())
    out.push_back({"ensemble, text model, ratio to the lanes", geometric_mean(ratios), kEnsembleText});
  if (!chains.empty()) {
    double least = kInfinity, most = 0.0, excess = 0.0;
    for (const ChainRow& row : chains) {
      least = std::min(least, row.compiled.ns);
      most = std::max(most, row.compiled.ns);
      excess =
          std::max(excess, row.constraint / (static_cast<double>(row.links) * std::numeric_limits<double>::epsilon()));
      allocated += static_cast<double>(row.compiled.allocations);
    }
    out.push_back({"chain, text model, ns per link and step", most, kChainText});
    if (chains.back().links >= 100'000)  // --quick leaves out the one that matters here
      out.push_back({"chain, largest over smallest, 1e3 to 1e5 links", most / least, kChainFlat});
    out.push_back({"chain, constraint in N eps", excess, 10.0});
  }
  out.push_back({"allocations in all timed steps", allocated, 0.0});
  return out;
}

// What the test insists on: no allocations, and the largest ratios of the rows that keep them.
bool holds(const std::vector<CaseRow>& cases, const std::vector<Goal>& goals) {
  bool good = goals.back().reached();
  for (const CaseRow& row : cases)
    if (row.what.enforced)
      good = good && row.ratio(Way::interpreter) <= kRowInterpreter &&
             (!row.has(Way::native) || row.ratio(Way::native) <= kRowNative);
  return good;
}

std::string shown(double ns) { return std::isfinite(ns) ? fmt::format("{:.1f}", ns) : "-"; }
std::string shown_ratio(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}", ratio) : "-"; }

// Tables that are readable as they are and as Markdown.
std::string text(const std::vector<CaseRow>& cases, const std::vector<EnsembleRow>& ensembles,
                 const std::vector<ChainRow>& chains, const std::vector<Goal>& goals, const Json& where) {
  const Json& m = where.at("machine");
  std::string out =
      fmt::format("{}, {} cores, {}, commit {}\n\n", m.at("processor").get<std::string>(), m.at("cores").get<int>(),
                  m.at("compiler").get<std::string>(), where.at("commit").get<std::string>());
  out +=
      "One trajectory, ns per step, and ratios to the kernel. `limit`: what a kernel took on another machine. The last "
      "row has\n"
      "another kernel for the case above it and is not among the 9 of the goals.\n\n";
  out += fmt::format("| {:<42} | {:>6} | {:>7} | {:>11} | {:>7} | {:>6} | {:>13} | {:>8} | {:>6} |\n", "case", "limit",
                     "kernel", "interpreter", "native", "C++", "interp/kernel", "n/kernel", "C++/k");
  out += "|---|---|---|---|---|---|---|---|---|\n";
  for (const CaseRow& row : cases)
    out +=
        fmt::format("| {:<42} | {:>6g} | {:>7} | {:>11} | {:>7} | {:>6} | {:>13} | {:>8} | {:>6} |\n", row.what.name(),
                    row.what.reference_ns, shown(row.ns(Way::kernel)), shown(row.ns(Way::interpreter)),
                    shown(row.ns(Way::native)), shown(row.ns(Way::cpp)), shown_ratio(row.ratio(Way::interpreter)),
                    shown_ratio(row.ratio(Way::native)), shown_ratio(row.ratio(Way::cpp)));
  if (!ensembles.empty()) {
    out += "\nEnsembles on one thread, ns per trajectory and step.\n\n";
    out += fmt::format("| {:<52} | {:>6} | {:>7} | {:>11} | {:>8} | {:>8} |\n|---|---|---|---|---|---|\n", "case",
                       "limit", "kernel", "interpreter", "native", "n/kernel");
    for (const EnsembleRow& row : ensembles)
      out += fmt::format("| {:<52} | {:>6g} | {:>7.2f} | {:>11.1f} | {:>8.2f} | {:>8.2f} |\n",
                         fmt::format("{}, {} ({} lanes)", row.method, row.system, row.lanes), row.reference_ns,
                         row.kernel.ns, row.interpreted.ns, row.compiled.ns, row.compiled.ns / row.kernel.ns);
  }
  if (!chains.empty()) {
    out += "\nPlanar chain of N rods, rattle, ns per link and step. `limit` is 28.8.\n\n";
    out += fmt::format("| {:>8} | {:>7} | {:>11} | {:>7} | {:>8} | {:>11} |\n|---|---|---|---|---|---|\n", "N",
                       "kernel", "interpreter", "native", "n/kernel", "constraint");
    for (const ChainRow& row : chains)
      out +=
          fmt::format("| {:>8} | {:>7.1f} | {:>11.1f} | {:>7.1f} | {:>8.2f} | {:>11.1e} |\n", row.links, row.kernel.ns,
                      row.interpreted.ns, row.compiled.ns, row.compiled.ns / row.kernel.ns, row.constraint);
  }
  out += fmt::format("\nGoals.\n\n| {:<58} | {:>8} | {:>6} | |\n|---|---|---|---|\n", "", "measured", "goal");
  for (const Goal& g : goals)
    out += fmt::format("| {:<58} | {:>8.4g} | {:>6g} | {} |\n", g.what, g.value, g.most,
                       g.reached() ? "reached" : "missed");
  return out;
}

Json json(const std::vector<CaseRow>& cases, const std::vector<EnsembleRow>& ensembles,
          const std::vector<ChainRow>& chains, const std::vector<Goal>& goals, Json out) {
  out["cases"] = Json::array();
  for (const CaseRow& row : cases) {
    Json c = {{"method", row.what.method},
              {"stages", row.what.stages},
              {"system", row.what.system},
              {"step", row.what.h},
              {"limit_ns", row.what.reference_ns}};
    for (const Way way : bench::kWays)
      if (row.has(way)) c[fmt::format("{}_ns", bench::kWayNames[index(way)])] = row.ns(way);
    for (const Way way : bench::kWays)
      if (row.has(way) && way != Way::kernel) c[fmt::format("{}_ratio", bench::kWayNames[index(way)])] = row.ratio(way);
    out["cases"].push_back(std::move(c));
  }
  out["ensembles"] = Json::array();
  for (const EnsembleRow& row : ensembles)
    out["ensembles"].push_back({{"method", row.method},
                                {"system", row.system},
                                {"lanes", row.lanes},
                                {"limit_ns", row.reference_ns},
                                {"kernel_ns", row.kernel.ns},
                                {"interpreter_ns", row.interpreted.ns},
                                {"native_ns", row.compiled.ns}});
  out["chain"] = Json::array();
  for (const ChainRow& row : chains)
    out["chain"].push_back({{"links", row.links},
                            {"kernel_ns", row.kernel.ns},
                            {"interpreter_ns", row.interpreted.ns},
                            {"native_ns", row.compiled.ns},
                            {"constraint", row.constraint}});
  out["goals"] = Json::array();
  for (const Goal& g : goals)
    out["goals"].push_back({{"goal", g.what}, {"measured", g.value}, {"most", g.most}, {"reached", g.reached()}});
  return out;
}

int once(const std::string& name, const std::string& way_name) {
  for (const Case& c : bench::cases_with_generated_steps())
    for (const Way way : bench::kWays)
      if (c.name() == name && bench::kWayNames[index(way)] == way_name) {
        std::string why;
        const auto side = bench::make_side(c, way, &why);
        if (!side) {
          fmt::print(stderr, "bench_table: {} has no side '{}': {}\n", name, way_name, why);
          return 2;
        }
        run(*side, c.h);
        run(*side, c.h);
        return 0;
      }
  fmt::print(stderr, "bench_table: no case '{}' with a side '{}'. `bench_table --list` names the cases; sides are {}\n",
             name, way_name, fmt::join(bench::kWayNames, ", "));
  return 2;
}

int list() {
  for (const Case& c : bench::cases_with_generated_steps())
    fmt::print("{}\t{}\t{}\n", c.name(), c.most_instructions, c.cpp ? "cpp" : "");
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  bool quick = false, as_json = false, check = false;
  std::optional<std::string> folder;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--quick")
      quick = true;
    else if (word == "--json")
      as_json = true;
    else if (word == "--check")
      check = true;
    else if (word == "--output" && i + 1 < argc)
      folder = argv[++i];
    else if (word == "--list" && argc == 2)
      return list();
    else if (word == "--once" && argc == 4)
      return once(argv[2], argv[3]);
    else {
      fmt::print(stderr,
                 "bench_table: unknown argument '{}'. Known: --quick, --json, --output FOLDER, --check, --list, "
                 "--once CASE WAY\n",
                 word);
      return 2;
    }
  }
  const Effort effort = quick ? Effort{.rounds = 3, .batches = 3, .most_seconds = 0.01} : Effort{};
  const auto cases = measure_cases(effort);
  const auto ensembles = measure_ensembles(effort);
  const auto chains = measure_chains(effort, quick);
  const auto goal_list = goals(cases, ensembles, chains);
  const Json where = {{"commit", bench::commit()}, {"machine", bench::machine()}};
  const Json result = json(cases, ensembles, chains, goal_list, where);
  const std::string page = text(cases, ensembles, chains, goal_list, where);
  if (folder) {
    const std::string base = bench::write_results(*folder, result, page);
    fmt::print(stderr, "written: {0}.json, {0}.md\n", base);
  }
  fmt::print("{}", as_json ? result.dump(2) + "\n" : page);
  return check && !holds(cases, goal_list) ? 1 : 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "bench_table: {}\n", error.what());
  return 2;
}
