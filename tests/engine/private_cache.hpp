// A cache folder and a search path of its own for a test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace rattleback::testing {

// Sets a variable of the environment for the life of the object.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

class Native : public ::testing::Test {
 protected:
  Native() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rattleback_native_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    cache_.emplace("XDG_CACHE_HOME", folder_.string());
  }
  ~Native() override {
    cache_.reset();
    std::filesystem::remove_all(folder_);
  }
  [[nodiscard]] std::filesystem::path cached() const { return folder_ / "rattleback"; }

  std::filesystem::path folder_;
  std::optional<Environment> cache_;
};

}  // namespace rattleback::testing
