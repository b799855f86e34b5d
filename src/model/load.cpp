// The ways into the front end: a file or shipped name, a text, and what a model keeps of its text.
#include <algorithm>
#include <filesystem>

#include "files/read.hpp"
#include "model/grammar/suggest.hpp"
#include "model/keys.hpp"
#include "model/kind_facts.hpp"
#include "model/kinds/interconnection.hpp"
#include "model/reader.hpp"
#include "model/traced/traced.hpp"
#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {
namespace {

std::string stem_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// What the user names himself may be a pipe; what a model names is a regular file.
std::string read_file(const std::string& path, files::Pipes pipes) {
  files::FileText file = files::read_text(path, front::kMaxTextSize, pipes);
  if (file.is_folder) throw Error(path + ": this is a folder, not a model file", {.file = path});
  if (!file.fault.empty())
    throw Error(path + ": " + file.fault + (file.is_too_large ? ". Write repeated parts as families, x[1:N]" : ""),
                {.file = path});
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
  if (!facts_of(kind).primed) return algebraic[i];
  return i < holonomic_names.size() ? holonomic_names[i] : nonholonomic_names[i - holonomic_names.size()];
}

const Drawing* drawing_of(const Model& model) {
  const bool has = model.written && model.written->text && model.written->text->drawing;
  return has ? &*model.written->text->drawing : nullptr;
}

namespace {

void finish(const std::shared_ptr<const Written>& written, Model& model) {
  const front::Source& source = written->document->source;
  model.written = written;
  if (written->traced) {
    model.key = model.name;
    return;
  }
  model.key = stem_of(source.file());
  if (model.name.empty()) model.name = model.key;
  model.text = source.text();
}

Model build(Written& written) {
  return written.traced ? front::build_traced(*written.text, *written.traced)
                        : front::build_model(*written.text, written.options);
}

// Before anything else is looked at: a file of another format may say other things.
void check_format(const front::Document& document) {
  const front::Value* v = document.root.find("format");
  if (v == nullptr) return;
  const auto& known = front::kFormats;
  if (v->type == front::Value::Type::integer && std::find(known.begin(), known.end(), v->number) != known.end()) return;
  std::string all;
  for (const int format : known) all += (all.empty() ? "" : ", ") + std::to_string(format);
  const std::string found = v->type == front::Value::Type::integer ? front::number_text(v->number)
                            : v->is_number()                       ? "the number " + front::number_text(v->number)
                                                                   : front::describe(v->type);
  document.source.fail(v->offset, "`format` says how a model file is to be read. This version reads format " + all +
                                      ", found " + found +
                                      ". A later version may read it: `rattleback --version` tells yours");
}

Model read(const std::shared_ptr<const front::Document>& document, const LoadOptions& options) {
  check_format(*document);
  const auto written = std::make_shared<Written>(Written{document, options, {}});
  const bool joined = front::is_interconnection(document->root);
  if (!joined) written->text.emplace(front::read_model_text(document->source, document->root, options));
  Model model = joined ? front::load_interconnection(document->source, document->root, options) : build(*written);
  finish(written, model);
  return model;
}

Model trace_again(const std::shared_ptr<const front::Document>& document,
                  const std::shared_ptr<const Traceable>& traced, const LoadOptions& options) {
  const auto written = std::make_shared<Written>(Written{document, options, {}, traced});
  written->text.emplace(front::read_traced(*document, traced, options));
  Model model = build(*written);
  finish(written, model);
  return model;
}

// Without parsing a formula again. Nothing when that cannot be, or the values are refused.
std::optional<Model> read_from_formulas(const Written& before, const LoadOptions& options) try {
  const Settings &old = before.options.set, &now = options.set;
  const bool adds = now.size() >= old.size() && std::equal(old.begin(), old.end(), now.begin());
  if (!before.text || !adds) return std::nullopt;
  const auto written = std::make_shared<Written>(Written{before.document, options, before.text, before.traced});
  if (!front::change_values(*written->text, *before.document, options)) return std::nullopt;
  Model model = build(*written);
  finish(written, model);
  return model;
} catch (const Error&) {
  return std::nullopt;  // read() will say what is wrong
}

}  // namespace

bool front::change_values(ModelText& text, const Document& document, const LoadOptions& options) {
  change_parameters(text.world, options);
  if (!text.world.unchanged(World::Use::tables)) return false;
  Reader reader(text.world, document.source);
  read_starts(text, reader, document.root, options);
  return true;
}

Model read_again(const Model& model, const LoadOptions& options) {
  if (!model.written)
    throw Error("model '" + model.name + "' was neither read nor traced, so there is nothing to take other values of");
  if (std::optional<Model> found = read_from_formulas(*model.written, options)) return std::move(*found);
  if (model.written->traced) return trace_again(model.written->document, model.written->traced, options);
  return read(model.written->document, options);
}

Model Model::with(const Settings& values, const Settings& starts) const {
  LoadOptions options = written ? written->options : LoadOptions{};
  options.set.insert(options.set.end(), values.begin(), values.end());
  options.start.insert(options.start.end(), starts.begin(), starts.end());
  return read_again(*this, options);
}

Model detail::trace_model(Tracer tracer, const TraceOptions& options) {
  return trace_again(front::document_of(options), std::make_shared<Traceable>(Traceable{std::move(tracer), options}),
                     {});
}

Model parse_model(const std::string& given, const std::string& file, const LoadOptions& options) {
  const std::string text = given.substr(given.starts_with("\xEF\xBB\xBF") ? 3 : 0);  // without a byte order mark
  return read(std::make_shared<const front::Document>(file, text), options);
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
    throw error_of("unknown system `" + system.substr(0, 100) + "`. " + front::did_you_mean(system, names) +
                   "A system is the path of a model file, or one of: " + front::listed(names));
  }
  return parse_model(read_file(system, files::Pipes::accepted), system, options);
}

Model front::load_part_file(const std::string& path, const LoadOptions& options) {
  return parse_model(read_file(path, files::Pipes::refused), path, options);
}

}  // namespace rattleback
