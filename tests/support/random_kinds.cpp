// Random systems of the other kinds. Every start is consistent by construction: constants of the constraints come from
// it, and velocities are tangential.
#include <cmath>

#include <fmt/format.h>

#include "support/random_models.hpp"

namespace rattleback::testing {
namespace {

std::vector<std::string> numbered(const char* stem, int n) {
  std::vector<std::string> out;
  for (int i = 1; i <= n; ++i) out.push_back(fmt::format("{}{}", stem, i));
  return out;
}

std::string list(const char* key, const std::vector<std::string>& names) {
  std::string out = fmt::format("{} = [", key);
  for (std::size_t i = 0; i < names.size(); ++i) out += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
  return out + "]\n";
}

// sum of c_i x_i^2 - its value at the start, over 2; the numbers are what the text says.
struct Shell {
  std::vector<double> c, x;
  std::string formula;
  Shell(Draw& draw, const std::vector<std::string>& names) {
    formula = "(";
    std::string value;
    for (std::size_t i = 0; i < names.size(); ++i) {
      c.push_back(draw.in(0.5, 2));
      x.push_back((draw.chance(0.5) ? 1 : -1) * draw.in(0.3, 1));
      formula += fmt::format("{}{}*{}^2", i == 0 ? "" : " + ", c[i], names[i]);
      value += fmt::format(" - {}*({})^2", c[i], x[i]);  // the same operations: no rounding is left
    }
    formula += value + ")/2";
  }
};

}  // namespace

RandomModel random_dae(std::uint64_t number) {
  Draw draw(number, 300);
  RandomModel out{.family = RandomFamily::dae, .number = number, .step = 0.02};
  const int n = draw.whole(2, 5), m = n > 2 && draw.chance(0.4) ? 2 : 1;
  const auto y = numbered("y", n), z = numbered("z", m);
  auto yt = y;
  if (draw.chance(0.4)) yt.emplace_back("t");
  // One shell about the origin; with a second constraint, that is y1 as a function of y2, and the shell is in the others.
  const std::vector<std::string> on_shell(y.begin() + (m - 1), y.end());
  const Shell shell(draw, on_shell);
  out.text =
      fmt::format("name = \"random dae {}\"\nkind = \"dae\"\n", number) + list("states", y) + list("algebraic", z);
  const int parts = draw.chance(0.5) ? 1 : draw.whole(2, 5);
  std::vector<std::string> part(static_cast<std::size_t>(parts));
  const auto add = [&](std::size_t state, const std::vector<std::string>& terms) {
    std::vector<std::string> of_part(part.size());
    for (const std::string& term : terms) {
      std::string& at = of_part[static_cast<std::size_t>(draw.whole(0, parts - 1))];
      at += (at.empty() ? "" : " + ") + term;
    }
    for (std::size_t k = 0; k < part.size(); ++k)
      if (!of_part[k].empty()) part[k] += fmt::format("{} = \"{}\"\n", y[state], of_part[k]);
  };
  const bool nonlinear = draw.chance(0.4);
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<std::string> terms = {draw.smooth(yt), fmt::format("{}*{}", draw.in(-1, 1), draw.of(y))};
    if (m == 2 && i == 0)
      terms.push_back(fmt::format("(1.5 + {}*sin({}))*z2", draw.in(0, 0.5), draw.of(y)));
    else
      terms.push_back(fmt::format("{}*{}*z1", shell.c[i - static_cast<std::size_t>(m - 1)], y[i]));
    if (nonlinear && draw.chance(0.5)) terms.push_back(fmt::format("0.05*{}*z1^3", y[i]));
    add(i, terms);
  }
  for (std::size_t k = 0; k < part.size(); ++k)
    if (!part[k].empty()) out.text += (parts == 1 ? "[rhs]\n" : fmt::format("[rhs.{}]\n", k + 1)) + part[k];
  out.text += fmt::format("[constraints]\nshell = \"{}\"\n", shell.formula);
  std::string start;
  if (m == 2) {
    const double a = draw.in(0.3, 1);
    const std::string f = fmt::format("{}*sin({})", a, y[1]);
    out.text += fmt::format("graph = \"y1 - {}\"\n", f);
    start = fmt::format("y1 = \"{}\"\n", f);
  }
  for (std::size_t i = 0; i < on_shell.size(); ++i) start += fmt::format("{} = {}\n", on_shell[i], shell.x[i]);
  out.text += "[initial]\n" + start;
  return out;
}

RandomModel random_odae(std::uint64_t number) {
  Draw draw(number, 400);
  RandomModel out{.family = RandomFamily::odae, .number = number, .step = 0.02};
  const int n = draw.whole(2, 4);
  const auto y = numbered("y", n), z = numbered("z", n);
  const Shell shell(draw, y);
  auto all = y;
  all.insert(all.end(), z.begin(), z.end());
  out.text = fmt::format("name = \"random odae {}\"\nkind = \"odae\"\n", number) + list("positions", y) +
             list("velocities", z) + "multipliers = [\"psi\"]\n[v]\n";
  for (int i = 1; i <= n; ++i) out.text += fmt::format("y{0} = \"z{0}\"\n", i);
  out.text += "[f]\n";
  for (int i = 1; i <= n; ++i)
    out.text += fmt::format("z{} = \"{} - {}*{}\"\n", i, draw.smooth(y), draw.in(0, 0.5), draw.of(all));
  out.text += "[r]\n";
  const bool nonlinear = draw.chance(0.5);
  for (int i = 1; i <= n; ++i) {
    out.text += fmt::format("z{0} = \"-{1}*y{0}*psi", i, shell.c[static_cast<std::size_t>(i - 1)]);
    if (nonlinear) out.text += fmt::format(" - {}*sqrt(1 + psi^2)*z{}", draw.in(0.05, 0.2), i);
    out.text += "\"\n";
  }
  out.text += fmt::format("[constraints]\nsurface = \"{}\"\n[initial]\n", shell.formula);
  // Velocities along the shell: (c_2 y_2, -c_1 y_1, 0, ...).
  const double speed = draw.in(0.3, 1);
  for (int i = 1; i <= n; ++i) {
    const auto k = static_cast<std::size_t>(i - 1);
    out.text += fmt::format("y{} = {}\n", i, shell.x[k]);
    if (i <= 2) {
      const std::size_t other = 1 - k;
      out.text += fmt::format("z{} = {}\n", i, (i == 1 ? 1 : -1) * speed * shell.c[other] * shell.x[other]);
    }
  }
  out.text += "psi = 0\n";
  return out;
}

RandomModel random_skew_gradient(std::uint64_t number) {
  Draw draw(number, 500);
  RandomModel out{.family = RandomFamily::skew_gradient, .number = number, .step = 0.02};
  const int n = draw.whole(2, 5);
  const auto x = numbered("x", n);
  std::string H;
  for (const std::string& name : x) H += fmt::format("{}*{}^2/2 + ", draw.in(0.4, 2), name);
  out.text = fmt::format("name = \"random skew-gradient {}\"\nkind = \"skew-gradient\"\n", number) + list("states", x) +
             fmt::format("hamiltonian = \"{}{}\"\n", H, draw.chance(0.3) ? "0.1*inner^3" : draw.smooth(x)) +
             fmt::format("[define]\ninner = \"{}\"\n[pi]\n", draw.smooth(x));
  bool some = false;
  for (int i = 1; i <= n; ++i)
    for (int k = i + 1; k <= n; ++k)
      if (draw.chance(0.6) || (!some && k == n && i == n - 1)) {
        out.text += fmt::format("\"x{},x{}\" = \"{}{}\"\n", i, k, draw.in(0.3, 1.2),
                                draw.chance(0.6) ? " + " + draw.smooth(x) : "");
        some = true;
      }
  out.text += "[initial]\n";
  for (const std::string& name : x) out.text += fmt::format("{} = {}\n", name, draw.in(-1, 1));
  return out;
}

RandomModel random_port_hamiltonian(std::uint64_t number) {
  Draw draw(number, 600);
  RandomModel out{.family = RandomFamily::port_hamiltonian, .number = number, .step = 0.02};
  const int n = draw.whole(1, 3);
  const bool held = n > 1 && draw.chance(0.5);  // with a multiplier: an algebraic state
  const auto p = numbered("p", n), v = numbered("v", n);
  auto states = p;
  states.insert(states.end(), v.begin(), v.end());
  if (held) states.emplace_back("lam");
  std::string H, E, J, R, z;
  for (int i = 1; i <= n; ++i) {
    const double m = draw.in(0.5, 2), k = draw.in(0.5, 3), cubic = draw.chance(0.5) ? draw.in(0.1, 1) : 0;
    H += fmt::format("{4}{0}*v{1}^2/2 + {2}*p{1}^2/2 + {3}*p{1}^4/4", m, i, k, cubic, i == 1 ? "" : " + ");
    E += fmt::format("\"p{0},p{0}\" = 1\n\"v{0},v{0}\" = {1}\n", i, m);
    J += fmt::format("\"p{0},v{0}\" = 1\n", i);
    if (draw.chance(0.5))
      R += fmt::format("\"v{0},v{0}\" = \"{1}{2}\"\n", i, draw.in(0.05, 0.5),
                       draw.chance(0.4) ? fmt::format(" + 0.1*p{}^2", i) : "");
    z += fmt::format("p{0} = \"{1}*p{0} + {2}*p{0}^3\"\nv{0} = \"v{0}\"\n", i, k, cubic);
  }
  std::string start;
  if (held) {
    const Shell shell(draw, p);  // its gradient is what holds the velocities
    const double speed = draw.in(0.3, 1);
    for (int i = 1; i <= n; ++i) {
      const auto k = static_cast<std::size_t>(i - 1);
      J += fmt::format("\"v{0},lam\" = \"-{1}*p{0}\"\n", i, shell.c[k]);
      start += fmt::format("p{} = {}\n", i, shell.x[k]);
      if (i <= 2) start += fmt::format("v{} = {}\n", i, (i == 1 ? 1 : -1) * speed * shell.c[1 - k] * shell.x[1 - k]);
    }
    z += "lam = \"lam\"\n";
  } else {
    for (const std::string& name : states) start += fmt::format("{} = {}\n", name, draw.in(-1, 1));
  }
  out.text = fmt::format("name = \"random port-Hamiltonian {}\"\nkind = \"port-hamiltonian\"\n", number) +
             list("states", states) + fmt::format("hamiltonian = \"{}\"\n[E]\n{}[J]\n{}", H, E, J);
  if (!R.empty()) out.text += "[R]\n" + R;
  out.text += "[z]\n" + z;
  if (draw.chance(0.5))
    out.text += fmt::format("[B.push]\nv1 = 1\n[inputs]\npush = \"{}*cos({}*t)\"\n", draw.in(0.1, 1), draw.in(0.5, 3));
  out.text += "[initial]\n" + start;
  return out;
}

}  // namespace rattleback::testing
