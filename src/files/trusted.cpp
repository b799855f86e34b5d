#include "files/trusted.hpp"

#include <cerrno>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rattleback::files {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kWrittenByOthers = S_IWGRP | S_IWOTH;  // named users of an access list show as the group

bool trusted(int folder, bool last) {
  struct stat s {};
  if (fstat(folder, &s) != 0) return false;
  errno = EPERM;
  const bool ours = s.st_uid == geteuid() || (!last && s.st_uid == 0);
  return ours && ((s.st_mode & kWrittenByOthers) == 0 || (!last && (s.st_mode & S_ISVTX) != 0));
}

}  // namespace

Descriptor open_trusted_folder(const std::string& path, bool make) {
  std::error_code error;
  const fs::path real = fs::path(path).is_absolute() ? fs::weakly_canonical(path, error) : fs::path();
  if (error || real.empty()) {
    errno = error ? error.value() : EINVAL;
    return {};
  }
  // Folders on the way need not be readable.
  constexpr int kOnTheWay = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  Descriptor here(open("/", kOnTheWay));
  const fs::path rest = real.relative_path();
  for (auto part = rest.begin(); part != rest.end(); ++part) {
    if (!here || !trusted(here.get(), false)) return {};
    const bool last = std::next(part) == rest.end() || std::next(part)->empty();  // "a/b/" ends with an empty part
    if (part->empty()) break;
    const int how = last ? O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC : kOnTheWay;
    Descriptor next(openat(here.get(), part->c_str(), how));
    if (!next && errno == ENOENT && make && (mkdirat(here.get(), part->c_str(), 0700) == 0 || errno == EEXIST))
      next = Descriptor(openat(here.get(), part->c_str(), how));
    here = std::move(next);
  }
  if (!here || !trusted(here.get(), true)) return {};
  return here;
}

}  // namespace rattleback::files
