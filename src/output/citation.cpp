#include "output/citation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "output/version.hpp"
#include "rattleback/error.hpp"

namespace rattleback::report {

std::string citation_file();    // CITATION.cff
std::string references_file();  // docs/references.bib

namespace {

// `key: value` at the top of CITATION.cff, or the first name of its authors; "" without it. Not all of YAML: one line each.
std::string field(const std::string& text, const std::string& key) {
  const std::size_t at = text.find("\n" + key + ": ");
  if (at == std::string::npos) return {};
  const std::size_t begin = at + key.size() + 3;
  std::string value = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
  if (value.size() > 1 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

}  // namespace

std::string bibtex_of_program(std::string_view commit) {
  const std::string file = citation_file(), released = field(file, "date-released");
  std::string entry = "@software{Rattleback,\n";
  const auto put = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) entry += fmt::format("  {:<7} = {{{}}},\n", name, value);
  };
  put("author", "{" + field(file, "  - name") + "}");  // one name, not first and last ones
  put("title", field(file, "title"));
  put("version", std::string(kVersion));
  put("year", released.substr(0, 4));
  put("doi", field(file, "doi"));
  put("url", field(file, "repository-code"));
  put("note", commit.empty() ? "" : fmt::format("Commit {}", commit));
  return entry + "}\n";
}

std::string bibtex_of(std::string_view key) {
  const std::string all = "\n" + references_file();
  const std::size_t name = all.find(fmt::format("{{{},\n", key));
  const std::size_t begin = name == std::string::npos ? name : all.rfind("\n@", name);
  const std::size_t end = name == std::string::npos ? name : all.find("\n}\n", name);
  if (begin == std::string::npos || end == std::string::npos)
    throw Error(fmt::format("docs/references.bib has no entry '{}'", key));
  return all.substr(begin + 1, end + 2 - begin);
}

std::string bibtex_of(std::span<const MethodInfo* const> methods) {
  std::vector<std::string_view> keys;
  std::string text;
  for (const MethodInfo* method : methods)
    for (const std::string_view key : method->references) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      keys.push_back(key);
      text += "\n" + bibtex_of(key);
    }
  return text;
}

}  // namespace rattleback::report
