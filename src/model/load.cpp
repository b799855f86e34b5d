// The two ways into the front end: a file or shipped name, and a text.
#include <algorithm>
#include <filesystem>

#include "files/read.hpp"
#include "model/grammar/expression.hpp"
#include "model/grammar/suggest.hpp"
#include "model/kinds/interconnection.hpp"
#include "model/model_text.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// What the user names himself may be a pipe; what a model names is a regular file.
std::string read_file(const std::string& path, files::Pipes pipes) {
  files::FileText file = files::read_text(path, front::kMaxTextSize, pipes);
  if (file.is_folder) throw Error(path + ": this is a folder, not a model file");
  if (!file.fault.empty())
    throw Error(path + ": " + file.fault + (file.is_too_large ? ". Write repeated parts as families, x[1:N]" : ""));
  return std::move(file.text);
}

const ShippedModel* find_shipped(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  for (const ShippedModel& m : shipped_models())
    if (m.key == name) return &m;
  return nullptr;
}

}  // namespace

const char* to_string(Kind kind) {
  switch (kind) {
    case Kind::mechanical: return "mechanical";
    case Kind::dae: return "dae";
    case Kind::odae: return "odae";
    case Kind::skew_gradient: return "skew-gradient";
    case Kind::port_hamiltonian: return "port-hamiltonian";
  }
  return "";
}

std::string Model::multiplier_name(std::int32_t i) const {
  if (kind != Kind::mechanical) return algebraic[i];
  return i < holonomic_names.size() ? holonomic_names[i] : nonholonomic_names[i - holonomic_names.size()];
}

Model parse_model(const std::string& given, const std::string& file, const LoadOptions& options) {
  const std::string text = given.substr(given.starts_with("\xEF\xBB\xBF") ? 3 : 0);  // without a byte order mark
  const auto kept = std::make_shared<const front::Source>(file, text);
  const front::Source& source = *kept;
  const front::Value document = front::parse_document(source);
  if (front::is_interconnection(document)) {
    Model joined = front::load_interconnection(source, document, options);
    joined.key = stem_of(file);
    if (joined.name.empty()) joined.name = joined.key;
    joined.text = text;
    return joined;
  }
  front::ModelText read = front::read_model_text(source, document, options);
  Model model = front::build_model(read, options);
  model.scope =
      std::make_shared<const ExpressionScope>(ExpressionScope{kept, std::move(read.world), std::move(read.drawing)});
  model.key = stem_of(file);
  if (model.name.empty()) model.name = model.key;
  model.text = text;
  return model;
}

Model load_model(const std::string& system, const LoadOptions& options) {
  const bool path = system.find('/') != std::string::npos || system.ends_with(".toml");
  if (!path) {
    if (const ShippedModel* m = find_shipped(system))
      return parse_model(std::string(m->text), std::string(m->key) + ".toml", options);
  }
  std::error_code fault;
  if (!path && !std::filesystem::exists(system, fault)) {
    std::vector<std::string> names;
    for (const ShippedModel& m : shipped_models()) names.emplace_back(m.key);
    throw Error("unknown system `" + system.substr(0, 100) + "`. " + front::did_you_mean(system, names) +
                "A system is the path of a model file, or one of: " + front::listed(names));
  }
  return parse_model(read_file(system, files::Pipes::accepted), system, options);
}

Model front::load_part_file(const std::string& path, const LoadOptions& options) {
  return parse_model(read_file(path, files::Pipes::refused), path, options);
}

}  // namespace rattleback
