// The index of experiments: one page that stands alone, in which the words of others stay words.
#include "report/index_page.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include "output/figures.hpp"
#include "plot/svg.hpp"
#include "report/html_text.hpp"

namespace rattleback::report {
namespace {

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

IndexEntry disk() {
  return {.id = "H-4.1",
          .title = "The rolling disk, two methods of order 2",
          .document = "Hilden",
          .source = "figures 4.1 to 4.5",
          .verdict = Verdict::differs,
          .because = "The drift comes from a loose tolerance.\nWith Newton to rounding the energy is exact.",
          .numbers = {{"slope of the error in theta", "5.866e-04", "5.866210448e-4", true},
                      {"energy error", "2e-3", "0", false}},
          .figure = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text>E</text></svg>",
          .figure_text = "theta error over t",
          .files = {{"", "H-4.1/energy.csv"}, {"all states", "H-4.1/all states.csv"}}};
}

TEST(IndexPage, ShowsWhatWasFoundAndWhatWasExpected) {
  const std::string page = index_page({disk()}, "Redone", "All of them.");
  for (const char* text :
       {"<title>Redone</title>", "All of them.", "H-4.1", "The rolling disk, two methods of order 2",
        "figures 4.1 to 4.5", "<p>The drift comes from a loose tolerance.</p>",
        "<p>With Newton to rounding the energy is exact.</p>", "5.866e-04", "5.866210448e-4",
        "class=\"mark differs\">differs", "<a href=\"H-4.1/energy.csv\">H-4.1/energy.csv</a>",
        "<a href=\"H-4.1/all%20states.csv\">all states</a>", "alt=\"theta error over t\"", "<option>Hilden</option>"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
  EXPECT_NE(page.find(base64(disk().figure)), std::string::npos);
}

TEST(IndexPage, CountsVerdictsAndTakesTheDocumentFromTheId) {
  std::vector<IndexEntry> entries(3, disk());
  entries[1].verdict = Verdict::agrees;
  entries[2].verdict = Verdict::agrees;
  entries[2].id = "JS-4.3";
  entries[2].document.clear();
  const std::string page = index_page(entries);
  EXPECT_NE(page.find("agrees: 2"), std::string::npos);
  EXPECT_NE(page.find("differs: 1"), std::string::npos);
  EXPECT_EQ(page.find("failed:"), std::string::npos);
  EXPECT_NE(page.find("<option>JS</option>"), std::string::npos);
}

TEST(IndexPage, LeavesTextsAsTexts) {
  const std::string evil = "</script><script>alert(1)</script><!-- \" onload='x' &amp;";
  IndexEntry e = disk();
  e.id = e.title = e.document = e.source = e.because = e.figure_text = evil;
  e.numbers = {{evil, evil, evil, true}};
  e.files = {{evil, "javascript:alert(1)"}};
  e.figure = "<svg onload=\"alert(1)\"></svg>";
  const std::string page = index_page({e}, evil, evil), plain = index_page({disk()}, "t", "l");
  EXPECT_EQ(count(page, "<script"), count(plain, "<script"));
  EXPECT_EQ(count(page, "</script"), count(plain, "</script"));
  EXPECT_EQ(count(page, "<!--"), 0);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page.find("onload='"), std::string::npos);
  EXPECT_EQ(page.find("javascript:"), std::string::npos);
  EXPECT_EQ(page.find("<svg"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;"), std::string::npos);
}

TEST(IndexPage, LoadsNothingFromElsewhere) {
  const std::string page = index_page({disk()});
  for (const char* text : {"http://", "https://", "@import", "url(", " src=\"/", "<link"})
    EXPECT_EQ(page.find(text), std::string::npos) << text;
}

// A page with real figures. browser_long_test.sh opens it: it is then written to the place that the environment names.
TEST(IndexPage, ShowsEveryEntryWithItsFigure) {
  const Model model = load_model("skate");
  const std::string figure = plot::to_svg(figure_of(model, simulate(model, {.until = 50.0})));
  std::vector<IndexEntry> entries(4, disk());
  const Verdict verdicts[] = {Verdict::differs, Verdict::agrees, Verdict::not_decidable, Verdict::failed};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].id = "H-4." + std::to_string(i + 1);
    entries[i].verdict = verdicts[i];
    entries[i].figure = figure;
  }
  entries[1].document = "Jay";
  entries[1].title = "</script><script>alert(1)</script>";
  entries[2].numbers.clear();
  entries[3].figure.clear();
  const std::string page = index_page(entries, "The experiments, redone", "Four of them, to look at.");
  for (const IndexEntry& e : entries) EXPECT_NE(page.find(e.id), std::string::npos) << e.id;
  EXPECT_EQ(count(page, "src=\"data:image/svg+xml;base64,"), 3);  // the last entry has none
  if (const char* place = std::getenv("RATTLEBACK_INDEX_PAGE")) {
    std::ofstream out(place);
    out << page;
    EXPECT_TRUE(out.flush().good()) << place;
  }
}

// Many numbers do not push the figure away: they are folded, unless one of them is wrong.
TEST(IndexPage, FoldsManyNumbers) {
  IndexEntry e = disk();
  e.numbers.assign(20, {"energy", "1", "1", true});
  EXPECT_NE(index_page({e}).find("<details><summary>20 numbers, all as expected</summary>"), std::string::npos);
  e.numbers[7].ok = false;
  EXPECT_NE(index_page({e}).find("<details open><summary>20 numbers, 1 of them not as expected</summary>"),
            std::string::npos);
  e.numbers.resize(3);
  EXPECT_EQ(index_page({e}).find("<details"), std::string::npos);
}

TEST(HtmlText, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(html("caf\xc3\xa9 \xf0\x9f\x98\x80"), "caf\xc3\xa9 \xf0\x9f\x98\x80");
  EXPECT_EQ(html("a\xff\x01\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(html("\xc0\xbc\xed\xa0\x80"), html("\xff\xff\xff\xff\xff"));  // overlong, and half of a pair
  EXPECT_EQ(html("one\r\ntwo"), "one\ntwo");
}

TEST(HtmlText, WritesBase64) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
}

TEST(HtmlText, NothingEndsAScript) { EXPECT_EQ(script_json("\"</script><!--\""), "\"\\u003c/script>\\u003c!--\""); }

}  // namespace
}  // namespace rattleback::report
