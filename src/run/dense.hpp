// The motion between the ends of a step. A piece is one step of the method (a step of the pi controller has two).
//
// What is reported is a step of the method, from the start of the piece to the time that is asked for: it has the order of
// the method, and keeps what its steps keep. ode-dop853 has its own polynomial of order 7 instead (dormand_prince.hpp).
//
// Where only signs are wanted, many times in each step, a polynomial shows where to look. Two are known, and the one with
// the higher order is taken:
//   - through the stages. Mechanical: the velocity through v0, the stage velocities V_j at c_j and v1; the position is
//     its integral, with the remainder at the end spread so that q(1) = q1. dae: y through y0, the stages Y_j and y1.
//     With stages of order k (method/runge_kutta/stage_order.hpp), positions have errors O(h^(k+2)), velocities and y O(h^(k+1)).
//   - Hermite's, from the ends. Mechanical: q, v and v' at both ends, degree five: O(h^6) for positions, O(h^5) for
//     velocities. dae: y and y' at both ends, degree three: O(h^4). [HairerNorsettWanner1993, II.6]
// Algebraic states of a port-Hamiltonian system are then solved for. At the ends both are exactly the states of the run.
// In between, constraints hold up to these errors only.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bind/bind.hpp"
#include "system/system.hpp"
#include "tableau/dormand_prince.hpp"

namespace rattleback {

class DenseStep {
 public:
  // `again` binds the method once more. It is called when a step to a time between two steps is wanted.
  using Again = std::function<std::unique_ptr<StepTaker>()>;
  DenseStep(const System& system, const BoundMethod& method, Again again);

  // The state before a step; forgets the step before.
  void begin(const StepTaker& s);
  // One step of the method later.
  void piece(const StepTaker& s);

  [[nodiscard]] double t0() const { return start_.t; }
  [[nodiscard]] double t1() const { return pieces_[count_ - 1].to.t; }
  // So long after t0, and not beyond t1: the stepper at the end of a step of the method to there (0: at t0). Null when that
  // step fails.
  const StepTaker* step_by(double elapsed);
  // The polynomial at a time from t0 to t1. v is empty for a dae. Angles have turned by turns() more.
  void at(double t, std::vector<double>& q, std::vector<double>& v);
  [[nodiscard]] std::span<const double> turns() const { return *turns_; }            // of the last call of at()
  [[nodiscard]] bool records_by_extension() const { return records_by_extension_; }  // at(), not step_by()

 private:
  struct End {
    double t = 0.0;
    std::vector<double> q, v, turns, multipliers, rate;  // rate: v', dae: y'; empty: not computed yet
    bool rate_fails = false;
    int set = -1;  // of constraints
  };
  struct Piece {
    End from, to;
    std::vector<double> snapshot;  // of the stepper where the piece begins
    std::vector<double> to_q;      // the end, with angles counted on from the start: they may have been wrapped there
    std::vector<double> stages;
  };
  static void take(End& end, const StepTaker& s);
  void look_back(const StepTaker& s, std::vector<double>& snapshot) const;
  bool rate(End& end);
  void through_stages(const Piece& p, double theta, std::vector<double>& q, std::vector<double>& v);
  void hermite(Piece& p, double theta, std::vector<double>& q, std::vector<double>& v);
  void extension(const Piece& p, double theta, std::vector<double>& q, std::vector<double>& v);
  // Adds factor times the stage polynomial at theta.
  void interpolate(const Piece& p, double theta, double factor, std::vector<double>& out) const;

  bool mechanical_, use_rates_;
  std::vector<char> algebraic_;  // port-Hamiltonian: which states are; empty = none
  std::unique_ptr<Acceleration> acceleration_;
  Again again_;
  std::unique_ptr<StepTaker> trial_;
  std::vector<double> nodes_, weights_;      // of the stage polynomial, with barycentric weights; empty: not used
  std::vector<std::int32_t> stage_of_node_;  // -1: the start, -2: the end
  std::vector<double> quadrature_c_, quadrature_b_;
  std::optional<std::size_t> extension_at_;  // in the stage values
  bool records_by_extension_;
  DenseExtension extension_;
  std::vector<double> extension_b_;
  End start_;
  std::vector<double> next_snapshot_;
  std::vector<Piece> pieces_;
  std::size_t count_ = 0;
  std::vector<double> whole_;
  const std::vector<double>* turns_ = &start_.turns;
};

}  // namespace rattleback
