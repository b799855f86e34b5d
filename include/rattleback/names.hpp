// Names of the elements of a vector: single names and families (`x[1:N]` is one entry, whatever N).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

// A list of names by position, in which a family takes one place however large it is.
class Names {
 public:
  void add(std::string name);                                                 // at the end, where size() was
  void add_family(std::string stem, std::int32_t first, std::int32_t count);  // stem[first] ... stem[first+count-1]
  // How many elements there are, those of families included.
  [[nodiscard]] std::int32_t size() const { return size_; }
  // Are there none?
  [[nodiscard]] bool empty() const { return size_ == 0; }
  // The name of an element: "x" or "x[3]".
  [[nodiscard]] std::string operator[](std::int32_t position) const;
  // Position of "x" or "x[3]"; nothing when there is no such element.
  [[nodiscard]] std::optional<std::int32_t> find(std::string_view name) const;
  // The names of all elements, one by one.
  [[nodiscard]] std::vector<std::string> all() const;

  // A single name, or a family.
  struct Group {
    std::string stem;         // the name without its index
    bool family = false;      // with an index
    std::int32_t first = 0;   // index of the first element
    std::int32_t count = 1;   // of elements
    std::int32_t offset = 0;  // position of the first element
  };
  // In the order in which they were added.
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Group> groups_;
  std::int32_t size_ = 0;
};

}  // namespace rattleback
