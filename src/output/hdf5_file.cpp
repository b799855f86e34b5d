// Attributes are variable-length UTF-8 strings and the file uses the 1.8 format, because older ones stop at 64 KiB of
// attributes: a long model text or the names of a large family would not fit. Times of creation are not kept, so that
// the same run gives the same bytes.
#include "output/hdf5_file.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "output/hdf5_image.hpp"

namespace rattleback::report::hdf5 {
namespace {

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "making the string type");
  H5Tset_size(type, H5T_VARIABLE);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

std::vector<const char*> pointers(const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  texts.reserve(values.size());
  for (const std::string& value : values) texts.push_back(value.c_str());
  return texts;
}

void set_attribute(hid_t object, const char* name, hid_t type, hid_t space, const void* data) {
  Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  ensure(H5Awrite(attribute, type, data), name);
}

}  // namespace

void ensure(herr_t result, std::string_view what) {
  if (result < 0) throw Error(fmt::format("cannot write the HDF5 file: {} failed (is the disk full?)", what));
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
  const std::vector<const char*> texts = pointers(values);
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

bool is_vector(const Block& block) {
  return block.columns.size() == 1 &&
         (block.dataset == "t" || block.dataset == "energy" || block.dataset == "balance" ||
          block.dataset.starts_with("residual/") || block.vector);
}

void set_columns(hid_t dataset, const Block& block) {
  set_texts(dataset, "columns", block.columns);
  if (!block.units.empty()) set_texts(dataset, "units", block.units);
}

void add_dataset(hid_t file, const Block& block, std::size_t rows) {
  const hsize_t sizes[2] = {rows, block.columns.size()};
  const char* name = block.dataset.c_str();
  const Handle space(H5Screate_simple(is_vector(block) ? 1 : 2, sizes, nullptr), H5Sclose, name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  H5Pset_obj_track_times(creation, false);
  const Handle link(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name);
  H5Pset_create_intermediate_group(link, 1);
  Handle dataset(H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, link, creation, H5P_DEFAULT), H5Dclose, name);
  const std::vector<double> zeros(block.values == nullptr ? rows * block.columns.size() : 0);
  const double* values = block.values != nullptr ? block.values : zeros.data();
  if (rows > 0) ensure(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), name);
  set_columns(dataset, block);
  dataset.close(name);
}

void add_texts(hid_t file, const std::string& name, const std::vector<std::string>& values) {
  const hsize_t size = values.size();
  const Handle type = string_type();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, name);
  const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  H5Pset_obj_track_times(creation, false);
  Handle dataset(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), H5Dclose, name);
  const std::vector<const char*> texts = pointers(values);
  if (size > 0) ensure(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()), name);
  dataset.close(name);
}

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

}  // namespace rattleback::report::hdf5
