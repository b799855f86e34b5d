// How much memory there is: to refuse at once what cannot be kept, instead of losing a run hours later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rattleback {

// Bytes that this process can still get: what limits of the process (ulimit -v), of its control groups and of the machine
// leave. Where nothing is known the result is very large. Reads a few files of /proc and /sys: tens of microseconds.
std::int64_t available_memory();

// What is left alone, for the end of a run: audits, texts, outputs.
inline constexpr std::int64_t kMemoryLeft = std::int64_t{24} << 20;
// Less than this is taken without looking how much there is.
inline constexpr std::int64_t kLittleMemory = std::int64_t{16} << 20;

// Is there memory for a JSON text with so many numbers? It is asked before: the objects of the JSON library need memory even
// to be destroyed, and without it the program would abort.
bool json_fits(std::size_t numbers);

// "72 TB", "1.5 GB"
std::string memory_text(double bytes);

}  // namespace rattleback
