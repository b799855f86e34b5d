// Attributes are variable-length UTF-8 strings and the file uses the 1.8 format, because older ones stop at 64 KiB of
// attributes: a long model text or the names of a large family would not fit. Times of creation are not kept, so that
// the same run gives the same bytes.
#include "output/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "output/columns.hpp"
#include "output/hdf5_image.hpp"
#include "output/json.hpp"
#include "output/version.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report {
namespace {

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

void ensure(herr_t result, std::string_view what) {
  if (result < 0) throw Error(fmt::format("cannot write the HDF5 file: {} failed (is the disk full?)", what));
}

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "making the string type");
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

void set_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* data) {
  Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  ensure(H5Awrite(attribute, type, data), name);
}

void set_text(hid_t object, const char* name, const std::string& value) {
  const Handle type = string_type();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  const char* text = value.c_str();
  set_attribute(object, name, type, space, &text);
}

void set_texts(hid_t object, const char* name, const std::vector<std::string>& values) {
  const Handle type = string_type();
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  std::vector<const char*> texts;
  texts.reserve(values.size());
  for (const std::string& value : values) texts.push_back(value.c_str());
  set_attribute(object, name, type, space, texts.data());
}

void set_number(hid_t object, const char* name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  set_attribute(object, name, H5T_NATIVE_DOUBLE, space, &value);
}

void set_whole(hid_t object, const char* name, std::int64_t value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, name);
  set_attribute(object, name, H5T_NATIVE_INT64, space, &value);
}

// A vector for one column per record, a matrix otherwise. "residual/..." lies in a group, which is made on the way.
void add_dataset(hid_t file, const Block& block, std::size_t rows) {
  const bool is_vector = block.dataset == "t" || block.dataset == "energy" || block.dataset == "balance" ||
                         block.dataset.starts_with("residual/") || block.vector;
  const hsize_t sizes[2] = {rows, block.columns.size()};
  const char* name = block.dataset.c_str();
  const Handle space(H5Screate_simple(is_vector ? 1 : 2, sizes, nullptr), H5Sclose, name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  H5Pset_obj_track_times(creation, false);
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name);
  H5Pset_create_intermediate_group(link, 1);
  Handle dataset(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, link, creation, H5P_DEFAULT), H5Dclose, name);
  const std::vector<double> zeros(block.values == nullptr ? rows * block.columns.size() : 0);
  const double* values = block.values != nullptr ? block.values : zeros.data();
  if (rows > 0) ensure(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  set_texts(dataset, "columns", block.columns);
  dataset.close(name);
}

// The file is made in memory and written by us. HDF5 does not come back from a disk that is full: it keeps the file, and crashes
// on it when the program ends, which may be the program of somebody else.
Handle new_file() {
  constexpr std::size_t kGrowth = std::size_t{1} << 22U;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "opening");
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  H5Pset_fapl_core(access, kGrowth, false);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "opening");
  H5Pset_obj_track_times(creation, false);
  return {H5Fcreate("in memory", H5F_ACC_TRUNC, creation, access), H5Fclose, "opening"};
}

void write_file(Handle& file, const std::string& path) {
  ensure(H5Fflush(file, H5F_SCOPE_LOCAL), "finishing the file");
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  std::vector<char> bytes(size > 0 ? static_cast<std::size_t>(size) : 0);
  if (size <= 0 || H5Fget_file_image(file, bytes.data(), bytes.size()) != size)
    throw Error("cannot write the HDF5 file: finishing it failed");
  close_image(bytes);
  file.close("closing the file");
  std::FILE* const out = std::fopen(path.c_str(), "wb");
  const bool written = out != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), out) == bytes.size();
  const int fault = errno;
  if ((out != nullptr && std::fclose(out) != 0) || !written)
    throw Error(
        fmt::format("cannot write the HDF5 file: {}", std::generic_category().message(written ? errno : fault)));
}

void new_group(hid_t file, const char* name) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, name);
  H5Pset_obj_track_times(creation, false);
  const Handle group(H5Gcreate2(file, name, H5P_DEFAULT, creation, H5P_DEFAULT), H5Gclose, name);
}

}  // namespace

void write_hdf5(const Model& model, const Trajectory& trajectory, const std::string& options, const std::string& path) {
  const QuietErrors quiet;
  Handle file = new_file();
  new_group(file, "residual");
  for (const Block& block : record_blocks(model, trajectory)) add_dataset(file, block, trajectory.records.rows);

  Json audit = run_json(model, trajectory);
  for (const char* key : {"wall_seconds", "compile_seconds", "compiled_steps", "native"})
    audit.erase(key);  // they depend on the time
  set_text(file, "model", model.text);
  set_text(file, "system", model.key);
  set_text(file, "title", model.name);
  set_text(file, "kind", to_string(model.kind));
  set_text(file, "method", trajectory.method);
  set_whole(file, "stages", trajectory.stages);
  set_number(file, "step", trajectory.step);
  set_text(file, "options", options);
  set_text(file, "version", std::string(kVersion));
  set_text(file, "audit", dump(audit));
  write_file(file, path);
}

void write_hdf5(const std::vector<std::pair<Block, std::size_t>>& tables,
                const std::vector<std::pair<std::string, std::string>>& attributes, const std::string& path) {
  const QuietErrors quiet;
  Handle file = new_file();
  std::vector<std::string> groups;
  for (const auto& [block, rows] : tables) {
    if (const auto slash = block.dataset.find('/'); slash != std::string::npos)
      if (std::string group = block.dataset.substr(0, slash);
          std::find(groups.begin(), groups.end(), group) == groups.end()) {
        new_group(file, group.c_str());
        groups.push_back(std::move(group));
      }
    add_dataset(file, block, rows);
  }
  for (const auto& [name, text] : attributes) set_text(file, name.c_str(), text);
  write_file(file, path);
}

}  // namespace rattleback::report
