// One process at a time: a lock file that is held for as long as the object lives, and gone after it.
#pragma once

#include <string>

#include "files/descriptor.hpp"

namespace rattleback::files {

// The kernel lets go of the lock when its process ends, however it ends. So a lock file that a killed process left behind
// keeps nobody out.
class Lock {
 public:
  // `path`: of the lock file. `what` is what it protects, in messages: "checkpoint 'x'". Does not wait: throws Error when
  // another run has it, or when there can be no such file. No link is followed.
  Lock(std::string path, const std::string& what);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

  [[nodiscard]] bool held() const { return held_; }  // false: the file system has no locks

 private:
  [[nodiscard]] bool in_place() const;

  std::string path_;
  Descriptor file_;
  bool held_ = false;
};

}  // namespace rattleback::files
