#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/grammar/numbers.hpp"
#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"
#include "model/traced/traced.hpp"

namespace rattleback::front {
namespace {

Value text_value(std::string key, std::string text) {
  Value v;
  v.type = Value::Type::string;
  v.key = std::move(key);
  v.text = std::move(text);
  return v;
}
Value number_value(std::string key, double number) {
  Value v;
  v.type = Value::Type::number;
  v.key = std::move(key);
  v.number = number;
  return v;
}
Value list_value(std::string key, const std::vector<std::string>& names) {
  Value v;
  v.type = Value::Type::array;
  v.key = std::move(key);
  for (const std::string& name : names) v.items.push_back(text_value({}, name));
  return v;
}
Value table_value(std::string key) {
  Value v;
  v.key = std::move(key);
  return v;
}

Value run_value(const RunDefaults& run) {
  Value table = table_value("run");
  if (run.method) table.items.push_back(text_value("method", *run.method));
  if (run.stages) table.items.push_back(number_value("stages", *run.stages));
  if (run.step) table.items.push_back(number_value("step", *run.step));
  if (run.until) table.items.push_back(number_value("until", *run.until));
  return table;
}

// Names that nobody else has, for what is found in no list of the reader: constraints and ports.
void declare(World& world, const std::vector<std::string>& names, Thing thing, const std::string& what) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const KeyPattern k = parse_key(world.source, 0, "the name of " + what, names[i]);
    if (k.indexed || k.primed)
      world.source.fail(0, "the name of " + what + " has no index and no ', found `" + names[i] + "`");
    world.declare(k.stem, thing, static_cast<std::int32_t>(i), 0);
  }
}

// The starts of a class: the numbers of its options, and what initial() makes of the parameters.
class TracedStarts {
 public:
  explicit TracedStarts(std::shared_ptr<const Traceable> from) : from_(std::move(from)) {}

  std::vector<KnownStart> operator()(World& world) const {
    std::vector<KnownStart> out;
    const auto add = [&](Space space, std::int32_t position, Rounded x) {
      if (!std::isfinite(x.value))
        world.source.fail(0, fmt::format("the start of `{}` is {}, where a finite number is expected",
                                         world.coordinates[position] + (space == kVelocity ? "'" : ""), x.value));
      out.push_back({space, position, x});
    };
    const auto numbers = [&](Space space, const std::vector<double>& list) {
      for (std::size_t i = 0; i < list.size(); ++i) add(space, static_cast<std::int32_t>(i), {list[i], 0.0});
    };
    numbers(kPosition, from_->options.q);
    numbers(kVelocity, from_->options.v);
    if (!from_->tracer.initial) return out;
    Graph graph;
    for (const auto& [name, value] : from_->tracer.initial(parameters_of(world, graph))) {
      const bool primed = name.ends_with('\'');
      const auto at = world.coordinates.find(std::string_view(name).substr(0, name.size() - (primed ? 1 : 0)));
      if (!at)
        world.source.fail(0, "initial() gives a start to `" + name + "`, which is no coordinate and no velocity. " +
                                 did_you_mean(name, world.coordinates.all()) +
                                 "Known here: " + listed(world.coordinates.all()));
      const NodeId id = value.id(graph);
      add(primed ? kVelocity : kPosition, *at, {graph[id].value, graph.constant_error(id)});
    }
    return out;
  }

 private:
  std::shared_ptr<const Traceable> from_;
};

}  // namespace

Parameters<Expr> parameters_of(World& world, Graph& graph) {
  std::vector<std::pair<std::string, Expr>> out;
  std::uint32_t place = 0;
  const std::vector<double> errors = world.errors();
  for (const auto& [name, value] : world.values()) {
    out.emplace_back(name, Expr(graph, graph.parameter(place, value, errors[place])));
    ++place;
  }
  return Parameters<Expr>(std::move(out));
}

std::shared_ptr<const Document> document_of(const TraceOptions& o) {
  Value root;
  root.items.push_back(list_value("coordinates", o.coordinates));
  if (!o.angles.empty()) root.items.push_back(list_value("angles", o.angles));
  if (!o.auxiliary.empty()) root.items.push_back(list_value("auxiliary", o.auxiliary));
  if (!o.keep.empty()) root.items.push_back(list_value("keep", o.keep));
  Value parameters = table_value("parameters");
  for (const auto& [name, value] : o.parameters) parameters.items.push_back(number_value(name, value));
  if (!o.parameters.empty()) root.items.push_back(std::move(parameters));
  root.items.push_back(run_value(o.run));
  return std::make_shared<const Document>("C++ model '" + o.name + "'", std::move(root));
}

ModelText read_traced(const Document& document, const std::shared_ptr<const Traceable>& from,
                      const LoadOptions& options) {
  const Source& source = document.source;
  const TraceOptions& o = from->options;
  ModelText text(source, Kind::mechanical);
  World& world = text.world;
  Reader reader(world, source);
  text.name = o.name;
  text.project = o.project;
  if (o.coordinates.empty()) source.fail(0, "it has no coordinates");
  read_parameters(world, reader, document.root, options);
  world.note(World::Use::tables);
  world.coordinates = read_names(world, reader, *document.root.find("coordinates"), "coordinates", Thing::coordinate);
  const auto n = static_cast<std::size_t>(world.coordinates.size());
  for (const auto& [what, list] : {std::pair("positions", &o.q), std::pair("velocities", &o.v)})
    if (!list->empty() && list->size() != n)
      source.fail(0, fmt::format("the start has {} {}, but there are {} coordinates ({})", list->size(), what, n,
                                 fmt::join(o.coordinates, ", ")));
  read_angles(text, reader, document.root);
  read_auxiliary(text, reader, document.root);
  declare(world, o.constraints, Thing::constraint, "a constraint");
  declare(world, o.inputs, Thing::port, "an input");
  read_run(text, reader, document.root);
  world.note(World::Use::none);
  text.known_starts = TracedStarts(from);
  read_starts(text, reader, document.root, options);
  return text;
}

}  // namespace rattleback::front
