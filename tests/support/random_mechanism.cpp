// Random mechanisms: trees and loops of 2 to 6 bodies. A configuration is drawn first, and the joints are defined from it;
// velocities are the nearest consistent ones to random ones.
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "rattleback/simulate.hpp"
#include "support/long_mechanics.hpp"
#include "support/mechanism_text.hpp"
#include "support/random_models.hpp"

namespace rattleback::testing {
namespace {

constexpr int kGround = MechanismText::kGround;

class MechanismDraw {
 public:
  MechanismDraw(std::uint64_t number, std::uint64_t attempt, double length)
      : draw_(number, 100 + attempt), text_(fmt::format("random mechanism {}", number)), length_(length) {}

  std::string make(bool& redundant) {
    plane_ = draw_.chance(0.25);
    const int bodies = plane_ ? draw_.whole(2, 6) : draw_.chance(0.75) ? draw_.whole(2, 3) : draw_.whole(4, 6);
    const bool mixed = draw_.chance(0.2);
    const Rotation one = plane_ ? Rotation::plane : draw_.chance(0.6) ? Rotation::quaternion : Rotation::directors;
    const bool graded = draw_.chance(0.4);  // masses over six decades
    freedom_ = 0;
    for (int i = 0; i < bodies; ++i) {
      const Rotation rotation = mixed && !plane_ && draw_.chance(0.5) ? Rotation::quaternion : one;
      text_.add(body(rotation, graded));
      freedom_ += plane_ ? 3 : 6;
      join(fmt::format("J{}", i), draw_.chance(i == 0 ? 0.85 : 0.2) ? kGround : draw_.whole(kGround, i - 1), i);
    }
    for (int loop = 0; loop < 2; ++loop)
      if (draw_.chance(0.5)) close(fmt::format("L{}", loop), bodies);
    for (int spring = 0; spring < 2; ++spring)
      if (draw_.chance(0.5)) {
        const int a = draw_.whole(kGround, bodies - 2), b = draw_.whole(std::max(a, 0) + (a >= 0 ? 1 : 0), bodies - 1);
        const double mass = a == kGround ? mass_of(b) : std::fmin(mass_of(a), mass_of(b));
        text_.spring(a, b, point(), point(), mass * draw_.in(2, 40),
                     draw_.chance(0.5) ? 0.0 : length_ * draw_.in(0.1, 0.5));
      }
    if (draw_.chance(0.7)) text_.gravity(9.81 * length_, plane_ ? 1 : draw_.whole(0, 2));
    if (!hinged_.empty() && freedom_ > 1 && draw_.chance(0.25)) {
      const auto& [which, axis] = hinged_.front();
      text_.crank("drive", which, axis,
                  fmt::format("{}*t + {}*sin({}*t)", draw_.in(0.5, 3), draw_.in(0, 0.3), draw_.in(1, 3)));
      --freedom_;
    }
    redundant = draw_.chance(0.15) && repeat();
    for (int i = 0; i < bodies; ++i)
      text_.velocity(i, length_ * vec(-1, 1), plane_ ? Vec3{0, 0, draw_.in(-2, 2)} : vec(-2, 2));
    return text_.text();
  }

  [[nodiscard]] int freedom() const { return freedom_; }

 private:
  Vec3 vec(double from, double to) {
    const double x = draw_.in(from, to), y = draw_.in(from, to), z = draw_.in(from, to);
    return {x, y, plane_ ? 0.0 : z};
  }
  Vec3 point() { return length_ * vec(-1, 1); }
  Vec3 axis() { return plane_ ? Vec3{0, 0, 1} : unit(vec(-1, 1) + Vec3{0, 0.1, 0}); }
  [[nodiscard]] double mass_of(int body) const { return text_.bodies()[static_cast<std::size_t>(body)].mass; }

  MechanismText::Body body(Rotation rotation, bool graded) {
    const double mass = graded ? draw_.decades(-3, 3) : draw_.in(0.3, 3);
    const Vec3 box = vec(0.1, 0.6);  // the sides of a brick of this inertia
    const double a = box[0] * box[0], b = box[1] * box[1], c = plane_ ? 0.01 : box[2] * box[2];
    const double f = mass * length_ * length_ / 12;
    const double angle = draw_.in(-3, 3);
    const Vec3 about = axis();
    return {rotation, mass, {f * (b + c), f * (a + c), f * (a + b)}, point(), turn(about, angle)};
  }

  void join(const std::string& name, int a, int b) {
    const Vec3 at = point(), u = axis();
    if (plane_) {
      text_.pin(name, a, b, at);
      freedom_ -= 2;
      if (a == kGround) hinged_.push_back({b, u});
      return;
    }
    switch (draw_.whole(0, 5)) {
      case 0:
      case 1:
        text_.spherical(name, a, b, at);
        freedom_ -= 3;
        break;
      case 2:
      case 3:
        text_.revolute(name, a, b, at, u);
        freedom_ -= 5;
        if (a == kGround) hinged_.push_back({b, u});
        last_hinge_ = {name, a, b, at, u};
        break;
      case 4:
        text_.universal(name, a, b, at, u, across(u));
        freedom_ -= 4;
        break;
      default: text_.distance(name, a, b, at, point()); freedom_ -= 1;
    }
  }

  void close(const std::string& name, int bodies) {
    const int a = draw_.whole(kGround, bodies - 2), b = bodies - 1;
    if (plane_ ? freedom_ > 2 : freedom_ > 3 && draw_.chance(0.6)) {
      if (plane_)
        text_.pin(name, a, b, point());
      else
        text_.spherical(name, a, b, point());
      freedom_ -= plane_ ? 2 : 3;
    } else if (freedom_ > 1) {
      text_.distance(name, a, b, point(), point());
      freedom_ -= 1;
    }
  }

  // A second hinge on the axis of a door: five rows that follow from those of the other.
  bool repeat() {
    if (last_hinge_.name.empty()) return false;
    text_.revolute("R", last_hinge_.a, last_hinge_.b, last_hinge_.at + (0.3 * length_) * last_hinge_.axis,
                   last_hinge_.axis);
    return true;
  }

  struct Hinged {
    int body;
    Vec3 axis;
  };
  struct Hinge {
    std::string name;
    int a = 0, b = 0;
    Vec3 at = {}, axis = {};
  };
  Draw draw_;
  MechanismText text_;
  double length_;
  bool plane_ = false;
  int freedom_ = 0;
  std::vector<Hinged> hinged_;
  Hinge last_hinge_;
};

}  // namespace

RandomModel random_mechanism(std::uint64_t number) {
  for (std::uint64_t attempt = 0; attempt < 50; ++attempt) {
    RandomModel out{.family = RandomFamily::mechanism, .number = number};
    MechanismDraw draw(number, attempt, 1.0);
    const std::string rough = draw.make(out.redundant);
    if (draw.freedom() < 1) continue;
    try {
      out.text = with_consistent_start(rough);
      const Model model = parse_model(out.text, "random.toml", {.unroll_below = kLargestFamily});
      LongMechanics mechanics(model);
      const auto motion = mechanics.motion(0, widened(model.q0), widened(model.v0));
      const bool full = motion.rank == mechanics.coordinates() + mechanics.constraints();
      if (full == out.redundant || motion.smallest_pivot < 1e-5L) continue;  // a configuration near a singular one
      Real rate = 1;  // of the motion: by velocities and accelerations
      for (std::size_t i = 0; i < model.v0.size(); ++i)
        rate = std::fmax(rate, std::fmax(std::fabs(Real(model.v0[i])), std::sqrt(std::fabs(motion.acceleration[i]))));
      if (rate > 100) continue;
      out.step = std::round(0.02 / static_cast<double>(rate) * 1e5) / 1e5;
      MechanismDraw again(number, attempt, 1e-4);
      bool same = false;
      out.small = with_consistent_start(again.make(same));
    } catch (const Error&) {  // a text that is wrong: a mistake of the generator's or of the reader's
      throw;
    } catch (const std::runtime_error&) {
      continue;
    }
    return out;
  }
  throw std::logic_error("random_mechanism: no attempt gave a regular mechanism");
}

}  // namespace rattleback::testing
