// The records of a run, and the memory they take: whether they fit is looked at before the run, and again whenever they grow.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "run/parts.hpp"

namespace rattleback {

class Recorder {
 public:
  // What a record holds: the one list that writing and reading of checkpoints go by.
  struct Column {
    const char* name;
    std::size_t width;
    std::vector<double> Trajectory::Records::*list;
  };

  explicit Recorder(RunParts& run);

  // Before the run. More records than there is memory for: refused if they were asked for, fewer if not. Throws Error.
  void fit();
  // The record has all turns of angles; the observation was made without them.
  void keep(const RecordPoint& p, const System::Observation& o);
  // How many adaptive steps there will be is not known: records beyond the first million are taken further apart.
  void thin();

  [[nodiscard]] std::span<const Column> columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return records_.rows; }
  [[nodiscard]] double row_bytes() const;
  // For checkpoints.
  void copy_row(std::int64_t row, std::vector<double>& to) const;
  void add_row(std::span<const double> row);
  // A record is missing.
  [[nodiscard]] bool memory_ended() const { return memory_ended_; }
  // Memory has ended: back to whole rows, and the run ends with what there is.
  void give_up();
  [[nodiscard]] Trajectory::Records take() { return std::move(records_); }

 private:
  static constexpr std::size_t kReserve = std::size_t{8} << 20;
  void append(RecordPoint p, const System::Observation& o);
  void append_quantities(const RecordPoint& p);
  void append_ports(double t, std::span<const double> q);
  [[nodiscard]] double expected_rows() const;  // 0: not known
  void make_room();

  RunParts& run_;
  std::vector<Column> columns_;
  Trajectory::Records records_;
  std::vector<double> multipliers_;  // where they are not recorded
  std::size_t room_ = 0;             // rows that fit into what the records have
  std::unique_ptr<char[]> reserve_;  // let go when memory ends, so that the end of the run can be written
  bool memory_ended_ = false;
};

}  // namespace rattleback
