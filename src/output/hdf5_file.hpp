// What all HDF5 files of this program share: identifiers that close themselves, texts and tables, and how a file comes to the disk.
#pragma once

#include <hdf5.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/columns.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report::hdf5 {

// An HDF5 identifier that is closed at the end of its scope. A negative one is a failure: `what` says of what.
class Handle {
 public:
  Handle(hid_t id, herr_t (*closer)(hid_t), std::string_view what) : id_(id), close_(closer) {
    if (id < 0) throw Error(fmt::format("cannot write the HDF5 file: {} failed (is the disk full?)", what));
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): stands for the identifier
  // Closing can fail: it is what writes the data.
  void close(std::string_view what) {
    if (close_(std::exchange(id_, -1)) < 0)
      throw Error(fmt::format("cannot write the HDF5 file: {} failed (is the disk full?)", what));
  }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

// Failures are reported here, not printed by the library; what a program of somebody else has set comes back.
class QuietErrors {
 public:
  QuietErrors() {
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

void ensure(herr_t result, std::string_view what);

// Attributes of an object.
void set_text(hid_t object, const char* name, const std::string& value);
void set_texts(hid_t object, const char* name, const std::vector<std::string>& values);
void set_number(hid_t object, const char* name, double value);
void set_whole(hid_t object, const char* name, std::int64_t value);

// Is its one column kept as a vector?
bool is_vector(const Block& block);
// The names of its columns, and their units where there are any.
void set_columns(hid_t dataset, const Block& block);
// A vector for one column per record, a matrix otherwise. "residual/..." lies in a group, which is made on the way.
void add_dataset(hid_t file, const Block& block, std::size_t rows);
// Texts, one after the other.
void add_texts(hid_t file, const std::string& name, const std::vector<std::string>& values);
void new_group(hid_t file, const char* name);

// A file in memory, and its way to the disk. HDF5 does not come back from a disk that is full: it keeps the file, and crashes
// on it when the program ends, which may be the program of somebody else.
Handle new_file();
void write_file(Handle& file, const std::string& path);

}  // namespace rattleback::report::hdf5
