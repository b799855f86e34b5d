// What there is to choose from: the tables of `rattleback methods` and `rattleback systems`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rattleback/method.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback::report {

struct ListedSystem {
  std::string key, title, kind;
};
// The shipped systems with title and kind as their files say, read without building the models: listing stays instant.
std::vector<ListedSystem> systems();

// Does this method choose its own steps? No for names that are not registered (a user's tableau).
bool is_adaptive(std::string_view method);

// "spark-gauss(2)"; without the stages where there is nothing to choose.
std::string method_label(const std::string& method, int stages);

// "4", or "2 (positions 4)" where velocities and positions have different orders.
std::string orders_text(const ComponentOrders& orders);

// The orders of a method in one case that it takes. v: mechanical systems only.
struct OrderLine {
  Kind kind = Kind::mechanical;
  OrderCase on = OrderCase::unconstrained;
  std::string_view constraints;  // what the case is
  std::string_view q, v;         // "2s"
};
std::vector<OrderLine> order_lines(const MethodInfo& info);

// How an event passes zero: "up", "down", or "touch".
std::string_view passage(const EventFound& event);

std::string methods_text();
std::string systems_text();

}  // namespace rattleback::report
