// Where compiled objects are kept: $XDG_CACHE_HOME/rattleback or ~/.cache/rattleback.
//
// An entry is the object, everything it was made from (the text, the options, the compiler, the processor), and a trailer
// with lengths and a checksum. It is read once, and given out only if it is whole and was made from just what is asked for.
// What was read is what will be loaded (engine/build/load.hpp), so nothing can be exchanged or cut off in between. Folder and
// entry are judged by descriptors (files/trusted.hpp): whoever could write there would run code in the user's name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "files/descriptor.hpp"

namespace rattleback {

// Objects and texts that are longer are not kept: a hundred times the longest that was seen.
inline constexpr std::uintmax_t kLargestEntry = 64U << 20;

class Cache {
 public:
  // The folder is made when it is not there. One that is not to be trusted, or $RATTLEBACK_CACHE_MB = 0: nothing is found
  // and nothing kept.
  Cache();

  [[nodiscard]] bool usable() const { return static_cast<bool>(folder_); }
  // The object that was made from `origin`, or "". A damaged entry is removed.
  [[nodiscard]] std::string find(std::string_view origin) const;
  // Whole and on the disk before it has its name, or not at all. Then the oldest go until all fit the size that the cache
  // may have: 256 MB, or $RATTLEBACK_CACHE_MB.
  void keep(std::string_view origin, std::string_view object) const;
  void remove(std::string_view origin) const;

 private:
  void make_room(const std::string& newest) const;

  std::uintmax_t limit_ = 0;
  files::Descriptor folder_;
};

}  // namespace rattleback
