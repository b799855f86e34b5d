#include "model/starts/start_reader.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "model/kinds/interconnection.hpp"
#include "model/model_text.hpp"
#include "model/reader.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

struct StartReader::Kept {
  Kept(const std::string& words, const std::string& file)
      : source(file, words), document(front::parse_document(source)) {}
  front::Source source;
  front::Value document;
  std::optional<front::ModelText> text;  // nothing: an interconnection
  std::vector<front::Parameter> base;
  std::set<std::string, std::less<>> names;  // that occur outside of [parameters] and [initial], in whatever role

  void collect_names(const front::Value& value) {
    for (const std::string& words : {value.key, value.text})
      for (std::size_t at = 0; at < words.size();) {
        const auto part_of_name = [&](std::size_t i) {
          const auto c = static_cast<unsigned char>(words[i]);
          return std::isalnum(c) != 0 || c == '_' || c >= 0x80;
        };
        std::size_t end = at;
        while (end < words.size() && part_of_name(end)) ++end;
        if (end > at) names.insert(words.substr(at, end - at));
        at = std::max(end, at + 1);
      }
    for (const front::Value& item : value.items) collect_names(item);
  }
};

StartReader::StartReader(const std::string& text, const std::string& file, const LoadOptions& options)
    : kept_(std::make_unique<Kept>(text, file)) {
  if (front::is_interconnection(kept_->document)) return;
  kept_->text.emplace(front::read_model_text(kept_->source, kept_->document, options));
  kept_->base = kept_->text->world.parameters;
  for (const front::Value& v : kept_->document.items)
    if (v.key != "parameters" && v.key != "initial") kept_->collect_names(v);
}

StartReader::~StartReader() = default;

bool StartReader::read(const LoadOptions& options, Model& model) {
  if (!kept_->text) return false;
  front::ModelText& text = *kept_->text;
  try {
    front::change_parameters(text.world, options);
    for (std::size_t i = 0; i < kept_->base.size(); ++i) {
      const front::Parameter &before = kept_->base[i], &now = text.world.parameters[i];
      if (before.values != now.values && kept_->names.contains(before.name)) return false;
    }
    front::Reader reader(text.world, kept_->source);
    front::read_starts(text, reader, kept_->document, options);
  } catch (const Error&) {
    return false;
  }
  model.q0 = text.q0;
  model.v0 = text.v0;
  model.z0 = text.z0;
  model.q0_error = text.q0_error;
  model.v0_error = text.v0_error;
  return true;
}

}  // namespace rattleback
