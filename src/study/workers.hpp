// Who runs the members of an ensemble: in lanes where they can share what is derived, else each by itself.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run/shared_run.hpp"
#include "study/finished.hpp"

namespace rattleback {

// A fault names its member.
struct MemberError {
  std::size_t member = 0;
  std::string text;
};

// Members that decide alike by their parameters (Graph::set_parameters) share what is derived and compiled: a class of members.
class Workers {
 public:
  // mine: how many members this process has.
  Workers(const MemberModels& models, const EnsembleRequest& request, int threads, std::size_t mine);

  // Members from first to last, in order. Any number of threads may call it. Throws MemberError and Cancelled.
  std::vector<Finished> run(std::size_t first, std::size_t last);

 private:
  static constexpr std::size_t kMostClasses = 16;
  struct Class {
    Class(std::size_t first, std::unique_ptr<LaneCode> compiled) : member(first), code(std::move(compiled)) {}
    std::size_t member;  // the first one that was found
    std::unique_ptr<LaneCode> code;
  };
  struct Worker {
    explicit Worker(const MemberModels& models) : reader(models.start_reader()) {}
    std::unique_ptr<StartReader> reader;
    std::vector<std::optional<std::unique_ptr<SharedRun>>>
        runs;  // by class, made when they are wanted; null: cannot be
  };
  struct Taken {
    std::vector<std::size_t> members;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> wanted;  // starts before a projection
  };

  [[nodiscard]] std::unique_ptr<LaneCode> new_code() const;
  std::unique_ptr<Worker> take();
  void give_back(std::unique_ptr<Worker> worker);
  // A worker's run of a class; null: its members run alone.
  SharedRun* run_of(Worker& worker, std::size_t number);
  // The run that has taken the member; null: it runs alone.
  SharedRun* add(Worker& worker, std::size_t member);
  void together(Worker& worker, std::size_t first, std::size_t last, std::optional<Finished>* out);
  void finish(SharedRun& shared, const Taken& t, std::size_t first, std::optional<Finished>* out) const;
  Finished alone(std::size_t i);

  const MemberModels& models_;
  const EnsembleRequest& request_;
  Options options_;
  int threads_;
  double mine_;  // members
  bool shared_ = false;
  std::mutex mutex_;  // of the lists
  std::deque<Class> classes_;
  std::vector<std::unique_ptr<Worker>> free_;
};

}  // namespace rattleback
