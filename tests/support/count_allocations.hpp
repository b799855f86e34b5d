// Counts the allocations of a whole test program. Include it in one file of the program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> allocations{0};

void* count_and_try(std::size_t size) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void* count_and_allocate(std::size_t size) {
  void* const p = count_and_try(size);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

// Of the whole test program. The forms that do not throw belong with them: what they give comes back to the same delete.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return count_and_try(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return count_and_try(size); }
void* operator new(std::size_t size) { return count_and_allocate(size); }
void* operator new[](std::size_t size) { return count_and_allocate(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
