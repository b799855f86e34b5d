// Numbers that users ask for by expressions of t, the state, multipliers and accelerations: outputs, further columns, events.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "audit/kept_quantities.hpp"
#include "expr/evaluator.hpp"
#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

class Quantities {
 public:
  // None.
  Quantities() = default;
  // Of nodes of a graph, which is the model's or a copy with more in it.
  Quantities(const System& system, const Graph& graph, std::span<const NodeId> nodes);
  // Those that a run records: the model's outputs, what it says is kept (as invariant.NAME), and what Options::output_columns and,
  // behind them, plot_columns ask for besides the columns that there are. Throws Error.
  Quantities(const System& system, const Options& options, const KeptQuantities& kept);

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::size_t drawn() const { return drawn_; }  // the last so many are for plot_columns alone
  [[nodiscard]] bool need_multipliers() const { return need_multipliers_; }
  [[nodiscard]] bool need_accelerations() const { return need_accelerations_; }

  // q: with all turns of angles. What is not needed may be empty. Valid until the next call.
  std::span<const double> operator()(double t, std::span<const double> q, std::span<const double> v,
                                     std::span<const double> multipliers, std::span<const double> accelerations) {
    return (*values_)(t, q, v, multipliers, accelerations);
  }
  void use_parameters(std::span<const double> values) {
    if (values_) values_->set_parameters(values);
  }

 private:
  void evaluate(const System& system, const Graph& graph, std::span<const NodeId> nodes);

  std::vector<std::string> names_;
  std::size_t drawn_ = 0;
  std::optional<Evaluator> values_;
  bool need_multipliers_ = false, need_accelerations_ = false;
};

// What Options::output_columns lists, without the sign of a selection.
std::vector<std::string> listed_columns(const Options& options);
// Does it select, so that nothing else is written?
inline bool selects_columns(const Options& options) { return options.output_columns.starts_with('='); }
// Throws Error, with the name of the option, unless a run can record these columns.
void check_columns(const Model& model, const std::vector<std::string>& items, const std::string& option);
// Is it a pattern, and not an expression with a product?
bool is_pattern(std::string_view item);
// Does a name match a pattern in which * stands for any characters and ? for one?
bool matches(std::string_view name, std::string_view pattern);

}  // namespace rattleback
