#include "output/write.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "files/built_with.hpp"
#include "files/replace.hpp"
#include "output/csv.hpp"
#include "output/hdf5.hpp"
#include "output/json.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

namespace fs = std::filesystem;

enum class Format { csv, hdf5 };

Format format_of(const std::string& path) {
  std::string extension = fs::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".csv") return Format::csv;
  if (extension == ".h5" && !kWithHdf5)
    throw Error(
        fmt::format("output file '{}': this build writes no .h5 files (RATTLEBACK_WITH_HDF5=OFF). Use .csv", path));
  if (extension == ".h5") return Format::hdf5;
  if (extension.empty())
    throw Error(
        fmt::format("output file '{0}' has no extension, which chooses the format. Use '{0}.csv' or '{0}.h5'", path));
  throw Error(fmt::format("output file '{}': the extension '{}' is not known. Use .csv or .h5", path, extension));
}

}  // namespace

namespace report {

void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& options,
                      const std::string& path) {
  check_output_path(path);
  files::Replacement file(path);
  try {
    switch (format_of(path)) {
      case Format::csv: write_csv(model, trajectory, file.path()); break;
      case Format::hdf5: write_hdf5(model, trajectory, options, file.path()); break;
    }
  } catch (const Error& error) {  // written under another name, which nobody knows
    throw Error(fmt::format("output file '{}': {}", path, error.what()));
  }
  file.commit();
}

}  // namespace report

void check_output_path(const std::string& path) {
  files::check_place(path, "output file");
  format_of(path);
}

void write_trajectory(const Model& model, const Trajectory& trajectory, const std::string& path) {
  const report::Json options = {{"method", trajectory.method},
                                {"stages", trajectory.stages},
                                {"step", trajectory.step},
                                {"every", trajectory.every}};
  report::write_trajectory(model, trajectory, report::dump(options), path);
}

}  // namespace rattleback
