// Many members, and the statistics of their energy errors. Members are independent and are added up in the order of
// their numbers, whichever thread or process was first: the results have the same bits for any number of them.
//
// Members that differ in their starts share everything that is derived, and step together in lanes (run/shared_run.hpp);
// the others are runs of their own.
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "model/kind_facts.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/choice.hpp"
#include "run/complete.hpp"
#include "run/follow.hpp"
#include "run/grid.hpp"
#include "run/memory.hpp"
#include "run/shared_run.hpp"
#include "study/members.hpp"
#include "study/parallel.hpp"
#include "study/ranks.hpp"

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
  std::string energy_changes;
};

// A finished member as bytes, from one process to another of the same program.
class Packed {
 public:
  Packed() = default;
  explicit Packed(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool done() const { return at_ == bytes_.size(); }

  // Each field is written and read by the same line, in the same order.
  template <bool Write, class T>
  void field(T& x) {
    if constexpr (requires { x.has_value(); }) {
      std::uint8_t has = x.has_value() ? 1 : 0;
      field<Write>(has);
      if (!Write && has != 0) x.emplace();
      if (has != 0) field<Write>(*x);
    } else if constexpr (requires { x.resize(0); }) {
      std::uint64_t size = x.size();
      field<Write>(size);
      if (!Write) x.resize(size);
      for (auto& item : x) field<Write>(item);
    } else if constexpr (Write) {
      bytes_.append(reinterpret_cast<const char*>(&x), sizeof x);
    } else {
      std::memcpy(&x, bytes_.data() + at_, sizeof x);
      at_ += sizeof x;
    }
  }
  template <bool Write>
  void finished(Finished& f) {
    EnsembleMember& m = f.member;
    const auto all = [&](auto&... x) { (field<Write>(x), ...); };
    all(m.values, m.q, m.v, m.t, m.energy_error, m.constraint_position, m.constraint_velocity, m.status, m.message);
    all(f.moved.count, f.moved.by, f.t, f.energy, f.method, f.stages, f.order, f.step, f.steps, f.notes,
        f.energy_changes);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

Finished run_member(const Model& model, const EnsembleRequest& request) {
  Options options = with_run_table(model, request.options, Place::ensemble);
  options.keep_records = false;
  Finished out;
  Follower follower;
  if (facts_of(model).energy)
    follower.seen = [&](double t, double energy) {
      out.t.push_back(t);
      out.energy.push_back(energy);
    };
  out.energy_changes = why_energy_changes(model);
  FollowedRun run = simulate(model, options, follower);
  Trajectory& t = run.trajectory;
  if (t.status == Status::cancelled) throw Cancelled(t.message);
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

// Members from first to last, in order. A fault names its member.
struct MemberError {
  std::size_t member = 0;
  std::string text;
};

// Members that decide alike by their parameters (Graph::set_parameters) share what is derived and compiled: a class of members.
class Workers {
 public:
  Workers(const MemberModels& models, const EnsembleRequest& request, int threads, std::size_t mine)
      : models_(models), request_(request), threads_(threads), mine_(static_cast<double>(mine)) {
    options_ = request.options;
    options_.keep_records = false;
    classes_.emplace_back(0, new_code());
    auto first = std::make_unique<Worker>(models_);
    shared_ = run_of(*first, 0) != nullptr;  // else runs of their own will say what is wrong
    if (shared_) free_.push_back(std::move(first));
  }

  std::vector<Finished> run(std::size_t first, std::size_t last) {
    std::vector<std::optional<Finished>> found(last - first);
    if (shared_) {
      std::unique_ptr<Worker> worker = take();
      for (std::size_t i = first; i < last; i += SharedRun::kAtOnce)
        together(*worker, i, std::min(last, i + SharedRun::kAtOnce), found.data() + (i - first));
      give_back(std::move(worker));
    }
    std::vector<Finished> out;
    for (std::size_t i = first; i < last; ++i) {
      Finished& f = out.emplace_back(found[i - first] ? std::move(*found[i - first]) : alone(i));
      f.member.values = models_.values(i);
    }
    return out;
  }

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

  std::unique_ptr<LaneCode> new_code() const {
    return std::make_unique<LaneCode>(native_policy(request_.options.native), 0.0, threads_, request_.options.stop);
  }

  std::unique_ptr<Worker> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Worker> out = std::move(free_.back());
        free_.pop_back();
        return out;
      }
    }
    return std::make_unique<Worker>(models_);
  }
  void give_back(std::unique_ptr<Worker> worker) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(worker));
  }

  // A worker's run of a class; null: its members run alone.
  SharedRun* run_of(Worker& worker, std::size_t number) {
    if (worker.runs.size() <= number) worker.runs.resize(number + 1);
    auto& run = worker.runs[number];
    if (!run) {
      run.emplace();
      Class* c = nullptr;
      {
        const std::lock_guard lock(mutex_);
        c = &classes_[number];
      }
      try {
        Model model = models_.base();
        if (!models_.place(c->member, worker.reader.get(), model)) {
          if (!worker.reader || !worker.reader->decided_otherwise()) return nullptr;
          model = models_.model(c->member);
        }
        const Options options = with_run_table(model, options_, Place::ensemble);
        *run = std::make_unique<SharedRun>(model, options, *c->code);
        c->code->set_work(mine_ * static_cast<double>((*run)->steps()));
      } catch (const Error&) {
        return nullptr;
      }
    }
    return run->get();
  }

  // The run that has taken the member; null: it runs alone.
  SharedRun* add(Worker& worker, std::size_t member) {
    for (std::size_t number = 0; number < kMostClasses; ++number) {
      {
        const std::lock_guard lock(mutex_);
        if (number == classes_.size()) classes_.emplace_back(member, new_code());
      }
      SharedRun* const run = run_of(worker, number);
      if (run == nullptr) continue;
      if (models_.place(member, worker.reader.get(), run->model())) {
        if (run->add()) return run;
        if (!run->decided_otherwise()) return nullptr;
      } else if (!worker.reader || !worker.reader->decided_otherwise()) {
        return nullptr;
      }
    }
    return nullptr;
  }

  struct Taken {
    std::vector<std::size_t> members;
    std::vector<std::pair<std::vector<double>, std::vector<double>>> wanted;  // starts before a projection
  };

  void together(Worker& worker, std::size_t first, std::size_t last, std::optional<Finished>* out) {
    std::map<SharedRun*, Taken> taken;
    for (std::size_t i = first; i < last; ++i)
      if (SharedRun* const shared = add(worker, i)) {
        Taken& t = taken[shared];
        t.members.push_back(i);
        t.wanted.emplace_back(shared->model().q0, shared->model().v0);
      }
    for (auto& [shared, t] : taken) finish(*shared, t, first, out);
  }

  void finish(SharedRun& shared, const Taken& t, std::size_t first, std::optional<Finished>* out) const {
    const auto& [taken, wanted] = t;
    const std::string energy_changes = why_energy_changes(shared.model());
    std::vector<std::optional<SharedResult>> results = shared.run();
    for (std::size_t k = 0; k < taken.size(); ++k) {
      if (!results[k]) continue;
      SharedResult& r = *results[k];
      Finished& f = out[taken[k] - first].emplace();
      f.moved.see(models_.base().kind, wanted[k].first, wanted[k].second, r.q0, r.v0);
      f.method = shared.method();
      f.stages = shared.stages();
      f.order = shared.order();
      f.step = shared.step();
      f.energy_changes = energy_changes;
      f.steps = shared.steps();
      if (f.moved.count == 0) f.notes = std::move(r.notes);
      if (!r.energy.empty()) f.t = std::move(r.t);
      f.energy = std::move(r.energy);
      f.member.q = std::move(r.q);
      f.member.v = std::move(r.v);
      f.member.t = r.time;
      f.member.energy_error = r.energy_error;
      f.member.constraint_position = r.constraint_position;
      f.member.constraint_velocity = r.constraint_velocity;
    }
  }

  Finished alone(std::size_t i) {
    std::string text;
    try {
      const Model model = models_.model(i);
      try {
        return run_member(model, request_);
      } catch (const Error& error) {
        text = fmt::format("{}: {}", models_.describe(i), error.what());
      }
    } catch (const Error& error) {
      text = error.what();
    }
    throw MemberError{i, text};
  }

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

// How many members a thread takes at once: whole groups of lanes, and enough pieces for all.
std::size_t piece_size(std::size_t count, int workers) {
  constexpr std::size_t kMost = 16 * SharedRun::kAtOnce;
  const std::size_t share = (count + static_cast<std::size_t>(workers) - 1) / static_cast<std::size_t>(workers);
  if (share <= SharedRun::kAtOnce) return std::max<std::size_t>(1, share);
  const std::size_t groups = share / (4 * SharedRun::kAtOnce);
  return std::min(kMost, std::max<std::size_t>(1, groups) * SharedRun::kAtOnce);
}

// Adds up members in their order.
class Sum {
 public:
  explicit Sum(EnsembleReport& out) : out_(out) {}
  void take(std::size_t first, std::vector<Finished> members) {
    waiting_.emplace(first, std::move(members));
    for (auto at = waiting_.begin(); at != waiting_.end() && at->first == next_; at = waiting_.erase(at))
      for (Finished& f : at->second) add(f);
  }
  void finish() { out_.energy = statistics_.finish(); }
  [[nodiscard]] std::size_t added() const { return next_; }

 private:
  void add(Finished& f) {
    if (next_ == 0) {
      out_.method = f.method;
      out_.stages = f.stages;
      out_.order = f.order;
      out_.step = f.step;
    }
    add_notes(out_.notes, f.notes);
    if (out_.energy_changes.empty()) out_.energy_changes = f.energy_changes;
    out_.moved += f.moved.count;
    out_.moved_by = std::fmax(out_.moved_by, f.moved.by);
    if (f.member.status != Status::done) {
      out_.failed.push_back(next_);
    } else {
      out_.until = f.member.t;
      out_.steps = f.steps;
      if (!f.energy.empty()) statistics_.add(f.t, f.energy);
    }
    out_.members[next_++] = std::move(f.member);
  }

  EnsembleReport& out_;
  Statistics statistics_;
  std::map<std::size_t, std::vector<Finished>> waiting_;  // for members before them
  std::size_t next_ = 0;
};

// Members that are not added up yet are in memory with all their times. Fewer of them at once, where they would not fit;
// a request that does not fit even so is refused.
std::size_t fitting_piece(const MemberModels& models, const EnsembleRequest& request, int threads, std::size_t piece) {
  std::optional<TimeGrid> found;
  try {
    if (!request.options.validate().empty() || request.options.adaptive > 0.0) return piece;
    found.emplace(complete(models.base(), with_run_table(models.base(), request.options, Place::ensemble)), 0);
  } catch (const Error&) {
    return piece;  // the members will say what is wrong
  }
  const TimeGrid& grid = *found;
  const double times = static_cast<double>(grid.whole / grid.every) + 2.0;
  const double member = 16.0 * times, statistics = 40.0 * times;
  // Each thread has one piece at work and one that waits for those before it.
  const auto need = [&](std::size_t size) {
    return statistics + 2.0 * static_cast<double>(threads) * static_cast<double>(size) * member;
  };
  if (need(piece) <= static_cast<double>(kLittleMemory)) return piece;
  const double there = static_cast<double>(std::max<std::int64_t>(0, available_memory() - kMemoryLeft));
  while (piece > 1 && need(piece) > 0.5 * there)
    piece = piece > SharedRun::kAtOnce ? piece - SharedRun::kAtOnce : piece / 2;
  if (need(piece) <= there) return piece;
  const double fit = std::fmax(1.0, std::floor(there / (need(1) / times)) - 2.0);
  throw Error(fmt::format(
      "--every {} makes {:.3g} times of each member: {} of memory with {} threads, and {} are there. Pass --every {} "
      "or "
      "more, or fewer --threads",
      grid.every, times, memory_text(need(1)), threads, memory_text(there),
      std::max(grid.every + 1, static_cast<std::int64_t>(std::ceil(static_cast<double>(grid.whole) / fit)))));
}

// What a process of an ensemble has, for the first one.
void send(Ranks& ranks, std::optional<MemberError> fault, const Packed& members) {
  Packed letter;
  std::uint8_t failed = fault ? 1 : 0;
  letter.field<true>(failed);
  if (fault) {
    std::uint64_t member = fault->member;
    letter.field<true>(member);
    letter.field<true>(fault->text);
  }
  ranks.send(letter.bytes());
  ranks.send(fault ? std::string() : members.bytes());
}

// `fault` becomes the one of the first member that has one.
void receive(Ranks& ranks, int from, Sum& sum, std::optional<MemberError>& fault) {
  Packed letter(ranks.receive(from)), members(ranks.receive(from));
  std::uint8_t failed = 0;
  letter.field<false>(failed);
  if (failed != 0) {
    std::uint64_t member = 0;
    MemberError other;
    letter.field<false>(member);
    letter.field<false>(other.text);
    other.member = member;
    if (!fault || other.member < fault->member) fault = other;
  }
  while (!members.done()) {
    std::uint64_t at = 0, number = 0;
    members.field<false>(at);
    members.field<false>(number);
    std::vector<Finished> found(number);
    for (Finished& f : found) members.finished<false>(f);
    if (!fault) sum.take(at, std::move(found));
  }
}

EnsembleReport ensemble(const MemberModels& models, const EnsembleRequest& request) {
  Ranks* const ranks = request.mpi ? Ranks::get() : nullptr;
  const int rank = ranks != nullptr ? ranks->rank() : 0, size = ranks != nullptr ? ranks->size() : 1;
  EnsembleReport out;
  out.names = request.members.names;
  out.threads =
      thread_count(request.threads == 0 && ranks != nullptr ? ranks->threads() : request.threads, models.count());
  out.members.resize(models.count());
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t count = models.count(), fair = piece_size(count, out.threads * size);
  // All processes share out the same pieces, whatever memory each has.
  const std::size_t piece = ranks != nullptr ? fair : fitting_piece(models, request, out.threads, fair);
  const std::size_t pieces = (count + piece - 1) / piece, all = static_cast<std::size_t>(size),
                    first_piece = static_cast<std::size_t>(rank),
                    mine = first_piece < pieces ? (pieces - first_piece + all - 1) / all : 0;
  Sum sum(out);
  std::mutex mutex;
  std::size_t done = 0;
  Packed packed;
  std::optional<MemberError> fault;
  try {
    Workers workers(models, request, out.threads, std::min(count, mine * piece));
    const int threads = for_each_piece(mine, out.threads, [&](std::size_t k) {
      if (request.options.stop.stop_requested()) throw Cancelled("cancelled");
      const std::size_t first = (first_piece + k * all) * piece, last = std::min(count, first + piece);
      std::vector<Finished> found = workers.run(first, last);
      const std::lock_guard lock(mutex);
      if (rank == 0) {
        sum.take(first, std::move(found));
      } else {
        std::uint64_t at = first, number = found.size();
        packed.field<true>(at);
        packed.field<true>(number);
        for (Finished& f : found) packed.finished<true>(f);
      }
      done += last - first;
      if (request.progress) request.progress(done, count);
    });
    if (threads < out.threads) out.notes.push_back(threads_note(threads, out.threads));
    out.threads = threads;
  } catch (const MemberError& error) {
    fault = error;
  } catch (const Cancelled&) {
    if (ranks != nullptr) {
      fault = MemberError{count, "cancelled"};
    } else if (sum.added() == 0) {
      throw Cancelled(fmt::format("cancelled after 0 of {} members", count));
    } else {
      out.status = Status::cancelled;
      out.message = fmt::format("cancelled after {} of {} members, which are reported", sum.added(), count);
    }
  } catch (const std::bad_alloc&) {
    if (ranks != nullptr && rank != 0) ranks->abort();
    if (ranks != nullptr || sum.added() == 0) throw;
    out.status = Status::stopped;
    out.message = fmt::format(
        "there was no memory for more than {} of {} members, which are reported. Take fewer --threads, or look at "
        "fewer "
        "times with --every K",
        sum.added(), count);
  } catch (...) {
    if (ranks != nullptr && rank != 0) ranks->abort();  // the others would wait for ever
    throw;
  }
  // Every process tells the first one what it has, a fault included: nobody waits for somebody who is gone.
  if (ranks != nullptr && rank != 0) {
    send(*ranks, fault, packed);
    out.members.clear();
    return out;
  }
  for (int from = 1; from < size; ++from) receive(*ranks, from, sum, fault);
  if (fault) throw Error(fault->text);
  out.members.resize(sum.added());
  sum.finish();
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace

EnsembleReport ensemble(const MemberSource& source, const EnsembleRequest& request) {
  return ensemble(MemberModels(source, request.members, request.options, Place::ensemble, "member"), request);
}

EnsembleReport ensemble(const Model& model, const EnsembleRequest& request) {
  return ensemble(MemberModels(model, request.members, "member"), request);
}

}  // namespace rattleback
