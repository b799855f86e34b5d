#include "files/read.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "files/descriptor.hpp"

namespace rattleback::files {
namespace {

constexpr std::size_t kPortion = 1U << 16;

constexpr int kWaitForWriter = 1000;  // milliseconds

std::string size_text(std::uintmax_t bytes) {
  return bytes % (1U << 20) == 0 ? fmt::format("{} MiB", bytes >> 20U) : fmt::format("{} bytes", bytes);
}

// Does anybody write to the pipe? One who is about to open it is waited for. `first` gets what there is already.
bool somebody_writes(int pipe, std::string& first) {
  pollfd waiting{.fd = pipe, .events = POLLIN, .revents = 0};
  char portion[512];
  for (const int patience : {kWaitForWriter, 0}) {
    const ssize_t n = ::read(pipe, portion, sizeof portion);  // does not wait; 0 means that there is no writer
    if (n > 0) first.assign(portion, static_cast<std::size_t>(n));
    if (n != 0) return true;
    if (poll(&waiting, 1, patience) > 0) return true;  // one came, and may have left again
  }
  return false;
}

}  // namespace

FileText read_text(const std::string& path, std::uintmax_t largest, Pipes pipes) {
  FileText out;
  const auto fail = [&](std::string what) {
    out.text.clear();
    out.fault = std::move(what);
    return out;
  };
  const auto unreadable = [&] { return fail(fmt::format("cannot be read: {}", std::strerror(errno))); };
  // Without O_NONBLOCK the opening of a pipe that nobody writes to would wait.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat s {};
  if (!file || fstat(file.get(), &s) != 0) return unreadable();
  out.is_folder = S_ISDIR(s.st_mode);
  if (out.is_folder) return fail("is a folder");
  const bool stream = S_ISFIFO(s.st_mode) || S_ISCHR(s.st_mode) || S_ISSOCK(s.st_mode);
  if (!S_ISREG(s.st_mode) && !(stream && pipes == Pipes::accepted)) return fail("is not a regular file");
  const auto too_large = [&] {
    out.is_too_large = true;
    return fail(fmt::format("is larger than the {} that are read of such a file", size_text(largest)));
  };
  if (S_ISREG(s.st_mode) && s.st_size > 0 && static_cast<std::uintmax_t>(s.st_size) > largest) return too_large();
  if (S_ISFIFO(s.st_mode) && !somebody_writes(file.get(), out.text)) return fail("is a pipe that nobody writes to");
  if (stream && fcntl(file.get(), F_SETFL, 0) != 0) return unreadable();  // from here on its writer is waited for
  for (;;) {
    const std::size_t at = out.text.size();
    out.text.resize(at + kPortion);
    const ssize_t n = ::read(file.get(), out.text.data() + at, kPortion);
    out.text.resize(at + static_cast<std::size_t>(n > 0 ? n : 0));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return unreadable();
    if (out.text.size() > largest) return too_large();
    if (n == 0) break;
  }
  if (out.text.starts_with("\xEF\xBB\xBF")) out.text.erase(0, 3);  // a byte order mark
  return out;
}

}  // namespace rattleback::files
