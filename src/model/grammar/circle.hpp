// Circles among definitions, parameters and starts. Those that are evaluated meet a short circle on their way; a long one
// would take them too deep, so it is looked for here, without recursion.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/grammar/formula.hpp"

namespace rattleback::front {

// "a -> b -> c -> a"; the middle of a long one is left out.
inline std::string circle_text(const std::vector<std::string>& names) {
  constexpr std::size_t kWhole = 8, kEnds = 3;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > kWhole && i == kEnds)
      text += "... (" + std::to_string(names.size() - 2 * kEnds) + " more) ... -> ";
    if (names.size() > kWhole && i >= kEnds && i + kEnds < names.size()) continue;
    text += names[i] + " -> ";
  }
  return text + names.front();
}

// References in the part of a formula below `node`, without those in sums, whose indices have no value here. lazy: also without
// those in the branches of an if, which may never be looked at.
inline std::vector<std::int32_t> references(const Formula& f, bool lazy) {
  std::vector<std::int32_t> found, stack = {f.root};
  while (!stack.empty()) {
    const std::int32_t id = stack.back();
    stack.pop_back();
    const AstNode& node = f[id];
    if (node.kind == Ast::reference) found.push_back(id);
    if (node.kind == Ast::sum || node.kind == Ast::reference || node.kind == Ast::multiplier) continue;
    if (node.kind == Ast::conditional && lazy) {
      stack.push_back(node.first);
      continue;
    }
    for (std::int32_t c = node.first; c >= 0; c = f[c].next) stack.push_back(c);
  }
  return found;
}

// A circle that can be reached from `from`, in its order and from its first element on, wherever it was entered; empty when there
// is none.
template <class Key>
std::vector<Key> find_circle(const Key& from, const std::function<std::vector<Key>(const Key&)>& uses) {
  struct Visit {
    Key key;
    std::vector<Key> below;
    std::size_t next = 0;
  };
  std::map<Key, bool> on_path;  // false: done, no circle there
  std::vector<Visit> path = {{from, uses(from)}};
  on_path[from] = true;
  while (!path.empty()) {
    Visit& v = path.back();
    if (v.next == v.below.size()) {
      on_path[v.key] = false;
      path.pop_back();
      continue;
    }
    const Key k = v.below[v.next++];
    const auto known = on_path.find(k);
    if (known == on_path.end()) {
      on_path[k] = true;
      path.push_back({k, uses(k)});
    } else if (known->second) {
      std::vector<Key> circle;
      bool inside = false;
      for (const Visit& each : path) {
        inside = inside || each.key == k;
        if (inside) circle.push_back(each.key);
      }
      std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
      return circle;
    }
  }
  return {};
}

}  // namespace rattleback::front
