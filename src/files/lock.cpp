#include "files/lock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback::files {
namespace {

constexpr int kTries = 100;
constexpr off_t kLongestNote = 32;  // of a lock file of ours: the number of a process

std::string process_in(int fd) {
  char text[kLongestNote] = {};
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  std::string digits;
  for (ssize_t i = 0; i < n && text[i] >= '0' && text[i] <= '9'; ++i) digits += text[i];
  return digits.empty() ? "" : fmt::format(" (process {})", digits);
}

// Empty, or the number of a process as leave_note writes it: nothing that somebody would miss.
bool is_lock(int fd, const struct stat& s) {
  if (s.st_size >= kLongestNote) return false;
  char text[kLongestNote] = {};
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  return n >= 0 && std::all_of(text, text + n, [](char c) { return (c >= '0' && c <= '9') || c == '\n'; });
}

// For the message of the next one. Never into a file that another user has a part in.
void leave_note(int fd) {
  struct stat s {};
  if (fstat(fd, &s) != 0 || s.st_uid != geteuid() || s.st_nlink != 1) return;
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(fd, 0) == 0) (void)write_all_at(fd, text.data(), text.size(), 0);
}

}  // namespace

// Somebody may have removed the file between its opening and its locking.
bool Lock::in_place() const {
  struct stat here {
  }, there{};
  return fstat(file_.get(), &here) == 0 && lstat(path_.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

Lock::Lock(std::string path, const std::string& what) : path_(std::move(path)) {
  for (int k = 0; k < kTries; ++k) {
    file_ = Descriptor(
        ::open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file_ && errno == ELOOP)
      throw Error(fmt::format("{}: its lock '{}' is a symbolic link, which is not followed. Remove it", what, path_));
    if (!file_) throw Error(fmt::format("{}: cannot make its lock '{}': {}", what, path_, std::strerror(errno)));
    struct stat s {};
    if (fstat(file_.get(), &s) != 0 || !S_ISREG(s.st_mode))
      throw Error(fmt::format("{}: its lock '{}' is not a regular file. Remove it", what, path_));
    if (!is_lock(file_.get(), s))
      throw Error(
          fmt::format("{}: '{}', the name of its lock, is a file of something else. Give another name", what, path_));
    int status = 0;
    do status = flock(file_.get(), LOCK_EX | LOCK_NB);
    while (status != 0 && errno == EINTR);
    if (status != 0 && errno == EWOULDBLOCK)
      throw Error(fmt::format("{} is in use by another run{}. Wait for its end, or give another name", what,
                              process_in(file_.get())));
    held_ = status == 0;
    if (held_ && !in_place()) continue;
    leave_note(file_.get());
    return;
  }
  throw Error(fmt::format("{}: its lock '{}' is removed again and again. Give another name", what, path_));
}

Lock::~Lock() {
  if (file_ && in_place()) (void)::unlink(path_.c_str());
}

}  // namespace rattleback::files
