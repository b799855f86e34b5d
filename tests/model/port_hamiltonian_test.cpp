// Port-Hamiltonian systems and their interconnections, from files.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "rattleback/simulate.hpp"
#include "support.hpp"

namespace rattleback::test {
namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("rattleback_ph_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  // A message without the folder's own name.
  [[nodiscard]] std::string shown(std::string message) const {
    for (std::size_t i; (i = message.find(path_.string() + "/")) != std::string::npos;)
      message.erase(i, path_.string().size() + 1);
    return message;
  }

 private:
  std::filesystem::path path_;
};

std::string oscillator(const std::string& input, const std::string& value) {
  return "kind = \"port-hamiltonian\"\nstates = [\"p\", \"v\"]\nhamiltonian = \"v^2/2 + k*p^2/2\"\n"
         "[parameters]\nk = 1\n[E]\n\"p,p\" = 1\n\"v,v\" = 1\n[J]\n\"p,v\" = 1\n[R]\n\"v,v\" = 0.1\n"
         "[z]\np = \"k*p\"\nv = \"v\"\n[B." +
         input + "]\nv = 1\n[inputs]\n" + input + " = " + value + "\n";
}

TEST(PortHamiltonian, InputFromATimeSeries) {
  const Folder folder;
  folder.write("force.csv", "t, u ,w\r\n0,0,9\r\n1,2,9\r\n\r\n3,-2,9\r\n");
  const std::string file =
      folder.write("m.toml", oscillator("push", "{ csv = \"force.csv\", column = \"u\", time = \"t\" }"));
  const Model m = load_model(file);
  const NodeId u = m.ph.inputs[0].u;
  const double expected[][2] = {{-1, 0}, {0, 0}, {0.5, 1}, {1, 2}, {1.5, 1}, {2, 0}, {3, -2}, {7, -2}};
  for (const auto& [t, value] : expected) EXPECT_DOUBLE_EQ(value_of(m, u, t, {0, 0}, {}), value) << t;
  // The same motion as with the formula.
  const std::string formula =
      folder.write("f.toml", oscillator("push", "\"if(t < 1, 2*t, if(t < 3, 2 - 2*(t - 1), -2))\""));
  Options o;
  o.step = 0.1;
  o.steps = 50;
  const Trajectory a = simulate(m, o), b = simulate(load_model(formula), o);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-14);
  EXPECT_LT(a.power_balance->max_residual, 1e-14);
  EXPECT_DOUBLE_EQ(a.records.inputs[5], 1.0);                      // u at t = 0.5
  EXPECT_DOUBLE_EQ(a.records.outputs[5], a.records.q[2 * 5 + 1]);  // y = v
}

TEST(PortHamiltonian, BadTimeSeriesAreRefusedWithTheirLine) {
  const Folder folder;
  const auto refused = [&](const std::string& csv, const std::string& value) {
    folder.write("f.csv", csv);
    const std::string file = folder.write("m.toml", oscillator("push", value));
    return folder.shown(message_of([&] { (void)load_model(file); }));
  };
  const std::string whole = "{ csv = \"f.csv\", column = \"u\" }";
  EXPECT_EQ(refused("t,u\n0,1\n1,x\n", whole), "m.toml:19:16: input `push`: f.csv:3: expected a number in column 2");
  EXPECT_EQ(refused("t,u\n0,1\n0,2\n", whole),
            "m.toml:19:16: input `push`: f.csv:3: the time in column 1 does not increase");
  EXPECT_EQ(refused("t,u\n0\n", whole),
            "m.toml:19:16: input `push`: f.csv:2: expected 2 cells as in the header, found 1");
  EXPECT_EQ(
      refused("t,v\n0,1\n", whole),
      "m.toml:19:16: input `push`: `f.csv` has no column `u` among its 2. Write column = \"NAME\" with a name that "
      "stands in its first line");
  EXPECT_EQ(refused("t,u\n", whole), "m.toml:19:16: input `push`: `f.csv` has a header but no rows");
  EXPECT_EQ(refused("", "{ csv = \"g.csv\" }"),
            "m.toml:19:16: input `push`: `g.csv` cannot be read: No such file or directory");
}

std::string joined(const std::string& equations) {
  return "kind = \"interconnection\"\n[systems]\na = \"a.toml\"\nb = \"b.toml\"\n[connect]\n" + equations;
}

TEST(Interconnection, OptionsReachTheParts) {
  const Folder folder;
  folder.write("a.toml", oscillator("push", "0"));
  folder.write("b.toml", oscillator("pull", "0"));
  const std::string file = folder.write(
      "m.toml",
      joined("force = \"a.u.push + 1.0*b.u.pull\"\nspeed = \"a.y.push - b.y.pull\"\n[initial]\n\"a.p\" = \"k\"\n"));
  const Model m = load_model(file, {.set = {{"a.k", "3"}}, .start = {{"b.p", "2"}}});
  EXPECT_EQ(m.coordinates.all(), (std::vector<std::string>{"a.p", "a.v", "b.p", "b.v", "a.u.push"}));
  EXPECT_EQ(m.q0, (std::vector<double>{3, 0, 2, 0, 0}));
  EXPECT_TRUE(m.ph.inputs.empty());
  EXPECT_EQ(message_of([&] {
              (void)load_model(file, {.set = {{"c.k", "3"}}});
            }),
            "--set c.k=3: there is no such part; the parts are a, b");
}

// A gyrator: u_a = y_b, u_b = -y_a. No input is free of the outputs, so both become states, and K is not 0.
TEST(Interconnection, GyratorKeepsTheBalance) {
  const Folder folder;
  folder.write("a.toml", oscillator("push", "0"));
  folder.write("b.toml", oscillator("pull", "0"));
  const Model m = load_model(folder.write(
      "m.toml", joined("one = \"a.u.push - b.y.pull\"\ntwo = \"b.u.pull + a.y.push\"\n[initial]\n\"a.p\" = 1\n")));
  EXPECT_EQ(m.coordinates.size(), 6);
  Options o;
  o.stages = 2;
  o.step = 0.1;
  o.steps = 100;
  const Trajectory t = simulate(m, o);
  EXPECT_LT(t.power_balance->max_residual, 1e-15);
  EXPECT_LT(t.power_balance->connection_residual, 1e-15);
  // The same by hand: J couples the two speeds.
  const Model hand = parse_model(
      "kind = \"port-hamiltonian\"\nstates = [\"p\", \"v\", \"r\", \"w\"]\nhamiltonian = \"(p^2 + v^2 + r^2 + "
      "w^2)/2\"\n"
      "[E]\n\"p,p\" = 1\n\"v,v\" = 1\n\"r,r\" = 1\n\"w,w\" = 1\n[J]\n\"p,v\" = 1\n\"r,w\" = 1\n\"v,w\" = 1\n"
      "[R]\n\"v,v\" = 0.1\n\"w,w\" = 0.1\n[z]\np = \"p\"\nv = \"v\"\nr = \"r\"\nw = \"w\"\n[initial]\np = 1\n",
      "hand.toml");
  const Trajectory h = simulate(hand, o);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(t.q[i], h.q[i], 1e-14);
}

TEST(Interconnection, WhatDoesNotPreservePowerIsRefused) {
  const Folder folder;
  folder.write("a.toml", oscillator("push", "0"));
  folder.write("b.toml", oscillator("pull", "0"));
  const auto refused = [&](const std::string& equations) {
    const std::string file = folder.write("m.toml", joined(equations));
    return folder.shown(message_of([&] { (void)load_model(file); }));
  };
  EXPECT_EQ(refused("force = \"a.u.push - b.u.pull\"\nspeed = \"a.y.push - b.y.pull\"\n"),
            "m.toml:6:9: the connection is not power-preserving: equation `force` and the others allow a.y.push = 1, "
            "b.y.pull = 1, a.u.push = 1, b.u.pull = 1, where y^T u = 2 instead of 0. Check the signs");
  EXPECT_EQ(refused("force = \"a.u.push + b.u.pull\"\n"),
            "m.toml:6:9: the connection is not power-preserving: 1 independent equation for 2 connected inputs "
            "(a.u.push, b.u.pull). As many are needed: what is not tied to anything could give any power");
  EXPECT_EQ(refused("force = \"a.u.push + b.u.pul\"\n"),
            "m.toml:6:21: unknown port `b.u.pul` in equation `force`. Did you mean `b.u.pull`? Known here: a.u.push, "
            "a.y.push, b.u.pull, b.y.pull");
  EXPECT_EQ(
      refused("force = \"a.u.push*b.u.pull\"\n"),
      "m.toml:6:10: not linear in `b.u.pull` in equation `force` \"a_u_push*b_u_pull\". A connection is linear in "
      "the inputs and outputs");
  EXPECT_EQ(
      refused("force = \"a.u.push + 1\"\n"),
      "m.toml:6:10: a term without inputs and outputs in equation `force` \"a_u_push + 1\". A connection has none: "
      "a constant would be a source of energy");
  folder.write("b.toml", joined("force = \"a.u.push\"\n") + "");
  EXPECT_NE(refused("force = \"a.u.push\"\n").find("contains itself through its parts"), std::string::npos);
}

TEST(PortHamiltonian, CheckShowsTheMatricesOfDerivedForms) {
  const CheckReport r = check(load_model("pendulum"), Form::port_hamiltonian);
  std::string J;
  for (const auto& m : r.port_hamiltonian)
    if (m.name == "J")
      for (const auto& [place, text] : m.entries) J += place + "=" + text + ";";
  EXPECT_EQ(J, "x,x'=1;y,y'=1;x',x=-1;x',lambda(rod)=-x;y',y=-1;y',lambda(rod)=-y;lambda(rod),x'=x;lambda(rod),y'=y;");
}

}  // namespace
}  // namespace rattleback::test
