#include "lists.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common.hpp"

namespace rattleback::cli {

std::vector<std::pair<std::string, int>> read_methods(Arguments& a, const std::string& verb) {
  std::vector<std::pair<std::string, int>> methods;
  for (const std::string& item : a.list("--methods")) {
    const std::vector<std::string> parts = split(item, ':');
    check_method(a, parts[0]);
    int stages = 0;
    if (parts.size() > 1) {
      const Number s = parse_number(parts[1]);
      if (parts.size() > 2 || !s.fault.empty() || s.value < 1.0 || s.value > 1e6 ||
          s.value != static_cast<int>(s.value))
        a.fault(fmt::format("--methods: '{}' is not of the form NAME or NAME:S with S stages", item));
      else
        stages = static_cast<int>(s.value);
    }
    const std::pair<std::string, int> method{parts[0], stages};
    if (std::ranges::find(methods, method) != methods.end())
      a.fault(fmt::format("--methods: '{}' is named twice", item));
    methods.push_back(method);
  }
  if (!a.has("--methods") && !a.has("--tableau"))
    a.fault(
        fmt::format("{} needs --methods NAME[:S],... for example --methods spark-gauss:2,spark-lobatto-ab:3", verb));
  return methods;
}

std::vector<double> read_step_list(Arguments& a) {
  std::vector<double> steps;
  for (const std::string& item : a.list("--step-list")) {
    const Number h = parse_number(item);
    if (!h.fault.empty())
      a.fault(fmt::format("--step-list: {}", h.fault));
    else if (!(h.value > 0.0))
      a.fault(fmt::format("--step-list: steps must be positive, found {}", item));
    else if (std::ranges::find(steps, h.value) != steps.end())
      a.fault(fmt::format("--step-list: the step {} is named twice", item));
    steps.push_back(h.value);
  }
  return steps;
}

std::string read_reference(Arguments& a) {
  std::string reference = a.text("--reference").value_or("");
  if (!a.has("--reference") || reference == "exact") return reference;
  const std::vector<std::string> parts = split(reference, ':');
  const bool shaped = parts.size() == 3 && parse_number(parts[1]).fault.empty() && parse_number(parts[2]).fault.empty();
  if (!shaped)
    a.fault(fmt::format("--reference takes exact or NAME:S:H, for example spark-gauss:6:0.01, found '{}'", reference));
  else
    check_method(a, parts[0]);
  return reference;
}

}  // namespace rattleback::cli
