// Counts every allocation of the program: this header, included in one file of it, puts itself in front of malloc and
// its relatives, which operator new and Eigen call as well.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace {
std::int64_t allocation_count = 0;
std::int64_t allocations() { return allocation_count; }
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)  // a sanitizer has its own
extern "C" {
void* __libc_malloc(std::size_t);                 // NOLINT: the names are glibc's
void* __libc_calloc(std::size_t, std::size_t);    // NOLINT
void* __libc_realloc(void*, std::size_t);         // NOLINT
void* __libc_memalign(std::size_t, std::size_t);  // NOLINT

void* malloc(std::size_t size) noexcept {
  ++allocation_count;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++allocation_count;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  ++allocation_count;
  *out = __libc_memalign(alignment, size);
  return *out != nullptr ? 0 : ENOMEM;
}
}
#endif
