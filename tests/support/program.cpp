#include "cli/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rattleback {

std::string read_all(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void Program::SetUp() {
  std::string pattern = (std::filesystem::temp_directory_path() / "rattleback_cli_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  base_ = pattern;
  folder_ = base_ / "work";
  std::filesystem::create_directory(folder_);
}

void Program::TearDown() { std::filesystem::remove_all(base_); }

void Program::write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

std::string Program::read(const std::string& name) const { return read_all(folder_ / name); }

std::vector<std::string> Program::contents() const {
  std::vector<std::string> list;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_))
    list.push_back(entry.path().string() + (entry.is_regular_file()
                                                ? " " + std::to_string(std::hash<std::string>()(read_all(entry.path())))
                                                : ""));
  std::sort(list.begin(), list.end());
  return list;
}

Outcome Program::execute(const std::vector<std::string>& argv, const char* stdout_to) const {
  const std::string out = stdout_to != nullptr ? stdout_to : (base_ / "out").string(), err = (base_ / "err").string();
  std::vector<char*> raw;
  for (const std::string& argument : argv) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  Outcome outcome;
  const pid_t child = fork();
  if (child == 0) {
    const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out_file, STDOUT_FILENO);
    dup2(err_file, STDERR_FILENO);
    if (chdir(folder_.c_str()) == 0) execv(raw[0], raw.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = stdout_to != nullptr ? "" : read_all(out);
  outcome.err = read_all(err);
  return outcome;
}

Outcome Program::rattleback(std::vector<std::string> arguments, const char* stdout_to) const {
  arguments.insert(arguments.begin(), RATTLEBACK_BINARY);
  return execute(arguments, stdout_to);
}

nlohmann::ordered_json Program::json(std::vector<std::string> arguments, int expected_status) const {
  arguments.emplace_back("--json");
  const Outcome outcome = rattleback(std::move(arguments));
  EXPECT_EQ(outcome.status, expected_status) << outcome.err;
  EXPECT_TRUE(outcome.out.ends_with("}\n"));
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1);
  return parse_json(outcome.out);
}

std::string Program::python(const std::string& script) const {
  const Outcome outcome = execute({RATTLEBACK_PYTHON, "-c", script});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

bool Program::python_has(const std::string& modules) const {
  return std::string(RATTLEBACK_PYTHON).find("NOTFOUND") == std::string::npos &&
         execute({RATTLEBACK_PYTHON, "-c", "import " + modules}).status == 0;
}

}  // namespace rattleback
