#include "native/compile.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include "files/digest.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration): not in every unistd.h

namespace rattleback {
namespace {

namespace fs = std::filesystem;

// No contraction and no rewriting of functions: the bits of the interpreter. Errno and traps are not looked at.
// -O2 with vectors took about twice as long to compile long steps. The bench cases were not faster with it, and the loops
// that want vectors, those of larger matrices, are written with them (dense_text.cpp).
constexpr std::array kFlags = {"-x",
                               "c",
                               "-std=gnu11",
                               "-O1",
                               "-ffp-contract=off",
                               "-w",
                               "-fPIC",
                               "-shared",
                               "-fno-math-errno",
                               "-fno-trapping-math",
                               "-fno-builtin-pow",
                               "-fno-tree-vectorize"};

// All that this processor has, unless $RATTLEBACK_MARCH names another target: for tools that do not know every instruction,
// and for caches that different machines share.
std::string target_flag() {
  const char* const asked = std::getenv("RATTLEBACK_MARCH");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view name = asked != nullptr ? asked : "";
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
  return fmt::format("-march={}", name.empty() || !plain ? "native" : name);
}

// Belongs to this user, and nobody else may write to it.
bool is_ours(const fs::path& path, bool folder) {
  struct stat s {};
  if (lstat(path.c_str(), &s) != 0) return false;
  return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         (folder ? S_ISDIR(s.st_mode) : S_ISREG(s.st_mode));
}

std::optional<fs::path> find_compiler() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) return {};
  for (const char* name : {"gcc", "cc", "clang", "g++", "c++", "clang++"}) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      const fs::path file = fs::path(rest.substr(0, end)) / name;
      rest.remove_prefix(std::min(end + 1, rest.size()));
      struct stat s {};
      // Relative folders of the path are passed over: what they mean depends on where one stands.
      if (file.is_absolute() && stat(file.c_str(), &s) == 0 && S_ISREG(s.st_mode) && access(file.c_str(), X_OK) == 0)
        return file;
    }
  }
  return {};
}

// Which compiler that is: where it really lies, its size and its age change with its version.
std::string compiler_identity(const fs::path& compiler) {
  std::error_code error;
  const fs::path real = fs::canonical(compiler, error);
  struct stat s {};
  if (error || stat(real.c_str(), &s) != 0) return compiler.string();
  return fmt::format("{} {} {}", real.string(), static_cast<std::int64_t>(s.st_size),
                     static_cast<std::int64_t>(s.st_mtime));
}

// -march=native depends on it.
std::string processor_identity() {
  std::ifstream in("/proc/cpuinfo");
  std::string line, out;
  while (std::getline(in, line) && !line.empty())
    for (const char* key : {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU"})
      if (line.starts_with(key)) out += line + '\n';
  return out;
}

// A folder of our own, made when it is not there; nothing where that cannot be.
std::optional<fs::path> cache_folder() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nothing here changes the environment
  const char *const cache = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  fs::path base;
  if (cache != nullptr && fs::path(cache).is_absolute())
    base = cache;
  else if (home != nullptr && fs::path(home).is_absolute())
    base = fs::path(home) / ".cache";
  else
    return {};
  std::error_code error;
  fs::create_directories(base, error);
  const fs::path folder = base / "rattleback";
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return {};
  if (!is_ours(folder, true) || access(folder.c_str(), W_OK) != 0) return {};
  return folder;
}

// For one process: removed when the object has been loaded.
class PrivateFolder {
 public:
  PrivateFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "rattleback-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~PrivateFolder() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool write_file(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t n = write(file, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += static_cast<std::size_t>(n);
  }
  return close(file) == 0 && at == text.size();
}

// Runs the compiler, silently. No shell is involved.
bool run_compiler(const fs::path& compiler, const std::string& target, const fs::path& source, const fs::path& object) {
  std::vector<std::string> arguments = {compiler.string(), target};
  arguments.insert(arguments.end(), kFlags.begin(), kFlags.end());
  arguments.insert(arguments.end(), {source.string(), "-o", object.string(), "-lm"});
  std::vector<char*> argv;
  for (std::string& a : arguments) argv.push_back(a.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) return false;
  for (const int stream : {0, 1, 2})
    (void)posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, compiler.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

NativeCode load(const fs::path& object, bool from_cache, const char* symbol) {
  NativeCode out;
  out.from_cache = from_cache;
  if (!is_ours(object, false)) {
    out.fault = fmt::format("'{}' belongs to or can be written by somebody else", object.string());
    return out;
  }
  void* const handle = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    out.fault = fmt::format("'{}' could not be loaded", object.string());
    return out;
  }
  out.library = std::shared_ptr<void>(handle, [](void* h) { dlclose(h); });
  out.steps = reinterpret_cast<NativeSteps>(dlsym(handle, symbol));
  if (out.steps == nullptr) out.fault = fmt::format("'{}' does not contain a step", object.string());
  return out;
}

NativeCode fault(std::string text) {
  NativeCode out;
  out.fault = std::move(text);
  return out;
}

}  // namespace

NativeCode native_code(const std::string& text, bool only_cached, const char* symbol) {
  const std::optional<fs::path> compiler = find_compiler();
  if (!compiler) return fault("no C compiler (gcc, cc, clang) was found in PATH");
  const std::string target = target_flag();
  std::string flags = target + ' ';
  for (const char* f : kFlags) flags += std::string(f) + ' ';
  const std::string name = long_digest(text + flags + compiler_identity(*compiler) + processor_identity());
  const std::optional<fs::path> cache = cache_folder();
  if (cache) {
    const fs::path object = *cache / (name + ".so");
    if (std::error_code error; fs::exists(object, error)) {
      NativeCode out = load(object, true, symbol);
      if (out.steps != nullptr) return out;
      if (!is_ours(object, false)) return out;  // not ours to replace
      fs::remove(object, error);                // damaged: made again
    }
  }
  if (only_cached) return fault("it is not in the cache");
  const PrivateFolder temporary;
  if (temporary.path().empty()) return fault("no temporary folder could be made");
  const fs::path source = temporary.path() / "step.c", made = temporary.path() / "step.so";
  if (!write_file(source, text)) return fault(fmt::format("'{}' could not be written", source.string()));
  if (!run_compiler(*compiler, target, source, made))
    return fault(fmt::format("the compiler {} refused the text of the step", compiler->string()));
  (void)chmod(made.c_str(), 0700);
  if (cache) {
    // Into the cache under a name of this process first, then renamed: others see the whole object or none.
    static std::atomic<int> number = 0;
    const fs::path object = *cache / (name + ".so"), part = *cache / fmt::format("{}.{}.{}", name, getpid(), ++number);
    std::error_code error;
    if (fs::copy_file(made, part, error); !error) {
      (void)chmod(part.c_str(), 0700);
      if (fs::rename(part, object, error); !error) return load(object, false, symbol);
      fs::remove(part, error);
    }
  }
  return load(made, false, symbol);  // stays loaded when its file is gone
}

}  // namespace rattleback
