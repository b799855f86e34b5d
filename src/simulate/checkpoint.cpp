#include "simulate/checkpoint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr char kMagic[8] = {'R', 'B', 'C', 'H', 'K', '0', '0', '2'};

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

}  // namespace

std::uint64_t signature_of(const std::string& text) {  // FNV-1a
  std::uint64_t h = 0xcbf29ce484222325ULL;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return h;
}

CheckpointFile::CheckpointFile(std::string path, std::size_t record_width)
    : path_(std::move(path)), width_(record_width) {
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

std::optional<Checkpoint> CheckpointFile::read(std::vector<double>& records) const {
  std::ifstream in(path_, std::ios::binary);
  if (!in) return std::nullopt;
  const auto broken = [&]() -> Error {
    return Error(fmt::format(
        "checkpoint '{}' is not a checkpoint of this program, or is damaged. Start without --resume", path_));
  };
  char magic[8];
  std::uint64_t header[5];
  if (!in.read(magic, 8) || std::memcmp(magic, kMagic, 8) != 0) throw broken();
  if (!in.read(reinterpret_cast<char*>(header), sizeof header)) throw broken();
  Checkpoint c;
  c.signature = header[0];
  c.steps = static_cast<std::int64_t>(header[1]);
  c.records = static_cast<std::int64_t>(header[2]);
  if (header[3] > (1U << 28) || header[4] > (1U << 20)) throw broken();
  c.stepper.resize(header[3]);
  c.monitor.resize(header[4]);
  const auto bytes = [](const std::vector<double>& x) {
    return static_cast<std::streamsize>(x.size() * sizeof(double));
  };
  if (!in.read(reinterpret_cast<char*>(c.stepper.data()), bytes(c.stepper))) throw broken();
  if (!in.read(reinterpret_cast<char*>(c.monitor.data()), bytes(c.monitor))) throw broken();
  records.resize(static_cast<std::size_t>(c.records) * width_);
  if (!records.empty()) {
    std::ifstream rows(path_ + ".records", std::ios::binary);
    if (!rows.read(reinterpret_cast<char*>(records.data()), bytes(records)))
      throw Error(fmt::format("checkpoint '{}': its records file '{}.records' is missing or too short", path_, path_));
  }
  return c;
}

void CheckpointFile::begin(std::int64_t valid) {
  if (width_ == 0) return;
  const std::string name = path_ + ".records";
  records_ = ::open(name.c_str(), O_WRONLY | O_CREAT, 0644);
  if (records_ < 0) fail("cannot open", name);
  const auto size = static_cast<off_t>(static_cast<std::size_t>(valid) * width_ * sizeof(double));
  if (::ftruncate(records_, size) != 0 || ::lseek(records_, size, SEEK_SET) != size) fail("cannot prepare", name);
}

void CheckpointFile::write(const Checkpoint& c, const std::vector<double>& new_records) {
  if (records_ >= 0 && !new_records.empty()) {
    write_all(records_, new_records.data(), new_records.size() * sizeof(double), path_ + ".records");
    if (::fdatasync(records_) != 0) fail("cannot flush", path_ + ".records");
  }
  const std::string fresh = path_ + ".new";
  const int fd = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0) fail("cannot open", fresh);
  const std::uint64_t header[5] = {c.signature, static_cast<std::uint64_t>(c.steps),
                                   static_cast<std::uint64_t>(c.records), c.stepper.size(), c.monitor.size()};
  write_all(fd, kMagic, 8, fresh);
  write_all(fd, header, sizeof header, fresh);
  write_all(fd, c.stepper.data(), c.stepper.size() * sizeof(double), fresh);
  write_all(fd, c.monitor.data(), c.monitor.size() * sizeof(double), fresh);
  const bool flushed = ::fsync(fd) == 0;
  ::close(fd);
  if (!flushed || std::rename(fresh.c_str(), path_.c_str()) != 0) fail("cannot replace", path_);
}

void CheckpointFile::remove() const {
  std::error_code ignored;
  for (const char* suffix : {"", ".records", ".new"}) std::filesystem::remove(path_ + suffix, ignored);
}

}  // namespace rattleback
