// Every digit of the method of order 8: its order conditions, those of its estimates, and that a wrong digit would be seen.
#include "tableau/dormand_prince.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rattleback {
namespace {

Tableau with_weights(const EmbeddedTableau& t, const std::vector<double>& error) {
  Tableau out = t.main;
  for (std::size_t j = 0; j < out.b.size(); ++j) out.b[j] -= error[j];
  return out;
}

double row_sum_defect(const Tableau& t) {
  double worst = 0.0;
  for (int i = 0; i < t.stages; ++i) {
    double sum = 0.0;
    for (int j = 0; j < t.stages; ++j) sum += t.a(i, j);
    worst = std::fmax(worst, std::fabs(sum - t.c[static_cast<std::size_t>(i)]));
  }
  return worst;
}

double quadrature_defect(const Tableau& t, int power) {
  double sum = 0.0;
  for (std::size_t j = 0; j < t.b.size(); ++j) sum += t.b[j] * std::pow(t.c[j], power);
  return std::fabs(sum - 1.0 / (power + 1));
}

// Over all conditions of order 1 to `order`, and the row sums.
double worst_residual(const Tableau& t, int order) {
  double worst = row_sum_defect(t);
  for (int p = 1; p <= order; ++p) worst = std::fmax(worst, order_condition_residual(t, p));
  return worst;
}

TEST(DormandPrince853, IsExplicitAndItsRowsAddUp) {
  const Tableau t = dormand_prince_853().main;
  for (int i = 0; i < t.stages; ++i)
    for (int j = i; j < t.stages; ++j) EXPECT_EQ(t.a(i, j), 0.0);
  EXPECT_LT(row_sum_defect(t), 2e-14);  // 3.6e-15
}

TEST(DormandPrince853, HasOrder8AndNotOrder9) {
  const Tableau t = dormand_prince_853().main;
  for (int p = 1; p <= 8; ++p) EXPECT_LT(order_condition_residual(t, p), 3e-14) << p;  // below 3e-15
  for (int power = 0; power < 8; ++power) EXPECT_LT(quadrature_defect(t, power), 3e-14) << power;
  EXPECT_GT(quadrature_defect(t, 8), 1e-7);
}

TEST(DormandPrince853, EstimatesHaveOrders5And3) {
  const EmbeddedTableau t = dormand_prince_853();
  const Tableau fifth = with_weights(t, t.error5), third = with_weights(t, t.error3);
  for (int p = 1; p <= 5; ++p) EXPECT_LT(order_condition_residual(fifth, p), 1e-13) << p;  // 5.0e-15
  EXPECT_GT(order_condition_residual(fifth, 6), 1e-5);
  for (int p = 1; p <= 3; ++p) EXPECT_LT(order_condition_residual(third, p), 1e-13) << p;  // 3.6e-15
  EXPECT_GT(order_condition_residual(third, 4), 1e-5);
}

// With the weights b(theta) it is a method of order 7 for a step of size theta h: A/theta, b/theta, c/theta.
Tableau shortened(const DenseExtension& e, double theta) {
  Tableau t;
  t.stages = static_cast<int>(DenseExtension::kStages);
  t.A = e.A;
  t.c = e.c;
  e.weights(theta, t.b);
  for (auto* list : {&t.A, &t.b, &t.c})
    for (double& x : *list) x /= theta;
  return t;
}

TEST(DormandPrince853, DenseOutputHasOrder7EverywhereAndNotOrder8) {
  const DenseExtension e = dormand_prince_extension();
  for (const double theta : {0.3, 0.5, 0.8}) {
    EXPECT_LT(worst_residual(shortened(e, theta), 7), 1e-12) << theta;  // 2.2e-14
    EXPECT_GT(order_condition_residual(shortened(e, theta), 8), 1e-5) << theta;
  }
  EXPECT_LT(worst_residual(shortened(e, 1.0), 8), 3e-14);  // the step itself
  std::vector<double> b;
  e.weights(0.0, b);
  for (const double x : b) EXPECT_EQ(x, 0.0);
}

TEST(DormandPrince853, AWrongDigitOfTheDenseOutputWouldBeSeen) {
  const DenseExtension right = dormand_prince_extension();
  for (const bool rows : {true, false})
    for (std::size_t i = rows ? 13 * DenseExtension::kStages : 0; i < (rows ? right.A.size() : right.d.size()); ++i) {
      DenseExtension wrong = right;
      double& x = (rows ? wrong.A : wrong.d)[i];
      if (x == 0.0) continue;
      x *= 1.0 + 1e-8;
      EXPECT_GT(worst_residual(shortened(wrong, 0.6), 7), 1e-12) << rows << " " << i;
    }
}

// A relative change of 1e-10 in any one coefficient, that is in its eleventh digit, breaks a condition visibly.
TEST(DormandPrince853, AWrongDigitWouldBeSeen) {
  const EmbeddedTableau right = dormand_prince_853();
  const double usual = worst_residual(right.main, 8);
  const auto expect_seen = [&](auto&& coefficient, int i, auto&& residual) {
    EmbeddedTableau t = right;
    double& x = coefficient(t)[static_cast<std::size_t>(i)];
    if (x == 0.0) return;
    x *= 1.0 + 1e-10;
    EXPECT_GT(residual(t), 5.0 * usual) << i << ": " << x;
  };
  const auto main = [](const EmbeddedTableau& t) { return worst_residual(t.main, 8); };
  for (int i = 0; i < 144; ++i)
    expect_seen(
        [](EmbeddedTableau & t) -> auto& { return t.main.A; }, i, main);
  for (int i = 0; i < 12; ++i) {
    expect_seen(
        [](EmbeddedTableau & t) -> auto& { return t.main.b; }, i, main);
    expect_seen(
        [](EmbeddedTableau & t) -> auto& { return t.main.c; }, i, main);
    expect_seen(
        [](EmbeddedTableau & t) -> auto& { return t.error5; }, i,
        [](const EmbeddedTableau& t) { return worst_residual(with_weights(t, t.error5), 5); });
    expect_seen(
        [](EmbeddedTableau & t) -> auto& { return t.error3; }, i,
        [](const EmbeddedTableau& t) { return worst_residual(with_weights(t, t.error3), 3); });
  }
}

}  // namespace
}  // namespace rattleback
