#include "report/index_page.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "output/version.hpp"
#include "report/html_text.hpp"
#include "report/page_texts.hpp"

namespace rattleback::report {
namespace {

constexpr std::array kVerdicts = {Verdict::agrees, Verdict::differs, Verdict::not_decidable, Verdict::failed};

const char* mark_class(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "ok";
    case Verdict::differs: return "differs";
    case Verdict::not_decidable: return "open";
    case Verdict::failed: return "warning";
  }
  return "";
}

std::string mark(Verdict verdict, const std::string& more = {}) {
  return fmt::format("<span class=\"mark {}\">{}{}</span>", mark_class(verdict), to_string(verdict), more);
}

std::string document_of(const IndexEntry& entry) {
  return entry.document.empty() ? entry.id.substr(0, entry.id.find('-')) : entry.document;
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out += fmt::format("<p>{}</p>\n", html(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::string numbers_table(const std::vector<IndexNumber>& numbers) {
  if (numbers.empty()) return {};
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"measured numbers\"><table>\n"
      "<thead><tr><th>measured</th><th class=\"number\">found</th><th class=\"number\">expected</th><th>"
      "<span class=\"hidden\">within its tolerance</span></th></tr></thead>\n<tbody>\n";
  for (const IndexNumber& n : numbers)
    out += fmt::format(
        "<tr><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td><td><span class=\"mark {}\">{}</span>"
        "</td></tr>\n",
        html(n.what), html(n.found), html(n.expected), n.ok ? "ok" : "warning", n.ok ? "yes" : "no");
  return out + "</tbody></table></div>\n";
}

// As a picture, not as part of the page: figures have styles and names of their own, which would meet each other, and a
// picture runs no script.
std::string picture(const IndexEntry& entry) {
  if (entry.figure.empty()) return {};
  return fmt::format("<div><img loading=\"lazy\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\"></div>\n",
                     html(entry.figure_text.empty() ? entry.title : entry.figure_text), base64(entry.figure));
}

std::string files_list(const std::vector<IndexFile>& files) {
  if (files.empty()) return {};
  std::string out = "<ul class=\"files\" aria-label=\"files\">\n";
  for (const IndexFile& file : files)
    out += fmt::format("<li><a href=\"{}\">{}</a></li>\n", href(file.path),
                       html(file.label.empty() ? file.path : file.label));
  return out + "</ul>\n";
}

// A few numbers stand beside the figure. Many stand below it, folded unless one of them is wrong.
std::string body(const IndexEntry& entry) {
  constexpr std::size_t kFew = 9;
  const std::size_t all = entry.numbers.size();
  if (all <= kFew)
    return "<div class=\"columns\">\n" + (all == 0 ? "" : "<div>" + numbers_table(entry.numbers) + "</div>\n") +
           picture(entry) + "</div>\n";
  const auto wrong = all - static_cast<std::size_t>(std::ranges::count(entry.numbers, true, &IndexNumber::ok));
  return picture(entry) +
         fmt::format("<details{}><summary>{} numbers, {}</summary>\n", wrong > 0 ? " open" : "", all,
                     wrong > 0 ? fmt::format("{} of them not as expected", wrong) : "all as expected") +
         numbers_table(entry.numbers) + "</details>\n";
}

std::string experiment(const IndexEntry& entry) {
  return fmt::format(
             "<article class=\"experiment\" id=\"{0}\" data-document=\"{1}\" data-verdict=\"{2}\">\n"
             "<header><h3><span class=\"id\">{0}</span>{3}</h3>{4}</header>\n"
             "<p class=\"source small muted\">{5}</p>\n",
             html(entry.id), html(document_of(entry)), to_string(entry.verdict), html(entry.title), mark(entry.verdict),
             html(entry.source)) +
         paragraphs(entry.because) + body(entry) + files_list(entry.files) + "</article>\n";
}

std::string options_of(const std::vector<std::string>& values) {
  std::string out = "<option value=\"\">all</option>";
  for (const std::string& value : values) out += fmt::format("<option>{}</option>", html(value));
  return out;
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::agrees: return "agrees";
    case Verdict::differs: return "differs";
    case Verdict::not_decidable: return "not decidable";
    case Verdict::failed: return "failed";
  }
  return "";
}

std::string index_page(const std::vector<IndexEntry>& entries, const std::string& title, const std::string& lead) {
  std::vector<std::string> documents, verdicts;
  std::string counts = "<ul class=\"counts\" aria-label=\"verdicts\">\n";
  for (const Verdict verdict : kVerdicts) {
    const auto count = std::ranges::count(entries, verdict, &IndexEntry::verdict);
    if (count == 0) continue;
    verdicts.emplace_back(to_string(verdict));
    counts += fmt::format("<li>{}</li>\n", mark(verdict, fmt::format(": {}", count)));
  }
  counts += "</ul>\n";
  for (const IndexEntry& entry : entries)
    if (std::ranges::find(documents, document_of(entry)) == documents.end()) documents.push_back(document_of(entry));

  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"rattleback {}\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#experiments\">To the experiments</a>\n<div class=\"sheet\">\n"
      "<header class=\"top\"><div><h1>{}</h1>\n<p class=\"lead\">{}</p></div>\n"
      "<button id=\"theme\" type=\"button\" hidden>Dark</button></header>\n<main>\n",
      kVersion, html(title), page_css(), html(title), html(lead));
  out += counts;
  out += fmt::format(
      "<div class=\"filters\" id=\"filters\" hidden>\n"
      "<label class=\"field\">document <select name=\"document\">{}</select></label>\n"
      "<label class=\"field\">verdict <select name=\"verdict\">{}</select></label>\n"
      "<span class=\"small muted\" id=\"shown\" role=\"status\"></span></div>\n",
      options_of(documents), options_of(verdicts));
  out += "<section id=\"experiments\" aria-label=\"experiments\">\n";
  for (const IndexEntry& entry : entries) out += experiment(entry);
  out += fmt::format(
      "</section>\n</main>\n<footer>Written by rattleback {}. This page stands alone: it loads nothing from elsewhere."
      "</footer>\n</div>\n<script>\n{}</script>\n<script>\n{}</script>\n</body>\n</html>\n",
      kVersion, theme_script(), index_script());
  return out;
}

}  // namespace rattleback::report
