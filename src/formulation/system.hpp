// A model made ready for integration: its formulation, and the functions that the audit looks at.
#pragma once

#include <memory>
#include <optional>

#include "formulation/acceleration.hpp"
#include "formulation/dae.hpp"
#include "formulation/evaluator.hpp"
#include "formulation/mechanical.hpp"

namespace rattleback {

class System {
 public:
  // Throws Error when the model has families too large for the solvers.
  explicit System(const Model& model);

  [[nodiscard]] const Model& model() const { return *model_; }
  [[nodiscard]] bool is_mechanical() const { return mechanical_.has_value(); }
  [[nodiscard]] const Mechanical& mechanical() const { return *mechanical_; }
  [[nodiscard]] const Dae& dae() const { return *dae_; }
  [[nodiscard]] bool is_odae() const { return odae_.has_value(); }
  [[nodiscard]] const Overdetermined& odae() const { return *odae_; }
  [[nodiscard]] std::int32_t n() const { return mechanical_ ? mechanical_->n : odae_ ? odae_->ny : dae_->n; }
  [[nodiscard]] std::int32_t nv() const { return mechanical_ ? mechanical_->n : odae_ ? odae_->nz : 0; }
  [[nodiscard]] std::int32_t m() const { return mechanical_ ? mechanical_->m : odae_ ? odae_->m : dae_->m; }
  [[nodiscard]] std::unique_ptr<Acceleration> acceleration() const;

  struct Observation {
    double energy = 0.0;
    double kinetic = 0.0;   // |v . L_v|/2
    double position = 0.0;  // largest |g| (dae: |c|)
    double velocity = 0.0;  // largest |k|
  };
  // `active` (odae, by constraint; empty = all): of a constraint that does not act, only g < 0 is a residual.
  Observation observe(double t, std::span<const double> q, std::span<const double> v,
                      std::span<const char> active = {});
  // Norm of the difference to [exact] at time t; nothing when the model has none.
  std::optional<double> exact_error(double t, std::span<const double> q, std::span<const double> v,
                                    std::span<const double> multipliers);

 private:
  const Model* model_;
  std::optional<Mechanical> mechanical_;
  std::optional<Dae> dae_;
  std::optional<Overdetermined> odae_;
  std::optional<Evaluator> observed_, exact_;
  std::size_t positions_ = 0, velocities_ = 0;
};

}  // namespace rattleback
