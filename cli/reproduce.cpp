// `rattleback reproduce`: redoes the experiments of the source documents.
#include "reproduce/reproduce.hpp"

#include <limits>

#include <fmt/format.h>

#include "arguments.hpp"
#include "progress.hpp"
#include "signals.hpp"
#include "verbs.hpp"

namespace rattleback::cli {

Arguments declare_reproduce() {
  Arguments a("reproduce",
              "Redoes the experiments of the five source documents over all cores: data, figures, numbers, and whether "
              "the documents agree.",
              "rattleback reproduce H-4.1 --output redone");
  a.names("ID",
          "H-4.1, or H, J, C, S, JS for all of one document, or the path of a recipe of your own (.toml); without any, "
          "all are done");
  a.value("--output", "DIR", "writes a page, and figure, data and numbers of each experiment. Default: reproduction");
  a.flag("--check", "writes nothing, and ends with status 1 if a number is not as expected");
  a.flag("--short", "shorter runs, for those experiments that say how");
  a.flag("--list", "lists the experiments and runs none");
  a.value("--threads", "K", "default: as many as the machine has");
  a.flag("--json", "prints one JSON object instead of lines");
  return a;
}

int reproduce(const Words& words) {
  Arguments a = declare_reproduce();
  if (!a.parse(words)) return kDone;

  reproduce::Request request;
  request.names = a.name_list();
  request.quick = a.has("--short");
  request.folder = a.has("--check") ? "" : a.text("--output").value_or("reproduction");
  if (a.has("--output") && a.text("--output")->empty()) a.fault("--output needs the name of a folder");
  if (a.has("--output") && a.has("--check")) a.fault("--check writes nothing; leave --output out");
  if (const auto threads = a.whole("--threads", 1))
    request.threads = static_cast<int>(std::min<std::int64_t>(*threads, std::numeric_limits<int>::max()));
  a.refuse_if_faulty();

  if (a.has("--list")) {
    std::string text;
    for (const auto& recipe : reproduce::find_recipes(request.names, request.quick))
      text += fmt::format("{:<7} {} ({}, {})\n", recipe.id, recipe.title, recipe.document, recipe.place);
    print(text);
    return kDone;
  }
  ProgressLine progress;
  request.progress = [&](std::size_t done, std::size_t all, const std::string&) { progress.parts(done, all, "runs"); };
  request.stop = stop_token();
  begin_computing();
  const reproduce::Report report = reproduce::reproduce(request);
  progress.clear();
  print(a.has("--json") ? to_json(report) : to_text(report));
  for (const std::string& fault : report.unwritten) say(fault);
  if (!report.unwritten.empty()) return kOutputFailed;
  return a.has("--check") && !report.as_expected() ? kNotAsExpected : kDone;
}

}  // namespace rattleback::cli
