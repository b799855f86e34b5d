#include "reproduce/reproduce.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <sstream>

#include <fmt/format.h>

#include "files/read.hpp"
#include "files/replace.hpp"
#include "model/grammar/suggest.hpp"
#include "output/json.hpp"
#include "plot/svg.hpp"
#include "rattleback/cancelled.hpp"
#include "rattleback/error.hpp"
#include "report/index_page.hpp"
#include "study/parallel.hpp"
#include "text/quantities.hpp"

namespace rattleback::reproduce {
namespace {

namespace fs = std::filesystem;

// The documents in the order in which they appeared.
const std::vector<std::string> kDocuments{"H", "J", "C", "S", "JS"};

std::string letters(const std::string& id) { return id.substr(0, id.find('-')); }

// "4.10" stands behind "4.9", and "T2.1" behind the figures.
bool before(const Recipe& a, const Recipe& b) {
  const auto document = [](const Recipe& r) {
    return std::ranges::find(kDocuments, letters(r.id)) - kDocuments.begin();
  };
  if (document(a) != document(b)) return document(a) < document(b);
  const auto parts = [](const std::string& id) {
    std::vector<std::pair<int, std::string>> out;
    std::stringstream stream(id.substr(id.find('-') + 1));
    for (std::string part; std::getline(stream, part, '.');) {
      const std::size_t digits = part.find_first_not_of("0123456789");
      const std::string number = part.substr(0, digits);
      out.emplace_back(number.empty() ? 1000 : std::stoi(number),
                       digits == std::string::npos ? "" : part.substr(digits));
    }
    return out;
  };
  return parts(a.id) < parts(b.id);
}

std::string read_file(const std::string& path) {
  files::FileText file = files::read_text(path, files::kLargestRecipe);
  if (!file.fault.empty())
    throw Error(fmt::format("'{}' {}. A recipe is a TOML file", path, file.fault), {.file = path});
  return std::move(file.text);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw Error(fmt::format("--output '{}': cannot make this folder ({})", folder, error.message()));
  files::check_place((fs::path(folder) / "index.html").string(), "page");
}

std::string found_text(double value) { return fmt::format("{:.7g}", value); }

report::Verdict verdict_of(const Entry& entry) {
  if (!entry.finding.as_expected()) return report::Verdict::failed;
  switch (entry.recipe.verdict) {
    case Verdict::agrees: return report::Verdict::agrees;
    case Verdict::differs: return report::Verdict::differs;
    case Verdict::not_decidable: return report::Verdict::not_decidable;
  }
  return report::Verdict::failed;
}

// What a recipe says is found holds only if its numbers are.
std::string found_words(const Entry& entry) {
  return entry.finding.as_expected() ? "Found: " + entry.recipe.because
                                     : "Nothing can be said: the numbers are not as expected.";
}

report::Json entry_json(const Entry& entry) {
  const Recipe& r = entry.recipe;
  report::Json json = {{"id", r.id},
                       {"title", r.title},
                       {"document", r.document},
                       {"place", r.place},
                       {"says", r.says},
                       {"verdict", report::to_string(verdict_of(entry))},
                       {"because", r.because},
                       {"numbers", report::Json::array()}};
  for (const Number& n : entry.finding.numbers)
    json["numbers"].push_back({{"what", n.what}, {"found", n.found}, {"expected", n.expected.text}, {"ok", n.ok()}});
  json["faults"] = entry.finding.faults;
  json["seconds"] = entry.finding.seconds;
  return json;
}

report::IndexEntry index_entry(const Entry& entry) {
  const Recipe& r = entry.recipe;
  report::IndexEntry out;
  out.id = r.id;
  out.title = r.title;
  out.source = fmt::format("{}, {}", r.document, r.place);
  out.verdict = verdict_of(entry);
  out.because = fmt::format("The document: {}\n{}", r.says, found_words(entry));
  for (const std::string& fault : entry.finding.faults) out.because += "\nNot made: " + fault;
  for (const Number& n : entry.finding.numbers)
    out.numbers.push_back({n.what, found_text(n.found), n.expected.text, n.ok()});
  if (!entry.finding.figure.panels.empty()) {
    out.figure = plot::to_svg(entry.finding.figure);
    out.figure_text = r.caption.empty() ? r.title : r.caption;
  }
  out.files = {
      {"data of the figure (CSV)", r.id + ".csv"}, {"numbers (JSON)", r.id + ".json"}, {"figure (SVG)", r.id + ".svg"}};
  return out;
}

void write_entry(const Entry& entry, const fs::path& folder) {
  const auto write = [&](const std::string& ending, const std::string& text) {
    files::write_text((folder / (entry.recipe.id + ending)).string(), text);
  };
  write(".csv", entry.finding.csv);
  write(".json", report::dump(entry_json(entry)) + "\n");
  write(".svg", plot::to_svg(entry.finding.figure));
}

}  // namespace

bool Report::as_expected() const {
  return std::ranges::all_of(entries, [](const Entry& e) { return e.finding.as_expected(); });
}

std::vector<Recipe> find_recipes(const std::vector<std::string>& names, bool quick) {
  std::vector<Recipe> all, out;
  for (const ShippedRecipe& shipped : shipped_recipes())
    all.push_back(read_recipe(std::string(shipped.text), fmt::format("experiments/{}.toml", shipped.key), quick));
  std::ranges::sort(all, before);
  if (names.empty()) return all;
  const auto add = [&](const Recipe& recipe) {
    if (std::ranges::find(out, recipe.id, &Recipe::id) == out.end()) out.push_back(recipe);
  };
  const auto lower = [](std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  };
  for (const std::string& name : names) {
    if (name.ends_with(".toml")) {
      add(read_recipe(read_file(name), name, quick));
      continue;
    }
    bool known = false;
    std::vector<std::string> ids;
    for (const Recipe& recipe : all) {
      ids.push_back(recipe.id);
      if (lower(recipe.id) != lower(name) && lower(letters(recipe.id)) != lower(name)) continue;
      add(recipe);
      known = true;
    }
    if (!known)
      throw error_of(fmt::format("there is no experiment '{}'. ", name) + front::did_you_mean(name, ids) +
                     "`rattleback reproduce --list` names them; H, J, C, S and JS stand for all of one document, and a "
                     "name that ends in .toml for a recipe of your own");
  }
  return out;
}

Report reproduce(const Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::unique_ptr<Experiment>> experiments;
  for (Recipe& recipe : find_recipes(request.names, request.quick))
    experiments.push_back(std::make_unique<Experiment>(std::move(recipe), request.stop));
  if (!request.folder.empty()) make_folder(request.folder);

  struct Piece {
    std::size_t experiment, job;
    double weight;
  };
  std::vector<Piece> pieces;
  std::vector<std::size_t> open;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    open.push_back(experiments[e]->jobs());
    for (std::size_t j = 0; j < experiments[e]->jobs(); ++j) pieces.push_back({e, j, experiments[e]->weight(j)});
  }
  std::ranges::stable_sort(pieces, std::greater<>{}, &Piece::weight);

  Report out;
  out.folder = request.folder;
  std::vector<Finding> findings(experiments.size());
  std::mutex mutex;
  std::size_t done = 0, complete = 0;
  // A full disk does not cost the experiments that are still to come, nor those before it.
  const auto try_to_write = [&](const auto& write) {
    try {
      write();
    } catch (const Error& error) {
      if (std::ranges::find(out.unwritten, error.what()) == out.unwritten.end())
        out.unwritten.emplace_back(error.what());
    } catch (const std::bad_alloc&) {
      out.unwritten.emplace_back("there was no memory to write a file");
    }
  };
  const int threads = thread_count(request.threads, pieces.size());
  const auto run_one = [&](std::size_t i) {
    if (request.stop.stop_requested()) throw Cancelled("cancelled");
    Experiment& experiment = *experiments[pieces[i].experiment];
    experiment.run(pieces[i].job);
    const std::lock_guard lock(mutex);
    ++done;
    if (--open[pieces[i].experiment] == 0) {
      Entry entry{experiment.recipe(), experiment.finish()};
      if (!request.folder.empty()) try_to_write([&] { write_entry(entry, request.folder); });
      ++complete;
      findings[pieces[i].experiment] = std::move(entry.finding);
      experiments[pieces[i].experiment] = std::make_unique<Experiment>(experiment.recipe());  // lets its records go
    }
    if (request.progress) request.progress(done, pieces.size(), experiments[pieces[i].experiment]->recipe().id);
  };
  try {
    if (const int there = for_each_piece(pieces.size(), threads, run_one); there < threads)
      out.note = threads_note(there, threads);
  } catch (const Cancelled&) {
    throw Cancelled(fmt::format("cancelled after {} of {} runs: {} of {} experiments were complete{}", done,
                                pieces.size(), complete, experiments.size(),
                                complete == 0 || request.folder.empty()
                                    ? ""
                                    : fmt::format(" and are written to '{}', without the page", request.folder)));
  }
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    if (experiments[e]->jobs() == 0) continue;  // nothing of it is left in a short run
    out.entries.push_back({experiments[e]->recipe(), std::move(findings[e])});
  }
  out.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!request.folder.empty()) {
    std::vector<report::IndexEntry> index;
    for (const Entry& entry : out.entries) index.push_back(index_entry(entry));
    const std::string lead = fmt::format(
        "{} in {:.0f} s. Equations are solved to rounding, unless an experiment says otherwise. Each says what the "
        "document "
        "claims, what is found, and whether the two agree.",
        count_text(static_cast<std::int64_t>(out.entries.size()), "experiment"), out.wall_seconds);
    try_to_write([&] {
      files::write_text((fs::path(request.folder) / "index.html").string(),
                        report::index_page(index, "The experiments, redone", lead));
    });
  }
  return out;
}

std::string to_json(const Report& report) {
  report::Json json = {{"experiments", report::Json::array()}};
  std::vector<std::string> failed;
  for (const Entry& entry : report.entries) {
    json["experiments"].push_back(entry_json(entry));
    if (!entry.finding.as_expected()) failed.push_back(entry.recipe.id);
  }
  json["failed"] = failed;
  json["wall_seconds"] = report.wall_seconds;
  return report::dump(json);
}

std::string to_text(const Report& report) {
  std::string out;
  const bool alone = report.entries.size() == 1;
  std::size_t numbers = 0, ok = 0;
  for (const Entry& entry : report.entries) {
    const Recipe& r = entry.recipe;
    const std::string verdict = report::to_string(verdict_of(entry));
    out += fmt::format("{:<7} {:<14} {}\n", r.id, verdict, r.title);
    for (const Number& n : entry.finding.numbers) {
      if (n.expected.open) {  // measured, and nothing expected
        if (alone) out += fmt::format("       {}: {}\n", n.what, found_text(n.found));
        continue;
      }
      ++numbers;
      ok += n.ok() ? 1 : 0;
      if (alone || !n.ok())
        out += fmt::format("  {} {}: {} (expected {})\n", n.ok() ? "ok  " : "NOT ", n.what, found_text(n.found),
                           n.expected.text);
    }
    for (const std::string& fault : entry.finding.faults) out += fmt::format("  NOT  {}\n", fault);
    if (alone) out += fmt::format("\nThe document ({}, {}): {}\n{}\n", r.document, r.place, r.says, found_words(entry));
  }
  out += fmt::format("\n{} of {} numbers are as expected; {}, {:.1f} s\n", ok, numbers,
                     count_text(static_cast<std::int64_t>(report.entries.size()), "experiment"), report.wall_seconds);
  if (!report.note.empty()) out += report.note + ".\n";
  if (!report.folder.empty() && report.unwritten.empty())
    out += fmt::format("Written to {}\n", (fs::path(report.folder) / "index.html").string());
  return out;
}

}  // namespace rattleback::reproduce
