#include "run/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include <fmt/format.h>

#include "model/kind_facts.hpp"
#include "rattleback/error.hpp"
#include "run/memory.hpp"
#include "system/angles.hpp"

namespace rattleback {
namespace {

std::vector<Recorder::Column> columns_of(RunParts& run) {
  using R = Trajectory::Records;
  std::vector<Recorder::Column> list;
  if (!run.options.keep_records) return list;
  const auto add = [&](const char* name, std::size_t width, std::vector<double> R::*values) {
    if (width > 0) list.push_back({name, width, values});
  };
  System& system = run.system;
  const std::size_t ports = system.ports(run.start.t, run.start.q).size() / 2;
  const KindFacts& facts = facts_of(system.model());
  add("t", 1, &R::t);
  add("q", run.start.q.size(), &R::q);
  add("v", run.start.v.size(), &R::v);
  add("multipliers", run.options.record_multipliers ? static_cast<std::size_t>(system.m()) : 0, &R::multipliers);
  add("energy", system.has_energy() ? 1 : 0, &R::energy);
  add("inputs", ports, &R::inputs);
  add("outputs", ports, &R::outputs);
  add("quantities", run.quantities.size(), &R::quantities);
  add("balance", run.stepper().power() != nullptr ? 1 : 0, &R::balance);
  add("residual.position", facts.position_level ? 1 : 0, &R::residual_position);
  add("residual.velocity", facts.velocities ? 1 : 0, &R::residual_velocity);
  return list;
}

}  // namespace

Recorder::Recorder(RunParts& run) : run_(run), columns_(columns_of(run)) {}

void Recorder::keep(const RecordPoint& p, const System::Observation& o) {
  if (!run_.options.keep_records || memory_ended_) return;
  try {
    if (records_.rows >= room_) make_room();
    append(p, o);
    ++records_.rows;
  } catch (const std::bad_alloc&) {
    give_up();
  }
}

void Recorder::append(RecordPoint p, const System::Observation& o) {
  p.q = run_.reported(p.t, p.q);
  Trajectory::Records& r = records_;
  r.t.push_back(p.t);
  r.q.insert(r.q.end(), p.q.begin(), p.q.end());
  unwrap(std::span(r.q).last(p.q.size()), p.turns);
  r.v.insert(r.v.end(), p.v.begin(), p.v.end());
  if (run_.options.record_multipliers) (void)append_multipliers(run_.core, p, r.multipliers);
  append_quantities(p);
  if (run_.system.has_energy()) r.energy.push_back(o.energy);
  append_ports(p.t, p.q);
  if (const PowerSums* power = (p.at != nullptr ? *p.at : run_.stepper()).power())
    r.balance.push_back(power->last_residual());
  const KindFacts& facts = facts_of(run_.system.model());
  if (facts.velocities) r.residual_velocity.push_back(o.velocity);
  if (facts.position_level) r.residual_position.push_back(o.position);
}

void Recorder::append_quantities(const RecordPoint& p) {
  if (run_.quantities.size() == 0) return;
  Trajectory::Records& r = records_;
  std::span<const double> multipliers;
  if (run_.options.record_multipliers) {
    multipliers = std::span(r.multipliers).last(static_cast<std::size_t>(run_.system.m()));
  } else if (run_.quantities.need_multipliers()) {
    multipliers_.clear();
    (void)append_multipliers(run_.core, p, multipliers_);
    multipliers = multipliers_;
  }
  const std::span<const double> values = quantities_at(run_, p, std::span(r.q).last(p.q.size()), multipliers);
  r.quantities.insert(r.quantities.end(), values.begin(), values.end());
}

// Inputs and outputs of a port-Hamiltonian system.
void Recorder::append_ports(double t, std::span<const double> q) {
  const std::span<const double> ports = run_.system.ports(t, q);
  const auto half = static_cast<std::ptrdiff_t>(ports.size() / 2);
  records_.inputs.insert(records_.inputs.end(), ports.begin(), ports.begin() + half);
  records_.outputs.insert(records_.outputs.end(), ports.begin() + half, ports.end());
}

void Recorder::copy_row(std::int64_t row, std::vector<double>& to) const {
  for (const Column& column : columns_) {
    const double* const x = (records_.*column.list).data() + static_cast<std::size_t>(row) * column.width;
    to.insert(to.end(), x, x + column.width);
  }
}

void Recorder::add_row(std::span<const double> row) {
  for (const Column& column : columns_) {
    std::vector<double>& list = records_.*column.list;
    list.insert(list.end(), row.begin(), row.begin() + static_cast<std::ptrdiff_t>(column.width));
    row = row.subspan(column.width);
  }
  ++records_.rows;
}

double Recorder::row_bytes() const {
  double numbers = 0.0;
  for (const Column& column : columns_) numbers += static_cast<double>(column.width);
  return 8.0 * numbers;
}

double Recorder::expected_rows() const {
  const Options& o = run_.options;
  const TimeGrid& grid = run_.grid;
  if (o.output_every != 0.0) {
    const double end = o.adaptive > 0.0 ? *o.until - o.from : static_cast<double>(grid.whole) * grid.h + grid.last;
    return std::floor(std::fabs(end) / o.output_every) + 2.0;
  }
  return o.adaptive > 0.0 ? 0.0 : static_cast<double>(grid.whole / grid.every) + 3.0;
}

void Recorder::fit() {
  const Options& o = run_.options;
  TimeGrid& grid = run_.grid;
  const double row = row_bytes(), rows = expected_rows();
  if (!o.keep_records) return;
  reserve_.reset(new (std::nothrow) char[kReserve]);  // costs nothing until it is touched
  if (rows * row <= static_cast<double>(kLittleMemory)) return;
  // A run without any records would be of no use: what little memory they take is tried.
  const double there = static_cast<double>(std::max(kLittleMemory / 4, available_memory() - kMemoryLeft));
  if (rows * row <= there) return;
  const double fit = std::fmax(1.0, std::floor(there / row) - 3.0);
  const std::string fault = fmt::format("{:.3g} records of {:.0f} bytes, {} of memory, and {} are there", rows, row,
                                        memory_text(rows * row), memory_text(there));
  if (o.output_every != 0.0)
    throw Error(fmt::format("--output-every {:g} makes {}. Pass --output-every {:.2g} or more", o.output_every, fault,
                            1.05 * o.output_every * rows / fit));
  const auto every = static_cast<std::int64_t>(std::ceil(static_cast<double>(grid.whole) / fit));
  if (o.every > 0)
    throw Error(fmt::format("--every {} makes {}. Pass --every {} or more, or leave it out", o.every, fault,
                            std::max(every, o.every + 1)));
  grid.every = std::max(2 * every, grid.every);
  grid.thinned = true;
  grid.bytes = static_cast<std::int64_t>(there / 2.0);
}

// The records grow at once in all columns, and as far as there is memory: afterwards a row fits or does not as a whole.
void Recorder::make_room() {
  std::size_t largest = 0;
  for (const Column& column : columns_) largest = std::max(largest, column.width);
  const auto row = static_cast<std::size_t>(row_bytes());
  // After a resumed part the room is what is there.
  const std::size_t have = records_.rows, known = static_cast<std::size_t>(std::fmin(expected_rows(), 1e15));
  std::size_t rows = known > have ? known : std::max<std::size_t>(1024, 2 * have);
  const std::size_t least = std::min(rows, have + 1 + have / 16);  // less is not worth the moving
  if (rows * row > static_cast<std::size_t>(kLittleMemory)) {
    // While a column moves, it is there twice.
    const std::int64_t there = available_memory() - kMemoryLeft - static_cast<std::int64_t>(8 * largest * have);
    const std::size_t fit = there > 0 ? have + static_cast<std::size_t>(there) / row : have;
    rows = std::min(rows, fit);
  }
  for (; rows >= least; rows = have + (rows - have) / 2) {
    try {
      for (const Column& column : columns_) (records_.*column.list).reserve(rows * column.width);
      room_ = rows;
      return;
    } catch (const std::bad_alloc&) {  // perhaps for half as many
    }
  }
  throw std::bad_alloc();
}

void Recorder::give_up() {
  memory_ended_ = true;
  reserve_.reset();
  for (const Column& column : columns_) (records_.*column.list).resize(records_.rows * column.width);
}

void Recorder::thin() {
  if (run_.options.every == 0 && records_.rows >= static_cast<std::size_t>(kMaxRecords) &&
      run_.options.output_every == 0.0)
    run_.grid.every = static_cast<std::int64_t>(std::pow(10.0, records_.rows / static_cast<std::size_t>(kMaxRecords)));
}

}  // namespace rattleback
