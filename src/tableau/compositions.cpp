// Coefficients of symmetric compositions, printed with 26 digits in the source and rounded once by the compiler.
#include "tableau/compositions.hpp"

#include <cstddef>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// First half and middle; the other half is the mirror image.
std::vector<double> mirrored(std::vector<double> half) {
  for (std::size_t k = half.size() - 1; k-- > 0;) half.push_back(half[k]);
  return half;
}

}  // namespace

Composition composition(int order) {
  switch (order) {
    case 2: return {.order = 2, .name = "one step", .gamma = {1.0}};
    case 4:  // gamma = 1/(4 - 4^(1/3)), middle 1 - 4 gamma          [Suzuki1990; HLW2006, example II.4.3]
      return {.order = 4,
              .name = "Suzuki, 5 steps",
              .gamma = mirrored(
                  {0.41449077179437573714235406, 0.41449077179437573714235406, -0.65796308717750294856941625})};
    case 6:  // [KahanLi1997; HLW2006, V.3.2]
      return {
          .order = 6,
          .name = "Kahan-Li, 9 steps",
          .gamma = mirrored({0.39216144400731413927925056, 0.33259913678935943859974864, -0.70624617255763935980996482,
                             0.08221359629355080023149045, 0.79854399093482996339895035})};
    case 8:  // [KahanLi1997; HLW2006, V.3.2]
      return {.order = 8,
              .name = "Kahan-Li, 17 steps",
              .gamma = mirrored(
                  {0.13020248308889008087881763, 0.56116298177510838456196441, -0.38947496264484728640807860,
                   0.15884190655515560089621075, -0.39590389413323757733623154, 0.18453964097831570709183254,
                   0.25837438768632204729397911, 0.29501172360931029887096624, -0.60550853383003451169892108})};
    default:
      throw Error("--compose " + std::to_string(order) +
                  ": no composition of this order. Compositions exist for the orders 2, 4, 6, 8");
  }
}

}  // namespace rattleback
