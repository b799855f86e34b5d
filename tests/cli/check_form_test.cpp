// `check --form`: the equations of a system instead of what is said of it; refused where there is no such form.
#include "cli/program.hpp"

namespace rattleback {
namespace {

using CheckForm = running::Program;

TEST_F(CheckForm, IsShownOnlyWhereItIsAskedFor) {
  const Outcome plain = rattleback({"check", "pendulum"});
  EXPECT_EQ(plain.status, 0);
  EXPECT_EQ(plain.out.find("Port-Hamiltonian form"), std::string::npos);
  EXPECT_FALSE(json({"check", "pendulum", "--json"}).contains("port_hamiltonian"));

  const Outcome form = rattleback({"check", "pendulum", "--form", "port-hamiltonian"});
  EXPECT_EQ(form.status, 0);
  EXPECT_NE(form.out.find("Port-Hamiltonian form: E x' + r = (J - R) z + (B - P) u\n"), std::string::npos);
  EXPECT_EQ(form.out.find("Methods that apply"), std::string::npos);
  const auto all = json({"check", "pendulum", "--form", "port-hamiltonian", "--json"});
  EXPECT_EQ(all["port_hamiltonian"]["J"]["x,x'"], "1");
  EXPECT_TRUE(all.contains("methods"));
  EXPECT_EQ(json({"check", "two-oscillators", "--form", "port-hamiltonian", "--json"})["system"], "two-oscillators");
}

TEST_F(CheckForm, ReducedHasFrameMomentaEnergyAndStructure) {
  const auto skate = json({"check", "skate", "--form", "reduced", "--json"})["reduced"];
  EXPECT_EQ(skate.dump(),
            R"json({"X":{"x,1":"cos(theta)","y,1":"sin(theta)","theta,2":"1"},)json"
            R"json("rho":{"1":"m*(cos(theta)*x' + sin(theta)*y')","2":"I*theta'"},)json"
            R"json("H":"rho1^2/(2*m) - m*g*x*sin(beta) + rho2^2/(2*I)","y":{"1":"rho1/m","2":"rho2/I"}})json");
  const Outcome text = rattleback({"check", "skate", "--form", "reduced"});
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.out.find("Reduced form: q' = X y, rho' = -X^T H_q + C y, with y = H_rho"), std::string::npos)
      << text.out;
  // The sleigh's centre of mass is off its blade: C couples both momenta.
  const auto sleigh = json({"check", "chaplygin-sleigh", "--form", "reduced", "--json"})["reduced"];
  EXPECT_TRUE(sleigh.contains("C")) << sleigh;
}

TEST_F(CheckForm, LatexIsADocumentOnStdout) {
  const Outcome document = rattleback({"check", "skate", "--form", "latex"});
  EXPECT_EQ(document.status, 0);
  EXPECT_EQ(document.out.substr(0, 2), "% ");
  EXPECT_TRUE(document.out.ends_with("\\end{document}\n"));
  EXPECT_EQ(json({"check", "skate", "--form", "latex", "--json"})["latex"], document.out);
}

TEST_F(CheckForm, IsRefusedWhereThereIsNone) {
  expect_refused({"check", "skate", "--form", "hamiltonian"},
                 "--form is 'hamiltonian', but must be one of: port-hamiltonian, reduced, latex");
  expect_refused({"check", "mass-spring-damper", "--form", "reduced"},
                 "'mass-spring-damper' has no reduced form: it needs a mechanical system");
  expect_refused({"check", "dae-hessenberg", "--form", "reduced"},
                 "'dae-hessenberg' has no reduced form: it needs a mechanical system");
  expect_refused({"check", "dae-hessenberg", "--form", "port-hamiltonian"},
                 "'dae-hessenberg' has no port-Hamiltonian form: it needs a mechanical or a port-hamiltonian system");
  expect_refused({"check", "dae-hessenberg", "--form", "latex"},
                 "'dae-hessenberg' has no LaTeX form: it needs a mechanical system");
  write("free.toml", "coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2\"\n");
  expect_refused({"check", "free.toml", "--form", "reduced"},
                 "'free' has no reduced form: it needs constraints: without them there is nothing to reduce");
  write("timed.toml",
        "coordinates = ['x', 'y']\n[lagrangian]\nkinetic = \"x'^2 + y'^2\"\n[constraints.nonholonomic]\nc = "
        "\"x' - t*y'\"\n");
  expect_refused({"check", "timed.toml", "--form", "reduced"},
                 "'timed' has no reduced form: it needs constraints that do not depend on t, and 'c' does");
  write("many.toml", "coordinates = ['x[1:100]']\n[lagrangian]\nkinetic = \"sum(i = 1:100, x[i]'^2)\"\n");
  expect_refused({"check", "many.toml", "--form", "latex"},
                 "'many' has no LaTeX form: it needs single coordinates, at most 200 with the multipliers");
}

}  // namespace
}  // namespace rattleback
