#include "files/temporary.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rattleback::files {
namespace {

constexpr std::string_view kFile = ".rattleback-", kFolder = "rattleback-native-";
constexpr std::size_t kDrawn = 6;  // characters that mkstemp draws
constexpr int kTries = 100;

// --- what a signal handler removes

struct Registered {
  std::atomic<char*> path = nullptr;  // from malloc
  std::atomic<bool> folder = false;
};
std::array<Registered, 64> registered;  // NOLINT: one list for the process

// -1 when there is no room: then only the destructor removes it.
int enter(const std::string& path, bool folder) {
  char* const copy = strdup(path.c_str());
  if (copy == nullptr) return -1;
  for (std::size_t i = 0; i < registered.size(); ++i) {
    char* none = nullptr;
    if (registered[i].path.load() != nullptr) continue;
    registered[i].folder = folder;
    if (registered[i].path.compare_exchange_strong(none, copy)) return static_cast<int>(i);
  }
  std::free(copy);
  return -1;
}

void leave(int slot) {
  if (slot >= 0) std::free(registered[static_cast<std::size_t>(slot)].path.exchange(nullptr));
}

// The files of a folder, without memory from the heap.
void empty_folder(int folder) noexcept {
  alignas(std::uint64_t) char entries[4096];
  for (;;) {
    const long bytes = syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      // struct linux_dirent64: inode, offset, length of the record, type, name
      const char* const record = entries + at;
      std::uint16_t length = 0;
      std::memcpy(&length, record + 16, sizeof length);
      (void)unlinkat(folder, record + 19, 0);
      at += length;
    }
    (void)lseek(folder, 0, SEEK_SET);
    if (bytes < 256) return;  // what is left cannot be removed
  }
}

// Signals that end the program wait while a file is there that is not in the list yet.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t some;
    sigemptyset(&some);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&some, number);
    pthread_sigmask(SIG_BLOCK, &some, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// --- leftovers

bool has_shape(std::string_view name, std::string_view prefix) {
  if (name.size() != prefix.size() + kDrawn || !name.starts_with(prefix)) return false;
  for (const char c : name.substr(prefix.size()))
    if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))) return false;
  return true;
}

// A lock of the open file that other libraries (HDF5 takes flock) do not see. False: somebody has it.
bool lock_file(int fd, bool wait) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  while (fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &whole) != 0)
    if (errno != EINTR) return false;
  return true;
}

// What a compiler may leave: its texts, its objects and its own temporary files.
bool is_compilers(std::string_view name) { return name.starts_with("step.") || name.starts_with("cc"); }

template <class Visit>
void each_entry(const std::string& folder, std::string_view prefix, const Visit& visit) {
  DIR* const list = opendir(folder.c_str());
  if (list == nullptr) return;
  while (const dirent* entry = readdir(list))  // NOLINT(concurrency-mt-unsafe): a list of our own
    if (has_shape(entry->d_name, prefix)) visit(dirfd(list), entry->d_name);
  closedir(list);
}

bool is_ours(int fd, mode_t type) {
  struct stat s {};
  return fstat(fd, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & S_IFMT) == type;
}

void remove_folder(int parent, const char* name) {
  const Descriptor folder(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder || !is_ours(folder.get(), S_IFDIR) || flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return;
  if (DIR* const list = fdopendir(dup(folder.get()))) {
    while (const dirent* entry = readdir(list))  // NOLINT(concurrency-mt-unsafe): a list of our own
      if (is_compilers(entry->d_name)) (void)unlinkat(folder.get(), entry->d_name, 0);
    closedir(list);
  }
  (void)unlinkat(parent, name, AT_REMOVEDIR);  // not while there is anything else in it
}

std::string folder_for_temporaries() {
  const char* const asked = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return asked != nullptr && asked[0] == '/' ? asked : "/tmp";
}

// Whether nobody took it away between its creation and the lock.
bool still_there(int fd) {
  struct stat s {};
  return fstat(fd, &s) == 0 && s.st_nlink > 0;
}

}  // namespace

void remove_stale_files(const std::string& folder) {
  const int before = errno;
  each_entry(folder, kFile, [](int parent, const char* name) {
    const Descriptor file(openat(parent, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (file && is_ours(file.get(), S_IFREG) && lock_file(file.get(), false)) (void)unlinkat(parent, name, 0);
  });
  errno = before;
}

void remove_stale_folders() {
  const int before = errno;
  each_entry(folder_for_temporaries(), kFolder, [](int parent, const char* name) { remove_folder(parent, name); });
  errno = before;
}

TemporaryFile::TemporaryFile(const std::string& folder) {
  remove_stale_files(folder);
  const SignalsWait wait;
  for (int k = 0; k < kTries; ++k) {
    path_ = folder + '/' + std::string(kFile) + std::string(kDrawn, 'X');
    Descriptor file(mkostemp(path_.data(), O_CLOEXEC));  // O_EXCL, mode 0600
    if (!file) return;
    (void)lock_file(file.get(), true);
    if (!still_there(file.get())) continue;  // taken for a leftover
    slot_ = enter(path_, false);
    file_ = std::move(file);
    return;
  }
  errno = EEXIST;
}

bool TemporaryFile::rename_to(const std::string& place) {
  if (::rename(path_.c_str(), place.c_str()) != 0) return false;
  leave(std::exchange(slot_, -1));
  path_.clear();
  return true;
}

TemporaryFile::~TemporaryFile() {
  if (file_ && !path_.empty()) (void)::unlink(path_.c_str());
  leave(slot_);
}

TemporaryFolder::TemporaryFolder() {
  remove_stale_folders();
  const SignalsWait wait;
  for (int k = 0; k < kTries; ++k) {
    path_ = folder_for_temporaries() + '/' + std::string(kFolder) + std::string(kDrawn, 'X');
    if (mkdtemp(path_.data()) == nullptr) return;  // mode 0700
    Descriptor folder(open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) return;
    (void)flock(folder.get(), LOCK_EX);
    struct stat here {
    }, there{};
    // The number of links of a removed folder is not 0 on every file system.
    if (fstat(folder.get(), &here) != 0 || lstat(path_.c_str(), &there) != 0 || here.st_ino != there.st_ino) continue;
    slot_ = enter(path_, true);
    folder_ = std::move(folder);
    return;
  }
  errno = EEXIST;
}

TemporaryFolder::~TemporaryFolder() {
  if (folder_) {
    (void)lseek(folder_.get(), 0, SEEK_SET);
    empty_folder(folder_.get());
    (void)rmdir(path_.c_str());
  }
  leave(slot_);
}

void remove_temporaries() noexcept {
  for (Registered& r : registered) {
    const char* const path = r.path.exchange(nullptr);  // not freed: the heap may be in any state
    if (path == nullptr) continue;
    if (!r.folder) {
      (void)unlink(path);
      continue;
    }
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0) {
      empty_folder(folder);
      (void)close(folder);
    }
    (void)rmdir(path);
  }
}

}  // namespace rattleback::files
