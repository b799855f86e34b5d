// Checkpoints: everything a run needs to continue with the same bits.
//
// FILE holds the state and is replaced atomically (written beside it, flushed, renamed). FILE.records holds the records
// so far and only grows; the count in FILE says how many of them are valid, so a run killed between the two writes, or
// in the middle of one, resumes from a consistent pair.
//
// FILE states its own layout: 8 bytes "RBCHK003", the length of a JSON text (8 bytes, little endian), that text, and then the
// numbers of its sections one after the other. The text:
//
//   {"run": [["--method", "spark-gauss"], ...],              which run it is: names and values (simulate/option_table.hpp)
//    "columns": [["t", 1], ["q", 3], ...],                   what the numbers of one record in FILE.records are
//    "sections": [["stepper", 57], ["monitor", 13], ...],    names and sizes of the numbers that follow
//    "steps": 13, "records": 5}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rattleback {

struct Checkpoint {
  using Sizes = std::vector<std::pair<std::string, std::size_t>>;

  std::vector<std::pair<std::string, std::string>> run;  // a checkpoint resumes only the run it came from
  Sizes columns;                                         // of a record; empty: records are not kept
  std::vector<std::pair<std::string, std::vector<double>>> sections;
  std::int64_t steps = 0;  // taken
  std::int64_t records = 0;

  [[nodiscard]] std::size_t record_width() const;
  // Null when there is none of this name.
  [[nodiscard]] const std::vector<double>* section(const std::string& name) const;
};

// In what two runs differ, in the order of the second: "--step is 0.1 there and 0.2 here"; empty: in nothing. Names that begin with
// -- are options, whose values are shown; others are digests, which matter only when no option differs.
std::vector<std::string> differences(const Checkpoint& saved, const Checkpoint& now);

class CheckpointFile {
 public:
  // Throws Error when the path cannot be written.
  explicit CheckpointFile(std::string path);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  // What was saved, if there is anything. Throws Error for a file that is not ours.
  [[nodiscard]] std::optional<Checkpoint> read() const;
  // Its records, row by row. Throws Error when they are not all there.
  [[nodiscard]] std::vector<double> read_records(const Checkpoint& checkpoint) const;
  // Starts anew, or keeps the records of `resumed`. A checkpoint of an older run is removed.
  void begin(const Checkpoint* resumed);
  // New records since the last call, then the state.
  void write(const Checkpoint& checkpoint, const std::vector<double>& new_records);
  [[nodiscard]] std::string damaged(const std::string& what) const;  // a message

 private:
  std::string path_;
  int records_ = -1;  // file descriptor
};

}  // namespace rattleback
