#include "study/workers.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "audit/energy_balance.hpp"
#include "model/kind_facts.hpp"
#include "option/run_table.hpp"
#include "rattleback/error.hpp"
#include "run/choice.hpp"
#include "run/follow.hpp"

namespace rattleback {
namespace {

Finished run_member(const Model& model, const EnsembleRequest& request) {
  Options options = with_run_table(model, request.options, Place::ensemble);
  options.keep_records = static_cast<bool>(request.keep);
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
  out.method = t.method;
  out.stages = t.stages;
  out.order = t.order;
  out.step = t.step;
  out.steps = t.steps;
  if (out.moved.count == 0) out.notes = t.notes;  // else they speak of one start
  out.output_names = t.quantity_names;
  out.selected = t.selected_columns;
  EnsembleMember& m = out.member;
  for (const InvariantAudit& i : t.invariants) {
    out.invariant_names.push_back(i.name);
    m.invariants.push_back(i.max_error);
  }
  m.q = t.q;
  m.v = t.v;
  m.multipliers = t.multipliers;
  m.outputs = t.quantities;
  m.t = t.t;
  if (t.energy) {
    m.energy = t.energy->final;
    m.energy_error = t.energy->max_error;
  }
  if (t.power_balance) m.power_balance = t.power_balance->max_residual;
  m.constraint_position = t.constraint_position;
  if (model.multiplier_count() > 0) m.constraint_velocity = t.constraint_velocity;
  m.status = t.status;
  m.message = t.message;
  if (request.keep) out.run = std::move(t);
  return out;
}

}  // namespace

Workers::Workers(const MemberModels& models, const EnsembleRequest& request, int threads, std::size_t mine)
    : models_(models), request_(request), threads_(threads), mine_(static_cast<double>(mine)) {
  options_ = request.options;
  options_.keep_records = static_cast<bool>(request.keep);
  classes_.emplace_back(0, new_code());
  auto first = std::make_unique<Worker>(models_);
  shared_ = run_of(*first, 0) != nullptr;  // else runs of their own will say what is wrong
  if (shared_) free_.push_back(std::move(first));
}

std::vector<Finished> Workers::run(std::size_t first, std::size_t last) {
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

std::unique_ptr<LaneCode> Workers::new_code() const {
  return std::make_unique<LaneCode>(native_policy(request_.options.native), 0.0, threads_, request_.options.stop);
}

std::unique_ptr<Workers::Worker> Workers::take() {
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

void Workers::give_back(std::unique_ptr<Worker> worker) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(worker));
}

SharedRun* Workers::run_of(Worker& worker, std::size_t number) {
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

SharedRun* Workers::add(Worker& worker, std::size_t member) {
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

void Workers::together(Worker& worker, std::size_t first, std::size_t last, std::optional<Finished>* out) {
  std::map<SharedRun*, Taken> taken;
  for (std::size_t i = first; i < last; ++i)
    if (SharedRun* const shared = add(worker, i)) {
      Taken& t = taken[shared];
      t.members.push_back(i);
      t.wanted.emplace_back(shared->model().q0, shared->model().v0);
    }
  for (auto& [shared, t] : taken) finish(*shared, t, first, out);
}

void Workers::finish(SharedRun& shared, const Taken& t, std::size_t first, std::optional<Finished>* out) const {
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
    f.output_names = shared.quantity_names();
    f.invariant_names = shared.invariant_names();
    f.selected = shared.selected_columns();
    if (request_.keep) f.run = shared.trajectory(r);
    if (f.moved.count == 0) f.notes = std::move(r.notes);
    if (!r.energy.empty()) f.t = std::move(r.t);
    f.energy = std::move(r.energy);
    f.member.q = std::move(r.end.q);
    f.member.v = std::move(r.end.v);
    f.member.multipliers = std::move(r.end.multipliers);
    f.member.outputs = std::move(r.end.quantities);
    f.member.invariants = std::move(r.invariants);
    f.member.t = r.time;
    f.member.energy = r.last_energy;
    f.member.energy_error = r.energy_error;
    f.member.constraint_position = r.constraint_position;
    f.member.constraint_velocity = r.constraint_velocity;
  }
}

Finished Workers::alone(std::size_t i) {
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

}  // namespace rattleback
