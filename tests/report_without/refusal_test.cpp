// What a build without the scripts of the page answers. This program has its own, empty bundle, which takes the place of
// the library's.
#include <gtest/gtest.h>

#include "rattleback/error.hpp"
#include "report/html.hpp"
#include "report/page_texts.hpp"

namespace rattleback::report {

std::string report_script() { return ""; }
std::string report_css() { return ""; }
std::string report_licences() { return ""; }
std::string report_missing() { return "Node.js and npm were not found when it was built. Install them"; }

TEST(ReportWithoutNode, IsRefusedWithWhatToDo) {
  try {
    check_report_path("run.html");
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "--report is not in this build: Node.js and npm were not found when it was built. Install them");
  }
}

}  // namespace rattleback::report
