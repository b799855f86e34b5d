// Independent pieces of work over threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace rattleback {

// How many threads for `count` pieces; 0 asks for as many as the machine has.
inline int thread_count(int asked, std::size_t count) {
  const int most = asked > 0 ? asked : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  return static_cast<int>(std::min(static_cast<std::size_t>(most), std::max<std::size_t>(1, count)));
}

// work(i) for i = 0 .. count-1, each taken by the next free thread. When one throws, no more are begun, and what the one
// with the smallest i threw is thrown again: pieces are begun in order, so this does not depend on the threads.
// Returns how many threads there were: fewer than asked for where the system does not give more (a limit on processes, or
// memory).
template <class Work>
int for_each_piece(std::size_t count, int threads, const Work& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::exception_ptr thrown;
  std::size_t thrown_by = count;
  const auto take = [&] {
    for (;;) {
      const std::size_t i = next.fetch_add(1);
      if (i >= count) return;
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (i < thrown_by) {
          thrown_by = i;
          thrown = std::current_exception();
        }
        next.store(count);
      }
    }
  };
  std::vector<std::jthread> others;
  try {
    for (int k = 1; k < threads; ++k) others.emplace_back(take);
  } catch (const std::system_error&) {
    threads = static_cast<int>(others.size()) + 1;
  } catch (const std::bad_alloc&) {
    threads = static_cast<int>(others.size()) + 1;
  }
  take();
  others.clear();  // joins
  if (thrown) std::rethrow_exception(thrown);
  return threads;
}

// What the reader should know when there were fewer threads than asked for.
inline std::string threads_note(int there, int asked) {
  return fmt::format(
      "{} of {} threads could be had, which changes nothing but the time: the system gives no more (ulimit -u)", there,
      asked);
}

}  // namespace rattleback
