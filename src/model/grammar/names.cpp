// Names of vector elements. A family is stored once; neighbouring pieces of one family (`rod[1]`, then `rod[2:N]`) are
// joined, so that looking up an element and mapping a loop index to a position stay one subtraction.
#include "rattleback/names.hpp"

#include <charconv>

namespace rattleback {

void Names::add(std::string name) {
  groups_.push_back({std::move(name), false, 0, 1, size_});
  ++size_;
}

void Names::add_family(std::string stem, std::int32_t first, std::int32_t count) {
  if (count == 0) return;
  if (!groups_.empty()) {
    Group& last = groups_.back();
    if (last.family && last.stem == stem && last.first + last.count == first) {
      last.count += count;
      size_ += count;
      return;
    }
  }
  groups_.push_back({std::move(stem), true, first, count, size_});
  size_ += count;
}

std::string Names::operator[](std::int32_t position) const {
  for (const Group& g : groups_) {
    if (position < g.offset || position >= g.offset + g.count) continue;
    if (!g.family) return g.stem;
    return g.stem + "[" + std::to_string(g.first + position - g.offset) + "]";
  }
  return {};
}

std::optional<std::int32_t> Names::find(std::string_view name) const {
  const std::size_t bracket = name.find('[');
  const std::string_view stem = name.substr(0, bracket);
  std::int32_t index = 0;
  if (bracket != std::string_view::npos) {
    const char* end = name.data() + name.size();
    const auto [rest, fault] = std::from_chars(name.data() + bracket + 1, end, index);
    if (fault != std::errc{} || rest + 1 != end || *rest != ']') return {};
  }
  for (const Group& g : groups_) {
    if (g.stem != stem || g.family != (bracket != std::string_view::npos)) continue;
    if (!g.family) return g.offset;
    if (index >= g.first && index - g.first < g.count) return g.offset + (index - g.first);
  }
  return {};
}

std::vector<std::string> Names::all() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(size_));
  for (const Group& g : groups_)
    for (std::int32_t i = 0; i < g.count; ++i)
      names.push_back(g.family ? g.stem + "[" + std::to_string(g.first + i) + "]" : g.stem);
  return names;
}

}  // namespace rattleback
