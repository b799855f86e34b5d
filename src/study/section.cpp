// Poincare sections: many starts, each followed until it has crossed the surface often enough. The crossings are the
// zeros of an event (run/events.hpp), so each of them is a state of the method itself.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>

#include <fmt/format.h>

#include "expr/evaluator.hpp"
#include "model/grammar/expression.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/follow.hpp"
#include "study/members.hpp"
#include "study/parallel.hpp"
#include "text/message.hpp"

namespace rattleback {
namespace {

constexpr std::int64_t kPatience = 1'000'000;           // steps without a crossing, when there is no end time
constexpr std::int64_t kNoEnd = std::int64_t{1} << 52;  // steps

// The condition and the axes at a state.
class Quantities {
 public:
  Quantities(const Model& model, const SectionRequest& request) : conditional_(!request.condition.empty()) {
    Graph graph = *model.graph;
    std::vector<NodeId> nodes;
    if (conditional_)
      nodes.push_back(read_expression(model, graph, "--if " + request.condition, "the condition", request.condition));
    for (const std::string& axis : request.axes)
      nodes.push_back(read_expression(model, graph, "--axes " + axis, "the axis", axis));
    if (nodes.empty()) return;
    const std::int32_t n = std::max(model.coordinates.size(), model.odae.velocities.size());
    values_.emplace(graph, nodes, n, model.multiplier_count());
  }

  // Nothing when the condition does not hold.
  std::optional<std::vector<double>> at(const EventFound& e) {
    if (!values_) return std::vector<double>{};
    const std::span<const double> x = (*values_)(e.t, e.q, e.v);
    if (conditional_ && !(x[0] > 0.0)) return std::nullopt;
    return std::vector<double>(x.begin() + (conditional_ ? 1 : 0), x.end());
  }

 private:
  bool conditional_;
  std::optional<Evaluator> values_;
};

struct Followed {
  SectionStart start;
  std::vector<SectionPoint> points;
  Trajectory trajectory;
  Moved moved;
};

std::string crossings_text(std::int64_t found, std::int64_t asked) {
  return fmt::format("{} of {} crossing{}", found, asked, asked == 1 ? "" : "s");
}

Followed follow(const Model& model, const SectionRequest& request, std::size_t number) {
  Followed out;
  Options options = with_run_table(model, request.options, Place::section);
  options.event = {request.where};
  options.keep_records = false;
  options.every = 1;  // the energy is watched at every step
  const bool endless = !options.until && !options.steps;
  if (endless) options.steps = kNoEnd;

  Quantities quantities(model, request);
  std::size_t looked_at = 0;
  std::int64_t last_crossing = 0;
  bool gave_up = false;
  const auto full = [&] { return static_cast<std::int64_t>(out.points.size()) == request.crossings; };
  const auto look = [&](const std::vector<EventFound>& found) {
    bool crossed = false;
    for (; looked_at < found.size() && !full(); ++looked_at) {
      const EventFound& e = found[looked_at];
      if (e.event != request.where || e.direction == 0) continue;  // one of the model's; a touch is no crossing
      if (request.direction != Crossing::both && (e.direction > 0) != (request.direction == Crossing::up)) continue;
      auto axes = quantities.at(e);
      if (!axes) continue;
      out.points.push_back({number, e.t, e.direction, e.q, e.v, std::move(*axes)});
      crossed = true;
    }
    return crossed;
  };
  Follower follower;
  follower.go_on = [&](double, std::int64_t steps, const std::vector<EventFound>& found) {
    if (look(found)) last_crossing = steps;
    gave_up = endless && steps - last_crossing >= kPatience;
    return !full() && !gave_up;
  };
  FollowedRun run = simulate(model, options, follower);
  Trajectory& t = run.trajectory;
  look(t.events);  // a zero exactly at the end

  out.moved.see(model, run.q0, run.v0);
  SectionStart& s = out.start;
  s.crossings = static_cast<std::int64_t>(out.points.size());
  s.steps = t.steps;
  s.t = t.t;
  s.status = t.status;
  if (t.energy) s.energy_error = t.energy->max_error;
  if (t.status != Status::done)
    s.message = t.message;
  else if (gave_up)
    s.message = fmt::format("{}: none in the last {} steps, to t = {:.6g}. Pass --until T to look longer",
                            crossings_text(s.crossings, request.crossings), kPatience, t.t);
  else if (!full())
    s.message = fmt::format("{} up to t = {:.10g}", crossings_text(s.crossings, request.crossings), t.t);
  out.trajectory = std::move(t);
  return out;
}

SectionReport section(const MemberModels& models, const SectionRequest& request) {
  if (request.crossings < 1) throw Error(fmt::format("--crossings must be at least 1, found {}", request.crossings));
  const Model& base = models.base();
  {  // in the words of this request, before a run speaks of events
    Graph graph = *base.graph;
    (void)read_expression(base, graph, "--where " + request.where, "the section", request.where);
    (void)Quantities(base, request);
  }
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Followed> all(models.count());
  std::mutex mutex;
  std::size_t done = 0;
  std::vector<char> has(models.count(), 0);
  SectionReport out;
  // The starts before the first one that is missing.
  const auto cut = [&](Status status, const std::string& text) {
    all.resize(static_cast<std::size_t>(std::find(has.begin(), has.end(), 0) - has.begin()));
    out.status = status;
    out.message = fmt::format("{} {} of {} starts, which are reported", text, all.size(), models.count());
  };
  const int threads = thread_count(request.threads, models.count());
  const auto run_one = [&](std::size_t i) {
    if (request.options.stop.stop_requested()) throw Cancelled("cancelled");
    const Model model = models.model(i);
    try {
      all[i] = follow(model, request, i);
    } catch (const Error& error) {
      std::string message = error.what();
      if (const std::string event = "--event: "; message.starts_with(event))
        message.replace(0, event.size(), "--where: ");
      throw in_other_words(error, models.count() == 1 ? message : fmt::format("{}: {}", models.describe(i), message));
    }
    all[i].start.values = models.values(i);
    const std::lock_guard lock(mutex);
    ++done;
    has[i] = 1;
    if (request.progress) request.progress(done, models.count());
  };
  try {
    if (const int there = for_each_piece(models.count(), threads, run_one); there < threads)
      out.notes.push_back(threads_note(there, threads));
  } catch (const Cancelled&) {
    cut(Status::cancelled, "cancelled after");
    if (all.empty()) throw Cancelled(fmt::format("cancelled after 0 of {} starts", models.count()));
  } catch (const std::bad_alloc&) {
    cut(Status::stopped, "there was no memory for more than");
    if (all.empty()) throw;
  }
  // A start that was on its way has the crossings up to there.
  if (out.status == Status::done && request.options.stop.stop_requested() &&
      std::any_of(all.begin(), all.end(), [](const Followed& f) { return f.start.status == Status::cancelled; }))
    cut(Status::cancelled, "cancelled after");
  out.names = request.starts.names;
  for (Followed& f : all) {
    if (out.starts.empty()) {
      out.method = f.trajectory.method;
      out.stages = f.trajectory.stages;
      out.step = f.trajectory.step;
    }
    if (f.moved.count == 0) add_notes(out.notes, f.trajectory.notes);  // else they speak of one start
    out.moved += f.moved.count;
    out.moved_by = std::fmax(out.moved_by, f.moved.by);
    out.starts.push_back(std::move(f.start));
    for (SectionPoint& point : f.points) out.points.push_back(std::move(point));
  }
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return out;
}

}  // namespace

SectionReport section(const MemberSource& source, const SectionRequest& request) {
  return section(MemberModels(source, request.starts, request.options, Place::section, "start"), request);
}

SectionReport section(const Model& model, const SectionRequest& request) {
  return section(MemberModels(model, request.starts, "start"), request);
}

}  // namespace rattleback
