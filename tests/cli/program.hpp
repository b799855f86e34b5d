// Runs the real program in a folder of its own and looks at everything it leaves: exit status, both streams, files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/json.hpp"

namespace rattleback {

struct Outcome {
  int status = -1;
  std::string out, err;
};

std::string read_all(const std::filesystem::path& path);

namespace running {  // the library has a Program, too

class Program : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  void write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;

  // Everything below the folder, with a checksum of each file's contents.
  [[nodiscard]] std::vector<std::string> contents() const;

  // argv[0] is any program; the streams go to files beside the folder.
  Outcome execute(const std::vector<std::string>& argv, const char* stdout_to = nullptr) const;

  Outcome rattleback(std::vector<std::string> arguments, const char* stdout_to = nullptr) const;

  // A command that must succeed and print exactly one JSON object with its line feed.
  nlohmann::ordered_json json(std::vector<std::string> arguments, int expected_status = 0) const;

  // Status 2, this message and nothing else: no output, and every file as it was.
  void expect_refused(const std::vector<std::string>& words, const std::string& message) const {
    const auto before = contents();
    const Outcome outcome = rattleback(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, message + "\n");
    EXPECT_EQ(contents(), before);
  }

  // What a Python script with h5py and pandas prints; "" and a note when they are not there.
  std::string python(const std::string& script) const;
  bool python_has(const std::string& modules) const;

  std::filesystem::path base_, folder_;
};

}  // namespace running
using running::Program;

// Leaves its domain in finite time: every method has to stop.
inline const std::string kEscaping = R"toml(name = "Escapes in finite time"
coordinates = ["x"]
[lagrangian]
kinetic = "x'^2/2"
potential = "-exp(x)"
[run]
method = "spark-gauss"
stages = 2
step = 0.01
until = 10
)toml";

// A bead on a plane: short and valid, with one constraint.
inline const std::string kBead = R"toml(name = "Bead"
coordinates = ["x", "y"]
[lagrangian]
kinetic = "(x'^2 + y'^2)/2"
potential = "x^2/2"
[constraints.nonholonomic]
slope = "y' - x*x'"
[initial]
x = 1
)toml";

}  // namespace rattleback
