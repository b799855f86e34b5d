#include "engine/build/cache.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/digest.hpp"
#include "files/own.hpp"
#include "files/temporary.hpp"
#include "files/trusted.hpp"

namespace rattleback {
namespace {

constexpr std::uintmax_t kUsualMegabytes = 256, kMegabyte = 1'000'000;
constexpr std::time_t kRecently = 3600;  // a use is written down no more often than that
constexpr std::size_t kDigits = 32;      // of long_digest
constexpr std::string_view kEnding = ".2.so";

struct Trailer {
  std::array<char, 8> magic = {'R', 'B', 'S', 'T', 'E', 'P', '2', '\n'};
  std::uint64_t object = 0, origin = 0;  // lengths
  std::uint64_t checksum = 0;            // of all before it
};
static_assert(sizeof(Trailer) == 32, "written as it is");

Trailer trailer_of(std::string_view object, std::string_view origin) {
  Trailer out;
  out.object = object.size();
  out.origin = origin.size();
  std::array<char, sizeof(Trailer) - sizeof out.checksum> head{};
  std::memcpy(head.data(), &out, head.size());
  out.checksum = digest({head.data(), head.size()}, digest(origin, digest(object)));
  return out;
}

std::string name_of(std::string_view origin) { return long_digest(origin).append(kEnding); }

// Removes what is not the object. False: the entry is not whole, or was made from something else.
bool reduce_to_object(std::string& entry, std::string_view origin) {
  if (entry.size() < sizeof(Trailer) + origin.size()) return false;
  const std::string_view all = entry;
  const std::string_view object = all.substr(0, all.size() - sizeof(Trailer) - origin.size());
  if (all.substr(object.size(), origin.size()) != origin) return false;
  const Trailer expected = trailer_of(object, origin);
  if (std::memcmp(&expected, all.data() + all.size() - sizeof(Trailer), sizeof(Trailer)) != 0) return false;
  entry.resize(object.size());
  return !entry.empty();
}

std::uintmax_t limit_in_bytes() {
  const char* const asked = std::getenv("RATTLEBACK_CACHE_MB");  // NOLINT(concurrency-mt-unsafe)
  const std::string_view text = asked != nullptr ? asked : "";
  std::uintmax_t megabytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), megabytes);
  const bool good = error == std::errc() && end == text.data() + text.size() && megabytes <= UINT32_MAX;
  return (good ? megabytes : kUsualMegabytes) * kMegabyte;
}

std::string folder_for_objects() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nothing here changes the environment
  const char *const cache = std::getenv("XDG_CACHE_HOME"), *const home = std::getenv("HOME");
  // NOLINTEND(concurrency-mt-unsafe)
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/rattleback";
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/rattleback";
  return "";
}

enum class Kind { entry, outdated, other };

// Outdated: objects of earlier versions (DIGITS.so), and what those left when they were killed (DIGITS.PROCESS.NUMBER).
Kind kind_of(std::string_view name) {
  if (name.size() <= kDigits) return Kind::other;
  const std::string_view rest = name.substr(kDigits);
  if (name.find_first_not_of("0123456789abcdef") != kDigits) return Kind::other;
  if (rest == kEnding) return Kind::entry;
  return rest == ".so" || rest.find_first_not_of(".0123456789") == std::string_view::npos ? Kind::outdated
                                                                                          : Kind::other;
}

}  // namespace

Cache::Cache() : limit_(limit_in_bytes()) {
  const std::string path = folder_for_objects();
  if (limit_ > 0 && !path.empty()) folder_ = files::open_trusted_folder(path, true);
}

std::string Cache::find(std::string_view origin) const {
  std::string entry;
  if (!folder_) return entry;
  const std::string name = name_of(origin);
  if (!files::read_own(name, folder_.get(), kLargestEntry, entry)) return "";
  if (!reduce_to_object(entry, origin)) {
    (void)unlinkat(folder_.get(), name.c_str(), 0);
    return "";
  }
  // Those used last stay longest.
  struct stat s {};
  if (fstatat(folder_.get(), name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && std::time(nullptr) - s.st_mtime > kRecently)
    (void)utimensat(folder_.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  return entry;
}

void Cache::keep(std::string_view origin, std::string_view object) const {
  if (!folder_ || object.size() + origin.size() + sizeof(Trailer) > std::min(limit_, kLargestEntry)) return;
  const Trailer trailer = trailer_of(object, origin);
  const std::string name = name_of(origin);
  files::TemporaryFile file(folder_.get());
  if (file.ok() && files::write_all(file.fd(), object.data(), object.size()) &&
      files::write_all(file.fd(), origin.data(), origin.size()) &&
      files::write_all(file.fd(), &trailer, sizeof trailer) && files::sync(file.fd()) && file.rename_within(name)) {
    (void)files::sync(folder_.get());
    make_room(name);
  }
}

void Cache::remove(std::string_view origin) const {
  if (folder_) (void)unlinkat(folder_.get(), name_of(origin).c_str(), 0);
}

void Cache::make_room(const std::string& newest) const {
  files::Descriptor again(openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const list = again ? fdopendir(again.get()) : nullptr;
  if (list == nullptr) return;
  again.release();  // belongs to the list
  struct Kept {
    timespec used;
    std::uintmax_t size;
    std::string name;
  };
  std::vector<Kept> kept;
  std::uintmax_t size = 0;
  while (const dirent* found = readdir(list)) {  // NOLINT(concurrency-mt-unsafe): a list of our own
    const Kind kind = kind_of(found->d_name);
    struct stat s {};
    if (kind == Kind::outdated) (void)unlinkat(folder_.get(), found->d_name, 0);
    if (kind != Kind::entry || fstatat(folder_.get(), found->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) continue;
    size += static_cast<std::uintmax_t>(s.st_size);
    if (found->d_name != newest) kept.push_back({s.st_mtim, static_cast<std::uintmax_t>(s.st_size), found->d_name});
  }
  closedir(list);
  std::sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) {
    return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec : a.used.tv_nsec < b.used.tv_nsec;
  });
  for (const Kept& k : kept) {
    if (size <= limit_) break;
    if (unlinkat(folder_.get(), k.name.c_str(), 0) == 0) size -= k.size;
  }
}

}  // namespace rattleback
