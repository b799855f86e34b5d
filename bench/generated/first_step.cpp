// The least program with a generated step, for bench_startup.
#include "double_pendulum_rattle.hpp"

int main() {
  generated::DoublePendulumRattle motion;
  return motion.advance(motion.kStep, 1).ok ? 0 : 1;
}
