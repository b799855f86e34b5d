// The report of a run as text: what it says, what stays text, how large it is. tests/report/browser_long_test.sh opens it.
#include "report/html.hpp"

#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "rattleback/audit.hpp"
#include "rattleback/error.hpp"
#include "report/html_text.hpp"
#include "report/page_texts.hpp"
#include "report/report_data.hpp"

namespace rattleback::report {
namespace {

std::string report_of(const Model& model, const Trajectory& t) { return run_report(model, t, {}, {}); }

std::string report_of(const std::string& text, const Options& options = {}) {
  const Model model = parse_model(text, "m.toml");
  return report_of(model, simulate(model, options));
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size())) ++n;
  return n;
}

std::vector<double> doubles(const std::string& base64_text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : base64_text) {
    if (c == '=') break;
    group = group << 6 | static_cast<unsigned>(kDigits.find(c));
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes += static_cast<char>(group >> bits & 255U);
    }
  }
  std::vector<double> out(bytes.size() / sizeof(double));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(double));
  return out;
}

const char* const kEvil = R"(# </script><script>alert('about')</script> <!-- & "quotes"
name = "</script><script>alert('name')</script><!--"
coordinates = ["x"]
[parameters]
k = 1.0   # <img src=x onerror=alert('parameter')>
[lagrangian]
kinetic   = "x'^2/2"
potential = "k*x^2/2"
[initial]
x = 1
)";

TEST(HtmlReport, LeavesTextsOfTheModelAsTexts) {
  const std::string plain =
      report_of("coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\n", {.step = 0.1, .steps = 3});
  const std::string page = report_of(kEvil, {.step = 0.1, .steps = 3});
  for (const char* tag : {"<script", "</script", "<!--", "<img"}) EXPECT_EQ(count(page, tag), count(plain, tag)) << tag;
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;script&gt;alert(&#39;name&#39;)"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x onerror=alert(&#39;parameter&#39;)&gt;"), std::string::npos);
}

TEST(HtmlReport, LoadsNothingFromElsewhere) {
  std::string page = report_of(load_model("rolling-disk"), simulate(load_model("rolling-disk"), {.steps = 10}));
  // The script of the page names namespaces and documentation; it has no way to load anything.
  page.erase(page.rfind("<script>"));
  for (const char* text : {"http://", "https://", "@import", "url(", " src=", "<link"})
    EXPECT_EQ(page.find(text), std::string::npos) << text;
}

TEST(HtmlReport, SaysWhatTheTerminalSays) {
  const Model model = load_model("chaplygin-sleigh");
  const Trajectory t = simulate(model, {});
  const std::string page = report_of(model, t);
  const std::vector<Statement> statements = audit_statements(model, t);
  ASSERT_EQ(statements.size(), 5u);  // energy, position, velocity, equations of motion, Newton
  for (const Statement& s : statements) EXPECT_NE(page.find(html(s.text)), std::string::npos) << s.text;
  EXPECT_NE(page.find("<span class=\"mark ok\">kept</span><span>Energy: kept to"), std::string::npos);
  EXPECT_NE(page.find("<code>spark-lobatto-ab</code>, 3 stages"), std::string::npos);
}

TEST(HtmlReport, MarksWhatIsNotKept) {
  // A run that does lose its constraint: a general-purpose code, by 1e-5.
  const Model disk = load_model("rolling-disk");
  const std::string page =
      report_of(disk, simulate(disk, {.method = "ode", .step = 1.0, .until = 100.0, .rtol = 1e-5}));
  EXPECT_NE(page.find("<span class=\"mark warning\">look</span>"), std::string::npos);
}

TEST(HtmlReport, SaysWhyARunStopped) {
  const Model model = parse_model(
      "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x^2)\"\n"
      "[initial]\nx = 1\n",
      "m.toml");
  const Trajectory t = simulate(model, {.method = "spark-gauss", .step = 0.1, .until = 10.0});
  ASSERT_EQ(t.status, Status::stopped);
  const std::string page = report_of(model, t);
  const std::size_t said = page.find("<span class=\"mark warning\">stopped</span>");
  EXPECT_LT(said, page.find("<section id=\"plots\">"));  // on top
  EXPECT_EQ(count(page, "<span class=\"mark warning\">stopped</span>"), 1);
  EXPECT_NE(page.find(html(t.message)), std::string::npos);
}

TEST(HtmlReport, MotionAndVerdictsStandOnTop) {
  const Model model = load_model("skate");
  const std::string page = report_of(model, simulate(model, {.steps = 10}));
  std::size_t before = page.find("<main>");
  for (const char* id : {"motion", "audit", "plots", "run", "model"}) {
    const std::size_t at = page.find(std::string("<section id=\"") + id + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_LT(before, at) << id;
    before = at;
  }
}

// So many steps of a pendulum that its plots would be painted blocks.
TEST(HtmlReport, ALongRunHasAWindowOfWhichEveryRecordIsShown) {
  const Model model = load_model("double-pendulum");
  const Trajectory t = simulate(model, {.method = "rattle"});
  ASSERT_EQ(t.records.rows, 24'001u);
  const Json data = report_data(model, t);
  ASSERT_TRUE(data.contains("window"));
  const double from = data["window"][0], to = data["window"][1];
  EXPECT_EQ(from, 0.0);
  EXPECT_GT(to, 4.0);  // its oscillations take about a second
  EXPECT_LT(to, 24.0);
  const std::vector<double> values = doubles(data["values"].get<std::string>());
  std::size_t shown = 0;
  for (std::size_t i = 0; i < data["rows"].get<std::size_t>() && values[i] <= to; ++i) {
    EXPECT_EQ(values[i], t.records.t[i]);  // t is the first column
    shown = i;
  }
  EXPECT_NEAR(static_cast<double>(shown), to / 0.01, 1.0);
  EXPECT_NE(report_of(model, t).find("open on a window"), std::string::npos);
  const Model slow = load_model("heavy-top");  // 48 turns of a spin, 24 of its quaternion
  EXPECT_FALSE(report_data(slow, simulate(slow, {})).contains("window"));
}

TEST(HtmlReport, NoColumnOfALargerModelIsLeftOut) {
  constexpr int kBodies = 7;
  std::string coordinates, kinetic;
  for (int i = 1; i <= kBodies; ++i)
    for (const char* letter : {"x", "y", "phi"}) {
      const std::string name = letter + std::to_string(i);
      coordinates += (coordinates.empty() ? "\"" : ", \"") + name + "\"";
      kinetic += (kinetic.empty() ? "" : " + ") + name + "'^2/2";
    }
  std::string constraints;
  for (int i = 1; i < kBodies; ++i)
    for (const char* letter : {"x", "y"}) {
      const std::string a = std::to_string(i), b = std::to_string(i + 1);
      constraints += "j" + a + letter + " = \"" + letter + a + " - " + letter + b + "\"\n";
    }
  const Model model = parse_model("coordinates = [" + coordinates + "]\n[lagrangian]\nkinetic = \"" + kinetic +
                                      "\"\n[constraints.holonomic]\n" + constraints + "[initial]\n\"phi1'\" = 1\n",
                                  "bodies.toml");
  ASSERT_EQ(model.coordinates.size(), 21);
  const Json data = report_data(model, simulate(model, {.method = "rattle", .step = 0.1, .steps = 5}));
  EXPECT_EQ(data["leftOut"], 0);
  std::set<std::string> names;
  for (const Json& column : data["columns"]) names.insert(column["name"].get<std::string>());
  for (std::int32_t i = 0; i < 21; ++i) {
    EXPECT_TRUE(names.contains(model.coordinates[i])) << model.coordinates[i];
    EXPECT_TRUE(names.contains(model.coordinates[i] + "'")) << model.coordinates[i];
  }
  // The portrait of a system without points has them all, too.
  std::string angles, energy;
  for (int i = 1; i <= 21; ++i) {
    angles += (i > 1 ? ", \"phi" : "\"phi") + std::to_string(i) + "\"";
    energy += (i > 1 ? " + phi" : "phi") + std::to_string(i) + "'^2/2";
  }
  const Model wheels =
      parse_model("coordinates = [" + angles + "]\n[lagrangian]\nkinetic = \"" + energy + "\"\n", "w.toml");
  EXPECT_EQ(report_data(wheels, simulate(wheels, {.step = 0.1, .steps = 5}))["motion"]["names"].size(), 42u);
}

TEST(HtmlReport, HasArraysAmongTheParameters) {
  const char* const text =
      "coordinates = [\"x\"]\n[parameters]\nk = [1.5, 2, 3]  # <stiff>\n[lagrangian]\nkinetic = \"x'^2/2\"\n"
      "potential = \"k[2]*x^2\"\n[initial]\nx = 1\n";
  const std::string page = report_of(text, {.step = 0.1, .steps = 3});
  EXPECT_NE(page.find("<td class=\"number\">1.5, 2, 3</td><td>&lt;stiff&gt;</td>"), std::string::npos);
  const LoadOptions load{.set = {{"k[2]", "50"}}};
  const Model model = parse_model(text, "m.toml", load);
  const std::string changed = run_report(model, simulate(model, {.step = 0.1, .steps = 3}), {}, load);
  EXPECT_NE(changed.find("<td class=\"number\">1.5, 50, 3</td><td>&lt;stiff&gt;; set for this run</td>"),
            std::string::npos);
}

TEST(HtmlReport, HasAllKindsOfSystems) {
  for (const ShippedModel& shipped : shipped_models()) {
    Model model = load_model(std::string(shipped.key));
    const Trajectory t = simulate(model, {.steps = 4});
    const std::string page = report_of(model, t);
    EXPECT_NE(page.find("<math"), std::string::npos) << shipped.key;
    EXPECT_NE(page.find(html(model.name)), std::string::npos) << shipped.key;
    if (shipped.key != "two-oscillators")
      EXPECT_EQ(page.find("<div class=\"formula\"><code>"), std::string::npos) << shipped.key;
  }
}

TEST(HtmlReport, RecordsAreInItBitByBit) {
  const Model model = load_model("skate");
  const Trajectory t = simulate(model, {.steps = 50});
  const Json data = report_data(model, t);
  const std::vector<double> values = doubles(data["values"].get<std::string>());
  const std::size_t rows = data["rows"].get<std::size_t>();
  ASSERT_EQ(rows, t.records.rows);
  for (std::size_t c = 0; c < data["columns"].size(); ++c)
    for (std::size_t i = 0; i < rows; ++i) {
      if (data["columns"][c]["name"] == "t") EXPECT_EQ(values[c * rows + i], t.records.t[i]);
      if (data["columns"][c]["name"] == "theta") EXPECT_EQ(values[c * rows + i], t.records.q[3 * i + 2]);
      if (data["columns"][c]["name"] == "energy") EXPECT_EQ(values[c * rows + i], t.records.energy[i]);
    }
}

TEST(HtmlReport, AMillionStepsAreLessThanFiveMegabytes) {
  const Model model = load_model("skate");
  const Trajectory t = simulate(model, {.step = 0.1, .steps = 1'000'000});
  const std::string page = report_of(model, t);
  EXPECT_LT(page.size(), 5'000'000u);  // 3.0e6
  EXPECT_NE(page.find("of 1000001 records"), std::string::npos);
  // Extremes survive.
  const Json data = report_data(model, t);
  const std::vector<double> values = doubles(data["values"].get<std::string>());
  const std::size_t rows = data["rows"].get<std::size_t>();
  EXPECT_LE(rows, 20'000u);
  double largest = 0.0, shown = 0.0;
  for (const double e : t.records.energy) largest = std::fmax(largest, std::fabs(e - t.records.energy[0]));
  for (std::size_t c = 0; c < data["columns"].size(); ++c)
    if (data["columns"][c]["name"] == "energy")
      for (std::size_t i = 0; i < rows; ++i)
        shown = std::fmax(shown, std::fabs(values[c * rows + i] - values[c * rows]));
  EXPECT_EQ(shown, largest);
  EXPECT_EQ(data["motion"]["clips"].size(), 3u);  // the beginning, the end, the whole run
}

TEST(HtmlReport, LargeSystemsStaySmall) {
  const Model model = load_model("chain", {.set = {{"N", "2000"}}});
  const Trajectory t = simulate(model, {.step = 0.001, .steps = 20});
  const std::string page = report_of(model, t);
  EXPECT_LT(page.size(), 5'000'000u);
  EXPECT_NE(page.find("the first columns are shown"), std::string::npos);
}

TEST(HtmlReport, RefusesOtherEndings) {
  const std::string missing = report_missing();  // a build without Node.js refuses all of them, with that reason
  try {
    check_report_path("a.txt");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), missing.empty()
                                ? "report 'a.txt' has an ending that is not known. Reports are written as .html"
                                : "--report is not in this build: " + missing);
  }
  EXPECT_THROW(check_report_path("no/such/folder/a.html"), Error);
}

TEST(HtmlReport, SaysWhatGivesTheInputsOfPorts) {
  const std::string page = report_of(
      "coordinates = ['x']\n[lagrangian]\nkinetic = \"x'^2/2\"\n[ports.motor]\nalong = { x = 1 }\n[outputs]\n"
      "twice = '2*x'\n",
      {.step = 0.1, .steps = 3});
  EXPECT_NE(page.find("given from outside"), std::string::npos);
  EXPECT_NE(page.find(R"({"name":"twice","group":"outputs")"), std::string::npos);  // with a plot of its own
}

}  // namespace
}  // namespace rattleback::report
