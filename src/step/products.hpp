// Sums of products of slots, target by target: the chain rule of a sparse step, and the sizes of its rounding errors.
//
// The members of a family have the same terms, one place further on each. Such targets are one run: first places and
// steps, which is all that memory has to hold. What does not repeat is a run of one target.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rattleback {

class Products {
 public:
  struct Factors {
    std::int32_t a, b, a_step, b_step;
  };
  struct Run {
    std::int32_t to, to_step, count;
    std::int32_t first, terms;  // in factors()
  };

  // target[to] = sum of w[a]*w[b]. Targets of the same kind may be neighbours in a family: elements on one diagonal.
  void add(std::int32_t to, std::span<const std::pair<std::int32_t, std::int32_t>> terms, std::int64_t kind);
  // What is added from here on may need what was added before: it is computed after all of that.
  void barrier() { open_.clear(); }

  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }
  [[nodiscard]] std::span<const Factors> factors() const { return factors_; }

  void run(const double* w, double* out) const;
  // The sum of |w[a]| * size[b], times `unit`.
  void run_bounds(const double* w, const double* size, double unit, double* out) const;

 private:
  bool extend(Run& run, std::int32_t to, std::span<const std::pair<std::int32_t, std::int32_t>> terms);

  std::vector<Run> runs_;
  std::vector<Factors> factors_;
  std::unordered_map<std::int64_t, std::vector<std::size_t>> open_;  // by kind: runs that may be continued
};

}  // namespace rattleback
