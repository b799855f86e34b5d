// A file descriptor that is closed when it goes out of scope.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <utility>

namespace rattleback::files {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }  // whoever has it closes it

 private:
  int fd_ = -1;
};

// All of it, at the place where the descriptor stands, or at `offset`. False with errno set.
bool write_all(int fd, const void* data, std::size_t size);
bool write_all_at(int fd, const void* data, std::size_t size, long long offset);
// Exactly so much from `offset`. False with errno set; a file that ends too early is EIO.
bool read_all_at(int fd, void* data, std::size_t size, long long offset);
// To the disk. File systems that have no such thing are believed.
bool sync(int fd);

}  // namespace rattleback::files
