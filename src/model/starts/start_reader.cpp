#include "model/starts/start_reader.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "model/written.hpp"
#include "rattleback/error.hpp"

namespace rattleback {

struct StartReader::Kept {
  explicit Kept(const Written& written) : document(written.document), text(written.text) {}
  std::shared_ptr<const front::Document> document;
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

StartReader::StartReader(const Model& model) : kept_(std::make_unique<Kept>(*model.written)) {
  if (!kept_->text) return;
  kept_->base = kept_->text->world.parameters;
  for (const front::Value& v : kept_->document->root.items)
    if (v.key != "parameters" && v.key != "initial") kept_->collect_names(v);
}

StartReader::~StartReader() = default;

bool StartReader::read(const LoadOptions& options, Model& model) {
  if (!kept_->text) return false;
  front::ModelText& text = *kept_->text;
  try {
    if (!front::change_values(text, *kept_->document, options)) return false;
  } catch (const Error&) {
    return false;
  }
  for (std::size_t i = 0; i < kept_->base.size(); ++i) {
    const front::Parameter &before = kept_->base[i], &now = text.world.parameters[i];
    if (before.values != now.values && kept_->names.contains(before.name)) return false;
  }
  model.q0 = text.q0;
  model.v0 = text.v0;
  model.z0 = text.z0;
  model.q0_error = text.q0_error;
  model.v0_error = text.v0_error;
  return true;
}

}  // namespace rattleback
