// Reads recipes. What is wrong is reported with its place, like the faults of model files.
#include "reproduce/recipe.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "model/grammar/suggest.hpp"
#include "option/option_table.hpp"
#include "rattleback/error.hpp"
#include "rattleback/method.hpp"
#include "reproduce/measures.hpp"
#include "study/members.hpp"
#include "text/document.hpp"

namespace rattleback::reproduce {
namespace {

using front::Value;

using List = std::vector<std::string>;
// Those of the table of options, and what changes a model.
const List kOptionKeys = [] {
  List keys = option_names(Place::recipe);
  keys.insert(keys.end(), {"set", "start"});
  return keys;
}();
const List kStudyKeys{"name", "system", "methods", "steps", "cases", "short", "expect", "fit"};
const List kSectionKeys{"where", "if", "direction", "crossings", "axes", "vary", "values"};
const List kEnsembleKeys{"vary", "values", "power"};

List joined(std::initializer_list<const List*> lists) {
  List out;
  for (const List* list : lists) out.insert(out.end(), list->begin(), list->end());
  return out;
}

// Numbers may be written as expressions: "2*sin(pi/40)". No parameter is known in them.
double evaluated(const std::string& text) {
  static const Model nothing =
      parse_model("coordinates = [\"none\"]\n[lagrangian]\nkinetic = \"none'^2/2\"\n", "recipe");
  return evaluate_number(nothing, "number", text);
}

class RecipeReader {
 public:
  RecipeReader(const std::string& text, const std::string& file, bool quick)
      : source_(file, text), root_(front::parse_document(source_)), quick_(quick) {}

  Recipe read() {
    only(root_, "the top of a recipe",
         {"id", "title", "document", "place", "says", "verdict", "because", "caption", "columns", "system", "set",
          "start", "run", "order", "section", "ensemble", "check", "panel"});
    Recipe r;
    r.id = text_of(root_, "id");
    if (r.id.empty() || r.id.size() > 40 || r.id.front() == '.' || r.id.front() == '-' ||
        r.id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") !=
            std::string::npos)
      fail(need(root_, "id"),
           fmt::format("`id` names the files that are written: letters, digits, -, _ and . only, found '{}'", r.id));
    r.title = text_of(root_, "title");
    r.document = text_of(root_, "document");
    r.place = text_of(root_, "place");
    r.says = text_of(root_, "says");
    r.because = text_of(root_, "because");
    r.caption = optional_text(root_, "caption");
    r.verdict = verdict(need(root_, "verdict"));
    if (const Value* columns = root_.find("columns")) r.columns = whole(*columns);
    for (const auto& [key, verb] :
         {std::pair{"run", Study::Verb::run}, std::pair{"order", Study::Verb::order},
          std::pair{"section", Study::Verb::section}, std::pair{"ensemble", Study::Verb::ensemble},
          std::pair{"check", Study::Verb::check}}) {
      const Value* list = root_.find(key);
      if (list == nullptr) continue;
      std::size_t number = 0;
      for (const Value& item : tables(*list, key)) {
        ++number;
        const Value* brief = item.find("short");
        if (quick_ && brief != nullptr && brief->type == Value::Type::boolean && !brief->boolean) continue;
        r.studies.push_back(study(item, verb, fmt::format("{}{}", key, number)));
      }
    }
    if (const Value* panels = root_.find("panel"))
      for (const Value& item : tables(*panels, "panel")) panel(item, r);
    if (r.studies.empty() && !quick_)
      fail(root_, "a recipe needs at least one [[run]], [[order]], [[section]], [[ensemble]] or [[check]]");
    return r;
  }

 private:
  [[noreturn]] void fail(const Value& at, const Message& message) const {
    source_.fail(at.key.empty() ? at.offset : at.key_offset, message);
  }
  void only(const Value& table, const std::string& what, const List& known) const {
    for (const Value& item : table.items)
      if (std::ranges::find(known, item.key) == known.end())
        fail(item, fmt::format("`{}` is not a key of {}. ", item.key, what) + front::did_you_mean(item.key, known) +
                       "Known here: " + front::listed(known));
  }
  const Value& need(const Value& table, const std::string& key) const {
    if (const Value* value = table.find(key)) return *value;
    fail(table, fmt::format("`{}` is missing", key));
  }
  std::string text(const Value& value) const {
    if (value.type != Value::Type::string)
      fail(value, fmt::format("`{}` must be a string, found {}", value.key, front::describe(value.type)));
    return value.text;
  }
  std::string text_of(const Value& table, const std::string& key) const { return text(need(table, key)); }
  std::string optional_text(const Value& table, const std::string& key) const {
    const Value* value = table.find(key);
    return value != nullptr ? text(*value) : "";
  }
  double number(const Value& value) const {
    if (value.is_number()) return value.number;
    if (value.type != Value::Type::string)
      fail(value, fmt::format("`{}` must be a number or an expression in quotes, found {}", value.key,
                              front::describe(value.type)));
    try {
      return evaluated(value.text);
    } catch (const Error&) {
      fail(value,
           fmt::format("'{}' is neither a number nor an expression of numbers, such as \"2*sin(pi/40)\"", value.text));
    }
  }
  int whole(const Value& value) const {
    const double x = number(value);
    if (!(std::fabs(x) <= 1e9) || x != std::floor(x))
      fail(value, fmt::format("`{}` must be a whole number, found {:g}", value.key, x));
    return static_cast<int>(x);
  }
  bool boolean(const Value& value) const {
    if (value.type != Value::Type::boolean)
      fail(value, fmt::format("`{}` must be true or false, found {}", value.key, front::describe(value.type)));
    return value.boolean;
  }
  const std::vector<Value>& list(const Value& value) const {
    if (value.type != Value::Type::array)
      fail(value, fmt::format("`{}` must be a list, found {}", value.key, front::describe(value.type)));
    return value.items;
  }
  const std::vector<Value>& tables(const Value& value, const std::string& key) const {
    if (value.is_table()) fail(value, fmt::format("write [[{0}]] instead of [{0}]: there may be several", key));
    for (const Value& item : list(value))
      if (!item.is_table()) fail(item, fmt::format("write [[{}]] above each of them", key));
    return value.items;
  }
  List texts(const Value& value) const {
    if (value.type == Value::Type::string) return {value.text};
    List out;
    for (const Value& item : list(value)) out.push_back(text(item));
    return out;
  }

  Verdict verdict(const Value& value) const {
    const std::string word = text(value);
    if (word == "agrees") return Verdict::agrees;
    if (word == "differs") return Verdict::differs;
    if (word == "not decidable") return Verdict::not_decidable;
    fail(value, fmt::format("`verdict` is agrees, differs or not decidable, found '{}'", word));
  }

  void assignments(const Value& table, std::vector<std::pair<std::string, std::string>>& to) const {
    if (!table.is_table()) fail(table, fmt::format("`{}` must be a table, {{ name = value }}", table.key));
    for (const Value& item : table.items) {
      const std::string value = item.is_number() ? fmt::format("{}", item.number) : text(item);
      const auto known = std::ranges::find(to, item.key, &std::pair<std::string, std::string>::first);
      if (known != to.end())
        known->second = value;
      else
        to.emplace_back(item.key, value);
    }
  }

  // The options that `rattleback run` takes under the same names.
  void options(const Value& table, LoadOptions& load, Options& o) const {
    for (const Value& item : table.items) {
      if (std::ranges::find(kOptionKeys, item.key) == kOptionKeys.end()) continue;
      if (item.key == "set")
        assignments(item, load.set);
      else if (item.key == "start")
        assignments(item, load.start);
      else
        read(item, option_row(item.key), o);
    }
  }
  void read(const Value& item, const OptionRow& row, Options& o) const {
    if (!row.word.empty()) {
      for (const std::string& word : texts(item))
        if (const std::string fault = set_word(row.name, Place::recipe, word, fmt::format("`{}`", row.name), o);
            !fault.empty())
          fail(item, fault);
      return;
    }
    switch (shape_of(row.field)) {
      case Shape::flag: return set_value(row.field, o, boolean(item));
      case Shape::whole: return set_value(row.field, o, std::int64_t{whole(item)});
      case Shape::number: return set_value(row.field, o, number(item));
      case Shape::text: return set_value(row.field, o, text(item));
      case Shape::texts: return set_value(row.field, o, texts(item));
      case Shape::numbers:
      case Shape::values:
      case Shape::none: return;
    }
  }

  Study study(const Value& item, Study::Verb verb, const std::string& name) const {
    List known = joined({&kStudyKeys, &kOptionKeys});
    if (verb == Study::Verb::section) known = joined({&known, &kSectionKeys});
    if (verb == Study::Verb::ensemble) known = joined({&known, &kEnsembleKeys});
    if (verb == Study::Verb::order || verb == Study::Verb::run) known.emplace_back("reference");
    only(item, "a study", known);
    Value merged = item;
    if (const Value* brief = item.find("short"); quick_ && brief != nullptr) {
      if (!brief->is_table()) fail(*brief, "`short` is a table of what changes in a short run, or false");
      only(*brief, "`short`", known);
      std::erase_if(merged.items, [&](const Value& v) {
        return v.key == "expect" || v.key == "fit" || brief->find(v.key) != nullptr;
      });
      for (const Value& v : brief->items) merged.items.push_back(v);
    }

    Study s;
    s.verb = verb;
    s.name = merged.find("name") != nullptr ? text_of(merged, "name") : name;
    s.system = merged.find("system") != nullptr ? text_of(merged, "system") : text_of(root_, "system");
    if (s.system.ends_with(".toml"))  // beside the recipe
      s.system = (std::filesystem::path(source_.file()).parent_path() / s.system).string();
    LoadOptions load;
    if (const Value* set = root_.find("set")) assignments(*set, load.set);
    if (const Value* start = root_.find("start")) assignments(*start, load.start);
    Options options_of_all;
    options(merged, load, options_of_all);
    if (const Value* methods = merged.find("methods"))
      for (const Value& m : list(*methods)) s.methods.push_back(method(m));
    if (s.methods.empty() && merged.find("methods") != nullptr)
      fail(need(merged, "methods"), "`methods` is empty; name at least one, or leave it out for the model's own");
    if (s.methods.empty()) s.methods.emplace_back("", 0);
    if (const Value* steps = merged.find("steps"))
      for (const Value& h : list(*steps)) s.steps.push_back(number(h));
    if (s.steps.empty()) s.steps.push_back(0.0);
    if (const Value* cases = merged.find("cases")) {
      for (const Value& c : list(*cases)) {
        if (!c.is_table()) fail(c, "a case is a table, for example { newton-tol = 1e-3 }");
        List known_in_case = kOptionKeys;
        known_in_case.insert(known_in_case.end(), {"label", "x"});
        only(c, "a case", known_in_case);
        Case one{.label = optional_text(c, "label"), .x = 0.0, .load = load, .options = options_of_all};
        if (const Value* x = c.find("x")) one.x = number(*x);
        options(c, one.load, one.options);
        s.cases.push_back(std::move(one));
      }
    }
    if (s.cases.empty()) s.cases.push_back({.label = "", .x = 0.0, .load = load, .options = options_of_all});
    s.reference = optional_text(merged, "reference");
    if (verb == Study::Verb::section) section(merged, s);
    if (verb == Study::Verb::section || verb == Study::Verb::ensemble) members(merged, s);
    if (const Value* power = merged.find("power")) s.power = whole(*power);
    wishes(merged, "expect", false, s);
    wishes(merged, "fit", true, s);
    return s;
  }

  std::pair<std::string, int> method(const Value& value) const {
    const std::string word = text(value);
    const std::size_t colon = word.find(':');
    try {
      (void)find_method(word.substr(0, colon));
    } catch (const Error& error) {
      fail(value, Message(error.what(), error.suggestion()));
    }
    if (colon == std::string::npos) return {word, 0};
    const std::string stages = word.substr(colon + 1);
    if (stages.empty() || stages.size() > 2 || stages.find_first_not_of("0123456789") != std::string::npos)
      fail(value, fmt::format("'{}' is not of the form NAME or NAME:S with S stages", word));
    return {word.substr(0, colon), std::stoi(stages)};
  }

  void section(const Value& table, Study& s) const {
    s.section.where = text_of(table, "where");
    s.section.condition = optional_text(table, "if");
    s.section.crossings = whole(need(table, "crossings"));
    s.section.axes = texts(need(table, "axes"));
    const std::string direction = optional_text(table, "direction");
    if (direction == "up")
      s.section.direction = Crossing::up;
    else if (direction == "down")
      s.section.direction = Crossing::down;
    else if (!direction.empty() && direction != "both")
      fail(need(table, "direction"), fmt::format("`direction` is up, down or both, found '{}'", direction));
  }

  // vary = { j = [0, 9, 10] } from, to, how many; values = { z0 = [-1, 0, 1] } one by one.
  void members(const Value& table, Study& s) const {
    if (const Value* vary = table.find("vary")) {
      std::vector<Variation> variations;
      for (const Value& v : vary->items) {
        if (list(v).size() != 3) fail(v, "a variation is [from, to, how many]");
        variations.push_back({v.key, number(v.items[0]), number(v.items[1]), whole(v.items[2])});
      }
      s.members = members_on_grid(variations);
    }
    if (const Value* values = table.find("values")) {
      if (!values->is_table() || values->items.size() != 1) fail(*values, "`values` takes one name and its list");
      s.members.names = {values->items[0].key};
      for (const Value& v : list(values->items[0])) s.members.values.push_back(number(v));
      s.members.count = s.members.values.size();
    }
  }

  void wishes(const Value& table, const std::string& key, bool fit, Study& s) const {
    const Value* wanted = table.find(key);
    if (wanted == nullptr) return;
    if (!wanted->is_table()) fail(*wanted, fmt::format("`{}` is a table of measures and expected numbers", key));
    for (const Value& item : wanted->items) {
      Wish wish{.measure = item.key, .expected = {}, .fit = fit};
      if (item.is_number() || (item.type == Value::Type::array && !item.items.empty() && item.items[0].is_number()))
        fail(item, fmt::format("expected numbers stand in quotes, so that their digits count: \"{}\" = \"2.647e-4\"",
                               item.key));
      if (const Message fault = measure_fault(s.verb, item.key); !fault.empty()) fail(item, fault);
      for (const std::string& word : texts(item)) {
        try {
          wish.expected.push_back(read_expectation(word));
        } catch (const Error& error) {
          fail(item, error.what());
        }
      }
      if (wish.expected.empty()) fail(item, "an empty list expects nothing; leave it out");
      s.wishes.push_back(std::move(wish));
    }
  }

  void panel(const Value& item, Recipe& r) const {
    only(item, "a panel",
         {"title", "x-label", "y-label", "of", "x", "y", "only", "labels", "log", "same-scale", "points"});
    Panel p;
    p.title = optional_text(item, "title");
    const Value* of = item.find("of");
    for (const std::string& name : of != nullptr ? texts(*of) : List{}) {
      if (std::ranges::find(r.studies, name, &Study::name) != r.studies.end())
        p.of.push_back(name);
      else if (!quick_)  // else it is left out
        fail(*of, fmt::format("there is no study with the name '{}'", name));
    }
    if (of == nullptr && !r.studies.empty()) p.of = {r.studies.front().name};
    if (p.of.empty()) return;
    p.x = item.find("x") != nullptr ? text_of(item, "x") : "t";
    const List ys = texts(need(item, "y"));
    p.y = ys.front();
    p.more_y.assign(ys.begin() + 1, ys.end());
    p.x_label = item.find("x-label") != nullptr ? text_of(item, "x-label") : p.x;
    p.y_label = item.find("y-label") != nullptr ? text_of(item, "y-label") : p.y;
    if (const Value* numbers = item.find("only"))
      for (const Value& n : list(*numbers)) p.only.push_back(static_cast<std::size_t>(std::max(0, whole(n))));
    if (const Value* labels = item.find("labels")) p.labels = texts(*labels);
    const std::string log = optional_text(item, "log");
    if (log.find_first_not_of("xy") != std::string::npos)
      fail(need(item, "log"), fmt::format("`log` is x, y or xy, found '{}'", log));
    p.log_x = log.find('x') != std::string::npos;
    p.log_y = log.find('y') != std::string::npos;
    if (const Value* v = item.find("same-scale")) p.same_scale = boolean(*v);
    if (const Value* v = item.find("points")) p.points = boolean(*v);
    r.panels.push_back(std::move(p));
  }

  front::Source source_;
  Value root_;
  bool quick_;
};

}  // namespace

Recipe read_recipe(const std::string& text, const std::string& file, bool quick) {
  return RecipeReader(text, file, quick).read();
}

}  // namespace rattleback::reproduce
