// A checkpoint on the disk: FILE has the state, FILE.records the records so far, FILE.lock keeps other runs away.
//
// FILE is replaced whole: written under a random name, flushed, renamed (files/temporary.hpp). FILE.records only grows, and FILE
// says how many of its rows are valid, with their digest. So a run that is killed between the two writes, or in the middle
// of one, resumes from a consistent pair.
//
// FILE.records begins with 8 bytes "RBREC004", the 16 bytes of the run's identity and 8 bytes with the number of doubles in a
// row, little endian; rows follow. A run without --resume leaves an older pair alone until its own first pair is complete:
//
//   1. both files are written under random names and flushed
//   2. FILE.records, if it belongs to FILE, becomes FILE.records.old
//   3. the new records become FILE.records
//   4. the new state becomes FILE
//   5. FILE.records.old is removed
//
// Killed before 4., FILE is the old one and finds its records, by their identity, in one of the two places.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/descriptor.hpp"
#include "files/lock.hpp"
#include "files/temporary.hpp"
#include "run/checkpoint.hpp"

namespace rattleback {

class CheckpointFile {
 public:
  // Appends a record to a list.
  using Row = std::function<void(std::int64_t row, std::vector<double>& to)>;

  // Throws Error when the path cannot be used, or another run uses it.
  explicit CheckpointFile(const std::string& path);

  // What was saved, if there is anything. Throws Error for a file that is damaged, not ours or not to be trusted.
  [[nodiscard]] std::optional<Checkpoint> read() const;
  // Its records, row by row. Throws Error when they are not all there as they were written, perhaps after some rows.
  void read_records(const Checkpoint& checkpoint, const std::function<void(std::span<const double>)>& row);
  // From here on write() continues `resumed`, whose records were read, or begins anew. An older pair is not touched yet.
  void begin(const Checkpoint* resumed);
  // The state, and the records that are not in the file yet. Returns why it could not be done, or "". Then the older pair is
  // as it was, and a later call may do it.
  std::string write(Checkpoint& checkpoint, const Row& row);

  [[nodiscard]] std::string damaged(const std::string& what) const;  // a message
  [[nodiscard]] std::string note() const;                            // for the reader of the run, or ""

 private:
  struct Found;  // a records file
  [[nodiscard]] Found find_records(const std::string& identity) const;
  [[nodiscard]] bool in_place() const;
  bool write_rows(const Checkpoint& checkpoint, const Row& row, std::uint64_t& sum) const;  // false with errno set
  std::string replace_both(files::TemporaryFile& records, files::TemporaryFile& state) const;
  std::string set_aside(bool& aside) const;

  std::string path_, folder_, records_path_, old_path_;
  files::Lock lock_;
  std::string identity_;
  files::Descriptor records_;  // none: the next checkpoint writes all records
  bool in_old_place_ = false;  // of the records that were read
  std::int64_t saved_ = 0;     // rows in the file that belong to FILE
  std::uint64_t sum_ = 0;      // their digest
};

}  // namespace rattleback
