#include "run/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>

namespace rattleback {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

std::optional<std::int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t number = 0;
  if (file >> number) return number;  // "max" is no number, and no limit
  return std::nullopt;
}

// The value behind a word: "MemAvailable:  123 kB", "inactive_file 4096".
std::int64_t field_of(const std::string& path, const std::string& word) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(word)) {
      std::istringstream rest(line.substr(word.size()));
      std::int64_t number = 0;
      return rest >> number ? number : 0;
    }
  return 0;
}

std::int64_t left_of_limit(int which) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(which), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return kUnknown;
  std::ifstream file("/proc/self/statm");
  std::int64_t pages[6] = {};  // size, resident, shared, text, lib, data
  for (std::int64_t& x : pages)
    if (!(file >> x)) return kUnknown;
  const std::int64_t used = pages[which == RLIMIT_AS ? 0 : 5] * sysconf(_SC_PAGESIZE);
  const auto most =
      static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, std::numeric_limits<std::int64_t>::max()));
  return std::max<std::int64_t>(0, most - used);
}

// What one control group leaves. Copies of files in memory count as used there, but give way.
std::int64_t left_in_group(const std::string& folder, const char* limit, const char* used, const char* files) {
  const auto most = number_in(folder + '/' + limit);
  if (!most) return kUnknown;
  const std::int64_t now = number_in(folder + '/' + used).value_or(0) - field_of(folder + "/memory.stat", files);
  return std::max<std::int64_t>(0, *most - std::max<std::int64_t>(0, now));
}

// This process's group and those above it, in version 2 and version 1 of control groups.
std::int64_t left_in_groups() {
  std::int64_t left = kUnknown;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = line.substr(first + 1, second - first - 1);
    const bool version_2 = kinds.empty();
    if (!version_2 && kinds != "memory") continue;
    const std::string root = version_2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string path = line.substr(second + 1);; path.resize(path.rfind('/'))) {
      if (path == "/") path.clear();
      const std::string folder = root + path;
      left = std::min(left, version_2 ? left_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                                      : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                                      "total_inactive_file "));
      if (path.find('/') == std::string::npos) break;
    }
  }
  return left;
}

std::int64_t left_in_machine() {
  const std::int64_t kilobytes = field_of("/proc/meminfo", "MemAvailable:");
  if (kilobytes == 0) return kUnknown;
  return (kilobytes + field_of("/proc/meminfo", "SwapFree:")) * 1024;
}

}  // namespace

std::int64_t available_memory() {
  return std::min({left_of_limit(RLIMIT_AS), left_of_limit(RLIMIT_DATA), left_in_groups(), left_in_machine()});
}

bool json_fits(std::size_t numbers) {
  const double bytes = 250.0 * static_cast<double>(numbers);  // with names, the text itself, and its growth
  return bytes <= static_cast<double>(kLittleMemory) / 4.0 || bytes <= static_cast<double>(available_memory());
}

std::string memory_text(double bytes) {
  const char* unit = "MB";
  double x = bytes / 1e6;
  for (const char* larger : {"GB", "TB", "PB", "EB"}) {
    if (x < 1000.0) break;
    x /= 1000.0;
    unit = larger;
  }
  return fmt::format("{:.{}f} {}", x, x < 10.0 ? 1 : 0, unit);
}

}  // namespace rattleback
