#pragma once

namespace rattleback::cli {

// Makes the heap of a short program cheap: it is asked for in one piece, in large pages where the system has them, and kept.
// Deriving a system takes and returns many megabytes in small pieces; without this, a fifth of the time of a first step of
// a bicycle went into the faults of its pages (60 ms with 5700 faults, 48 ms with 270, on a busy machine; bench_startup).
void prepare_heap() noexcept;

}  // namespace rattleback::cli
