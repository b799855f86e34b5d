#include "simulate/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kMagic[8] = {'R', 'B', 'C', 'H', 'K', '0', '0', '3'};
constexpr std::uintmax_t kLargestText = 1U << 26;

[[noreturn]] void fail(const std::string& what, const std::string& path) {
  throw Error(fmt::format("checkpoint '{}': {}: {}", path, what, std::strerror(errno)));
}

void write_all(int fd, const void* data, std::size_t size, const std::string& path) {
  const char* p = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t k = ::write(fd, p, size);
    if (k < 0) {
      if (errno == EINTR) continue;
      fail("cannot write", path);
    }
    p += k;
    size -= static_cast<std::size_t>(k);
  }
}

std::string shown(const std::string& value) { return value.empty() ? "not given" : value; }

}  // namespace

std::size_t Checkpoint::record_width() const {
  std::size_t width = 0;
  for (const auto& [name, size] : columns) width += size;
  return width;
}

const std::vector<double>* Checkpoint::section(const std::string& name) const {
  for (const auto& [each, values] : sections)
    if (each == name) return &values;
  return nullptr;
}

std::vector<std::string> differences(const Checkpoint& saved, const Checkpoint& now) {
  std::vector<std::string> out, rest;
  const auto value_in = [](const Checkpoint& c, const std::string& name) {
    for (const auto& [each, value] : c.run)
      if (each == name) return value;
    return std::string();
  };
  const auto differs = [&](const std::string& name, const std::string& there, const std::string& here) {
    if (there == here) return;
    if (name.starts_with("--"))
      out.push_back(fmt::format("{} is {} there and {} here", name, shown(there), shown(here)));
    else
      rest.push_back(fmt::format("{} differs", name));
  };
  for (const auto& [name, value] : now.run) differs(name, value_in(saved, name), value);
  for (const auto& old : saved.run) {  // what this program or this run does not know
    const auto same_name = [&](const auto& each) { return each.first == old.first; };
    if (std::none_of(now.run.begin(), now.run.end(), same_name)) differs(old.first, old.second, "");
  }
  if (out.empty() && rest.empty() && saved.columns != now.columns) rest.emplace_back("what a record holds differs");
  return out.empty() ? rest : out;
}

CheckpointFile::CheckpointFile(std::string path) : path_(std::move(path)) {
  const auto folder = std::filesystem::absolute(path_).parent_path();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw Error(fmt::format("checkpoint '{}': the folder '{}' does not exist", path_, folder.string()));
  if (std::filesystem::is_directory(path_, ignored))
    throw Error(fmt::format("checkpoint '{}' is a folder; give the name of a file", path_));
}

CheckpointFile::~CheckpointFile() {
  if (records_ >= 0) ::close(records_);
}

std::string CheckpointFile::damaged(const std::string& what) const {
  return fmt::format(
      "checkpoint '{}' is not a checkpoint of this version of the program, or is damaged ({}). Start without --resume",
      path_, what);
}

std::optional<Checkpoint> CheckpointFile::read() const {
  std::ifstream in(path_, std::ios::binary);
  if (!in) return std::nullopt;
  std::error_code ignored;
  std::uintmax_t left = std::filesystem::file_size(path_, ignored);  // no count is believed beyond it
  const auto take = [&](void* to, std::uintmax_t bytes) {
    if (bytes > left || !in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      throw Error(damaged("it ends too early"));
    left -= bytes;
  };
  char magic[8];
  take(magic, sizeof magic);
  if (std::memcmp(magic, kMagic, sizeof magic) != 0) throw Error(damaged("it does not begin as one"));
  std::uint64_t length = 0;
  take(&length, sizeof length);
  if (length > kLargestText || length > left) throw Error(damaged("it ends too early"));
  std::string text(length, '\0');
  take(text.data(), length);
  Checkpoint c;
  try {
    const Json json = Json::parse(text);
    json.at("run").get_to(c.run);
    json.at("columns").get_to(c.columns);
    json.at("steps").get_to(c.steps);
    json.at("records").get_to(c.records);
    Checkpoint::Sizes sizes;
    json.at("sections").get_to(sizes);
    for (const auto& [name, size] : sizes) {
      if (size > left / sizeof(double)) throw Error(damaged("it ends too early"));
      std::vector<double>& values = c.sections.emplace_back(name, std::vector<double>(size)).second;
      take(values.data(), size * sizeof(double));
    }
  } catch (const Json::exception&) {
    throw Error(damaged("its description cannot be read"));
  }
  if (left != 0) throw Error(damaged("there is more in it than it says"));
  if (c.steps < 0 || c.records < 0) throw Error(damaged("a count is negative"));
  return c;
}

std::vector<double> CheckpointFile::read_records(const Checkpoint& c) const {
  const std::size_t width = c.record_width(), count = static_cast<std::size_t>(c.records);
  std::vector<double> rows;
  if (width == 0 || count == 0) return rows;
  const std::string name = path_ + ".records";
  std::error_code fault;
  const std::uintmax_t size = std::filesystem::file_size(name, fault);
  if (!fault && size / sizeof(double) / width >= count) {
    rows.resize(count * width);
    std::ifstream in(name, std::ios::binary);
    if (in.read(reinterpret_cast<char*>(rows.data()), static_cast<std::streamsize>(rows.size() * sizeof(double))))
      return rows;
  }
  throw Error(fmt::format("checkpoint '{}': its records file '{}' is missing or too short", path_, name));
}

void CheckpointFile::begin(const Checkpoint* resumed) {
  if (resumed == nullptr) {
    // Its records are about to be overwritten.
    std::error_code ignored;
    for (const char* suffix : {"", ".records", ".new"}) std::filesystem::remove(path_ + suffix, ignored);
  }
  const std::string name = path_ + ".records";
  records_ = ::open(name.c_str(), O_WRONLY | O_CREAT, 0644);
  if (records_ < 0) fail("cannot open", name);
  const auto size =
      resumed == nullptr
          ? off_t{0}
          : static_cast<off_t>(static_cast<std::size_t>(resumed->records) * resumed->record_width() * sizeof(double));
  if (::ftruncate(records_, size) != 0 || ::lseek(records_, size, SEEK_SET) != size) fail("cannot prepare", name);
}

void CheckpointFile::write(const Checkpoint& c, const std::vector<double>& new_records) {
  if (!new_records.empty()) {
    write_all(records_, new_records.data(), new_records.size() * sizeof(double), path_ + ".records");
    if (::fdatasync(records_) != 0) fail("cannot flush", path_ + ".records");
  }
  Checkpoint::Sizes sizes;
  for (const auto& [name, values] : c.sections) sizes.emplace_back(name, values.size());
  const std::string text =
      Json{{"run", c.run}, {"columns", c.columns}, {"sections", sizes}, {"steps", c.steps}, {"records", c.records}}
          .dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  const std::string fresh = path_ + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) fail("cannot open", fresh);
  write_all(fd, kMagic, sizeof kMagic, fresh);
  write_all(fd, &length, sizeof length, fresh);
  write_all(fd, text.data(), text.size(), fresh);
  for (const auto& [name, values] : c.sections) write_all(fd, values.data(), values.size() * sizeof(double), fresh);
  const bool flushed = ::fsync(fd) == 0;
  ::close(fd);
  if (!flushed || std::rename(fresh.c_str(), path_.c_str()) != 0) fail("cannot replace", path_);
}

}  // namespace rattleback
