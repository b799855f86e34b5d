// When Newton's iteration has arrived, and what its corrections are compared with: each rule said once.
//
// A rule is a template over words. With the numbers and conditions of C++ it is executed (convergence.hpp); with those
// of a text it is written, as C for one run or for four in lanes (engine/text/said.hpp). Words say
//   set(x, y)         x becomes y
//   when(c, body)     body, if c holds; c is the same for all lanes
//   where(c, body)    body, if c holds; lanes differ
//   arrive(c)         if c holds, the iteration has arrived
//   noise(p)          p.noise is wanted
//   stuck(c)          if c holds, corrections do not shrink any more, and the residual is to be judged
// The last five return whether the iteration is known to have arrived, which a text never knows: it goes on.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace rattleback::newton {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
inline constexpr double kRoundingLevel = 1e-9;  // a stagnating correction below this is rounding, above it a failure
inline constexpr double kCertainlyRounding = 1e-14;
inline constexpr double kNoise = 64 * kEps;
inline constexpr double kSmall = 0.25 * kEps;
inline constexpr double kStagnant = 0.3;  // a ratio above: corrections do not shrink
inline constexpr double kRunaway = 1e5;   // times the first size of a solution: not one

inline constexpr int kPatience = 6;                // iterations before a stagnating one is judged by its residual
inline constexpr double kRefresh = 0.05;           // contraction above which the matrix is computed anew
inline constexpr double kSaddleContraction = 0.5;  // contraction above which the saddle-point matrix is given up
// The leading matrix is given up above this contraction, unless corrections are near rounding, where ratios say little.
inline constexpr double kLeadingContraction = 0.1, kLeadingRounding = 1e-11;
// Corrections that shrank by it and then stop shrinking at once, this near to rounding: no matrix would do better.
inline constexpr double kLeadingNoise = 0x1p-44;  // 256 eps
inline constexpr std::int32_t kFullNewton = 3;    // blocks up to this size always use the current matrix

inline double larger(double a, double b) { return a < b ? b : a; }  // inlined, unlike fmax
inline double size_of(double x) { return std::fabs(x); }
inline double pick(bool condition, double yes, double no) { return condition ? yes : no; }

struct Assign {
  static void set(double& x, double y) { x = y; }
};

// Sizes of unknowns of both kinds: as of the state, and as of the state divided by the step (Equations::Scale).
// Corrections are compared with `typical`, to rounding. What comes from rounding errors of `noise` cannot be made
// smaller: corrections that stop shrinking there are accepted.
template <class Number>
struct Sizes {
  Number typical[2] = {Number(1e-300), Number(1e-300)};
  Number noise[2] = {Number(0.0), Number(0.0)};
};

// speed: the largest velocity, or what stands for one. Where position constraints determine velocities, their rounding
// errors are also those of positions.
template <class Words, class Number>
void typical_sizes(Words&& w, Sizes<Number>& s, const Number& speed, const Number& scale, const Number& h) {
  w.set(s.typical[0], larger(Number(1e-300), speed));
  w.set(s.typical[1], s.typical[0] * scale / size_of(h));
}

// length: the largest position. Where position constraints act, velocities come from differences of positions over h.
// Elsewhere, too, near an equilibrium the velocities vanish and the forces do not: these cancel up to rounding errors
// that belong to the positions. turn: wrapped angles carry errors of the time when they were a whole turn.
template <class Words, class Number>
void noise_sizes(Words&& w, Sizes<Number>& s, const Number& length, double turn, const Number& scale, const Number& h) {
  w.set(s.noise[0], larger(larger(s.typical[0] * size_of(h), Number(turn)), length));
  w.set(s.noise[0], larger(s.noise[0], s.noise[0] / size_of(h)));
  w.set(s.noise[1], s.noise[0] * scale / size_of(h));
}

// Corrections of an iteration so far.
template <class Number, class Count>
struct Progress {
  Number size, noise;  // of the last one: relative to the unknowns, and to what rounding errors come from
  Number last;         // size of the one before it
  Number ratio;        // of these two; 0 unless both were made with the same kind of matrix
  Number older;        // the ratio before it
  Number next;         // what is expected of the next correction, relative to this one
  Count since;         // corrections with this kind of matrix
};

// With the leading matrix: corrections shrank as they should, and then stopped at once, near rounding.
template <class Number, class Count>
auto at_the_floor(const Progress<Number, Count>& p) {
  return p.ratio > kSaddleContraction && p.older > 0.0 && p.older <= kLeadingContraction && p.noise <= kLeadingNoise;
}

// One more correction, the k-th, made with the matrix of the current point or with another one, which may be the
// leading one. With tolerance 0 the iteration goes on until the next correction would be below rounding, or until
// corrections at rounding level stop shrinking.
template <class Words, class Number, class Count, class Truth>
bool arrived(Words&& w, Progress<Number, Count>& p, const Truth& current, bool leading, const Count& k,
             const Number& tolerance, bool cautious) {
  w.set(p.older, p.ratio);
  w.set(p.ratio, Number(0.0));
  if (w.arrive(p.size <= kEps || p.size <= tolerance)) return true;
  const bool done = w.when(++p.since >= 2, [&] {
    w.set(p.ratio, p.size / p.last);
    // Newton with the current matrix squares the ratio, with another one it keeps it.
    const Number squared = cautious ? p.ratio : p.ratio * p.ratio;
    w.set(p.next, pick(current, squared, p.ratio / pick(1.0 - p.ratio > 0.5, 1.0 - p.ratio, Number(0.5))));
    // With a matrix that stays the same, parts of the error may take turns: one ratio is small by chance, and the mean
    // of two is not.
    if (w.arrive(p.ratio < 1.0 && p.size * p.next <= kSmall &&
                 (current || p.since < 3 || p.size * p.size * p.ratio * p.older <= kSmall * kSmall)))
      return true;
    return w.where(p.ratio > kStagnant, [&] {
      // Stagnation at rounding level. With another matrix a slow ratio may also mean a poor matrix: look again with the
      // current one.
      if (w.arrive(p.size <= pick(current, Number(kRoundingLevel), Number(kCertainlyRounding)))) return true;
      w.noise(p);
      if (w.arrive(p.noise <= kNoise) || (leading && w.arrive(at_the_floor(p)))) return true;
      return !leading && w.stuck(current && k > kPatience);
    });
  });
  w.set(p.last, p.size);
  return done;
}

// Is the saddle-point matrix, or the leading one, to be given up?
template <class Number, class Count>
auto too_slow(const Progress<Number, Count>& p) {
  return p.ratio > kSaddleContraction;
}
template <class Number, class Count>
auto leads_too_slowly(const Progress<Number, Count>& p) {
  return too_slow(p) || (p.ratio > kLeadingContraction && p.size > kLeadingRounding);
}

// An iteration that runs to infinity has small corrections too, relative to where it is. A solution that is so much
// larger than what was known of it after the first correction is not one.
template <class Number>
auto ran_away(const Number& big, const Number& first) {
  return big > kRunaway * first;
}

}  // namespace rattleback::newton
