// Hand-written steps of single methods on single systems, without the library: what a specialist would write, and the
// limit that the library is measured against. State and parameters are those of models/<system>.toml.
#pragma once

#include <cstdint>

namespace kernels {

struct ContactOscillator {
  double q[3], v[3];  // x y z
  double eps = 0.0;
};
struct QuarticParticles {
  double q[7], v[7];  // x, w1 w2 w3, z1 z2 z3
};

void mclachlan_perlmutter(ContactOscillator& state, double h, std::int64_t steps);
void spark_lobatto_ab(ContactOscillator& state, double h, std::int64_t steps);  // s = 2
void mclachlan_perlmutter(QuarticParticles& state, double h, std::int64_t steps);
void spark_lobatto_ab(QuarticParticles& state, double h, std::int64_t steps);  // s = 2

// What the audit looks at.
struct Audit {
  double energy = 0.0, constraint = 0.0;
};
Audit audit(const ContactOscillator& state);
Audit audit(const QuarticParticles& state);

}  // namespace kernels
