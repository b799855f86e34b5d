// A recipe at work: its runs, one by one and in any order, then the numbers, the figure and the data.
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "plot/figure.hpp"
#include "reproduce/distance.hpp"
#include "reproduce/recipe.hpp"

namespace rattleback::reproduce {

struct Number {
  std::string what;
  double found = 0.0;
  Expectation expected;
  [[nodiscard]] bool ok() const { return expected.holds(found); }
};

struct Finding {
  std::vector<Number> numbers;
  std::vector<std::string> faults;  // runs that could not be made, lists that do not fit
  plot::Figure figure;
  std::string csv;       // the points of the figure: panel, series, x, y
  double seconds = 0.0;  // of all runs, one after the other
  [[nodiscard]] bool as_expected() const;
};

class Experiment {
 public:
  explicit Experiment(Recipe recipe, std::stop_token stop = {});

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }
  [[nodiscard]] std::size_t jobs() const { return jobs_.size(); }
  // About how long a job takes, in steps: long ones are begun first.
  [[nodiscard]] double weight(std::size_t job) const;
  // Different jobs may run at the same time. What goes wrong is a fault of the finding. Throws Cancelled.
  void run(std::size_t job);
  // When all have run.
  [[nodiscard]] Finding finish() const;

 private:
  struct Job {
    std::size_t study = 0;
    const Case* variant = nullptr;
    std::pair<std::string, int> method;
    double step = 0.0;  // an order study has one job for all its steps
    std::string label;
    // Found:
    std::map<std::string, std::vector<double>> measured;
    std::vector<std::vector<plot::Series>> series;  // by panel
    States states;                                  // kept for distances
    std::string fault;
    double seconds = 0.0;
  };

  void add_jobs(std::size_t study);
  void run_run(Job& job) const;
  void run_order(Job& job) const;
  void run_section(Job& job) const;
  void run_ensemble(Job& job) const;
  void run_check(Job& job) const;
  [[nodiscard]] Options options_of(const Job& job) const;
  [[nodiscard]] std::vector<std::string> measures_of(std::size_t study) const;
  template <class Draw>
  void draw(Job& job, const Draw& draw_panel) const;
  [[nodiscard]] std::size_t number_in_study(const Job& job) const;
  [[nodiscard]] std::optional<std::vector<double>> distances(const Job& job, const std::string& measure) const;
  void judge(const Study& study, const std::vector<const Job*>& jobs, Finding& out) const;
  void compose_figure(Finding& out) const;

  Recipe recipe_;
  std::stop_token stop_;
  std::vector<Job> jobs_;
  bool keep_records_ = false;
};

}  // namespace rattleback::reproduce
