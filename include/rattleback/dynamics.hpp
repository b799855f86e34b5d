// The equations of motion of a mechanical model as numbers, at one state:  M a + K^T lambda = f.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "rattleback/export.hpp"
#include "rattleback/model.hpp"

namespace RATTLEBACK_API rattleback {

// The equations of motion at one state. For one thread at a time. Nothing is allocated after construction. Matrices are
// row-major; spans must have the sizes that are said, else Error.
class Dynamics {
 public:
  // Throws Error for other kinds of models. The state is that of the model's start.
  explicit Dynamics(const Model& model);
  // What was moved from can only be assigned to or destroyed:
  Dynamics(Dynamics&&) noexcept;
  Dynamics& operator=(Dynamics&&) noexcept;
  ~Dynamics();

  [[nodiscard]] std::int32_t n() const;  // how many coordinates there are
  [[nodiscard]] std::int32_t m() const;  // how many constraints: holonomic ones first

  // Any state, consistent or not.
  void set(double t, std::span<const double> q, std::span<const double> v);
  // Another value of a parameter. One by which something was decided (a friction that was 0) is derived anew.
  void set_parameter(std::string_view name, double value);
  // The input of a port, in place of its formula if it has one.
  void set_input(std::string_view port, double u);

  void mass(std::span<double> M);                 // M = L_vv, n x n
  void momentum(std::span<double> p);             // L_v, n numbers
  void force(std::span<double> f);                // f, n numbers; if it contains lambda, at that of acceleration()
  void constraint_jacobian(std::span<double> K);  // K, m x n: g_q, then k_v
  // g, as many as there are holonomic constraints; then d/dt g and k, m of them.
  void residuals(std::span<double> position, std::span<double> velocity);
  // Accelerations and multipliers, n and m of them. Throws Error where they are not determined.
  void acceleration(std::span<double> a, std::span<double> lambda);
  [[nodiscard]] double energy();   // v^T L_v - L
  [[nodiscard]] double kinetic();  // v^T L_vv v / 2

 private:
  struct Impl;
  void derive(const Model& model);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rattleback
