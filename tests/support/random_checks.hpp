// What is checked of random models: a method on a model either refuses with a reason, or agrees with an evaluation of its
// own (long_system.hpp), with itself under another name, order, unit or engine, and with what it claims.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rattleback/simulate.hpp"
#include "support/long_system.hpp"
#include "support/random_models.hpp"

namespace rattleback::testing {

enum class RandomCheck {
  multipliers,
  order,
  composed,
  adaptive,
  audit,
  dense,
  events,
  resume,
  native,
  renaming,
  reordering,
  units
};
inline constexpr int kRandomChecks = 12;
const char* to_string(RandomCheck check);

struct Verdict {
  enum class Is { agrees, refused, beside_the_point, wrong };
  Is is = Is::agrees;
  std::string text = {};  // the reason
};

// A model with what is computed once for several checks.
class Subject {
 public:
  explicit Subject(RandomModel random);
  Verdict verdict(const MethodInfo& method, RandomCheck check);

  [[nodiscard]] const RandomModel& random() const { return random_; }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  struct Outcome {
    std::optional<Trajectory> done;
    Verdict verdict;  // when it is not done
  };
  [[nodiscard]] Options options(const MethodInfo& method) const;
  static Outcome run(const Model& model, const Options& options);
  [[nodiscard]] Reals state(const Trajectory& t, std::size_t row) const;  // differential, of a record
  // The right states at `count` equal times up to `until`; nothing where long double takes too long or the model has kinks.
  std::vector<Reals> right_motion(double until, int count);

  Verdict multipliers(const MethodInfo& method);
  Verdict audit(const MethodInfo& method);
  Verdict order(const MethodInfo& method, Options options, bool between);
  Verdict adaptive(const MethodInfo& method);
  Verdict events(const MethodInfo& method);
  Verdict resume(const MethodInfo& method);
  Verdict native(const MethodInfo& method);
  Verdict renaming(const MethodInfo& method);
  Verdict reordering(const MethodInfo& method);
  Verdict units(const MethodInfo& method);

  RandomModel random_;
  Model model_;
  std::unique_ptr<LongSystem> truth_;
};

// Methods that may take a model of this family.
std::vector<const MethodInfo*> methods_for(RandomFamily family);

// Draws a few pairs of method and check for each model, those that had their turn least often, so that all occur. Native
// code is compiled for one model in 20, so that 700 are enough for every method.
class RandomSchedule {
 public:
  RandomSchedule(RandomFamily family, std::vector<RandomCheck> checks);
  // Pairs for a model, most wanted ones first.
  [[nodiscard]] std::vector<std::pair<const MethodInfo*, RandomCheck>> draw(std::uint64_t number) const;
  void note(const MethodInfo& method, RandomCheck check, const Verdict& verdict);
  void leave_out(const MethodInfo& method, RandomCheck check);
  [[nodiscard]] std::vector<std::string> never_drawn() const;  // though they were not left out
  // "method: check" of those that never agreed, never were wrong and not always beside the point.
  [[nodiscard]] std::vector<std::string> without_answer() const;
  [[nodiscard]] std::string summary() const;

 private:
  struct Count {
    int left_out = 0, drawn = 0, agreed = 0, refused = 0, beside = 0, wrong = 0;
  };
  [[nodiscard]] const MethodInfo* least_compiled() const;  // whose compiled steps were looked at least often

  std::vector<const MethodInfo*> methods_;
  std::vector<RandomCheck> checks_;
  std::map<std::pair<std::string, RandomCheck>, Count> counts_;
};

struct RandomReport {
  std::vector<std::string> wrong, without_answer, never_drawn;
  std::map<std::string, std::string> refusals;       // an example of each, by method and text without numbers
  std::vector<std::pair<double, std::string>> slow;  // CPU seconds, the slowest five first
  std::string summary;
};
// Runs `models` models of a family from `first` on and reports what is wrong, with the model's file and the command that
// repeats it.
struct RandomRun {
  RandomFamily family = RandomFamily::mechanical;
  std::uint64_t first = 0;
  int models = 0, pairs = 3;  // pairs: with an answer, for each model
  std::vector<RandomCheck> checks;
  std::function<bool(const Subject&, const MethodInfo&, RandomCheck)> left_out = {};
  std::function<void(std::uint64_t models, const RandomReport&)> progress = {};  // after each hundred
};
RandomReport run_random(const RandomRun& run);
// "family:number:method:check", as in the reports.
std::string repeat_one(const std::string& what);

}  // namespace rattleback::testing
