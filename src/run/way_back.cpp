#include "run/way_back.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "audit/claims.hpp"
#include "run/pace.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

bool advance_back(RunParts& run, double h, std::int64_t steps, const std::function<bool()>& go_on) {
  Pace pace;
  while (steps > 0 && go_on()) {
    const AdvanceReport report =
        run.single ? run.single->across(h) : run.stepper().advance(h, std::min(steps, pace.steps()));
    if (!report.ok) return false;
    steps -= report.done;
    (void)pace.over(report.done);
  }
  return steps == 0;
}

bool all_the_way(RunParts& run, const std::function<bool()>& go_on) {
  if (run.adaptive()) return run.single->go_back(go_on);
  StepTaker& s = run.stepper();
  const bool turned = s.turn_round() > 0;  // a two-step method is turned by swapping its two positions: one step less
  const bool shorter = run.grid.last != 0.0;
  const bool ok = !shorter || turned || advance_back(run, -run.grid.last, 1, go_on);
  return ok && advance_back(run, -run.grid.h, run.grid.whole - (turned && !shorter ? 1 : 0), go_on);
}

// Relative to the largest number of the start and of the end: the start may be all 0.
double defect(const RunParts& run, const Trajectory& out) {
  double defect = 0.0, size = 0.0;
  const auto compare = [&](std::span<const double> a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < b.size(); ++i) defect = std::fmax(defect, std::fabs(a[i] - b[i]));
  };
  for (const auto* list : {&run.start.q, &run.start.v, &out.q, &out.v})
    for (const double x : *list) size = std::fmax(size, std::fabs(x));
  compare(unwrapped_positions(run.stepper()), run.start.q);
  if (!run.method.two_step) compare(run.stepper().v(), run.start.v);
  return defect / std::fmax(size, 1e-300);
}

}  // namespace

void integrate_back(RunParts& run, Trajectory& out) {
  const StepTaker& s = run.stepper();
  if (!run.adaptive() && !s.active().empty()) {
    out.notes.push_back("not integrated back: an impact on a unilateral constraint cannot be undone");
    return;
  }
  bool cancelled = false;
  const bool ok = all_the_way(run, [&] {
    cancelled = cancelled || run.options.stop.stop_requested();
    return !cancelled;
  });
  if (cancelled) {
    out.status = Status::cancelled;
    out.message = fmt::format("cancelled on the way back, at t = {:.10g}: all {} steps were kept", s.t(), run.steps);
    return;
  }
  if (!ok) {
    out.notes.push_back(fmt::format("integrating back stopped at t = {:g}", s.t()));
    return;
  }
  out.reverse_defect = defect(run, out);
  if (out.redundant && !out.redundant->changes.empty()) {
    out.notes.emplace_back(
        "the subset of constraints that is integrated changes elsewhere on the way back, and steps with other subsets "
        "have other errors: the defect of integrating back says nothing about symmetry here");
    return;
  }
  // With the pi controller the way back has other steps, whatever the method.
  if (!run.method.symmetric || (run.adaptive() && !run.single->retraces())) return;
  if (std::string note = symmetry_contradiction(run.method.name, *out.reverse_defect, run.options.newton_tol);
      !note.empty())
    out.notes.push_back(std::move(note));
}

}  // namespace rattleback
