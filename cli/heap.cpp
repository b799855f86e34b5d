#include "heap.hpp"

#include <cstdint>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rattleback::cli {

void prepare_heap() noexcept {
  constexpr int kMegabyte = 1 << 20, kPiece = 32 * kMegabyte;
  constexpr std::uintptr_t kPage = 2 * kMegabyte;
  (void)mallopt(M_MMAP_THRESHOLD, 64 * kMegabyte);
  (void)mallopt(M_TRIM_THRESHOLD, 256 * kMegabyte);
  (void)mallopt(M_TOP_PAD, kPiece);
  void* volatile some = std::malloc(kMegabyte);  // grows the heap by the piece; volatile: a compiler would leave it out
  std::free(some);
  (void)mallopt(M_TOP_PAD, 4 * kMegabyte);
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  if (end < kPiece || end == UINTPTR_MAX) return;
  const std::uintptr_t begin = (end - kPiece + kPage - 1) / kPage * kPage;
  (void)madvise(reinterpret_cast<void*>(begin), (end - begin) / kPage * kPage, MADV_HUGEPAGE);  // NOLINT
}

}  // namespace rattleback::cli
