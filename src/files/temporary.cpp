#include "files/temporary.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rattleback::files {
namespace {

constexpr std::string_view kFile = ".rattleback-", kFolder = "rattleback-native-";
constexpr std::string_view kLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::size_t kDrawn = 6;  // letters after the prefix
constexpr int kTries = 100;
constexpr int kFolderOnly = O_PATH | O_DIRECTORY | O_CLOEXEC;  // needs no permission to list it

// --- what a signal handler removes

struct Place {
  int parent = -1;  // stays open as long as this is registered
  bool folder = false;
  char name[64] = {};
};
constinit std::array<std::atomic<Place*>, 64> registered = {};  // NOLINT: one list for the process

// -1 when there is no room: then only the destructor removes it.
int enter(int parent, const std::string& name, bool folder) {
  auto* const place = static_cast<Place*>(std::calloc(1, sizeof(Place)));
  if (place == nullptr || name.size() >= sizeof place->name) {
    std::free(place);
    return -1;
  }
  place->parent = parent;
  place->folder = folder;
  std::memcpy(place->name, name.c_str(), name.size() + 1);
  for (std::size_t i = 0; i < registered.size(); ++i) {
    Place* none = nullptr;
    if (registered[i].compare_exchange_strong(none, place)) return static_cast<int>(i);
  }
  std::free(place);
  return -1;
}

void leave(int slot) {
  if (slot >= 0) std::free(registered[static_cast<std::size_t>(slot)].exchange(nullptr));
}

// What a compiler may leave: its texts, its objects and its own temporary files (those of clang begin as the text does).
bool is_compilers(std::string_view name) {
  return name.starts_with("step.") || name.starts_with("step-") || name.starts_with("cc") || name == "core";
}

// Removes the files (and empty folders) of a folder, or those of a compiler, without memory from the heap. Says how many.
int remove_some(int folder, bool all) noexcept {
  alignas(std::uint64_t) char entries[4096];
  int removed = 0;
  (void)lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long bytes = syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) return removed;
    for (long at = 0; at < bytes;) {
      // struct linux_dirent64: inode, offset, length of the record, type, name
      const char* const record = entries + at;
      std::uint16_t length = 0;
      std::memcpy(&length, record + 16, sizeof length);
      const char* const name = record + 19;
      const bool dots = std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
      if (!dots && (all || is_compilers(name)) &&
          (unlinkat(folder, name, 0) == 0 || unlinkat(folder, name, AT_REMOVEDIR) == 0))
        ++removed;
      at += length;
    }
  }
}

// A compiler that is just dying may add a file: a few rounds. Not removed while anything else is in it.
void remove_with_files(int parent, const char* name, int folder, bool all) noexcept {
  for (int k = 0; k < 10; ++k) {
    const bool some = remove_some(folder, all) > 0;
    if (unlinkat(parent, name, AT_REMOVEDIR) == 0 || (errno == ENOTEMPTY && !some) || errno == ENOENT) return;
  }
}

// --- leftovers

bool has_shape(std::string_view name, std::string_view prefix) {
  if (name.size() != prefix.size() + kDrawn || !name.starts_with(prefix)) return false;
  for (const char c : name.substr(prefix.size()))
    if (kLetters.find(c) == std::string_view::npos) return false;
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

template <class Visit>
void each_entry(int folder, std::string_view prefix, const Visit& visit) {
  const int listed = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;
  DIR* const list = fdopendir(listed);
  if (list == nullptr) {
    (void)close(listed);
    return;
  }
  while (const dirent* entry = readdir(list))  // NOLINT(concurrency-mt-unsafe): a list of our own
    if (has_shape(entry->d_name, prefix)) visit(folder, entry->d_name);
  closedir(list);
}

bool is_ours(int fd, mode_t type) {
  struct stat s {};
  return fstat(fd, &s) == 0 && s.st_uid == geteuid() && (s.st_mode & S_IFMT) == type;
}

void remove_stale_files(int folder) {
  const int before = errno;
  each_entry(folder, kFile, [](int parent, const char* name) {
    const Descriptor file(openat(parent, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file && is_ours(file.get(), S_IFREG) && lock_file(file.get(), false)) (void)unlinkat(parent, name, 0);
  });
  errno = before;
}

void remove_stale_folders(int parent) {
  const int before = errno;
  each_entry(parent, kFolder, [](int in, const char* name) {
    const Descriptor folder(openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (folder && is_ours(folder.get(), S_IFDIR) && flock(folder.get(), LOCK_EX | LOCK_NB) == 0)
      remove_with_files(in, name, folder.get(), false);
  });
  errno = before;
}

std::string folder_for_temporaries() {
  const char* const asked = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  return asked != nullptr && asked[0] == '/' ? asked : "/tmp";
}

std::string drawn_name(std::string_view prefix) {
  std::array<std::uint32_t, kDrawn> bits{};
  if (getrandom(bits.data(), sizeof bits, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bits)) {
    static std::atomic<std::uint32_t> count =
        0;  // early after the start of a machine. Exclusive creation decides anyway
    for (std::uint32_t& b : bits) b = static_cast<std::uint32_t>(getpid()) * 2654435761U + 40503U * ++count;
  }
  std::string out(prefix);
  for (const std::uint32_t b : bits) out += kLetters[b % kLetters.size()];
  return out;
}

// Whether it still is what stands under its name: nobody took it for a leftover between its creation and its lock.
bool still_there(int parent, const std::string& name, int fd) {
  struct stat here {
  }, there{};
  return fstat(fd, &here) == 0 && fstatat(parent, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

}  // namespace

void remove_stale_files(const std::string& folder) {
  const int before = errno;
  if (const Descriptor place(open(folder.c_str(), kFolderOnly)); place) remove_stale_files(place.get());
  errno = before;
}

void remove_stale_folders() {
  const int before = errno;
  if (const Descriptor place(open(folder_for_temporaries().c_str(), kFolderOnly)); place)
    remove_stale_folders(place.get());
  errno = before;
}

TemporaryFile::TemporaryFile(const std::string& folder) : folder_(open(folder.c_str(), kFolderOnly)) {
  if (folder_) create();
  if (file_) path_ = folder + '/' + name_;
}

TemporaryFile::TemporaryFile(int folder) : folder_(fcntl(folder, F_DUPFD_CLOEXEC, 0)) {
  if (folder_) create();
  path_ = name_;
}

void TemporaryFile::create() {
  remove_stale_files(folder_.get());
  for (int k = 0; k < kTries; ++k) {
    name_ = drawn_name(kFile);
    slot_ = enter(folder_.get(), name_, false);  // first: a signal may come at once
    Descriptor file(openat(folder_.get(), name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int why = errno;
    if (file) {
      (void)lock_file(file.get(), true);
      if (still_there(folder_.get(), name_, file.get())) {
        file_ = std::move(file);
        return;
      }
    }
    leave(std::exchange(slot_, -1));
    errno = why;
    if (!file && why != EEXIST) return;
  }
  errno = EEXIST;
}

bool TemporaryFile::rename(int folder, const std::string& place) {
  if (renameat(folder_.get(), name_.c_str(), folder, place.c_str()) != 0) return false;
  leave(std::exchange(slot_, -1));
  name_.clear();
  path_.clear();
  return true;
}

bool TemporaryFile::rename_to(const std::string& place) { return rename(AT_FDCWD, place); }

bool TemporaryFile::rename_within(const std::string& name) { return rename(folder_.get(), name); }

TemporaryFile::~TemporaryFile() {
  if (file_ && !name_.empty()) (void)unlinkat(folder_.get(), name_.c_str(), 0);
  leave(slot_);
}

TemporaryFolder::TemporaryFolder() {
  const std::string where = folder_for_temporaries();
  parent_ = Descriptor(open(where.c_str(), kFolderOnly));
  if (!parent_) return;
  remove_stale_folders(parent_.get());
  for (int k = 0; k < kTries; ++k) {
    name_ = drawn_name(kFolder);
    slot_ = enter(parent_.get(), name_, true);  // first: a signal may come at once
    const bool made = mkdirat(parent_.get(), name_.c_str(), 0700) == 0;
    const int why = errno;
    Descriptor folder(made ? openat(parent_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                           : -1);
    const int why_not_open = errno;
    if (folder) {
      (void)flock(folder.get(), LOCK_EX);
      if (is_ours(folder.get(), S_IFDIR) && still_there(parent_.get(), name_, folder.get())) {
        path_ = where + '/' + name_;
        folder_ = std::move(folder);
        return;
      }
    } else if (made) {
      (void)unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
    }
    leave(std::exchange(slot_, -1));
    errno = made ? why_not_open : why;
    // Gone again: somebody took it for a leftover. Anything else will not get better.
    if (!folder && errno != (made ? ENOENT : EEXIST)) return;
  }
  errno = EEXIST;
}

TemporaryFolder::~TemporaryFolder() {
  if (folder_) remove_with_files(parent_.get(), name_.c_str(), folder_.get(), true);
  leave(slot_);
}

void remove_temporaries() noexcept {
  for (std::atomic<Place*>& r : registered) {
    const Place* const place = r.exchange(nullptr);  // not freed: the heap may be in any state
    if (place == nullptr) continue;
    if (!place->folder) {
      (void)unlinkat(place->parent, place->name, 0);
      continue;
    }
    const int folder = openat(place->parent, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    remove_with_files(place->parent, place->name, folder, true);
    (void)close(folder);
  }
}

}  // namespace rattleback::files
