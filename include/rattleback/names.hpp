// Names of the elements of a vector: single names and families (`x[1:N]` is one entry, whatever N).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/export.hpp"

namespace RATTLEBACK_API rattleback {

class Names {
 public:
  void add(std::string name);                                                 // returns nothing: position = old size()
  void add_family(std::string stem, std::int32_t first, std::int32_t count);  // stem[first] ... stem[first+count-1]
  [[nodiscard]] std::int32_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::string operator[](std::int32_t position) const;
  // Position of "x" or "x[3]"; nothing when there is no such element.
  [[nodiscard]] std::optional<std::int32_t> find(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> all() const;

  struct Group {
    std::string stem;
    bool family = false;
    std::int32_t first = 0, count = 1, offset = 0;  // offset: position of the first element
  };
  [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }

 private:
  std::vector<Group> groups_;
  std::int32_t size_ = 0;
};

}  // namespace rattleback
