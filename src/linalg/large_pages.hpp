// Memory for long vectors. A step of a large system walks through some fifty of them at once; with pages of 4 kB the
// processor would look up a new one all the time. Where the system can, it gives pages of 2 MB.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace rattleback {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21, kLeast = 2 * kPage;

  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT(google-explicit-constructor): allocators convert

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = nullptr;
    if (bytes < kLeast) {
      memory = std::malloc(bytes);
    } else {
      const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
      memory = std::aligned_alloc(kPage, whole);
#ifdef MADV_HUGEPAGE
      if (memory != nullptr) (void)madvise(memory, whole, MADV_HUGEPAGE);  // a wish: small pages do as well
#endif
    }
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(const LargePages&, const LargePages&) { return true; }
};

using LongVector = std::vector<double, LargePages<double>>;

}  // namespace rattleback
