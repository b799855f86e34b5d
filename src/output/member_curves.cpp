#include "output/member_curves.hpp"

#include "plot/figure.hpp"

namespace rattleback::report {

MemberCurves::MemberCurves(std::vector<std::string> names, std::size_t members)
    : names_(std::move(names)), every_((members + kMost - 1) / kMost) {}

void MemberCurves::add(std::size_t member, const Trajectory& run) {
  if (member % every_ != 0) return;
  Curve curve{.member = member, .points = {}};
  for (const std::string& name : names_)
    curve.points.push_back(plot::thinned(run.records.t, run.column(name), kPixels));
  curves_.push_back(std::move(curve));
}

}  // namespace rattleback::report
