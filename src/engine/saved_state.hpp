// How load() reads what save() wrote: no further than it reaches, and no number as a count that is none.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "rattleback/error.hpp"

namespace rattleback {

class SavedState {
 public:
  explicit SavedState(std::span<const double> numbers) : left_(numbers) {}

  static void expect(bool good) {
    if (!good)
      throw Error("the checkpoint is damaged: what it holds is not a state of this run. Start without --resume");
  }
  std::span<const double> take(std::size_t count) {
    expect(count <= left_.size());
    const std::span<const double> part = left_.first(count);
    left_ = left_.subspan(count);
    return part;
  }
  double next() { return take(1).front(); }
  // A whole number from 0 to `most`.
  std::int64_t count(double most = 9e15) {
    const double x = next();
    expect(x >= 0.0 && x <= most && x == std::floor(x));
    return static_cast<std::int64_t>(x);
  }
  void fill(std::span<double> list) {
    for (double& x : list) x = next();
  }
  [[nodiscard]] std::size_t left() const { return left_.size(); }
  std::span<const double> rest() { return take(left_.size()); }
  void end() const { expect(left_.empty()); }

 private:
  std::span<const double> left_;
};

}  // namespace rattleback
