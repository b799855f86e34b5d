// Linear systems with symmetric positive definite matrices, solved in expressions.
#pragma once

#include <vector>

#include "rattleback/error.hpp"
#include "rattleback/expr.hpp"

namespace rattleback {

// M^-1 x for symmetric M, as expressions: L D L^T without pivoting, which is safe for a positive definite mass.
class SymbolicSolve {
 public:
  SymbolicSolve(Graph& g, std::vector<std::vector<NodeId>> M) : g_(g), l_(std::move(M)) {
    const std::size_t n = l_.size();
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        const NodeId scaled = g_.mul(l_[j][k], l_[k][k]);
        for (std::size_t i = j; i < n; ++i) l_[i][j] = g_.sub(l_[i][j], g_.mul(l_[i][k], scaled));
      }
      if (g_.is_constant(l_[j][j], 0.0))
        throw Error("the mass matrix is singular, so the accelerations that the method needs do not exist");
      for (std::size_t i = j + 1; i < n; ++i) l_[i][j] = g_.div(l_[i][j], l_[j][j]);
    }
  }

  std::vector<NodeId> operator()(std::vector<NodeId> x) const {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < i; ++k) x[i] = g_.sub(x[i], g_.mul(l_[i][k], x[k]));
    for (std::size_t i = 0; i < n; ++i) x[i] = g_.div(x[i], l_[i][i]);
    for (std::size_t i = n; i-- > 0;)
      for (std::size_t k = i + 1; k < n; ++k) x[i] = g_.sub(x[i], g_.mul(l_[k][i], x[k]));
    return x;
  }

 private:
  Graph& g_;
  std::vector<std::vector<NodeId>> l_;  // D on the diagonal, L below
};

}  // namespace rattleback
