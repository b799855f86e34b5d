#include "run/event_bounds.hpp"

#include <cmath>
#include <utility>

namespace rattleback {
namespace {

constexpr double kFirstStep = 8.0;  // ulps of the largest number of its kind: a start, and the step that is looked at
constexpr double kSolved = 16.0;    // more for what is solved for at the state: multipliers and accelerations

double largest(std::span<const double> x) {
  double size = 0.0;
  for (const double each : x) size = std::fmax(size, std::fabs(each));
  return size;
}

}  // namespace

EventBounds::EventBounds(const Graph& graph, std::vector<NodeId> nodes)
    : graph_(graph), nodes_(std::move(nodes)), values_(graph_, nodes_) {}

void EventBounds::see(double h, std::span<const double> q, std::span<const double> v) {
  steps_ += h != 0.0 ? 1.0 : 0.0;
  q_size_ = std::fmax(q_size_, largest(q));
  v_size_ = std::fmax(v_size_, largest(v));
  way_ = std::fmax(way_, std::fabs(h) * largest(v));
}

// Every step adds an ulp of the largest number at most: what is added in it is smaller by the step.
double EventBounds::operator()(std::size_t which, double t, std::span<const double> q, std::span<const double> v,
                               std::span<const double> multipliers, std::span<const double> accelerations) {
  const double relative = kUlp * (kFirstStep + steps_);
  q_error_.assign(q.size(), relative * (std::fmax(q_size_, largest(q)) + way_));
  v_error_.assign(v.size(), relative * std::fmax(v_size_, largest(v)));
  values_.evaluate({.t = t,
                    .q = q,
                    .v = v,
                    .q_error = q_error_,
                    .v_error = v_error_,
                    .multipliers = multipliers,
                    .multiplier_error = kSolved * relative * largest(multipliers),
                    .accelerations = accelerations,
                    .acceleration_error = kSolved * relative * largest(accelerations)});
  return values_[which].error;
}

void EventBounds::save(std::vector<double>& to) const {
  for (const double x : {steps_, q_size_, v_size_, way_}) to.push_back(x);
}

void EventBounds::load(std::span<const double> from) {
  steps_ = from[0];
  q_size_ = from[1];
  v_size_ = from[2];
  way_ = from[3];
}

}  // namespace rattleback
