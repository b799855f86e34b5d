// What a model was read from, kept with it: the document and the formulas as syntax trees, or the class in C++. Whatever comes later begins here
// and not at the text: expressions of events and sections, other values of parameters and starts, the page of a report.
#pragma once

#include <memory>
#include <optional>

#include "model/model_text.hpp"
#include "rattleback/model.hpp"
#include "rattleback/trace.hpp"
#include "text/document.hpp"

namespace rattleback {
namespace front {

struct Document {
  Document(const std::string& file, const std::string& text) : source(file, text), root(parse_document(source)) {}

  Document(const std::string& origin, Value made) : source(origin), root(std::move(made)) {}

  const Source source;  // formulas have their places in it
  const Value root;
};

// Puts the parameters and starts of `options` into a text that was read from this document with other ones of the same
// names. False when what was decided as it was read (sizes of families, ranges of lines ...) depends on them. Throws Error.
bool change_values(ModelText& text, const Document& document, const LoadOptions& options);

}  // namespace front

// What a model from C++ was made of.
struct Traceable {
  detail::Tracer tracer;
  TraceOptions options;
};

struct Written {
  std::shared_ptr<const front::Document> document;
  LoadOptions options;
  std::optional<front::ModelText> text;          // nothing: an interconnection
  std::shared_ptr<const Traceable> traced = {};  // a model from C++: its formulas are not in the text
};

// The names that expressions may use; null for an interconnection and for a model that was put together by hand.
inline const front::World* world_of(const Model& model) {
  return model.written && model.written->text ? &model.written->text->world : nullptr;
}

// The model that its text gives with these options instead of those it was loaded with; the file is not read again.
Model read_again(const Model& model, const LoadOptions& options);

}  // namespace rattleback
