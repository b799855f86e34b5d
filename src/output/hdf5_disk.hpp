// An HDF5 file that grows on the disk, for what does not fit into memory.
//
// HDF5 does not come back from a write that fails: it keeps the file, and crashes on it when the program ends. Here it never
// sees one. What it writes goes through a driver that remembers the first failure and drops what comes later, and its own tables
// stay in its memory until the end, so that nothing is read back.
#pragma once

#include <memory>
#include <string>

#include "output/hdf5_file.hpp"

namespace rattleback::report::hdf5 {

class DiskFile {
 public:
  // Into this open file, which is empty. Throws Error.
  explicit DiskFile(int fd);

  [[nodiscard]] hid_t id() const { return file_; }
  // Why something could not be written; "" as long as all was.
  [[nodiscard]] std::string fault() const;
  // Throws Error.
  void close();

 private:
  struct State {
    int fd = -1;
    int fault = 0;  // errno
  };
  static Handle create(State* state);
  std::unique_ptr<State> state_;
  Handle file_;
};

}  // namespace rattleback::report::hdf5
