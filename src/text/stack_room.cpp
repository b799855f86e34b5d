#include "text/stack_room.hpp"

#include <cstdint>

#include <pthread.h>

namespace rattleback::front {
namespace {

// For what is called at the deepest place: writing a message, an exception on its way.
constexpr std::uintptr_t kReserve = 96U << 10, kWithin = 32U << 10;

std::uintptr_t lowest_address() {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* lowest = nullptr;
  std::size_t size = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &size) == 0;
  pthread_attr_destroy(&attributes);
  return known ? reinterpret_cast<std::uintptr_t>(lowest) + kReserve : 0;
#else
  return 0;
#endif
}

}  // namespace

bool stack_is_short(Room room) {
  static thread_local const std::uintptr_t lowest = lowest_address();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here + (room == Room::within_a_level ? kWithin : 0) < lowest;
}

}  // namespace rattleback::front
