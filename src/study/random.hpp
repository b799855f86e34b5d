// Random numbers with the same bits on every machine: integers, comparisons, additions and divisions only.
#pragma once

#include <cstdint>

namespace rattleback {

class Random {
 public:
  // Streams of different numbers are independent.
  Random(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream * kOdd)) {}

  // [Steele2014]: a counter with odd increment, and a mixing of its bits.
  std::uint64_t bits() { return mix(state_ += kOdd); }

  // 53 bits in (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 11U) + 0.5) * 0x1p-53; }

  // Standard normal, by the rejection of [Karney2016]: k + x with k a whole number of weight exp(-k^2/2), x uniform, and
  // kept with probability exp(-x (2k + x)/2). Exponentials appear as the probabilities of von Neumann's decreasing series
  // only, so that no library function decides about the bits.
  double normal() {
    for (;;) {
      int k = 0;
      while (exponential_chance(0.5)) ++k;
      bool keep = true;
      for (int i = k * (k - 1); keep && i > 0; --i) keep = exponential_chance(0.5);
      if (!keep) continue;
      const double x = uniform(), part = x * (2.0 * k + x) / (2.0 * k + 2.0);
      for (int i = 0; keep && i <= k; ++i) keep = exponential_chance(part);
      if (!keep) continue;
      return (bits() & 1U) != 0U ? k + x : -(k + x);
    }
  }

 private:
  static constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15U;  // 2^64 divided by the golden ratio
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }

  // True with probability exp(-x), 0 <= x <= 1: uniform numbers that begin below x decrease for an even number of times.
  bool exponential_chance(double x) {
    bool even = true;
    for (double last = x, next = uniform(); next < last; next = uniform()) {
      last = next;
      even = !even;
    }
    return even;
  }

  std::uint64_t state_;
};

}  // namespace rattleback
