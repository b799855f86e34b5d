// [events]: what a run looks for, and what it does there.
#include "model/grammar/kind_rules.hpp"
#include "model/grammar/suggest.hpp"
#include "model/reader.hpp"

namespace rattleback::front {
namespace {

int read_direction(const Reader& reader, const Source& source, const Value* value, const std::string& path) {
  if (value == nullptr) return 0;
  const std::string word = reader.text(*value, "`direction` of " + path);
  if (word == "any") return 0;
  if (word == "rising") return 1;
  if (word == "falling") return -1;
  source.fail(value->offset, "expected \"rising\", \"falling\" or \"any\" for `direction` of " + path + ", found \"" +
                                 word.substr(0, 40) + "\"");
}

// A coordinate, a velocity or a state that gets another value.
ExactText read_set(ModelText& text, Reader& reader, const Value& v, Members& members, const std::string& path) {
  World& world = text.world;
  const std::string table = "`set` of " + path;
  const Key k = reader.key(v, "an entry of " + table);
  const Symbol* const s = world.find(k.stem);
  const bool velocity = s != nullptr && s->thing == Thing::velocity;
  const std::int32_t row = velocity ? reader.position(k, world.velocities, Thing::velocity, table)
                                    : reader.position(k, world.coordinates, Thing::coordinate, table);
  if (k.primed && !world.facts().primed)
    world.source.fail(k.offset, "`" + v.key + "` in " + table + " is a derivative" + rules_of(world.kind).primed);
  if (!members.insert(k.stem + (k.primed ? "'" : ""), k.from, k.to))
    world.source.fail(k.offset, "`" + v.key + "` is given twice in " + table);
  return {k.primed || velocity ? kVelocity : kPosition,
          {k.index, k.from, k.to, row, reader.formula(v, "the value of `" + v.key + "` after " + path)}};
}

void read_then(ModelText& text, Reader& reader, const Value& then, const std::string& path, EventText& event) {
  const Source& source = text.world.source;
  const std::string accepted = "Write then = \"stop\", then = \"note\", or then = { set = { x = \"...\" } }";
  if (then.type == Value::Type::string && (then.text == "stop" || then.text == "note")) {
    event.then = then.text == "stop" ? ModelEvent::Then::stop : ModelEvent::Then::note;
    return;
  }
  if (!then.is_table())
    source.fail(then.offset, "`then` of " + path + " is neither \"stop\" nor \"note\" nor a table. " + accepted);
  reader.only(then, "`then` of " + path, {"events", "*", "then"});
  const Value* const set = then.find("set");
  if (set == nullptr || !set->is_table() || set->items.empty())
    source.fail(then.offset, "`then` of " + path + " sets nothing. " + accepted);
  event.then = ModelEvent::Then::set;
  Members members;
  for (const Value& v : set->items) event.set.push_back(read_set(text, reader, v, members, path));
}

}  // namespace

void read_events(ModelText& text, Reader& reader, const Value& document) {
  const Source& source = text.world.source;
  const Value* const events = reader.table(document, "events", "events.NAME");
  if (events == nullptr) return;
  for (const Value& v : events->items) {
    const std::string path = "[events." + v.key + "]";
    if (!is_name(v.key))
      source.fail(v.key_offset, "the name of an event consists of letters, digits and _, found `" + v.key + "`");
    if (!v.is_table())
      source.fail(v.offset, "expected a table for event `" + v.key + "`, found " + describe(v.type) + ". Write " +
                                path + " with when = \"...\", direction and then");
    reader.only(v, path, {"events", "*"});
    const Value* const when = v.find("when");
    if (when == nullptr)
      source.fail(v.key_offset, path + " has no `when`. Write when = \"x - 1\": the event is where it is zero");
    EventText event{v.key, reader.formula(*when, "`when` of event `" + v.key + "`"), 0, ModelEvent::Then::note, {}};
    event.direction = read_direction(reader, source, v.find("direction"), path);
    if (const Value* const then = v.find("then")) read_then(text, reader, *then, path, event);
    text.events.push_back(std::move(event));
  }
}

}  // namespace rattleback::front
