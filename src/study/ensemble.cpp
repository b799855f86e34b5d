// Many members, and the statistics of their energy errors. Members are independent and are added up in the order of
// their numbers, whichever thread or process was first: the results have the same bits for any number of them.
//
// Members that differ in their starts share everything that is derived, and step together in lanes (run/shared_run.hpp);
// the others are runs of their own (workers.hpp).
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/complete.hpp"
#include "run/grid.hpp"
#include "run/memory.hpp"
#include "run/parts.hpp"
#include "study/energy_statistics.hpp"
#include "study/members.hpp"
#include "study/parallel.hpp"
#include "study/ranks.hpp"
#include "study/workers.hpp"

namespace rattleback {
namespace {

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
  Sum(EnsembleReport& out, const EnsembleRequest& request) : out_(out), request_(request) {}
  void take(std::size_t first, std::vector<Finished> members) {
    waiting_.emplace(first, std::move(members));
    for (auto at = waiting_.begin(); at != waiting_.end() && at->first == next_; at = waiting_.erase(at))
      for (Finished& f : at->second) {
        add(f);
        f.run.reset();
      }
  }
  void finish() {
    if (statistics_.differ())
      out_.notes.emplace_back(
          "the members do not have the same times, because events end them: there are no statistics over time");
    out_.energy = statistics_.finish();
  }
  [[nodiscard]] std::size_t added() const { return next_; }

 private:
  void add(Finished& f) {
    if (next_ == 0) {
      out_.method = f.method;
      out_.stages = f.stages;
      out_.order = f.order;
      out_.step = f.step;
      out_.output_names = std::move(f.output_names);
      out_.invariant_names = std::move(f.invariant_names);
      out_.selected = std::move(f.selected);
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
    if (request_.keep && f.run) request_.keep(next_, *f.run);
    out_.members[next_++] = std::move(f.member);
  }

  EnsembleReport& out_;
  const EnsembleRequest& request_;
  EnergySum statistics_;
  std::map<std::size_t, std::vector<Finished>> waiting_;  // for members before them
  std::size_t next_ = 0;
};

// Members that are not added up yet are in memory with all their times. Fewer of them at once, where they would not fit;
// a request that does not fit even so is refused.
std::size_t fitting_piece(const MemberModels& models, const EnsembleRequest& request, int threads, std::size_t piece) {
  std::optional<TimeGrid> found;
  std::int64_t width = 0;
  try {
    if (!request.options.validate().empty() || request.options.adaptive > 0.0) return piece;
    Options options = complete(models.base(), with_run_table(models.base(), request.options, Place::ensemble));
    options.keep_records = static_cast<bool>(request.keep);
    width = record_width(models.base(), options, models.base().outputs.size());
    found.emplace(options, width);
  } catch (const Error&) {
    return piece;  // the members will say what is wrong
  }
  const TimeGrid& grid = *found;
  const std::int64_t records = grid.whole / grid.every;
  const double times = static_cast<double>(records) + 2.0;
  const double member = (16.0 + 8.0 * static_cast<double>(width)) * times, statistics = 40.0 * times;
  // Each thread has one piece at work and one that waits for those before it.
  const auto need = [&](std::size_t size) {
    return statistics + 2.0 * static_cast<double>(threads) * static_cast<double>(size) * member;
  };
  if (need(piece) <= static_cast<double>(kLittleMemory)) return piece;
  const double there = static_cast<double>(std::max<std::int64_t>(0, available_memory() - kMemoryLeft));
  constexpr double kEnough = 256e6;  // records that are given away wait in whole groups of lanes, and not in more
  while (request.keep && piece > SharedRun::kAtOnce && need(piece) > kEnough) piece -= SharedRun::kAtOnce;
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
  if (ranks != nullptr && request.keep)
    throw Error(
        "the records of all members are written by one process: leave --keep-trajectories (and --over-time) out, or "
        "start the program without mpirun");
  const int rank = ranks != nullptr ? ranks->rank() : 0, size = ranks != nullptr ? ranks->size() : 1;
  EnsembleReport out;
  out.names = request.members.names;
  out.threads =
      thread_count(request.threads == 0 && ranks != nullptr ? ranks->threads() : request.threads, models.count());
  out.columns = models.columns();
  out.grid = request.members.grid;
  out.origin = request.members.origin;
  out.members.resize(models.count());
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t count = models.count(), fair = piece_size(count, out.threads * size);
  // All processes share out the same pieces, whatever memory each has.
  const std::size_t piece = ranks != nullptr ? fair : fitting_piece(models, request, out.threads, fair);
  const std::size_t pieces = (count + piece - 1) / piece, all = static_cast<std::size_t>(size),
                    first_piece = static_cast<std::size_t>(rank),
                    mine = first_piece < pieces ? (pieces - first_piece + all - 1) / all : 0;
  Sum sum(out, request);
  std::mutex mutex;
  std::condition_variable turn;
  bool over = false;
  std::size_t done = 0;
  Packed packed;
  std::optional<MemberError> fault;
  try {
    Workers workers(models, request, out.threads, std::min(count, mine * piece));
    const auto run_piece = [&](std::size_t k) {
      if (request.options.stop.stop_requested()) throw Cancelled("cancelled");
      const std::size_t first = (first_piece + k * all) * piece, last = std::min(count, first + piece);
      std::vector<Finished> found = workers.run(first, last);
      std::unique_lock lock(mutex);
      // Records of members that are far ahead of those that are given away would fill the memory.
      const std::size_t ahead = request.keep ? 2 * static_cast<std::size_t>(out.threads) * piece : count;
      turn.wait(lock, [&] { return over || first < sum.added() + ahead; });
      if (rank == 0) {
        sum.take(first, std::move(found));
        turn.notify_all();
      } else {
        std::uint64_t at = first, number = found.size();
        packed.field<true>(at);
        packed.field<true>(number);
        for (Finished& f : found) packed.finished<true>(f);
      }
      done += last - first;
      if (request.progress) request.progress(done, count);
    };
    const int threads = for_each_piece(mine, out.threads, [&](std::size_t k) {
      try {
        run_piece(k);
      } catch (...) {  // nobody waits for a piece that does not come
        const std::lock_guard lock(mutex);
        over = true;
        turn.notify_all();
        throw;
      }
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
