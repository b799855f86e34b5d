// Helpers of the front end's tests: models from a few lines, and values of what they contain.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "model/evaluate.hpp"
#include "rattleback/error.hpp"
#include "rattleback/model.hpp"

namespace rattleback::test {

// The message of the Error that f throws; "" when it throws none.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& fault) {
    return fault.what();
  }
  return "";
}

inline double value_of(const Model& m, NodeId id, double t, const std::vector<double>& q, const std::vector<double>& v,
                       const std::vector<double>& z = {}) {
  return front::PointValues(*m.graph, std::span(&id, 1), {t, q, v, z})[id];
}

// A vector function as numbers.
inline std::vector<double> dense(const Graph& graph, const Entries& entries, std::size_t rows, double t,
                                 const std::vector<double>& q, const std::vector<double>& v,
                                 const std::vector<double>& z = {}) {
  std::vector<double> out(rows, 0.0);
  for (const Entry& e : entries) {
    for (std::int32_t k = 0; k < std::max(e.count, 1); ++k) {
      const auto at = static_cast<std::size_t>(e.row.at(k));
      out.at(at) += front::loop_value(graph, e.expr, k, {t, q, v, z});
    }
  }
  return out;
}

}  // namespace rattleback::test
