#include "study/ranks.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

int number(const char* name, int otherwise) {
  const char* const text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment
  return text != nullptr && *text != '\0' ? std::atoi(text) : otherwise;
}

int size_in_environment() { return std::max({number("OMPI_COMM_WORLD_SIZE", 1), number("PMI_SIZE", 1)}); }

// The functions of mpi/module.c.
struct Module {
  int (*begin)(int* rank, int* size) = nullptr;
  void (*send)(const char* bytes, long long count) = nullptr;
  long long (*receive_size)(int from) = nullptr;
  void (*receive)(int from, char* bytes, long long count) = nullptr;
  void (*end)() = nullptr;
  void (*abort)() = nullptr;
};
Module module;  // NOLINT: loaded once

// Where $RATTLEBACK_MPI_MODULE says, beside the program or library that holds this function, and where an installed one finds
// it: beside the installed library, or in the folder of libraries next to that of the program.
std::vector<fs::path> places() {
  if (const char* const said = secure_getenv("RATTLEBACK_MPI_MODULE"); said != nullptr && *said == '/') return {said};
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&size_in_environment), &info) == 0) return {};
  std::error_code error;
  fs::path here = fs::canonical(info.dli_fname, error);
  if (error) here = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = here.parent_path();
  return {folder / "rattleback_mpi.so", folder / "rattleback" / "rattleback_mpi.so",
          folder.parent_path() / RATTLEBACK_LIBDIR / "rattleback" / "rattleback_mpi.so"};
}

void load_module() {
  void* handle = nullptr;
  std::string why = "it was built without MPI";
  for (const fs::path& place : places()) {
    std::error_code error;
    if (!fs::exists(place, error)) continue;
    handle = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);  // GLOBAL: OpenMPI loads parts of itself later
    if (handle != nullptr) break;
    why = dlerror();  // NOLINT(concurrency-mt-unsafe)
  }
  const auto find = [&](auto& function, const char* name) {
    function = handle == nullptr ? nullptr : reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    return function != nullptr;
  };
  if (!find(module.begin, "rattleback_mpi_begin") || !find(module.send, "rattleback_mpi_send") ||
      !find(module.receive_size, "rattleback_mpi_receive_size") || !find(module.receive, "rattleback_mpi_receive") ||
      !find(module.end, "rattleback_mpi_end") || !find(module.abort, "rattleback_mpi_abort"))
    throw Error(fmt::format(
        "mpirun started this program {} times, but it cannot share the work: {}. Start it without mpirun, or install "
        "libopenmpi-dev and openmpi-bin and build it again",
        size_in_environment(), why));
}

}  // namespace

Ranks* Ranks::get() {
  if (size_in_environment() <= 1) return nullptr;
  static Ranks* const ranks = [] {
    load_module();
    static Ranks made;
    const int fault = module.begin(&made.rank_, &made.size_);
    if (fault == 2) throw Error("mpirun: the program has ended MPI (MPI_Finalize). Run ensembles before that");
    if (fault != 0) throw Error("mpirun: MPI could not be started");
    std::atexit([] { module.end(); });
    if (made.size_ != size_in_environment())
      throw Error(
          fmt::format("mpirun started this program {} times, but MPI sees {} of them: mpirun and the MPI that this "
                      "program was built with (OpenMPI) are not the same. Use the mpirun of OpenMPI",
                      size_in_environment(), made.size_));
    return &made;
  }();
  return ranks;
}

int Ranks::number_in_environment() {
  return size_in_environment() <= 1 ? 0 : std::max(number("OMPI_COMM_WORLD_RANK", 0), number("PMI_RANK", 0));
}

int Ranks::threads() const {
  const int here = std::max(1, number("OMPI_COMM_WORLD_LOCAL_SIZE", size_));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / here);
}

void Ranks::send(const std::string& bytes) { module.send(bytes.data(), static_cast<long long>(bytes.size())); }

std::string Ranks::receive(int from) {
  std::string bytes(static_cast<std::size_t>(module.receive_size(from)), '\0');
  module.receive(from, bytes.data(), static_cast<long long>(bytes.size()));
  return bytes;
}

void Ranks::abort() {
  module.abort();
  std::abort();
}

}  // namespace rattleback
