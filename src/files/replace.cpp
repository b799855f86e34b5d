#include "files/replace.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback::files {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path) {
  throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
}

// A link that somebody else made would send what we write to where he wants it.
bool is_foreign_link(const std::string& path) {
  struct stat s {};
  return lstat(path.c_str(), &s) == 0 && S_ISLNK(s.st_mode) && s.st_uid != geteuid() && s.st_uid != 0;
}

std::string followed(const std::string& path) {
  std::error_code ignored;
  if (is_foreign_link(path))
    throw Error(fmt::format("cannot write '{}': it is a link that belongs to another user", path));
  if (!fs::is_symlink(path, ignored)) return path;
  const fs::path file = fs::canonical(path, ignored);
  return file.empty() ? path : file.string();
}

// That of the file which is replaced, or that of any new file.
mode_t mode_for(const std::string& target) {
  struct stat before {};
  if (stat(target.c_str(), &before) == 0) return before.st_mode & 07777U;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666U & ~mask;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

void check_place(const std::string& path, std::string_view what) {
  if (path.empty()) throw Error(fmt::format("the {} has no name", what));
  if (path.find('\0') != std::string::npos) throw Error(fmt::format("the name of the {} has a zero byte in it", what));
  std::error_code error;
  const fs::path folder = folder_of(path);
  const fs::file_status folder_status = fs::status(folder, error);
  if (folder_status.type() == fs::file_type::not_found)
    throw Error(fmt::format("{} '{}': the folder '{}' does not exist. Make it first, or name another place", what, path,
                            folder.string()));
  if (folder_status.type() == fs::file_type::none)
    throw Error(fmt::format("{} '{}' cannot be used: {}", what, path, error.message()));
  if (!fs::is_directory(folder_status))
    throw Error(fmt::format("{} '{}': '{}' is not a folder", what, path, folder.string()));
  if (is_foreign_link(path))
    throw Error(fmt::format("{} '{}' is a link that belongs to another user. Name another place", what, path));
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none)
    throw Error(fmt::format("{} '{}' cannot be used: {}", what, path, error.message()));
  if (fs::is_directory(status)) throw Error(fmt::format("{} '{}' is a folder. Name a file in it", what, path));
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw Error(fmt::format("{} '{}' is not a regular file", what, path));
  if (!fs::exists(status) && fs::is_symlink(fs::symlink_status(path, error)))
    throw Error(fmt::format("{} '{}' is a link to '{}', which does not exist", what, path,
                            fs::read_symlink(path, error).string()));
  if (fs::exists(status) && access(path.c_str(), W_OK) != 0)
    throw Error(fmt::format("{} '{}' exists and is read-only", what, path));
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    throw Error(fmt::format("{} '{}': no permission to write in the folder '{}'", what, path, folder.string()));
}

Replacement::Replacement(const std::string& target) : target_(followed(target)), file_(folder_of(target_)) {
  if (!file_.ok()) cannot_write(target);
  (void)fchmod(file_.fd(), mode_for(target_));
}

void Replacement::commit() {
  if (!sync(file_.fd()) || !file_.rename_to(target_)) cannot_write(target_);
  // The new name, too, outlives a loss of power. It is there already: a fault here costs nothing.
  const Descriptor folder(open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) (void)sync(folder.get());
}

void write_whole(const std::string& path, const std::function<void(const std::string& place)>& writer) {
  Replacement file(path);
  writer(file.path());
  file.commit();
}

void write_text(const std::string& path, std::string_view text) {
  Replacement file(path);
  if (!write_all(file.fd(), text.data(), text.size())) cannot_write(path);
  file.commit();
}

}  // namespace rattleback::files
