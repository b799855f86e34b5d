#include "completable.hpp"

#include <algorithm>
#include <cctype>

#include "arguments.hpp"
#include "rattleback/method.hpp"
#include "rattleback/model.hpp"
#include "reproduce/recipe.hpp"
#include "verbs.hpp"

namespace rattleback::cli {
namespace {

// Of a help text the first clause.
std::string clause(std::string_view help) {
  std::size_t end = help.size();
  for (const std::string_view stop : {". ", "; ", ": ", " ("}) end = std::min(end, help.find(stop));
  return std::string(help.substr(0, end));
}

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const MethodInfo& info : rattleback::methods()) {
    names.emplace_back(info.name);
    names.insert(names.end(), info.aliases.begin(), info.aliases.end());
  }
  return names;
}

Completable some_system() {
  Completable out;
  for (const ShippedModel& model : shipped_models()) out.words.emplace_back(model.key);
  out.extensions = {"toml"};
  return out;
}

Completable some_experiment() {
  Completable out;
  for (const reproduce::ShippedRecipe& recipe : reproduce::shipped_recipes()) out.words.emplace_back(recipe.key);
  out.extensions = {"toml"};
  return out;
}

// A unit says itself what it stands for: "pi|reversible", "FILE.csv|FILE.h5", "reverse,order,power", "FOLDER".
Completable of_unit(const std::string& unit) {
  Completable out;
  const auto is_word = [](const std::string& part) {
    return !part.empty() &&
           std::none_of(part.begin(), part.end(), [](unsigned char c) { return std::isupper(c) != 0; });
  };
  out.folder = unit == "DIR" || unit == "FOLDER";
  out.any_file = unit == "FILE";
  out.list = is_word(unit) && unit.find(',') != std::string::npos;
  for (const std::string& part : split(unit, out.list ? ',' : '|'))
    if (is_word(part))
      out.words.push_back(part);
    else if (part.starts_with("FILE."))
      out.extensions.push_back(part.substr(5));
  return out;
}

Completable value_of(const Arguments::Option& option) {
  Completable out = of_unit(option.unit);
  if (option.name == "--method" || option.name == "--methods") {
    out.words = method_names();
    out.list = option.name == "--methods";
  }
  return out;
}

CompletableVerb described(const Verb& verb) {
  const Arguments a = verb.declare();
  CompletableVerb out{std::string(verb.name), std::string(verb.about), {}, {}};
  for (const Arguments::Option& option : a.options())
    if (!option.help.empty())
      out.options.push_back(
          {option.name, clause(option.help), option.unit, option.shape == Arguments::Shape::values, value_of(option)});
  out.options.push_back({"--help", "explains the verb, with an example", "", false, {}});
  out.word = a.takes_system()                    ? some_system()
             : verb.declare == declare_reproduce ? some_experiment()
                                                 : of_unit(a.names_unit());
  return out;
}

}  // namespace

CompletableProgram completable() {
  CompletableProgram out;
  for (const Verb& verb : verbs()) out.verbs.push_back(described(verb));
  for (const TopOption& option : top_options()) {
    Completable value;
    if (option.unit == "METHOD") value.words = method_names();
    out.options.push_back(
        {std::string(option.name), std::string(option.about), std::string(option.unit), false, value});
  }
  return out;
}

}  // namespace rattleback::cli
