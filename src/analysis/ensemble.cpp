// Many members, and the statistics of their energy errors. Members are independent and are added up in the order of
// their numbers, whichever thread was first: the results have the same bits for any number of threads.
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "analysis/members.hpp"
#include "analysis/parallel.hpp"
#include "rattleback/error.hpp"
#include "simulate/follow.hpp"

namespace rattleback {
namespace {

// Running mean and variance of E - E0 at each recorded time, one member after the other. [Welford1962]
class Statistics {
 public:
  void add(const std::vector<double>& t, const std::vector<double>& energy) {
    if (count_ == 0) {
      out_.t = t;
      for (auto* list : {&out_.mean, &out_.variance, &out_.mean_square, &out_.max}) list->assign(t.size(), 0.0);
    }
    if (t.size() != out_.t.size())
      throw Error("the members have different numbers of records. Pass --step and --until, which hold for all");
    const double n = static_cast<double>(++count_);
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double e = energy[i] - energy[0], d = e - out_.mean[i];
      out_.mean[i] += d / n;
      out_.variance[i] += d * (e - out_.mean[i]);  // sum of squares about the mean
      out_.mean_square[i] += (e * e - out_.mean_square[i]) / n;
      out_.max[i] = std::fmax(out_.max[i], std::fabs(e));
    }
  }

  std::optional<EnergyStatistics> finish() {
    if (count_ == 0) return std::nullopt;
    for (double& x : out_.variance) x /= static_cast<double>(count_);
    return std::move(out_);
  }

 private:
  std::int64_t count_ = 0;
  EnergyStatistics out_;
};

struct Finished {
  EnsembleMember member;
  Moved moved;
  std::vector<double> t, energy;  // recorded
  std::string method;
  int stages = 0, order = 0;
  double step = 0.0;
  std::int64_t steps = 0;
  std::vector<std::string> notes;
};

Finished run_member(const Model& model, const EnsembleRequest& request) {
  Options options = request.options;
  options.keep_records = false;
  Finished out;
  const bool has_energy = model.kind == Kind::mechanical || model.has_states();
  Follower follower;
  if (has_energy)
    follower.seen = [&](double t, double energy) {
      out.t.push_back(t);
      out.energy.push_back(energy);
    };
  FollowedRun run = simulate(model, options, follower);
  Trajectory& t = run.trajectory;
  out.moved.see(model, run.q0, run.v0);
  out.method = std::move(t.method);
  out.stages = t.stages;
  out.order = t.order;
  out.step = t.step;
  out.steps = t.steps;
  if (out.moved.count == 0) out.notes = std::move(t.notes);  // else they speak of one start
  EnsembleMember& m = out.member;
  m.q = std::move(t.q);
  m.v = std::move(t.v);
  m.t = t.t;
  if (t.energy) m.energy_error = t.energy->max_error;
  m.constraint_position = t.constraint_position;
  if (model.multiplier_count() > 0) m.constraint_velocity = t.constraint_velocity;
  m.status = t.status;
  m.message = std::move(t.message);
  return out;
}

EnsembleReport ensemble(const MemberModels& models, const EnsembleRequest& request) {
  EnsembleReport out;
  out.names = request.members.names;
  out.threads = thread_count(request.threads, models.count());
  out.members.resize(models.count());
  const auto begin = std::chrono::steady_clock::now();
  Statistics statistics;
  std::mutex mutex;
  std::map<std::size_t, Finished> waiting;  // for members before them
  std::size_t next = 0, done = 0;
  const auto take = [&](Finished& f) {
    if (next == 0) {
      out.method = f.method;
      out.stages = f.stages;
      out.order = f.order;
      out.step = f.step;
    }
    add_notes(out.notes, f.notes);
    out.moved += f.moved.count;
    out.moved_by = std::fmax(out.moved_by, f.moved.by);
    if (f.member.status != Status::done) {
      out.failed.push_back(next);
    } else {
      out.until = f.member.t;
      out.steps = f.steps;
      if (!f.energy.empty()) statistics.add(f.t, f.energy);
    }
    out.members[next++] = std::move(f.member);
  };
  for_each_piece(models.count(), out.threads, [&](std::size_t i) {
    const Model model = models.model(i);
    Finished f;
    try {
      f = run_member(model, request);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", models.describe(i), error.what()));
    }
    f.member.values = models.values(i);
    const std::lock_guard lock(mutex);
    waiting.emplace(i, std::move(f));
    for (auto first = waiting.begin(); first != waiting.end() && first->first == next; first = waiting.erase(first))
      take(first->second);
    ++done;
    if (request.progress) request.progress(done, models.count());
  });
  out.energy = statistics.finish();
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace

EnsembleReport ensemble(const MemberSource& source, const EnsembleRequest& request) {
  return ensemble(MemberModels(source, request.members, request.options, "member"), request);
}

EnsembleReport ensemble(const Model& model, const EnsembleRequest& request) {
  return ensemble(MemberModels(model, request.members, "member"), request);
}

}  // namespace rattleback
