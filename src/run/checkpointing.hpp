// Checkpoints of a run: what of it is saved, and that it resumes only what it belongs to. How they lie on the disk is the
// matter of run/checkpoint_file.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/checkpoint_file.hpp"
#include "run/recorder.hpp"

namespace rattleback {

class Checkpointing {
 public:
  // Options::checkpoint is not empty; the steppers are at the start. Throws Error when the path or the method cannot serve.
  Checkpointing(RunParts& run, Recorder& recorder);

  // For the reader of the run, or "".
  [[nodiscard]] std::string note() const { return file_.note(); }
  // Goes to the state of the checkpoint; false when there is none yet. It must be one of this run, and not beyond its end:
  // throws Error.
  bool resume();
  // Nothing is refused from here on.
  void begin() {
    file_.begin(resumed_ ? &*resumed_ : nullptr);
    resumed_.reset();
  }
  // What cannot be saved now is saved by a later checkpoint. The run goes on in any case.
  void save();
  // Of the latest try; "" when it succeeded.
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  [[nodiscard]] Options used_options() const;
  [[nodiscard]] std::vector<double> monitors() const;
  void load(const Checkpoint& c);
  void check_end() const;
  void check_counts(const Checkpoint& c) const;

  RunParts& run_;
  Recorder& recorder_;
  CheckpointFile file_;
  Checkpoint own_;  // of this run
  std::optional<Checkpoint> resumed_;
  std::string fault_;
  std::vector<std::string> told_;  // faults that were
};

}  // namespace rattleback
