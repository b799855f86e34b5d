// Checkpoints: everything a run needs to continue with the same bits.
//
// FILE holds the state and is replaced atomically (written beside it, flushed, renamed). FILE.records holds the records
// so far and only grows; the count in FILE says how many of them are valid, so a run killed between the two writes, or
// in the middle of one, resumes from a consistent pair.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rattleback {

struct Checkpoint {
  std::uint64_t signature = 0;  // of model and options: a checkpoint resumes only the run it came from
  std::int64_t steps = 0;       // taken
  std::int64_t records = 0;
  std::vector<double> stepper, monitor;
};

std::uint64_t signature_of(const std::string& text);

class CheckpointFile {
 public:
  // record_width: doubles per record; 0 = records are not kept. Throws Error when the path cannot be written.
  CheckpointFile(std::string path, std::size_t record_width);
  ~CheckpointFile();
  CheckpointFile(const CheckpointFile&) = delete;
  CheckpointFile& operator=(const CheckpointFile&) = delete;

  // What was saved, if there is anything: the records go to `records`. Throws Error for a file that is not ours.
  std::optional<Checkpoint> read(std::vector<double>& records) const;
  // Starts the record file anew, or keeps its first `valid` records.
  void begin(std::int64_t valid);
  // New records since the last call, then the state.
  void write(const Checkpoint& checkpoint, const std::vector<double>& new_records);
  void remove() const;

 private:
  std::string path_;
  std::size_t width_;
  int records_ = -1;  // file descriptor
};

}  // namespace rattleback
