// What a checkpoint holds, and how its bytes prove that they are the ones that were written.
//
// The state of a run is a file of its own (run/checkpoint_file.hpp says how it and the records beside it are kept). It
// states its layout, all numbers little endian:
//
//   8 bytes   "RBCHK004"
//   8 bytes   length of the file
//   8 bytes   length of the JSON text
//   ...       the text
//   ...       the numbers of its sections, one after the other
//   8 bytes   digest of everything before
//
// The text:
//
//   {"run": [["--method", "spark-gauss"], ...],              which run it is: names and values (option/option_table.hpp)
//    "columns": [["t", 1], ["q", 3], ...],                   what the numbers of one record are
//    "sections": [["stepper", 57], ["monitor", 13], ...],    names and sizes of the numbers that follow
//    "steps": 13, "records": 5,
//    "identity": "0f...", "records digest": "a3..."}         ties the records to the state
//
// A file that was damaged is found out before anything is allocated: its lengths are compared with its size, then its digest
// is computed piece by piece. The digest does not protect against people: owner and mode of the file do.
#pragma once

#include <cstdint>
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
  std::string identity;              // 128 bits, drawn when the run began: 32 hexadecimal digits
  std::uint64_t records_digest = 0;  // of the records file up to the last of `records`

  [[nodiscard]] std::size_t record_width() const;
  // Null when there is none of this name.
  [[nodiscard]] const std::vector<double>* section(const std::string& name) const;
};

// In what two runs differ, in the order of the second: "--step is 0.1 there and 0.2 here"; empty: in nothing. Names that begin with
// -- are options, whose values are shown; others are digests, which matter only when no option differs.
std::vector<std::string> differences(const Checkpoint& saved, const Checkpoint& now);

// From the start of an empty file. False with errno set.
bool write_checkpoint(int fd, const Checkpoint& checkpoint);

struct CheckpointRead {
  Checkpoint checkpoint;
  std::string fault;  // empty, or in what the file is wrong: "it ends too early"
};

CheckpointRead read_checkpoint(int fd, std::uintmax_t size);

}  // namespace rattleback
