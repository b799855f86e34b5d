// A user's own coefficients, read from a TOML file (`--tableau FILE.toml`):
//
//   name = "my method"                      # optional, default: the file's name
//   order = 4                               # claimed, and checked by the order conditions
//   A = [["1/4", "1/4 - sqrt(3)/6"], ["1/4 + sqrt(3)/6", "1/4"]]     # numbers, or strings with + - * / ( ) sqrt
//   b = ["1/2", "1/2"]
//   c = ["1/2 - sqrt(3)/6", "1/2 + sqrt(3)/6"]                       # optional, default: the row sums of A
//   Ahat = ...                              # optional: for the applied force; default A
//   Atilde = ...                            # optional: for the reaction; default A
//   constraint = "weighted"                 # or "stages": where the constraint is imposed, see UserTableau
//   omega = [["1/2", "1/2"]]                # optional: s-1 rows of weights of the constraint, instead of b_j c_j^(i-1)
//   A1 = ... to A5 = ...                    # optional: for the parts of a dae; default A
//
// The claimed order is that for ordinary differential equations: constraints can lower it, the audit shows by how
// much.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tableau/tableau.hpp"

namespace rattleback {

struct UserTableau {
  Tableau a, ahat, atilde;  // same b, c and order
  // true:  0 = sum_j omega_ij k_j, i = 1..s-1, and k = 0 at the end of the step   [Jay2009, eq. 6.1e-f]
  // false: k_i = 0 at every stage
  bool weighted = true;
  std::vector<double> omega = {};                   // row after row; empty: b_j c_j^(i-1)
  std::array<std::vector<double>, 5> parts = {{}};  // A1 .. A5; empty: A

  [[nodiscard]] const std::vector<double>& part(std::size_t k) const { return parts[k].empty() ? a.A : parts[k]; }
  [[nodiscard]] bool has_parts() const;
};

// Without constraints, a variational method: bhat_i a_ij + b_j ahat_ji = bhat_i b_j.                  [Jay2009, eq. 6.2]
bool is_variational(const UserTableau& tableau);
// The step read backwards is the same step: for mechanical systems, or for daes with so many parts.   [Jay2009, eq. 6.3]
bool is_symmetric(const UserTableau& tableau, int parts = 0);
// Does the constraint determine reactions with these coefficients?
bool determines(const UserTableau& tableau, const std::vector<double>& reaction);

// Throws Error, `FILE:line:column: ...`, unless everything about the tableau is right.
UserTableau read_user_tableau(const std::string& path);
// The same for its text; `path` is its name in messages.
UserTableau parse_user_tableau(const std::string& text, const std::string& path);

}  // namespace rattleback
