#include "files/own.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace rattleback::files {

OwnFile open_own(const std::string& path, int flags) { return open_own(path, flags, AT_FDCWD); }

OwnFile open_own(const std::string& path, int flags, int folder) {
  OwnFile out;
  const auto refuse = [&](std::string why) {
    out.file = Descriptor();
    out.fault = std::move(why);
    return std::move(out);
  };
  const auto unreadable = [&] { return refuse(fmt::format("cannot be opened: {}", std::strerror(errno))); };
  out.file = Descriptor(::openat(folder, path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!out.file && errno == ENOENT) {
    out.missing = true;
    return refuse("does not exist");
  }
  if (!out.file && errno == ELOOP) return refuse("is a symbolic link, which is not followed");
  if (!out.file && errno == EISDIR) return refuse("is a folder");
  struct stat s {};
  if (!out.file || fstat(out.file.get(), &s) != 0) return unreadable();
  if (S_ISDIR(s.st_mode)) return refuse("is a folder");
  if (!S_ISREG(s.st_mode)) return refuse("is not a regular file");
  if (s.st_uid != geteuid() && s.st_uid != 0)
    return refuse(fmt::format("belongs to another user (number {}), who may have changed it", s.st_uid));
  if ((s.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return refuse(fmt::format("may be written by other users (mode {:03o}; chmod go-w takes that away)",
                              static_cast<unsigned>(s.st_mode & 0777U)));
  out.size = static_cast<std::uintmax_t>(s.st_size);
  return out;
}

bool read_own(const std::string& path, int folder, std::uintmax_t largest, std::string& bytes) {
  bytes.clear();
  const OwnFile own = open_own(path, O_RDONLY, folder);
  if (!own || own.size > largest) return false;
  bytes.resize(static_cast<std::size_t>(own.size));
  return read_all_at(own.file.get(), bytes.data(), bytes.size(), 0);
}

}  // namespace rattleback::files
