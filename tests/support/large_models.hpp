// Models with families, for tests of large systems.
#pragma once

#include <string>

#include "rattleback/model.hpp"

namespace rattleback::testing {

inline constexpr std::int32_t kFamilies = 2, kUnrolled = 1000;  // unroll_below

// Particles with a blade each, their centre held: sparse but for one dense row, so that there is no narrow band.
inline constexpr const char* kBlades = R"toml(
coordinates = ["x[1:N]", "y[1:N]", "th[1:N]"]
[parameters]
N = 12
[lagrangian]
kinetic = "sum(i = 1:N, (x[i]'^2 + y[i]'^2 + (1 + i/N)*th[i]'^2)/2)"
potential = "sum(i = 1:N, (x[i]-i/2)^2 + y[i]^2 + (x[i]-i/2)^4 - cos(th[i])/3) + sum(i = 2:N, (y[i]-y[i-1])^2/4)"
[constraints.holonomic]
centre = "sum(i = 1:N, y[i])"
[constraints.nonholonomic]
"blade[i=1:N]" = "cos(th[i])*y[i]' - sin(th[i])*x[i]'"
[initial]
"x[i=1:N]" = "i/3"
"th[i=1:N]" = "0.1*i"
"th[i=1:N]'" = "0.3"
[run]
step = 0.01
until = 0.5
)toml";

// Tops in quaternions, each with its own inertia and tied to the next: L_vv alone is singular.
inline constexpr const char* kTops = R"toml(
coordinates = ["e0[1:N]", "e1[1:N]", "e2[1:N]", "e3[1:N]"]
[parameters]
N = 12
[lagrangian]
kinetic = """sum(i = 1:N, 2*(-e1[i]*e0[i]' + e0[i]*e1[i]' + e3[i]*e2[i]' - e2[i]*e3[i]')^2
  + 4*(-e2[i]*e0[i]' - e3[i]*e1[i]' + e0[i]*e2[i]' + e1[i]*e3[i]')^2
  + 6*(1 + i/N)*(-e3[i]*e0[i]' + e2[i]*e1[i]' - e1[i]*e2[i]' + e0[i]*e3[i]')^2)"""
potential = "sum(i = 1:N, e1[i]*e0[i]) + sum(i = 2:N, (e0[i]*e2[i-1] - e1[i]*e3[i-1])^2)"
[constraints.holonomic]
"unit[i=1:N]" = "e0[i]^2 + e1[i]^2 + e2[i]^2 + e3[i]^2 - 1"
[initial]
"e0[i=1:N]" = "0.6"
"e1[i=1:N]" = "0.8"
"e2[i=1:N]'" = "0.3"
"e3[i=1:N]'" = "0.5 - i/20"
[run]
step = 0.01
until = 0.5
)toml";

// Polar pendulums: the mass matrix depends on the position and couples neighbours.
inline constexpr const char* kPolar = R"toml(
coordinates = ["r[1:N]", "a[1:N]"]
[parameters]
N = 12
[lagrangian]
kinetic = "sum(i = 1:N, (r[i]'^2 + r[i]^2*a[i]'^2)/2) + sum(i = 2:N, (a[i]' - a[i-1]')^2/5*(2 + cos(a[i])))"
potential = "sum(i = 1:N, r[i]*sin(a[i]) + (r[i]-1)^2) + sum(i = 2:N, (a[i]-a[i-1])^2/2)"
[constraints.holonomic]
"gear[i=2:N]" = "r[i]^2 + r[i-1]^2 - 2"
[constraints.nonholonomic]
roll = "r[1]' - a[1]'*sin(a[1])"
[initial]
"r[i=1:N]" = "1"
"a[i=1:N]" = "0.1*i"
[run]
step = 0.01
until = 0.5
)toml";

inline Model chain(int links, std::int32_t unroll_below = LoadOptions{}.unroll_below) {
  return load_model("chain", {.set = {{"N", std::to_string(links)}}, .unroll_below = unroll_below});
}
inline Model text(const char* model, int n, std::int32_t unroll_below) {
  return parse_model(model, "large.toml", {.set = {{"N", std::to_string(n)}}, .unroll_below = unroll_below});
}

}  // namespace rattleback::testing
