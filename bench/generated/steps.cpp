#include "generated/steps.hpp"

#include "contact_oscillator_ab.hpp"
#include "contact_oscillator_mp.hpp"
#include "double_pendulum_lobatto.hpp"
#include "double_pendulum_murua.hpp"
#include "double_pendulum_rattle.hpp"
#include "nonholonomic_particle_gauss.hpp"
#include "quartic_particles_ab.hpp"
#include "quartic_particles_mp.hpp"
#include "quartic_reduced_dg.hpp"

namespace generated {
namespace {

template <class Motion>
class Side final : public Steps {
 public:
  bool advance(double h, std::int64_t steps) override { return motion_.advance(h, steps).ok; }
  double audit() override {
    double out = motion_.energy() - energy_;
    if constexpr (requires { motion_.velocity_residual(); }) out += motion_.velocity_residual();
    return out;
  }
  [[nodiscard]] std::vector<double> state() const override {
    std::vector<double> x(motion_.q.begin(), motion_.q.end());
    x.insert(x.end(), motion_.v.begin(), motion_.v.end());
    return x;
  }

 private:
  Motion motion_;
  double energy_ = motion_.energy();
};

}  // namespace

std::unique_ptr<Steps> steps_of(const std::string& method, const std::string& system) {
  const std::string key = method + " " + system;
  if (key == "mclachlan-perlmutter contact-oscillator") return std::make_unique<Side<ContactOscillatorMp>>();
  if (key == "spark-lobatto-ab contact-oscillator") return std::make_unique<Side<ContactOscillatorAb>>();
  if (key == "mclachlan-perlmutter quartic-particles") return std::make_unique<Side<QuarticParticlesMp>>();
  if (key == "spark-lobatto-ab quartic-particles") return std::make_unique<Side<QuarticParticlesAb>>();
  if (key == "spark-gauss nonholonomic-particle") return std::make_unique<Side<NonholonomicParticleGauss>>();
  if (key == "dg-gonzalez quartic-reduced") return std::make_unique<Side<QuarticReducedDg>>();
  if (key == "rattle double-pendulum") return std::make_unique<Side<DoublePendulumRattle>>();
  if (key == "prk-lobatto double-pendulum") return std::make_unique<Side<DoublePendulumLobatto>>();
  if (key == "prk-murua double-pendulum") return std::make_unique<Side<DoublePendulumMurua>>();
  return nullptr;
}

}  // namespace generated
