// Files and folders that must not outlive the process.
//
// Each has a name drawn at random, is created exclusively (no link is followed, nothing is overwritten) and is locked as long
// as we use it. So a later start can tell what a killed process left behind from what is in use: what it can lock is stale.
#pragma once

#include <string>

#include "files/descriptor.hpp"

namespace rattleback::files {

// A file in `folder`, for something that will be renamed to its place in the same folder. The folder is opened once: it may
// be renamed, and the process may change its own, without harm.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& folder);  // leftovers in the folder are removed first
  explicit TemporaryFile(int folder);                 // the same, by a descriptor; path() is the name in it
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] bool ok() const { return static_cast<bool>(file_); }  // else errno says why
  [[nodiscard]] int fd() const { return file_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Renames it, over what is there. False with errno set. The descriptor stays open.
  bool rename_to(const std::string& place);
  bool rename_within(const std::string& name);  // the same, to a name in its folder

 private:
  void create();
  bool rename(int folder, const std::string& place);

  Descriptor folder_, file_;
  std::string path_, name_;
  int slot_ = -1;
};

// A folder of our own for a compiler's files, in the folder for temporary files ($TMPDIR, else /tmp).
class TemporaryFolder {
 public:
  TemporaryFolder();  // leftovers are removed first
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] bool ok() const { return static_cast<bool>(folder_); }
  [[nodiscard]] int fd() const { return folder_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  Descriptor parent_, folder_;
  std::string path_, name_;
  int slot_ = -1;
};

// What processes that were killed left in a folder: files as TemporaryFile makes them.
void remove_stale_files(const std::string& folder);
// Folders as TemporaryFolder makes them.
void remove_stale_folders();

// Removes all that this process has now. Safe in a signal handler, after which the process must end.
void remove_temporaries() noexcept;

}  // namespace rattleback::files
