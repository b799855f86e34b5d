// Random mechanical systems: masses that are constant or not, Lagrangians of any form, all kinds of constraints, forces
// with and without multipliers, Rayleigh dissipation, families, definitions, branches.
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/long_mechanics.hpp"
#include "support/random_models.hpp"

namespace rattleback::testing {
namespace {

std::string joined(const std::vector<std::string>& terms) {
  std::string out;
  for (const std::string& term : terms) out += (out.empty() ? "" : " + ") + term;
  return out.empty() ? "0" : out;
}

class MechanicalDraw {
 public:
  MechanicalDraw(std::uint64_t number, std::uint64_t attempt)
      : draw_(number, 200 + attempt), head_(fmt::format("name = \"random mechanical {}\"\n", number)) {}

  std::string make(bool& smooth) {
    if (draw_.chance(0.2)) return family();
    const int n = draw_.whole(2, 6);
    const std::vector<std::string> pool = {"x", "y", "z", "theta", "u1", "s"};
    for (int i = 0; i < n; ++i) q_.push_back(pool[static_cast<std::size_t>(i)]);
    for (const std::string& name : q_) v_.push_back(name + "'");
    head_ += "coordinates = [";
    for (int i = 0; i < n; ++i) head_ += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", at(q_, i));
    head_ += "]\n";
    parameters_ = "[parameters]\nm0 = 1.3\nk0 = \"2*m0 - 0.4\"\n";
    with_time_ = draw_.chance(0.3);
    if (with_time_) qt_.push_back("t");
    qt_.insert(qt_.end(), q_.begin(), q_.end());
    lagrangian();
    const int constraints = draw_.whole(0, std::min(n - 1, 3));
    for (int i = 0; i < constraints; ++i) constraint(i);
    forces();
    if (draw_.chance(0.15)) {  // three times differentiable only
      potential_.push_back(fmt::format("if({0} < {1}, 3*({1} - {0})^4, 0)", draw_.of(q_), draw_.in(-0.5, 0.5)));
      smooth = false;
    }
    return write();
  }

 private:
  static const std::string& at(const std::vector<std::string>& list, int i) {
    return list[static_cast<std::size_t>(i)];
  }

  void lagrangian() {
    const int form = draw_.whole(0, 3);  // 0, 1: constant mass; 2: depends on q; 3: any L
    any_ = form == 3;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const double mass = draw_.chance(0.2) ? draw_.decades(-2, 2) : draw_.in(0.5, 2);
      std::string factor = i == 0 ? "m0" : fmt::format("{}", mass);
      if (form >= 2 && draw_.chance(0.5)) factor += fmt::format("*(1.5 + {}*sin({}))", draw_.in(0, 0.6), draw_.of(qt_));
      kinetic_.push_back(fmt::format("{}*{}^2/2", factor, v_[i]));
      if (any_ && draw_.chance(0.3)) kinetic_.push_back(fmt::format("{}*sqrt(1 + {}^2)", draw_.in(0.2, 1), v_[i]));
    }
    if (form >= 1)  // positive: a square
      kinetic_.push_back(
          fmt::format("{}*({} + {}*{})^2/2", draw_.in(0.2, 1), draw_.of(v_), draw_.in(-1, 1), draw_.of(v_)));
    if (any_) kinetic_.push_back(fmt::format("{}*{}*{}", draw_.in(-0.5, 0.5), draw_.of(q_), draw_.of(v_)));
    for (const std::string& name : q_) potential_.push_back(fmt::format("{}*{}^2/2", draw_.in(0.3, 3), name));
    for (int i = draw_.whole(0, 3); i > 0; --i) potential_.push_back(draw_.smooth(any_ ? qt_ : q_));
    if (draw_.chance(0.4)) {
      definitions_ += fmt::format("inner = \"{}\"\nouter = \"inner^2 + {}\"\n", draw_.smooth(q_), draw_.smooth(q_));
      potential_.push_back("0.3*outer");
    }
  }

  void constraint(int i) {
    // Each solves for a coordinate of its own, so that they are independent; the rest of it is random.
    const std::string own = at(q_, i), own_v = at(v_, i);
    std::vector<std::string> others(q_.begin() + i + 1, q_.end()), other_v(v_.begin() + i + 1, v_.end());
    const std::string time = with_time_ ? fmt::format(" - {}*sin({}*t)", draw_.in(0.05, 0.3), draw_.in(0.5, 2)) : "";
    const std::string name = at({"rod", "c_two", "floor"}, i);
    names_.push_back(name);
    switch (draw_.whole(0, 6)) {
      case 0: holonomic_ += fmt::format("{} = \"{} - {}{}\"\n", name, own, draw_.smooth(others), time); break;
      case 1: {
        const double c = draw_.in(1.2, 2);
        holonomic_ += fmt::format("{} = \"(({} + {})^2 + {}*{}^2 - {})/2\"\n", name, own, c, draw_.in(0.3, 1),
                                  draw_.of(others), c * c);
        break;
      }
      case 2:
        holonomic_ += fmt::format("{} = \"sin({}) + {}*{} - {}*{}{}\"\n", name, own, draw_.in(0.5, 1), own,
                                  draw_.in(0.2, 1), draw_.of(others), time);
        break;
      case 3: {
        nonholonomic_ += fmt::format("{} = \"{} - ({})*{}{}\"\n", name, own_v, draw_.smooth(q_), draw_.of(other_v),
                                     with_time_ ? fmt::format(" - {}*cos(t)", draw_.in(0.1, 0.4)) : "");
        break;
      }
      case 4:
        nonholonomic_ +=
            fmt::format("{0} = \"cos({1})*{2} - sin({1})*{3}\"\n", name, draw_.of(others), own_v, draw_.of(other_v));
        break;
      case 5:
        nonholonomic_ += fmt::format("{} = \"{}*(1.5 + {}*sin({})) + {}*{}\"\n", name, own_v, draw_.in(0, 0.5),
                                     draw_.of(qt_), draw_.in(-1, 1), draw_.of(other_v));
        break;
      default:  // nonlinear in the velocities
        nonholonomic_ += fmt::format("{} = \"({}^2 - {}*{}^2 - {})/2\"\n", name, own_v, draw_.in(0.2, 0.6),
                                     draw_.of(other_v), draw_.in(0.5, 1.5));
        velocities_[static_cast<std::size_t>(i)] = draw_.chance(0.5) ? 1.1 : -1.1;
    }
  }

  void forces() {
    if (draw_.chance(0.35))
      rayleigh_ = fmt::format("{}*({} - {}*{})^2/2", draw_.in(0.1, 0.6), at(v_, 0), draw_.in(-1, 1), at(v_, 1));
    if (!draw_.chance(0.5)) return;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (draw_.chance(0.5)) continue;
      std::vector<std::string> terms = {fmt::format("-{}*{}", draw_.in(0.05, 0.5), v_[i])};
      if (draw_.chance(0.3)) terms.push_back(fmt::format("{}*cos({}*t)", draw_.in(0.1, 0.6), draw_.in(0.5, 3)));
      if (draw_.chance(0.3)) terms.push_back(fmt::format("(-0.1)*{}^3", v_[i]));
      if (!names_.empty() && draw_.chance(0.3)) {
        const std::string lambda = "lambda(" + draw_.of(names_) + ")";
        if (draw_.chance(0.6))
          terms.push_back(fmt::format("{}*{}*{}", draw_.in(0.05, 0.15), lambda, draw_.of(v_)));
        else
          terms.push_back(fmt::format("{}*sqrt(1 + {}^2)*tanh({})", draw_.in(0.05, 0.15), lambda, v_[i]));
      }
      forces_ += fmt::format("{} = \"{}\"\n", q_[i], joined(terms));
    }
  }

  std::string write() {
    std::string out = head_ + parameters_;
    const auto table = [&](const char* name, const std::string& lines) {
      if (!lines.empty()) out += fmt::format("[{}]\n{}", name, lines);
    };
    table("define", definitions_);
    if (any_)
      table("lagrangian", fmt::format("L = \"{} - ({})\"\n", joined(kinetic_), joined(potential_)));
    else
      table("lagrangian", fmt::format("kinetic = \"{}\"\npotential = \"k0*{}^2/5 + {}\"\n", joined(kinetic_), at(q_, 0),
                                      joined(potential_)));
    table("constraints.holonomic", holonomic_);
    table("constraints.nonholonomic", nonholonomic_);
    table("forces", forces_);
    if (!rayleigh_.empty()) table("dissipation", fmt::format("rayleigh = \"{}\"\n", rayleigh_));
    out += "[initial]\n";
    for (std::size_t i = 0; i < q_.size(); ++i)
      out += fmt::format("{} = {}\n\"{}\" = {}\n", q_[i], draw_.in(-0.5, 0.5), v_[i],
                         velocities_[i] != 0 ? velocities_[i] : draw_.in(-1, 1));
    return out;
  }

  // Beads on wires, coupled: families, sums, arrays, an index as a number.
  std::string family() {
    const int n = draw_.whole(2, 3);
    std::string out = head_ + "coordinates = [\"a[1:N]\", \"b[1:N]\"]\n[parameters]\n";
    out += fmt::format("N = {}\nmass = [", n);
    for (int i = 0; i < n; ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", draw_.decades(-1, 1));
    out += fmt::format("]\n[define]\n\"height[i=1:N]\" = \"b[i] + {}*sin(a[i]*i)\"\n", draw_.in(0.1, 0.5));
    out += "[lagrangian]\nkinetic = \"sum(i = 1:N, mass[i]*(a[i]'^2 + b[i]'^2)/2";
    if (draw_.chance(0.4)) out += fmt::format("*(1.5 + {}*cos(a[i]))", draw_.in(0.1, 0.5));
    out += fmt::format(
        ")\"\npotential = \"sum(i = 1:N, {}*height[i]^2 + a[i]^2) + sum(i = 2:N, {}*(a[i] - a[i-1])^2/2)\"\n",
        draw_.in(0.3, 2), draw_.in(0.3, 2));
    const bool holonomic = draw_.chance(0.5);
    if (holonomic)
      out += fmt::format("[constraints.holonomic]\n\"wire[i=1:N]\" = \"b[i] - {}*a[i]^2 - {}*cos(a[i])\"\n",
                         draw_.in(0.1, 0.6), draw_.in(-0.5, 0.5));
    else
      out += fmt::format("[constraints.nonholonomic]\n\"blade[i=1:N]\" = \"b[i]' - {}*sin(a[i] + i)*a[i]'\"\n",
                         draw_.in(0.3, 1));
    if (draw_.chance(0.4))
      out += fmt::format("[forces]\n\"a[i=1:N]\" = \"-{}*a[i]' + 0.1*i*cos(t)\"\n", draw_.in(0.1, 0.5));
    out += "[initial]\n";
    for (int i = 1; i <= n; ++i)
      out += fmt::format("\"a[{0}]\" = {1}\n\"a[{0}]'\" = {2}\n\"b[{0}]'\" = {3}\n", i, draw_.in(-0.5, 0.5),
                         draw_.in(-1, 1), draw_.in(-1, 1));
    return out;
  }

  Draw draw_;
  std::string head_, parameters_, definitions_, holonomic_, nonholonomic_, forces_, rayleigh_;
  std::vector<std::string> q_, v_, qt_, names_, kinetic_, potential_;
  double velocities_[6] = {};
  bool with_time_ = false, any_ = false;
};

}  // namespace

RandomModel random_mechanical(std::uint64_t number) {
  for (std::uint64_t attempt = 0; attempt < 50; ++attempt) {
    RandomModel out{.family = RandomFamily::mechanical, .number = number};
    const std::string rough = MechanicalDraw(number, attempt).make(out.smooth);
    try {
      out.text = with_consistent_start(rough);
      const Model model = parse_model(out.text, "random.toml", {.unroll_below = kLargestFamily});
      LongMechanics mechanics(model);
      const auto motion = mechanics.motion(0, widened(model.q0), widened(model.v0));
      if (motion.rank < mechanics.coordinates() + mechanics.constraints() || motion.smallest_pivot < 1e-4L) continue;
      Real rate = 1;
      for (std::size_t i = 0; i < model.v0.size(); ++i)
        rate = std::fmax(rate, std::fmax(std::fabs(Real(model.v0[i])), std::sqrt(std::fabs(motion.acceleration[i]))));
      if (!(rate < 10)) continue;
      out.step = std::round(0.05 / static_cast<double>(rate) * 1e4) / 1e4;
    } catch (const Error&) {
      throw;
    } catch (const std::runtime_error&) {
      continue;  // no consistent start near what was drawn
    }
    return out;
  }
  throw std::logic_error("random_mechanical: no attempt gave a regular system");
}

}  // namespace rattleback::testing
