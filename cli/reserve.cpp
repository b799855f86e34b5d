#include "reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace rattleback::cli {
namespace {

// Not touched, so that they cost no pages. The first one is for what was asked for, if that is small: destructors of JSON
// texts need a little memory, and cannot do without. The second one is for those that run after what failed.
constexpr std::size_t kFirst = std::size_t{8} << 20, kSecond = std::size_t{4} << 20;
std::atomic<void*> first = nullptr, second = nullptr;

// Called by operator new when there is no memory. It tries again when this returns.
void let_go() {
  if (void* const some = first.exchange(nullptr)) {
    std::free(some);
    return;
  }
  std::free(second.exchange(nullptr));
  throw std::bad_alloc();
}

void keep(std::atomic<void*>& reserve, std::size_t size) {
  if (reserve.load() != nullptr) return;
  void* const fresh = std::malloc(size);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, fresh)) std::free(fresh);
}

}  // namespace

void keep_reserve() {
  keep(first, kFirst);
  keep(second, kSecond);
  std::set_new_handler(let_go);
}

}  // namespace rattleback::cli
