#include "support/mechanisms.hpp"

#include <cmath>
#include <stdexcept>

#include "support/long_mechanics.hpp"

namespace rattleback::testing {
namespace {

constexpr int kGround = MechanismText::kGround;
constexpr double kG = 9.81;

// A rod between two points, its body axis 1 along it, slightly thick.
MechanismText::Body rod(Rotation rotation, const Vec3& from, const Vec3& to, double mass) {
  const Vec3 way = to - from, u = unit(way);
  const double across_it = mass * dot(way, way) / 12, angle = std::acos(u[0]);
  const Vec3 axis = {0, -u[2], u[1]};
  return {.rotation = rotation,
          .mass = mass,
          .inertia = {0.02 * across_it, across_it, across_it},
          .position = from + 0.5 * way,
          .orientation = dot(axis, axis) < 1e-20 ? Quaternion{1, 0, 0, 0} : turn(axis, angle)};
}

std::string run(double step, double until) {
  return "[run]\nmethod = \"prk-lobatto\"\nstages = 2\nstep = " + number(step) + "\nuntil = " + number(until) + "\n";
}
std::string run_rolling(double step, double until) {
  return "[run]\nmethod = \"spark-lobatto-ab\"\nstages = 2\nstep = " + number(step) + "\nuntil = " + number(until) +
         "\n";
}

// Haug's slider-crank: crank about x, rod between two balls, slider along x.
std::string slider_crank(Rotation r) {
  MechanismText m("Spatial slider-crank");
  const Vec3 A = {0, 0.1, 0.12}, B = {0, 0.1, 0.2}, C = {0.2, 0, 0};
  const int crank = m.add({r, 0.12, {1e-4, 1e-4, 1e-4}, A, {1, 0, 0, 0}});
  MechanismText::Body link = rod(r, C, B, 0.5);
  link.inertia = {4e-4, 4e-3, 4e-3};
  const int link_of_it = m.add(link);
  const int slider = m.add({r, 2.0, {1e-4, 1e-4, 1e-4}, C, {1, 0, 0, 0}});
  m.revolute("A", kGround, crank, A, {1, 0, 0});
  m.spherical("B", crank, link_of_it, B);
  m.spherical("C", link_of_it, slider, C);
  m.slider("D", kGround, slider, C, {1, 0, 0});
  m.gravity(kG);
  m.velocity(crank, {0, 0, 0}, {6, 0, 0});
  m.velocity(link_of_it, {0.1, -0.2, 0}, {1, 2, -1});
  return m.text(run(0.005, 1));
}

// Crank and rocker with a coupler between two balls; the crank may be driven.
std::string rssr(Rotation r, bool driven) {
  MechanismText m(driven ? "Spatial four-bar, driven" : "Spatial four-bar");
  const Vec3 A = {0, 0, 0}, B = {0.1, 0, 0.2}, C = {0.6, 0.5, 0.4}, D = {0.7, 0.4, -0.1};
  const int crank = m.add(rod(r, A, B, 0.3)), coupler = m.add(rod(r, B, C, 1.1)), rocker = m.add(rod(r, C, D, 0.7));
  m.revolute("A", kGround, crank, A, {0.2, 1, 0.1});
  m.spherical("B", crank, coupler, B);
  m.spherical("C", coupler, rocker, C);
  m.revolute("D", kGround, rocker, D, {1, 0.3, 0.1});
  if (driven) m.crank("drive", crank, {0.2, 1, 0.1}, "3*t + 0.5*sin(2*t)");
  m.gravity(kG);
  m.spring(kGround, rocker, {0.2, 0.8, 0.1}, C, 12.0, 0.3);
  m.velocity(crank, {0.1, 0, 0}, {0.8, 4, 0.4});
  m.velocity(coupler, {0, 0, 0}, {1, -2, 3});
  return m.text(run(0.005, 1));
}

// Two Hooke's joints with a shaft between them that can slide on the last one's pivot.
std::string cardan_shaft(Rotation r) {
  MechanismText m("Cardan shaft");
  const Vec3 P = {0.4, 0, 0}, S = {1.2, 0.3, 0.1}, end = {1.7, 0.35, 0.2};
  const Vec3 u = unit(P), v = unit(S - P), w = unit(end - S);
  const int first = m.add(rod(r, {0, 0, 0}, P, 1.0)), middle = m.add(rod(r, P, S, 2.0)),
            last = m.add(rod(r, S, end, 1.5));
  m.revolute("bearing1", kGround, first, {0, 0, 0}, u);
  m.universal("joint1", first, middle, P, cross(u, v), cross(v, cross(u, v)));
  m.on_line("joint2", middle, last, S, v);
  m.perpendicular("joint2_1", middle, last, cross(v, w), cross(w, cross(v, w)));
  m.revolute("bearing2", kGround, last, end, w);
  m.gravity(kG);
  m.potential("0.8*R31_3 + 0.5*R22_1");  // out of balance
  m.velocity(first, {0, 0, 0}, 20.0 * u);
  m.velocity(middle, {0, 0, 0}, 20.0 * v);
  m.velocity(last, {0, 0, 0}, 20.0 * w);
  return m.text(run(0.001, 0.2));
}

std::string gimbals(Rotation r) {
  MechanismText m("Gimbals");
  const Quaternion tilt = turn({0.3, 0.1, 0.2}, 0.4);
  const int outer = m.add({r, 0.5, {0.02, 0.03, 0.025}, {0, 0, 0}, {1, 0, 0, 0}});
  const int inner = m.add({r, 0.3, {0.01, 0.012, 0.014}, {0.01, 0, 0.005}, turn({0, 1, 0}, 0.2)});
  const int rotor = m.add({r, 2.0, {0.004, 0.004, 0.0078}, {0, 0, 0.02}, tilt});
  m.revolute("outer", kGround, outer, {0, 0, 0}, {0, 0.1, 1});
  m.revolute("inner", outer, inner, {0, 0, 0}, {1, 0, 0.1});
  m.revolute("spin", inner, rotor, {0, 0, 0}, rotated(tilt, {0, 0, 1}));
  m.gravity(kG);
  m.velocity(rotor, {0, 0, 0}, 60.0 * rotated(tilt, {0, 0, 1}));
  m.velocity(outer, {0, 0, 0}, {0, 0, 1});
  return m.text(run(0.001, 0.2));
}

// Six links along edges of a cube, each axis across its two links: mobile although 30 equations meet 30 unknowns. Without
// one of the two equations of an axis it is regular, and moves in the same way.
std::string bricard(Rotation r, bool all_rows) {
  MechanismText m(all_rows ? "Bricard's linkage" : "Bricard's linkage, one row less");
  const std::vector<Vec3> P = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {0, 1, 1}, {0, 0, 1}};
  const std::vector<Vec3> axis = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  std::vector<int> link;
  for (int i = 0; i < 5; ++i) {
    link.push_back(m.add(rod(r, P[i], P[i + 1], 1.0 + 0.1 * i)));
    m.velocity(i, {0, 0, 0}, (i % 2 == 0 ? 8.0 : -8.0) * axis[i]);
  }
  for (int i = 0; i < 6; ++i)
    m.revolute("J" + std::to_string(i), i == 0 ? kGround : link[i - 1], i == 5 ? kGround : link[i], P[i], axis[i]);
  if (!all_rows) m.leave_out("J5_2");
  m.gravity(kG, 1);
  return m.text(run(0.005, 0.5));
}

// Bennett's: four revolutes, opposite links equal, sin(twist)/length the same for all. Three redundant rows.
std::string bennett(Rotation r, bool all_rows) {
  MechanismText m(all_rows ? "Bennett's linkage" : "Bennett's linkage, three rows less");
  // Joints on the edges of a tetrahedron that is symmetric about z: A, B, C, D with |AB| = |CD|, |BC| = |DA|; each axis is
  // perpendicular to both links that meet there.
  const double a = 0.5, b = 0.8, c = 0.3;
  const std::vector<Vec3> P = {{a, 0, c}, {0, b, -c}, {-a, 0, c}, {0, -b, -c}};
  std::vector<Vec3> axis;
  for (int i = 0; i < 4; ++i) axis.push_back(unit(cross(P[i] - P[(i + 3) % 4], P[(i + 1) % 4] - P[i])));
  for (int i = 0; i < 3; ++i) {
    m.add(rod(r, P[i], P[i + 1], 0.8 + 0.3 * i));
    m.velocity(i, {0, 0, 0}, (i % 2 == 0 ? 8.0 : -8.0) * axis[i]);
  }
  for (int i = 0; i < 4; ++i)
    m.revolute("J" + std::to_string(i), i == 0 ? kGround : i - 1, i == 3 ? kGround : i, P[i], axis[i]);
  if (!all_rows)
    for (const char* row : {"J3_1", "J3_2", "J3_z"}) m.leave_out(row);
  m.gravity(kG);
  return m.text(run(0.005, 0.5));
}

// The wheels, frame and fork of Meijaard et al. 2007 (z up here), upright, leaning in.
std::string bicycle(Rotation r) {
  MechanismText m("Bicycle");
  const double tilt = M_PI / 10, base = 1.02, trail = 0.08;
  const Quaternion none = {1, 0, 0, 0};
  const int rear = m.add({r, 2, {0.0603, 0.12, 0.0603}, {0, 0, 0.3}, none});
  const int frame = m.add({r, 85, {9.2, 11, 2.8}, {0.3, 0, 0.9}, turn({0, 1, 0}, 0.3)});
  const int fork = m.add({r, 4, {0.05892, 0.06, 0.00708}, {0.9, 0, 0.7}, none});
  const int front = m.add({r, 3, {0.1405, 0.28, 0.1405}, {base, 0, 0.35}, none});
  const Vec3 steer = {-std::sin(tilt), 0, std::cos(tilt)};
  const Vec3 head = Vec3{base + trail, 0, 0} + 0.8 / std::cos(tilt) * steer;
  m.revolute("rear_hub", rear, frame, {0, 0, 0.3}, {0, 1, 0});
  m.revolute("head", frame, fork, head, steer);
  m.revolute("front_hub", fork, front, {base, 0, 0.35}, {0, 1, 0});
  m.rolling("rear", rear, 0.3, {0, 1, 0});
  m.rolling("front", front, 0.35, {0, 1, 0});
  m.gravity(kG);
  const double speed = 4.6;
  const Vec3 lean = {0.5, 0, 0};
  m.velocity(rear, Vec3{speed, 0, 0} + cross(lean, {0, 0, 0.3}), lean + Vec3{0, speed / 0.3, 0});
  m.velocity(frame, Vec3{speed, 0, 0} + cross(lean, {0, 0, 0.9}), lean);
  m.velocity(fork, Vec3{speed, 0, 0} + cross(lean, {0, 0, 0.7}), lean + 0.2 * steer);
  m.velocity(front, Vec3{speed, 0, 0} + cross(lean, {0, 0, 0.35}), lean + Vec3{0, speed / 0.35, 0});
  return m.text(run_rolling(0.005, 0.5));
}

// I_1 + I_3 = I_2 exactly: in directors the axis carries a mass of exactly 0.
std::string thin_disc(Rotation r) {
  MechanismText m("Thin disc");
  const double lean = 0.4, radius = 0.5;
  const Quaternion e = turn({1, 0, 0}, lean);
  const int disc = m.add({r, 2, {0.125, 0.25, 0.125}, {0, 0, radius * std::cos(lean)}, e});
  m.rolling("floor", disc, radius, rotated(e, {0, 1, 0}));
  m.gravity(kG);
  m.velocity(disc, {2, 0, 0}, 4.0 * rotated(e, {0, 1, 0}) + Vec3{0.2, 0, 0.7});
  return m.text(run_rolling(0.005, 1));
}

// Four bars that hang one below the other in Hooke's joints.
std::string hooke_chain(Rotation r) {
  MechanismText m("Chain of Hooke's joints");
  Vec3 at = {0, 0, 0};
  const std::vector<Vec3> way = {{0.3, 0.1, -0.4}, {-0.1, 0.3, -0.3}, {0.2, -0.2, -0.4}, {0.4, 0.1, 0.1}};
  for (int i = 0; i < 4; ++i) {
    m.add(rod(r, at, at + way[i], std::pow(10.0, 1 - i)));
    const Vec3 u = across(way[i]);
    m.universal("H" + std::to_string(i), i - 1, i, at, cross(way[i], u), u);
    m.velocity(i, {0.1, 0.2, 0}, {1.0 - i, 2, 0.5 * i});
    at = at + way[i];
  }
  m.gravity(kG);
  return m.text(run(0.005, 0.5));
}

// A plate on three rods with balls at both ends: three loops, and rods that spin freely.
std::string hanging_plate(Rotation r) {
  MechanismText m("Plate on three rods");
  const int plate = m.add({r, 3, {0.05, 0.06, 0.1}, {0.05, 0, -1}, turn({0.2, 0.3, 1}, 0.3)});
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * M_PI * i / 3 + 0.2;
    const Vec3 top = {0.6 * std::cos(angle), 0.6 * std::sin(angle), 0.1 * i};
    const Vec3 foot = {0.05 + 0.3 * std::cos(angle + 0.4), 0.3 * std::sin(angle + 0.4), -1 + 0.02 * i};
    const int leg = m.add(rod(r, top, foot, 0.2 + 0.1 * i));
    m.spherical("top" + std::to_string(i), kGround, leg, top);
    m.spherical("foot" + std::to_string(i), leg, plate, foot);
    m.velocity(leg, {0.1, 0, 0}, {0.5, -0.3, 2});
  }
  m.gravity(kG);
  m.velocity(plate, {0.3, 0.2, 0}, {0, 0, 1});
  return m.text(run(0.005, 0.5));
}

// A rod that slides through a collar on a turning fork, and is pulled by a spring.
std::string sliding_rod(Rotation r) {
  MechanismText m("Rod in a turning collar");
  const Vec3 P = {0.2, 0, 0.5}, axis = {0.4, 0.3, 1};
  const int fork = m.add(rod(r, {0, 0, 0}, P, 1.0));
  const int sliding = m.add(rod(r, P - 0.3 * axis, P + 0.7 * axis, 0.6));
  m.revolute("fork", kGround, fork, {0, 0, 0}, {0, 0, 1});
  m.slider("collar", fork, sliding, P, axis);
  m.spring(fork, sliding, P, P + 0.7 * axis, 30.0, 0.4);
  m.gravity(kG);
  m.velocity(fork, {0, 0, 0}, {0, 0, 3});
  m.velocity(sliding, 0.4 * axis, {0, 0, 3});
  return m.text(run(0.005, 0.5));
}

}  // namespace

std::vector<Mechanism> spatial_mechanisms(Rotation r) {
  std::vector<Mechanism> list = {{"slider-crank", slider_crank(r)},
                                 {"rssr", rssr(r, false)},
                                 {"rssr-driven", rssr(r, true)},
                                 {"cardan-shaft", cardan_shaft(r)},
                                 {"gimbals", gimbals(r)},
                                 {"bicycle", bicycle(r)},
                                 {"thin-disc", thin_disc(r)},
                                 {"hooke-chain", hooke_chain(r)},
                                 {"hanging-plate", hanging_plate(r)},
                                 {"sliding-rod", sliding_rod(r)},
                                 {"bricard", bricard(r, false)},
                                 {"bennett", bennett(r, false)},
                                 {"bricard-redundant", bricard(r, true), true},
                                 {"bennett-redundant", bennett(r, true), true}};
  for (Mechanism& mechanism : list) mechanism.text = with_consistent_start(mechanism.text);
  return list;
}

Mechanism spatial_mechanism(const std::string& name, Rotation rotation) {
  for (Mechanism& mechanism : spatial_mechanisms(rotation))
    if (mechanism.name == name) return mechanism;
  throw std::out_of_range("no mechanism '" + name + "'");
}

}  // namespace rattleback::testing
