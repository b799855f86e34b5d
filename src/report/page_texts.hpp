// Texts of web/, compiled into the library (cmake/report_page.cmake). All of them are ASCII.
#pragma once

#include <string>

namespace rattleback::report {

std::string page_css();      // of both pages
std::string theme_script();  // the button for light and dark
std::string index_script();  // the filters of the index

// Of the report of a run, bundled from web/src by Node.js.
std::string report_script();
std::string report_css();
std::string report_licences();  // of the libraries in the bundle
std::string report_missing();   // why there is no bundle in this build; "" when there is one

}  // namespace rattleback::report
