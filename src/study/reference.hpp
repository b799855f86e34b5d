// What errors are measured against: the model's [exact], or a run of higher order.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "option/option_table.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

struct Reference {
  bool exact = false;
  std::string text;                       // "exact", "spark-gauss:8:0.025"
  std::vector<double> q, v, multipliers;  // at the end; empty when exact
};

// `asked`: "exact", "NAME:S:H", or "" = [exact] when there is one (and `may_be_exact`), else a method of the highest
// order (8 stages) at the smallest step. Throws Error when that is wrong or does not reach the end.
Reference find_reference(const Model& model, const std::string& asked, double smallest_step, double until,
                         const Options& options, Place place, bool may_be_exact = true);

// 2-norm of the difference.
double distance(const std::vector<double>& a, const std::vector<double>& b);
double size_of(const std::vector<double>& a);

// One run to `until` for its end state alone, with nothing recorded on the way.
Options end_state_options(Options options, double step, double until);

}  // namespace rattleback
