// Evaluates an expression to a number straight from its syntax tree: parameters, starts and run settings. (Formulas of
// the motion become graph nodes instead, see elaborate.hpp.)
#pragma once

#include <functional>
#include <numbers>

#include "expr/rounding.hpp"
#include "model/grammar/world.hpp"

namespace rattleback::front {

class Numbers {
 public:
  // Value of a coordinate or algebraic variable that an expression refers to, where rules allow one.
  using Variable = std::function<Rounded(Space space, std::int32_t position)>;

  Numbers(World& world, const Rules& rules, Variable variable = {})
      : world_(world), rules_(rules), variable_(std::move(variable)) {}

  // With a bound of its rounding error, as all numbers here.
  Rounded value(const Formula& f, std::int32_t node, Scope& scope);
  // The value of the whole formula; an error that shows the offending part when it is not finite.
  Rounded finite(const Formula& f, Scope& scope);
  Rounded finite(const Formula& f) {
    Scope scope;
    return finite(f, scope);
  }

 private:
  Rounded combine(const Formula& f, std::int32_t node, Scope& scope);
  Rounded reference(const Formula& f, const AstNode& node, Scope& scope);
  Rounded own_function(const Formula& f, const AstNode& node, Scope& scope);
  Rounded sum(const Formula& f, const AstNode& node, Scope& scope);

  World& world_;
  const Rules& rules_;
  Variable variable_;
  double largest_ = 0.0, inherited_ = 0.0;  // of the formula at hand: largest number, largest bound of a reference
  bool fresh_ = false;                      // references are good to an ulp
  bool strict_ = false;                     // stop at the first part that is not finite
  std::int64_t steps_ = 0;
  int calls_ = 0;  // of functions, within one another
};

// The position of element `i` of a family of coordinates; an error naming the valid range when there is none.
std::int32_t element_position(const Formula& f, const AstNode& node, const Names::Group& g, std::int64_t i,
                              const Scope& scope, std::int64_t k);
// "`sqrt(x)` is sqrt(-1) = nan": a part of a formula with its value, and with its arguments when it is a function.
std::string shown_value(const Formula& f, std::int32_t node, double value,
                        const std::function<double(std::int32_t)>& value_of);
// deg, as in 30*deg, unless a model has something of that name.
inline constexpr double kDegree = std::numbers::pi / 180.0;
bool is_degree(const Formula& f, const AstNode& node);
// Refuses x for a family and x[2] for a single name.
void check_indexed(const Formula& f, const AstNode& node, std::string_view name, bool family, std::int64_t from,
                   std::int64_t to);

}  // namespace rattleback::front
