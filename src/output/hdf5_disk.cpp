#include "output/hdf5_disk.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "files/descriptor.hpp"

namespace rattleback::report::hdf5 {
namespace {

// What the library has of an open file: its own part first.
struct Opened {
  H5FD_t own;
  haddr_t end, size;  // of what is given away; of what was written
  int fd;
  int* fault;
};

struct Place {  // of the access list
  int fd;
  int* fault;
};

const Opened* opened(const H5FD_t* file) { return reinterpret_cast<const Opened*>(file); }
Opened* opened(H5FD_t* file) { return reinterpret_cast<Opened*>(file); }

H5FD_t* open_file(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
  const auto* const place = static_cast<const Place*>(H5Pget_driver_info(access));
  auto* const out = static_cast<Opened*>(std::calloc(1, sizeof(Opened)));  // NOLINT: the library has its part zeroed
  if (place == nullptr || out == nullptr) return nullptr;
  out->fd = place->fd;
  out->fault = place->fault;
  return &out->own;
}

herr_t close_file(H5FD_t* file) {
  std::free(file);  // NOLINT
  return 0;
}

herr_t query(const H5FD_t* /*file*/, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of(const H5FD_t* file, H5FD_mem_t /*type*/) { return opened(file)->end; }
herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  opened(file)->end = end;
  return 0;
}
haddr_t size_of(const H5FD_t* file, H5FD_mem_t /*type*/) { return opened(file)->size; }

herr_t read_part(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*list*/, haddr_t at, std::size_t size, void* to) {
  const Opened* const o = opened(file);
  auto* bytes = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = ::pread(o->fd, bytes, size, static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;  // behind the end there are zeros
    bytes += n;
    at += static_cast<haddr_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  std::fill_n(bytes, size, '\0');
  return 0;
}

herr_t write_part(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*list*/, haddr_t at, std::size_t size, const void* from) {
  Opened* const o = opened(file);
  o->size = std::max(o->size, at + size);
  if (*o->fault == 0 && !files::write_all_at(o->fd, from, size, static_cast<long long>(at))) *o->fault = errno;
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t /*list*/, hbool_t /*closing*/) {
  Opened* const o = opened(file);
  if (o->size == o->end) return 0;
  if (*o->fault == 0 && ::ftruncate(o->fd, static_cast<off_t>(o->end)) != 0) *o->fault = errno;
  o->size = o->end;
  return 0;
}

hid_t driver() {
  static const hid_t id = [] {
    static H5FD_class_t made{};
#if H5_VERSION_GE(1, 13, 0)
    made.version = H5FD_CLASS_VERSION;
    made.value = static_cast<H5FD_class_value_t>(H5_VFD_RESERVED + 1);
#endif
    made.name = "rattleback";
    made.maxaddr = (haddr_t{1} << 62U) - 1;
    made.fc_degree = H5F_CLOSE_STRONG;
    made.fapl_size = sizeof(Place);
    made.open = open_file;
    made.close = close_file;
    made.query = query;
    made.get_eoa = end_of;
    made.set_eoa = set_end;
    made.get_eof = size_of;
    made.read = read_part;
    made.write = write_part;
    made.truncate = truncate_file;
    constexpr H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(map), std::end(map), std::begin(made.fl_map));
    return H5FDregister(&made);
  }();
  return id;
}

// All tables of the file stay in memory while it is open.
void keep_tables(hid_t access) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  ensure(H5Pget_mdc_config(access, &cache), "opening");
  cache.evictions_enabled = false;
  cache.incr_mode = H5C_incr__off;
  cache.flash_incr_mode = H5C_flash_incr__off;
  cache.decr_mode = H5C_decr__off;
  ensure(H5Pset_mdc_config(access, &cache), "opening");
}

}  // namespace

Handle DiskFile::create(State* state) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "opening");
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  const Place place{state->fd, &state->fault};
  ensure(H5Pset_driver(access, driver(), &place), "opening");
  keep_tables(access);
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "opening");
  H5Pset_obj_track_times(creation, false);
  return {H5Fcreate("on the disk", H5F_ACC_TRUNC, creation, access), H5Fclose, "opening"};
}

DiskFile::DiskFile(int fd)
    : state_(std::make_unique<State>()), file_([&] {
        state_->fd = fd;
        return create(state_.get());
      }()) {}

std::string DiskFile::fault() const {
  return state_->fault == 0
             ? ""
             : fmt::format("cannot write the HDF5 file: {}", std::generic_category().message(state_->fault));
}

void DiskFile::close() {
  file_.close("closing the file");
  if (const std::string why = fault(); !why.empty()) throw Error(why);
}

}  // namespace rattleback::report::hdf5
