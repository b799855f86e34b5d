#include "reserve.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace rattleback::cli {
namespace {

constexpr std::size_t kSize = std::size_t{8} << 20;  // not touched, so that it costs no pages
std::atomic<void*> reserve = nullptr;

// Called by operator new when there is no memory. What was asked for fails nevertheless.
void let_go() {
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc();
}

}  // namespace

void keep_reserve() {
  if (reserve.load() != nullptr) return;
  void* const fresh = std::malloc(kSize);
  void* none = nullptr;
  if (!reserve.compare_exchange_strong(none, fresh)) std::free(fresh);
  std::set_new_handler(let_go);
}

}  // namespace rattleback::cli
