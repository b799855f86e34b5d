// `rattleback bench`: the project's own benchmark. It is a program of its own, bench_table, because it carries hand-written kernels
// that are built for this machine alone; it lies beside this program, or in libexec/rattleback when installed there.
#include <cstdio>
#include <filesystem>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "answer.hpp"
#include "arguments.hpp"
#include "rattleback/error.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

constexpr const char* kProgram = "bench_table";

std::filesystem::path bench_program() {
  std::error_code fault;
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe", fault).parent_path();
  for (const std::filesystem::path& folder : {here, here.parent_path() / "libexec" / "rattleback"})
    if (std::filesystem::exists(folder / kProgram, fault)) return folder / kProgram;
  throw Error(fmt::format(
      "the benchmark program {0}/{1} is not there. It is built on demand, for this machine: in the folder of "
      "the sources, `cmake --build {0} --target {1}`",
      here.string(), kProgram));
}

}  // namespace

Arguments declare_bench() {
  Arguments a("bench", "Measures steps of the library against hand-written kernels of the same steps.",
              "rattleback bench --quick");
  a.flag("--quick", "fewer repeats: seconds instead of a minute, and less exact");
  a.flag("--json", "prints one JSON object instead of tables");
  a.value("--output", "FOLDER", "also writes both to FOLDER, named after the commit");
  return a;
}

int bench(const Words& words) {
  Arguments a = declare_bench();
  if (!a.parse(words)) return kDone;
  a.refuse_if_faulty();
  const std::string program = bench_program().string();
  std::vector<std::string> list = {program};
  for (const char* flag : {"--quick", "--json"})
    if (a.has(flag)) list.emplace_back(flag);
  if (const auto folder = a.text("--output")) list.insert(list.end(), {"--output", *folder});
  std::vector<char*> pointers;
  for (std::string& word : list) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (is_quiet() && !a.has("--json") && std::freopen("/dev/null", "w", stdout) == nullptr) return kOutputFailed;
  execv(program.c_str(), pointers.data());
  throw Error(
      fmt::format("{} cannot be started: {}", program, std::error_code(errno, std::generic_category()).message()));
}

}  // namespace rattleback::cli
