#include "run/checkpoint_file.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "files/digest.hpp"
#include "files/own.hpp"
#include "files/replace.hpp"
#include "files/temporary.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

constexpr std::string_view kMagic = "RBREC004";
constexpr std::size_t kHead = 32;                               // bytes before the rows
constexpr std::size_t kPortion = 8192;                          // doubles that are moved at once, and at least one row
constexpr std::size_t kLongestName = 255, kLongestSuffix = 12;  // ".records.old"

std::string reason() { return std::strerror(errno); }

// Not those of another run, though both began in the same moment.
std::string new_identity() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return long_digest(fmt::format("{} {}", getpid(), std::chrono::steady_clock::now().time_since_epoch().count()));
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string head_of(const std::string& identity, std::uint64_t width) {
  std::string out(kMagic);
  for (std::size_t i = 0; i < 32; i += 2) out += static_cast<char>(std::stoi(identity.substr(i, 2), nullptr, 16));
  for (unsigned i = 0; i < 64; i += 8) out += static_cast<char>(width >> i);
  return out;
}

// What a new file of this user has, but for rights to write that would make it useless (files/own.hpp).
void set_mode(int fd) {
  const mode_t mask = umask(S_IRWXG | S_IRWXO);
  umask(mask);
  (void)fchmod(fd, 0644U & ~mask);
}

void sync_folder(const std::string& folder) {
  const files::Descriptor d(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (d) (void)files::sync(d.get());
}

// Something that a run must not replace: neither empty nor of any version of these files.
bool is_foreign(const std::string& path, std::string_view magic) {
  const files::OwnFile own = files::open_own(path, O_RDONLY);
  if (!own || own.size == 0) return false;  // what is not our own is refused elsewhere
  std::string head(magic.size(), '\0');
  return own.size < head.size() || !files::read_all_at(own.file.get(), head.data(), head.size(), 0) || head != magic;
}

std::string usable(const std::string& path) {
  files::check_place(path, "checkpoint");
  std::error_code ignored;
  if (std::filesystem::is_symlink(path, ignored))
    throw Error(fmt::format("checkpoint '{}' is a symbolic link, which is not followed. Name the file itself", path));
  for (const char* suffix : {".records", ".records.old"})
    if (std::filesystem::is_directory(std::filesystem::symlink_status(path + suffix, ignored)))
      throw Error(fmt::format("checkpoint '{}' needs the name '{}{}', which is a folder. Give another name", path, path,
                              suffix));
  if (std::filesystem::path(path).filename().string().size() + kLongestSuffix > kLongestName)
    throw Error(fmt::format("the name of checkpoint '{}' is too long: it may have {} bytes", path,
                            kLongestName - kLongestSuffix));
  return path;
}

}  // namespace

struct CheckpointFile::Found {
  files::OwnFile file;
  bool old_place = false;
  std::string fault;  // of FILE.records, when there is no file
};

CheckpointFile::CheckpointFile(const std::string& path)
    : path_(usable(path)),
      folder_(files::folder_of(path)),
      records_path_(path + ".records"),
      old_path_(path + ".records.old"),
      lock_(path + ".lock", fmt::format("checkpoint '{}'", path)) {}

std::string CheckpointFile::damaged(const std::string& what) const {
  return fmt::format(
      "checkpoint '{}' is not a checkpoint of this version of the program, or is damaged ({}). Start without --resume",
      path_, what);
}

std::string CheckpointFile::note() const {
  if (lock_.held()) return "";
  return fmt::format("the file system of checkpoint '{}' has no locks: do not let another run use it at the same time",
                     path_);
}

std::optional<Checkpoint> CheckpointFile::read() const {
  const files::OwnFile own = files::open_own(path_, O_RDONLY);
  if (own.missing) return std::nullopt;
  if (!own) throw Error(fmt::format("checkpoint '{}' {}. Start without --resume", path_, own.fault));
  CheckpointRead out = read_checkpoint(own.file.get(), own.size);
  if (!out.fault.empty()) throw Error(damaged(out.fault));
  return std::move(out.checkpoint);
}

// The records of a run, wherever a commit was interrupted.
CheckpointFile::Found CheckpointFile::find_records(const std::string& identity) const {
  Found out;
  for (const bool old_place : {false, true}) {
    const std::string& path = old_place ? old_path_ : records_path_;
    files::OwnFile own = files::open_own(path, O_RDWR);
    std::string fault = own.fault;
    if (own) {
      std::string head(kHead, '\0');
      const std::size_t tie = kHead - sizeof(std::uint64_t);  // all but the width
      if (own.size < kHead || !files::read_all_at(own.file.get(), head.data(), kHead, 0) || !head.starts_with(kMagic))
        fault = "is damaged: it does not begin as one";
      else if (head.substr(0, tie) != head_of(identity, 0).substr(0, tie))
        fault = "belongs to another run";
      else
        return {std::move(own), old_place, ""};
    }
    if (!old_place) out.fault = fmt::format("its records file '{}' {}", path, fault);
  }
  return out;
}

void CheckpointFile::read_records(const Checkpoint& c, const std::function<void(std::span<const double>)>& row) {
  const std::size_t width = c.record_width();
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("checkpoint '{}': {}. Start without --resume", path_, what));
  };
  Found found = find_records(c.identity);
  if (!found.file) refuse(found.fault);
  const std::string name = fmt::format("its records file '{}'", found.old_place ? old_path_ : records_path_);
  const int fd = found.file.file.get();
  const std::uintmax_t bytes = found.file.size - kHead, count = static_cast<std::uintmax_t>(c.records);
  if (width > 0 && bytes / sizeof(double) / width < count) refuse(name + " is too short");
  std::string head(kHead, '\0');
  if (!files::read_all_at(fd, head.data(), kHead, 0)) refuse(fmt::format("{} cannot be read: {}", name, reason()));
  std::uint64_t sum = digest(head);
  const std::uintmax_t rows_at_once = width == 0 ? 0 : std::max<std::size_t>(1, kPortion / width);
  std::vector<double> part;
  for (std::uintmax_t done = 0; width > 0 && done < count;) {
    const std::uintmax_t now = std::min(rows_at_once, count - done);
    part.resize(now * width);
    if (!files::read_all_at(fd, part.data(), part.size() * sizeof(double),
                            static_cast<long long>(kHead + done * width * sizeof(double))))
      refuse(fmt::format("{} cannot be read: {}", name, reason()));
    sum = digest({reinterpret_cast<const char*>(part.data()), part.size() * sizeof(double)}, sum);
    for (std::uintmax_t i = 0; i < now; ++i) row(std::span(part).subspan(i * width, width));
    done += now;
  }
  if (sum != c.records_digest) refuse(name + " is damaged: its bytes are not those that were written");
  records_ = std::move(found.file.file);
  in_old_place_ = found.old_place;
  sum_ = sum;
}

void CheckpointFile::begin(const Checkpoint* resumed) {
  files::remove_stale_files(folder_);
  if (resumed == nullptr) {
    for (const auto& [path, magic] : {std::pair{path_, "RBCHK"}, {records_path_, "RBREC"}, {old_path_, "RBREC"}})
      if (is_foreign(path, magic))
        throw Error(
            fmt::format("checkpoint '{}' would replace '{}', which is no file of a checkpoint, or is damaged. Give "
                        "another name, or remove it",
                        path_, path));
    identity_ = new_identity();
    records_ = files::Descriptor();
    return;
  }
  identity_ = resumed->identity;
  saved_ = resumed->records;
  if (!in_old_place_)
    (void)::unlink(old_path_.c_str());  // a commit was interrupted before its end
  else if (::rename(old_path_.c_str(), records_path_.c_str()) != 0)
    throw Error(fmt::format("checkpoint '{}': cannot rename '{}': {}", path_, old_path_, reason()));
}

// Somebody may have removed the folder, or put another file there.
bool CheckpointFile::in_place() const {
  struct stat here {
  }, there{};
  return records_ && fstat(records_.get(), &here) == 0 && lstat(records_path_.c_str(), &there) == 0 &&
         here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

// All but the first `saved_` rows. Their file is on the disk then.
bool CheckpointFile::write_rows(const Checkpoint& c, const Row& row, std::uint64_t& sum) const {
  const std::size_t width = c.record_width();
  std::vector<double> part;
  for (std::int64_t next = saved_; width > 0 && next < c.records;) {
    const std::size_t at = kHead + static_cast<std::size_t>(next) * width * sizeof(double);
    part.clear();
    while (next < c.records && part.size() < kPortion) row(next++, part);
    sum = digest({reinterpret_cast<const char*>(part.data()), part.size() * sizeof(double)}, sum);
    if (!files::write_all_at(records_.get(), part.data(), part.size() * sizeof(double), static_cast<long long>(at)))
      return false;
  }
  return files::sync(records_.get());
}

std::string CheckpointFile::write(Checkpoint& c, const Row& row) {
  c.identity = identity_;
  // Without a place of theirs, all records are written again.
  std::optional<files::TemporaryFile> fresh;
  if (!in_place()) {
    const std::string head = head_of(identity_, c.record_width());
    fresh.emplace(folder_);
    if (!fresh->ok() || !files::write_all_at(fresh->fd(), head.data(), head.size(), 0)) return reason();
    set_mode(fresh->fd());
    records_ = files::Descriptor(fcntl(fresh->fd(), F_DUPFD_CLOEXEC, 0));
    if (!records_) return reason();
    saved_ = 0;
    sum_ = digest(head);
  }
  c.records_digest = sum_;
  if (!write_rows(c, row, c.records_digest)) return reason();
  files::TemporaryFile state(folder_);
  if (!state.ok()) return reason();
  set_mode(state.fd());
  if (!write_checkpoint(state.fd(), c) || !files::sync(state.fd())) return reason();
  if (std::string fault = fresh ? replace_both(*fresh, state) : state.rename_to(path_) ? "" : reason(); !fault.empty())
    return fault;
  saved_ = c.records;
  sum_ = c.records_digest;
  sync_folder(folder_);
  return "";
}

std::string CheckpointFile::replace_both(files::TemporaryFile& records, files::TemporaryFile& state) const {
  bool aside = false;
  if (std::string fault = set_aside(aside); !fault.empty()) return fault;
  std::string fault;
  if (records.rename_to(records_path_)) {
    sync_folder(folder_);  // the records are there before the state that needs them
    if (!state.rename_to(path_)) fault = reason();
  } else {
    fault = reason();
  }
  if (fault.empty())
    (void)::unlink(old_path_.c_str());
  else if (aside)
    (void)::rename(old_path_.c_str(), records_path_.c_str());
  return fault;
}

// Moves the records of an older FILE out of the way of new ones. `aside`: there are such.
std::string CheckpointFile::set_aside(bool& aside) const {
  const files::OwnFile own = files::open_own(path_, O_RDONLY);
  if (!own) return "";
  const CheckpointRead older = read_checkpoint(own.file.get(), own.size);
  if (!older.fault.empty()) return "";
  const Found found = find_records(older.checkpoint.identity);
  if (!found.file) return "";
  aside = found.old_place || ::rename(records_path_.c_str(), old_path_.c_str()) == 0;
  return aside ? "" : reason();
}

}  // namespace rattleback
