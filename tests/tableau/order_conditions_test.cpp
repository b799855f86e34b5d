// The order conditions on methods of known order, including explicit ones, where C(q) and D(r) help little.
#include "tableau/order_conditions.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

Tableau make(int s, std::vector<double> A, std::vector<double> b) {
  Tableau t{.name = "test", .stages = s, .A = std::move(A), .b = std::move(b), .c = {}, .order = 0};
  for (int i = 0; i < s; ++i) {
    t.c.push_back(0);
    for (int j = 0; j < s; ++j) t.c.back() += t.a(i, j);
  }
  return t;
}

Tableau classical_rk4() {
  return make(4, {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0}, {1. / 6, 1. / 3, 1. / 3, 1. / 6});
}

// [DormandPrince1980], the solution of order 5.
Tableau dormand_prince() {
  return make(7,
              {0,
               0,
               0,
               0,
               0,
               0,
               0,  //
               1. / 5,
               0,
               0,
               0,
               0,
               0,
               0,  //
               3. / 40,
               9. / 40,
               0,
               0,
               0,
               0,
               0,  //
               44. / 45,
               -56. / 15,
               32. / 9,
               0,
               0,
               0,
               0,  //
               19372. / 6561,
               -25360. / 2187,
               64448. / 6561,
               -212. / 729,
               0,
               0,
               0,  //
               9017. / 3168,
               -355. / 33,
               46732. / 5247,
               49. / 176,
               -5103. / 18656,
               0,
               0,  //
               35. / 384,
               0,
               500. / 1113,
               125. / 192,
               -2187. / 6784,
               11. / 84,
               0},
              {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0});
}

TEST(OrderConditions, EnumerateAllRootedTrees) {
  const std::vector<std::size_t> one{1, 1, 2, 4, 9, 20, 48, 115};           // OEIS A000081
  const std::vector<std::size_t> two{2, 4, 14, 52, 214, 916, 4116, 18996};  // OEIS A000151
  const std::vector<std::size_t> three{3, 9, 45, 246, 1485, 9432};          // OEIS A006964
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(tree_count(1, n), one[n - 1]) << n;
  for (int n = 1; n <= 8; ++n) EXPECT_EQ(tree_count(2, n), two[n - 1]) << n;
  for (int n = 1; n <= 6; ++n) EXPECT_EQ(tree_count(3, n), three[n - 1]) << n;
}

TEST(OrderConditions, FindTheOrderOfExplicitMethods) {
  EXPECT_EQ(classical_order(make(1, {0}, {1})), 1);
  EXPECT_EQ(classical_order(make(2, {0, 0, 0.5, 0}, {0, 1})), 2);
  EXPECT_EQ(classical_order(classical_rk4()), 4);
  EXPECT_EQ(classical_order(dormand_prince()), 5);
  EXPECT_LT(order_condition_residual(dormand_prince(), 5), 2e-14);  // 4.4e-16
  EXPECT_GT(order_condition_residual(dormand_prince(), 6), 1e-4);   // 2.8e-4
}

// Simpson's rule has B(4), but b A c = 0 instead of 1/6: quadrature alone cannot tell.
TEST(OrderConditions, SeeWhatQuadratureCannot) {
  const Tableau t = make(3, {0, 0, 0, 0.5, 0, 0, 1, 0, 0}, {1. / 6, 2. / 3, 1. / 6});
  EXPECT_EQ(classical_order(t), 2);
  const Tableau* group[] = {&t};
  EXPECT_EQ(simplifying_assumptions(group, 8, 1e-14).B, 4);
  const Condition condition = worst_condition(group, 3);
  EXPECT_EQ(condition.tree, "[[.]]");
  EXPECT_EQ(condition.gamma, 6);
  EXPECT_EQ(condition.value, 0);
}

TEST(OrderConditions, NameTheGroupsInColouredTrees) {
  // Explicit Euler for one group, implicit for the other: each tree of two nodes fails by 1/2.
  const Tableau explicit_euler = make(1, {0}, {1}), implicit_euler = make(1, {1}, {1});
  EXPECT_EQ(partitioned_order(explicit_euler, implicit_euler), 1);
  const Tableau* groups[] = {&implicit_euler, &explicit_euler};
  EXPECT_EQ(worst_condition(groups, 2).tree, "a[a]");
  EXPECT_EQ(worst_condition(groups, 2).residual, 0.5);
}

TEST(OrderConditions, SeeCouplingConditionsOfPairs) {
  const Tableau kutta = make(3, {0, 0, 0, 0.5, 0, 0, -1, 2, 0}, {1. / 6, 2. / 3, 1. / 6});    // order 3
  const Tableau heun = make(3, {0, 0, 0, 0.25, 0.25, 0, 0, 1, 0}, {1. / 6, 2. / 3, 1. / 6});  // Lobatto IIIC*, order 4
  EXPECT_EQ(classical_order(kutta), 3);
  EXPECT_EQ(classical_order(heun), 4);
  EXPECT_EQ(partitioned_order(kutta, heun), 3);
}

TEST(OrderConditions, AreRefusedOutsideTheEnumeratedOrders) {
  for (const int order : {0, 9}) {
    try {
      order_condition_residual(classical_rk4(), order);
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "order conditions by trees are available for the orders 1 to 8, not " + std::to_string(order));
    }
  }
}

TEST(OrderConditions, CountOnlyUpToTheOrderAskedFor) {
  EXPECT_EQ(classical_order(gauss(5), 3), 3);
  EXPECT_EQ(classical_order(gauss(5), 9), 9);
  EXPECT_EQ(classical_order(gauss(5), 12), 10);
}

}  // namespace
}  // namespace rattleback
