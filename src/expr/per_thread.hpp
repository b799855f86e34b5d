// One object of a type for each thread, made when it is first asked for and kept until the thread ends. The type is the user's
// own: others of the same type would be the same object.
//
// `thread_local` objects with a destructor are not used: the C library notes their destructors in memory that it asks for,
// and ends the program when there is none. Here that is a std::bad_alloc like any other.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>
#include <system_error>

namespace rattleback {

template <class T>
T& per_thread() {
  struct Key {
    Key() {
      const int fault = pthread_key_create(&key, [](void* object) { delete static_cast<T*>(object); });
      if (fault != 0) throw std::system_error(fault, std::generic_category());
    }
    Key(const Key&) = delete;
    Key& operator=(const Key&) = delete;
    ~Key() { (void)pthread_key_delete(key); }  // what threads have by then is not destroyed any more
    pthread_key_t key = 0;
  };
  static const Key key;
  static thread_local T* mine = nullptr;
  if (mine == nullptr) {
    auto made = std::make_unique<T>();
    if (pthread_setspecific(key.key, made.get()) != 0) throw std::bad_alloc();
    mine = made.release();
  }
  return *mine;
}

}  // namespace rattleback
