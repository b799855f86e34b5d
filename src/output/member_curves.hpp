// Columns of members over time, as a figure needs them: some members, and of their records what shows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rattleback/simulate.hpp"

namespace rattleback::report {

class MemberCurves {
 public:
  struct Curve {
    std::size_t member;
    std::vector<std::vector<std::pair<double, double>>> points;  // by name: t and value
  };

  // Of so many members at most kMost are taken, at equal distances.
  MemberCurves(std::vector<std::string> names, std::size_t members);
  // Throws Error for a name that the records do not have.
  void add(std::size_t member, const Trajectory& run);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::vector<Curve>& curves() const { return curves_; }

 private:
  static constexpr std::size_t kMost = 200;
  static constexpr int kPixels = 300;
  std::vector<std::string> names_;
  std::size_t every_;
  std::vector<Curve> curves_;
};

}  // namespace rattleback::report
