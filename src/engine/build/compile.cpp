#include "engine/build/compile.hpp"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <mutex>
#include <set>
#include <string_view>

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>

#include <fmt/format.h>

#include "engine/build/cache.hpp"
#include "engine/build/compiler.hpp"
#include "engine/build/load.hpp"
#include "files/descriptor.hpp"
#include "files/own.hpp"
#include "files/temporary.hpp"
#include "files/trusted.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

// An object whose table of sections, which linkers write at its end, is there: it was not left half written.
bool is_whole_object(std::string_view bytes) {
  ElfW(Ehdr) head;
  if (bytes.size() < sizeof head || !bytes.starts_with(ELFMAG)) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::uint64_t sections = std::uint64_t{head.e_shnum} * head.e_shentsize;
  return head.e_shoff >= sizeof head && head.e_shoff <= bytes.size() && sections <= bytes.size() - head.e_shoff;
}

// A limit on the size of files (ulimit -f) is a fault of the write here, and not a signal that ends the program.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    (void)pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;
  ~NoSizeSignal() {
    constexpr timespec kNow = {0, 0};
    if (sigismember(&before_, SIGXFSZ) == 0) (void)sigtimedwait(&signal_, nullptr, &kNow);
    (void)pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_{}, before_{};
};

// Compilers that this process has given up.
class GivenUp {
 public:
  void add(const std::string& compiler) {
    const std::lock_guard lock(mutex_);
    compilers_.insert(compiler);
  }
  [[nodiscard]] bool has(const std::string& compiler) {
    const std::lock_guard lock(mutex_);
    return compilers_.contains(compiler);
  }

 private:
  std::mutex mutex_;
  std::set<std::string> compilers_;
};

GivenUp& given_up() {
  static GivenUp out;
  return out;
}

std::atomic<Native> for_the_process = Native::automatic;  // NOLINT: one for the process

NativeCode fault(std::string text, bool given_up = false) {
  NativeCode out;
  out.fault = std::move(text);
  out.given_up = given_up;
  return out;
}

NativeCode load(std::string_view object, bool from_cache, const char* symbol) {
  NativeCode out;
  out.from_cache = from_cache;
  out.library = load_object(object);
  if (!out.library)
    return fault("the compiled step could not be loaded: this system executes nothing that was just made");
  out.steps = reinterpret_cast<NativeSteps>(dlsym(out.library.get(), symbol));
  return out.steps != nullptr ? out : fault("the compiled object does not contain a step");
}

struct Made {
  std::string object;
  NativeCode why_not;
};

Made make(const std::string& text, const std::string& compiler, const std::stop_token& stop) {
  const files::TemporaryFolder folder;
  if (!folder.ok()) return {"", fault("no temporary folder could be made")};
  {
    const files::Descriptor source(openat(folder.fd(), kSourceName, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!source || !files::write_all(source.get(), text.data(), text.size()))
      return {"", fault(fmt::format("'{}/{}' could not be written", folder.path(), kSourceName))};
  }
  switch (run_compiler(compiler, folder, stop)) {
    case CompilerEnd::done: break;
    case CompilerEnd::failed: return {"", fault(fmt::format("the compiler {} refused the text of the step", compiler))};
    case CompilerEnd::told_to_end: return {"", fault("the run was told to end", true)};
    case CompilerEnd::too_long:
      given_up().add(compiler);
      return {"", fault(fmt::format("the compiler {} did not end within {:g} s and was given up", compiler,
                                    compiler_patience()),
                        true)};
  }
  Made out;
  {  // New files may be for the group, too. This one was made in a folder of our own
    const files::Descriptor made(openat(folder.fd(), kObjectName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (made) (void)fchmod(made.get(), 0600);
  }
  const bool read = files::read_own(kObjectName, folder.fd(), kLargestEntry, out.object);
  if (!read || !is_whole_object(out.object))
    return {"", fault(fmt::format("the compiler {} made no object", compiler))};
  return out;
}

}  // namespace

Native process_native() { return for_the_process; }

void set_native(const Choice<Native>& native) {
  if (native.given() && native.text() != to_string(native.value()))
    throw Error(fmt::format("set_native: '{}' is not known. Known are auto, on, off", native.text()));
  for_the_process = native.value();
}

NativeCode native_code(const std::string& text, bool only_cached, const char* symbol, const std::stop_token& stop) {
  if (process_native() == Native::off) return fault(kProcessOff, true);
  const auto found = find_compiler();
  if (!found) return fault("no C compiler (gcc, cc, clang) was found in PATH");
  const std::string compiler = found->string();
  const NoSizeSignal quiet;
  const Cache cache;
  const std::string origin = text + '\0' + compiler_identity(compiler);
  if (const std::string object = cache.find(origin); !object.empty()) {
    NativeCode out = load(object, true, symbol);
    if (out.steps != nullptr) return out;
    cache.remove(origin);  // made again
  }
  if (only_cached) return fault("it is not in the cache");
  if (given_up().has(compiler))
    return fault(
        fmt::format("the compiler {} did not end within {:g} s and was given up", compiler, compiler_patience()), true);
  if (stop.stop_requested()) return fault("the run was told to end", true);
  const Made made = make(text, compiler, stop);
  if (made.object.empty()) return made.why_not;
  NativeCode out = load(made.object, false, symbol);
  if (out.steps != nullptr) cache.keep(origin, made.object);
  return out;
}

}  // namespace rattleback
