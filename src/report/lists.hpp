// What there is to choose from: the tables of `rattleback methods` and `rattleback systems`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rattleback::report {

struct System {
  std::string key, title, kind;
};
// The shipped systems with title and kind as their files say, read without building the models: listing stays instant.
std::vector<System> systems();

// Does this method choose its own steps? No for names that are not registered (a user's tableau).
bool is_adaptive(std::string_view method);
bool keeps_energy(std::string_view method);  // exactly, on every system that it takes

// "spark-gauss(2)"; without the stages where there is nothing to choose.
std::string method_label(const std::string& method, int stages);

std::string methods_text();
std::string systems_text();

}  // namespace rattleback::report
