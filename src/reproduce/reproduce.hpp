// Redoes experiments: runs the jobs of all recipes over the cores, and writes for each its data, its figure and its
// numbers, and one page that shows them all.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rattleback/simulate.hpp"
#include "reproduce/experiment.hpp"

namespace rattleback::reproduce {

struct Request {
  std::vector<std::string> names;  // "H-4.1", "H", or a path that ends in .toml; empty: all that are shipped
  std::string folder;              // written there; "": nothing is written
  int threads = 0;                 // 0: as many as the machine has
  bool quick = false;              // shorter runs, where recipes say how
  std::function<void(std::size_t done, std::size_t all, const std::string& latest)> progress = {};  // jobs
};

struct Entry {
  Recipe recipe;
  Finding finding;
};

struct Report {
  std::vector<Entry> entries;  // in the order of the documents
  double wall_seconds = 0.0;
  std::string folder;
  std::string not_written;  // why a file could not be written, on a full disk for example; the rest is there
  [[nodiscard]] bool as_expected() const;
};

// What names stand for, in the order of the documents. Throws Error for an unknown one.
std::vector<Recipe> find_recipes(const std::vector<std::string>& names, bool quick);

// Throws Error when the request is wrong or there is no folder to write to.
Report reproduce(const Request& request);

std::string to_json(const Report& report);
std::string to_text(const Report& report);

}  // namespace rattleback::reproduce
