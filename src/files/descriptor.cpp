#include "files/descriptor.hpp"

#include <cerrno>

#include <sys/types.h>

namespace rattleback::files {
namespace {

// `move(done)` moves some of the bytes that are left and says how many, or -1.
template <class Move>
bool move_all(std::size_t size, const Move& move) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = move(done);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

bool write_all(int fd, const void* data, std::size_t size) {
  const auto* const bytes = static_cast<const char*>(data);
  return move_all(size, [&](std::size_t done) { return ::write(fd, bytes + done, size - done); });
}

bool write_all_at(int fd, const void* data, std::size_t size, long long offset) {
  const auto* const bytes = static_cast<const char*>(data);
  return move_all(size, [&](std::size_t done) {
    return ::pwrite(fd, bytes + done, size - done, static_cast<off_t>(offset + static_cast<long long>(done)));
  });
}

bool read_all_at(int fd, void* data, std::size_t size, long long offset) {
  auto* const bytes = static_cast<char*>(data);
  return move_all(size, [&](std::size_t done) {
    return ::pread(fd, bytes + done, size - done, static_cast<off_t>(offset + static_cast<long long>(done)));
  });
}

bool sync(int fd) { return ::fsync(fd) == 0 || errno == EINVAL; }

}  // namespace rattleback::files
