#include "report/write.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "rattleback/error.hpp"
#include "report/csv.hpp"
#include "report/hdf5.hpp"
#include "report/json.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

enum class Format { csv, hdf5 };

Format format_of(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".csv") return Format::csv;
  if (extension == ".h5") return Format::hdf5;
  if (extension.empty())
    throw Error(
        fmt::format("output file '{0}' has no extension, which chooses the format. Use '{0}.csv' or '{0}.h5'", path));
  throw Error(fmt::format("output file '{}': the extension '{}' is not known. Use .csv or .h5", path, extension));
}

fs::path folder_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

// A file beside the target that becomes the target when commit() is reached, and disappears otherwise.
class Replacement {
 public:
  explicit Replacement(const std::string& target) : target_(target) {
    std::error_code ignored;
    if (fs::is_symlink(target_, ignored))
      target_ = fs::canonical(target_, ignored);  // the link stays, its file changes
    if (target_.empty()) target_ = target;
    path_ = (folder_of(target_) / ".rattleback-XXXXXX").string();
    const int file = mkstemp(path_.data());
    if (file < 0) throw Error(fmt::format("cannot write '{}': {}", target, std::strerror(errno)));
    struct stat before {};
    mode_t mode = 0;
    if (stat(target_.c_str(), &before) == 0) {
      mode = before.st_mode & 07777;
    } else {
      mode = umask(0);
      umask(mode);
      mode = 0666 & ~mode;
    }
    fchmod(file, mode);
    close(file);
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (!path_.empty()) unlink(path_.c_str());
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  void commit() {
    const auto fail = [&] {
      throw Error(fmt::format("cannot write '{}': {}", target_.string(), std::strerror(errno)));
    };
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) fail();
    const bool kept = fsync(file) == 0 || errno == EINVAL;  // EINVAL: this file system has no such thing
    close(file);
    if (!kept || rename(path_.c_str(), target_.c_str()) != 0) fail();
    path_.clear();
  }

 private:
  fs::path target_;
  std::string path_;
};

}  // namespace

namespace report {

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

void write_whole(const std::string& path, const std::function<void(const std::string& place)>& writer) {
  Replacement file(path);
  writer(file.path());
  file.commit();
}

void write_text(const std::string& path, std::string_view text) {
  write_whole(path, [&](const std::string& place) {
    std::ofstream out(place, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
  });
}

void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& options,
                      const std::string& path) {
  check_output_path(path);
  Replacement file(path);
  switch (format_of(path)) {
    case Format::csv: write_csv(model, trajectory, file.path()); break;
    case Format::hdf5: write_hdf5(model, trajectory, options, file.path()); break;
  }
  file.commit();
}

}  // namespace report

void check_output_path(const std::string& path) {
  report::check_place(path, "output file");
  format_of(path);
}

void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& path) {
  const report::Json options = {{"method", trajectory.method},
                                {"stages", trajectory.stages},
                                {"step", trajectory.step},
                                {"every", trajectory.every}};
  report::write_trajectory(model, trajectory, report::dump(options), path);
}

}  // namespace rattleback
