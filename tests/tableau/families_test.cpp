// One loop over all families: what each one promises and, as important, what it does not. Numbers at line ends:
// measured, the worst over all families and stages of the test. The coefficients were compared once with a Vandermonde
// solve in 120 digits (mpmath) for s = 2, 3, 5, 8, 13, 20: A and b are correctly rounded (0.49994 ulp), c within 0.69
// ulp because its upper half is 1 - c.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "rattleback/error.hpp"
#include "tableau/order_conditions.hpp"
#include "tableau/tableau.hpp"

namespace rattleback {
namespace {

struct FamilyCase {
  std::string name;
  Tableau (*make)(int);
  int min_stages;
  bool has_zero, has_one;  // end points among the nodes
  bool symmetric, symplectic;
  int b_of(int s) const { return 2 * s - has_zero - has_one; }  // B(p), and the declared order
  int c_less, d_less;                                           // C(s - c_less), D(s - d_less)
};

const std::vector<FamilyCase> kFamilies{
    {"gauss", gauss, 1, false, false, true, true, 0, 0},
    {"radau-ia", radau_ia, 1, true, false, false, false, 1, 0},
    {"radau-iia", radau_iia, 1, false, true, false, false, 0, 1},
    {"lobatto-iiia", lobatto_iiia, 2, true, true, true, false, 0, 2},
    {"lobatto-iiib", lobatto_iiib, 2, true, true, true, false, 2, 0},
    {"lobatto-iiic", lobatto_iiic, 2, true, true, false, false, 1, 1},
    {"lobatto-iiic-star", lobatto_iiic_star, 2, true, true, false, false, 1, 1},
    {"lobatto-iiid", lobatto_iiid, 2, true, true, true, true, 1, 1},
};

void for_all(const std::function<void(const FamilyCase&, const Tableau&, int s)>& check, int max_stages = 8) {
  for (const FamilyCase& family : kFamilies)
    for (int s = family.min_stages; s <= max_stages; ++s) {
      SCOPED_TRACE(family.name + ", s = " + std::to_string(s));
      check(family, family.make(s), s);
    }
}

double row_sum(const Tableau& t, int i) {
  double sum = 0;
  for (int j = 0; j < t.stages; ++j) sum += t.a(i, j);
  return sum;
}

// |sum_i b_i c_i^(k-1) - 1/k|
double quadrature_residual(const Tableau& t, int k) {
  double sum = 0;
  for (int i = 0; i < t.stages; ++i) sum += t.b[i] * std::pow(t.c[i], k - 1);
  return std::abs(sum - 1.0 / k);
}

TEST(TableauFamilies, HaveTheNameSizesAndOrderTheyDeclare) {
  for_all([](const FamilyCase& family, const Tableau& t, int s) {
    EXPECT_EQ(t.name, family.name);
    EXPECT_EQ(t.stages, s);
    EXPECT_EQ(t.A.size(), static_cast<std::size_t>(s * s));
    EXPECT_EQ(t.b.size(), static_cast<std::size_t>(s));
    EXPECT_EQ(t.c.size(), static_cast<std::size_t>(s));
    EXPECT_EQ(t.order, family.b_of(s));
  });
}

TEST(TableauFamilies, RowsSumToTheNodesWhereC1Holds) {
  for_all(
      [](const FamilyCase& family, const Tableau& t, int s) {
        if (s - family.c_less < 1) return;
        for (int i = 0; i < s; ++i) EXPECT_NEAR(row_sum(t, i), t.c[i], 1e-14);  // 3.3e-16
      },
      20);
}

TEST(TableauFamilies, RowsDoNotSumToTheNodesForTheTwoSmallestMembersWithoutC1) {
  EXPECT_EQ(row_sum(radau_ia(1), 0), 1.0);  // c = 0
  EXPECT_EQ(radau_ia(1).c[0], 0.0);
  EXPECT_EQ(row_sum(lobatto_iiib(2), 0), 0.5);  // c = 0, 1
  EXPECT_EQ(row_sum(lobatto_iiib(2), 1), 0.5);
}

TEST(TableauFamilies, NodesAreOrderedAndWeightsArePositive) {
  for_all(
      [](const FamilyCase& family, const Tableau& t, int s) {
        for (int i = 0; i < s; ++i) EXPECT_GT(t.b[i], 0);
        for (int i = 1; i < s; ++i) EXPECT_LT(t.c[i - 1], t.c[i]);
        if (family.has_zero) {
          EXPECT_EQ(t.c.front(), 0.0);
        }
        if (family.has_one) {
          EXPECT_EQ(t.c.back(), 1.0);
        }
        if (!family.has_zero) {
          EXPECT_GT(t.c.front(), 0);
        }
        if (!family.has_one) {
          EXPECT_LT(t.c.back(), 1);
        }
      },
      20);
}

TEST(TableauFamilies, QuadratureIsExactToTheDeclaredOrderAndNotBeyond) {
  for_all([](const FamilyCase& family, const Tableau& t, int s) {
    for (int k = 1; k <= family.b_of(s); ++k)
      EXPECT_LT(quadrature_residual(t, k), 1e-14) << "B(" << k << ")";  // 1.1e-16
    EXPECT_GT(quadrature_residual(t, family.b_of(s) + 1), 1e-10);       // 3.55e-10, Gauss with 8 stages
  });
}

TEST(TableauFamilies, SatisfyExactlyTheSimplifyingAssumptionsOfTheirDefinition) {
  for_all([](const FamilyCase& family, const Tableau& t, int s) {
    const Tableau* group[] = {&t};
    const auto found = simplifying_assumptions(group, 2 * s + 2, 1e-14);  // hold to 2.3e-16, fail from 3.3e-10
    EXPECT_EQ(found.B, family.b_of(s));
    EXPECT_EQ(found.C, s - family.c_less);
    EXPECT_EQ(found.D, s - family.d_less);
  });
}

TEST(TableauFamilies, SatisfyTheTreesOfTheDeclaredOrderAndFailTheNext) {
  for_all([](const FamilyCase&, const Tableau& t, int) {
    for (int p = 1; p <= std::min(8, t.order); ++p) EXPECT_LT(order_condition_residual(t, p), 1e-14) << p;  // 1.1e-16
    if (t.order < 8) {
      EXPECT_GT(order_condition_residual(t, t.order + 1), 5e-5);
    }  // 1.0e-4, Radau IIA with 4 stages
  });
}

TEST(TableauFamilies, HaveExactlyTheDeclaredOrder) {
  for_all([](const FamilyCase&, const Tableau& t, int) {
    EXPECT_EQ(classical_order(t), std::min(8, t.order));
    EXPECT_EQ(classical_order(t, t.order), t.order);
    EXPECT_EQ(classical_order(t, t.order + 2), t.order);
  });
}

TEST(TableauFamilies, AreSymmetricOrNotAsTheyClaim) {
  for_all(
      [](const FamilyCase& family, const Tableau& t, int s) {
        EXPECT_EQ(is_symmetric(t), family.symmetric);  // 1.1e-16
        if (!family.symmetric) {
          EXPECT_FALSE(is_symmetric(t, s <= 8 ? 5e-2 : 1e-2));
        }  // 6.1e-2, 1.5e-2: IIIC
      },
      20);
}

TEST(TableauFamilies, AreSymplecticOrNotAsTheyClaim) {
  for_all(
      [](const FamilyCase& family, const Tableau& t, int s) {
        EXPECT_EQ(is_symplectic(t, t), family.symplectic);  // 2.8e-17
        if (!family.symplectic) {
          EXPECT_FALSE(is_symplectic(t, t, s <= 8 ? 1e-3 : 9e-5));
        }  // 1.8e-3, 1.1e-4: IIIA
      },
      20);
}

TEST(TableauFamilies, MirrorWeightsAndNodesExactly) {
  for (const FamilyCase& family : kFamilies) {
    if (family.has_zero != family.has_one) continue;
    for (int s = family.min_stages; s <= 20; ++s) {
      const Tableau t = family.make(s);
      for (int i = 0; i < s; ++i) {
        EXPECT_EQ(t.b[i], t.b[s - 1 - i]);
        EXPECT_EQ(t.c[i] + t.c[s - 1 - i], 1.0);
      }
      if (s % 2 == 1) {
        EXPECT_EQ(t.c[s / 2], 0.5);
      }
    }
  }
}

TEST(TableauFamilies, HaveExactZerosAndExactCopiesOfTheWeights) {
  for (int s = 2; s <= 20; ++s) {
    SCOPED_TRACE("s = " + std::to_string(s));
    const Tableau ia = radau_ia(s), iia = radau_iia(s), a = lobatto_iiia(s), b = lobatto_iiib(s), c = lobatto_iiic(s),
                  star = lobatto_iiic_star(s);
    for (int i = 0; i < s; ++i) {
      EXPECT_EQ(a.a(0, i), 0.0);
      EXPECT_FALSE(std::signbit(a.a(0, i)));
      EXPECT_EQ(a.a(s - 1, i), a.b[i]);
      EXPECT_EQ(b.a(i, s - 1), 0.0);
      EXPECT_FALSE(std::signbit(b.a(i, s - 1)));
      EXPECT_EQ(b.a(i, 0), b.b[0]);
      EXPECT_EQ(c.a(i, 0), c.b[0]);
      EXPECT_EQ(c.a(s - 1, i), c.b[i]);
      EXPECT_EQ(star.a(0, i), 0.0);
      EXPECT_EQ(star.a(i, s - 1), 0.0);
      EXPECT_EQ(ia.a(i, 0), ia.b[0]);
      EXPECT_EQ(iia.a(s - 1, i), iia.b[i]);
    }
  }
}

TEST(TableauFamilies, GaussHasHalfTheWeightsOnItsDiagonal) {
  for (int s = 1; s <= 20; ++s) {
    const Tableau t = gauss(s);
    for (int i = 0; i < s; ++i) EXPECT_EQ(t.a(i, i), t.b[i] / 2) << s << ", " << i;
  }
}

TEST(TableauFamilies, RadauNodesAndWeightsAreMirrorImages) {
  for (int s = 1; s <= 20; ++s) {
    const Tableau ia = radau_ia(s), iia = radau_iia(s);
    for (int i = 0; i < s; ++i) {
      EXPECT_NEAR(ia.c[i] + iia.c[s - 1 - i], 1, 5e-15);  // 0
      EXPECT_EQ(ia.b[i], iia.b[s - 1 - i]);
    }
  }
}

TEST(TableauFamilies, LobattoIIICStarIsTheAdjointOfIIIC) {
  for (int s = 2; s <= 20; ++s) {
    const Tableau c = lobatto_iiic(s), star = lobatto_iiic_star(s);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) EXPECT_NEAR(star.a(i, j), c.b[j] - c.a(s - 1 - i, s - 1 - j), 5e-15) << s;  // 5.6e-17
  }
}

TEST(TableauFamilies, LobattoIIIDIsTheMeanOfIIICAndItsAdjoint) {
  for (int s = 2; s <= 20; ++s) {
    const Tableau c = lobatto_iiic(s), star = lobatto_iiic_star(s), d = lobatto_iiid(s);
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) EXPECT_NEAR(d.a(i, j), (c.a(i, j) + star.a(i, j)) / 2, 5e-15) << s;  // 1.1e-16
  }
}

TEST(TableauPairs, LobattoIIIAWithIIIBIsSymplecticThoughNeitherIsAlone) {
  for (int s = 2; s <= 20; ++s) {
    const Tableau a = lobatto_iiia(s), b = lobatto_iiib(s);
    EXPECT_TRUE(is_symplectic(a, b)) << s;  // 2.8e-17
    EXPECT_TRUE(is_symplectic(b, a)) << s;
    EXPECT_FALSE(is_symplectic(a, a)) << s;
    EXPECT_FALSE(is_symplectic(b, b)) << s;
  }
}

TEST(TableauPairs, LobattoIIICWithIIICStarIsSymplecticAndIIIAWithIIICIsNot) {
  for (int s = 2; s <= 20; ++s) {
    EXPECT_TRUE(is_symplectic(lobatto_iiic(s), lobatto_iiic_star(s))) << s;
    EXPECT_FALSE(is_symplectic(lobatto_iiia(s), lobatto_iiic(s))) << s;
  }
}

TEST(TableauPairs, OfLobattoFamiliesKeepTheOrderOfTheirMembers) {
  for (int s = 2; s <= 8; ++s) {
    SCOPED_TRACE("s = " + std::to_string(s));
    const Tableau a = lobatto_iiia(s), b = lobatto_iiib(s), d = lobatto_iiid(s);
    EXPECT_EQ(partitioned_order(a, b, 2 * s), 2 * s - 2);
    EXPECT_EQ(partitioned_order(b, a, 2 * s), 2 * s - 2);
    EXPECT_EQ(partitioned_order(a, d, 2 * s), 2 * s - 2);
    EXPECT_EQ(partitioned_order(b, d, 2 * s), 2 * s - 2);
    EXPECT_EQ(partitioned_order(lobatto_iiic(s), lobatto_iiic_star(s), 2 * s), 2 * s - 2);
    const Tableau* abd[] = {&a, &b, &d};
    EXPECT_EQ(order_of(abd, 2 * s, 1e-13), 2 * s - 2);
  }
}

TEST(TableauPairs, OfDifferentNodesLoseOrder) {
  EXPECT_EQ(partitioned_order(radau_ia(2), radau_iia(2)), 1);  // order 3 each
  EXPECT_EQ(partitioned_order(gauss(3), gauss(3)), 6);
}

TEST(TableauPairs, WithDifferentNumbersOfStagesAreRefused) {
  try {
    partitioned_order(lobatto_iiia(2), lobatto_iiib(3));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "tableaux 'lobatto-iiia' with 2 stages and 'lobatto-iiib' with 3 stages cannot form one partitioned method");
  }
}

TEST(TableauFamilies, SayHowManyStagesArePossible) {
  const auto message = [](Tableau (*make)(int), int s) -> std::string {
    try {
      make(s);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(message(lobatto_iiia, 1),
            "tableau 'lobatto-iiia': 1 stage was asked for, but it is available for 2 to 20 stages. The nearest is "
            "--stages 2 (order 2)");
  EXPECT_EQ(message(gauss, 0),
            "tableau 'gauss': 0 stages were asked for, but it is available for 1 to 20 stages. The nearest is --stages "
            "1 (order 2)");
  EXPECT_EQ(message(radau_ia, 21),
            "tableau 'radau-ia': 21 stages were asked for, but it is available for 1 to 20 stages. The nearest is "
            "--stages 20, and no "
            "step gains from more in double precision");
  for (const FamilyCase& family : kFamilies)
    for (const int s : {-1, 0, family.min_stages - 1, 21})
      EXPECT_EQ(message(family.make, s).rfind("tableau '" + family.name + "': ", 0), 0u) << family.name << ", " << s;
}

}  // namespace
}  // namespace rattleback
