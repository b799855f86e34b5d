#include "engine/build/load.hpp"

#include <atomic>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "files/descriptor.hpp"
#include "files/temporary.hpp"
#include "files/trusted.hpp"

namespace rattleback {
namespace {

std::shared_ptr<void> load_file(const std::string& path) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  return {handle, [](void* h) { dlclose(h); }};
}

// The loader takes an object whose path it has seen for the same object, and numbers of descriptors come again. So each load
// has a path of its own: there are many ways to write one, "/." for the ones of a counter and "/" for its zeros.
std::string path_of(int fd) {
  static std::atomic<unsigned> loads = 0;
  std::string out = "/proc/self/fd";
  for (unsigned n = ++loads; n != 0; n /= 2) out += n % 2 != 0 ? "/." : "/";
  return out + fmt::format("/{}", fd);
}

bool same(int a, int b) {
  struct stat s {
  }, t{};
  return fstat(a, &s) == 0 && fstat(b, &t) == 0 && s.st_ino == t.st_ino && s.st_dev == t.st_dev;
}

}  // namespace

std::shared_ptr<void> load_from_memory(std::string_view object) {
  const files::Descriptor memory(memfd_create("rattleback", MFD_CLOEXEC));
  if (!memory || !files::write_all(memory.get(), object.data(), object.size())) return nullptr;
  return load_file(path_of(memory.get()));
}

std::shared_ptr<void> load_from_temporary_folder(std::string_view object) {
  const files::TemporaryFolder folder;
  if (!folder.ok()) return nullptr;
  // The loader goes by names: they must lead to our folder whatever others do.
  const files::Descriptor trusted = files::open_trusted_folder(folder.path(), false);
  if (!trusted || !same(trusted.get(), folder.fd())) return nullptr;
  files::Descriptor file(openat(folder.fd(), "step.so", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (!file || !files::write_all(file.get(), object.data(), object.size())) return nullptr;
  return load_file(folder.path() + "/step.so");  // stays loaded when its file is gone
}

std::shared_ptr<void> load_object(std::string_view object) {
  std::shared_ptr<void> out = load_from_memory(object);
  return out ? out : load_from_temporary_folder(object);
}

}  // namespace rattleback
