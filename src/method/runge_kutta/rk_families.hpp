// The Runge-Kutta schemes by name: each is a choice of tableaux and constraint rows, nothing else.
#pragma once

#include "method/runge_kutta/scheme.hpp"
#include "tableau/user_tableau.hpp"

namespace rattleback {

Scheme spark_lobatto_ab(int s);
Scheme spark_lobatto_abd(int s);
Scheme spark_lobatto_ab_modified(int s);
Scheme prk_lobatto(int s);
Scheme prk_murua(int s);
Scheme spark_gauss(int s);
Scheme spark_euler_1(int s);
Scheme spark_euler_2(int s);
Scheme spark_lobatto(int s);
Scheme srk_gauss(int s);
Scheme srk_radau_ia(int s);
Scheme rk_gauss(int s);
Scheme rk_radau_ia(int s);
Scheme rk_radau_iia(int s);
Scheme rk_lobatto_iiia(int s);
Scheme rk_lobatto_iiic(int s);
Scheme user_scheme(const UserTableau& tableau);

}  // namespace rattleback
