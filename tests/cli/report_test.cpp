// `run --report`: checked before the run, written whole or not at all after it.
#include "program.hpp"
#include "report/page_texts.hpp"

namespace rattleback {
namespace {

class ReportOption : public Program {
 protected:
  // A build without Node.js has no report. It says so before the run, and that is what is tested there.
  bool is_not_in_this_build() {
    const std::string reason = report::report_missing();
    if (reason.empty()) return false;
    const Outcome outcome = rattleback({"run", "skate", "--steps", "100000000", "--report", "skate.html"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("--report is not in this build: " + reason), std::string::npos) << outcome.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    return true;
  }
};

TEST_F(ReportOption, WritesAPageAndSaysWhere) {
  if (is_not_in_this_build()) return;
  const Outcome outcome = rattleback({"run", "skate", "--steps", "20", "--report", "skate.html"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("\nReport: skate.html\n"), std::string::npos);
  const std::string page = read("skate.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST_F(ReportOption, IsRefusedBeforeTheRun) {
  if (is_not_in_this_build()) return;
  for (const auto& [path, message] : std::vector<std::pair<std::string, std::string>>{
           {"a.svg", "report 'a.svg' has an ending that is not known. Reports are written as .html\n"},
           {"", "the report has no name\n"},
           {"no/a.html",
            "report 'no/a.html': the folder 'no' does not exist. Make it first, or name another place\n"}}) {
    const Outcome outcome = rattleback({"run", "skate", "--steps", "100000000", "--report", path});
    EXPECT_EQ(outcome.status, 2) << path;
    EXPECT_EQ(outcome.out, "") << path;
    EXPECT_EQ(outcome.err, message);
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

TEST_F(ReportOption, AFullDiskDoesNotLoseTheResult) {
  if (is_not_in_this_build()) return;
  const Outcome outcome =
      execute({"/bin/bash", "-c",
               "trap '' XFSZ; ulimit -f 8; " RATTLEBACK_BINARY " run skate --steps 20 --report skate.html --json"});
  EXPECT_EQ(outcome.status, 74);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["status"], "done");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(ReportOption, ARunThatStopsHasItsReport) {
  if (is_not_in_this_build()) return;
  write("m.toml",
        "coordinates = [\"x\"]\n[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"-exp(x^2)\"\n[initial]\nx = 1\n");
  const Outcome outcome =
      rattleback({"run", "m.toml", "--method", "spark-gauss", "--step", "0.1", "--until", "10", "--report", "m.html"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(read("m.html").find("<span class=\"mark warning\">stopped</span>"), std::string::npos);
}

}  // namespace
}  // namespace rattleback
