#include "output/hdf5.hpp"

#include <algorithm>

#include "output/hdf5_file.hpp"
#include "output/json.hpp"
#include "output/version.hpp"

namespace rattleback::report {

using namespace hdf5;

void write_hdf5(const Model& model, const Trajectory& trajectory, const std::string& options, const std::string& path) {
  const QuietErrors quiet;
  Handle file = new_file();
  new_group(file, "residual");
  for (const Block& block : record_blocks(model, trajectory)) add_dataset(file, block, trajectory.records.rows);

  Json audit = run_json(model, trajectory);
  for (const char* key : {"wall_seconds", "compile_seconds", "compiled_steps", "native"})
    audit.erase(key);  // they depend on the time
  set_text(file, "model", model.text);
  set_text(file, "system", model.key);
  set_text(file, "title", model.name);
  set_text(file, "kind", to_string(model.kind));
  set_text(file, "method", trajectory.method);
  set_whole(file, "stages", trajectory.stages);
  set_number(file, "step", trajectory.step);
  set_text(file, "options", options);
  set_text(file, "version", std::string(kVersion));
  set_text(file, "audit", dump(audit));
  write_file(file, path);
}

void write_hdf5(const std::vector<std::pair<Block, std::size_t>>& tables,
                const std::vector<std::pair<std::string, std::string>>& attributes, const std::string& path,
                const Texts& texts) {
  const QuietErrors quiet;
  Handle file = new_file();
  std::vector<std::string> groups;
  for (const auto& [block, rows] : tables) {
    if (const auto slash = block.dataset.find('/'); slash != std::string::npos)
      if (std::string group = block.dataset.substr(0, slash);
          std::find(groups.begin(), groups.end(), group) == groups.end()) {
        new_group(file, group.c_str());
        groups.push_back(std::move(group));
      }
    add_dataset(file, block, rows);
  }
  for (const auto& [name, values] : texts) add_texts(file, name, values);
  for (const auto& [name, text] : attributes) set_text(file, name.c_str(), text);
  write_file(file, path);
}

}  // namespace rattleback::report
