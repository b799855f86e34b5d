// A member of an ensemble that has run, and its way from one process to another.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/analysis.hpp"
#include "study/members.hpp"

namespace rattleback {

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
  std::vector<std::string> output_names, invariant_names, selected;  // EnsembleReport
  std::optional<Trajectory> run = {};  // with its records, where they are kept; stays in its process
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
    all(m.values, m.q, m.v, m.multipliers, m.outputs, m.invariants, m.t, m.energy, m.energy_error, m.power_balance,
        m.constraint_position, m.constraint_velocity, m.status, m.message);
    all(f.moved.count, f.moved.by, f.t, f.energy, f.method, f.stages, f.order, f.step, f.steps, f.notes,
        f.energy_changes, f.output_names, f.invariant_names, f.selected);
  }

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

}  // namespace rattleback
