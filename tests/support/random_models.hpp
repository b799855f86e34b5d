// Random models, as texts, so that everything from the parser on is tested. A model depends on its family, its number and
// nothing else: `random_model(family, number)` gives the same text on every machine, and a failing check prints both
// (tests/random). What may be claimed of a model stands beside its text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "study/random.hpp"

namespace rattleback::testing {

enum class RandomFamily { mechanism, mechanical, dae, odae, skew_gradient, port_hamiltonian };
const char* to_string(RandomFamily family);

struct RandomModel {
  RandomFamily family = RandomFamily::mechanical;
  std::uint64_t number = 0;
  std::string text = {};
  double step = 0.01;                     // small against the times of the motion
  bool redundant = false;                 // constraints are dependent: needs --redundant minimum-norm
  bool smooth = true;                     // no kinks: high orders can be measured
  std::optional<std::string> small = {};  // mechanisms: the same with lengths in units that are 10^4 times as long

  [[nodiscard]] std::string title() const { return std::string(to_string(family)) + " " + std::to_string(number); }
};

RandomModel random_model(RandomFamily family, std::uint64_t number);

// --- variants of a text that must not matter; one key stands on each line

// Coordinates, constraints and definitions under other names; `original` of a new name.
struct Renamed {
  std::string text = {};
  std::vector<std::pair<std::string, std::string>> names;  // old, new
};
Renamed renamed(const std::string& text);
// Constraints and other tables' lines in another order, constraints that no force refers to with other factors; if
// `coordinates`, they and states in another order, too.
std::string reordered(const std::string& text, std::uint64_t number, bool coordinates);

// --- shared by the generators

class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}
  double in(double from, double to);  // with three digits, for texts that can be read
  double decades(double from, double to);
  int whole(int from, int to);  // both included
  bool chance(double p) { return random_.uniform() < p; }
  const std::string& of(const std::vector<std::string>& list) {
    return list[static_cast<std::size_t>(whole(0, static_cast<int>(list.size()) - 1))];
  }
  // A smooth function of some of the names, of size about 1 near 0; `t` may be among them.
  std::string smooth(const std::vector<std::string>& names);

 private:
  Random random_;
};

RandomModel random_mechanism(std::uint64_t number);
RandomModel random_mechanical(std::uint64_t number);
RandomModel random_dae(std::uint64_t number);
RandomModel random_odae(std::uint64_t number);
RandomModel random_skew_gradient(std::uint64_t number);
RandomModel random_port_hamiltonian(std::uint64_t number);

}  // namespace rattleback::testing
