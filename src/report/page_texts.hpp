// Texts of web/, compiled into the library (cmake/report_page.cmake). All of them are ASCII.
#pragma once

#include <string>

namespace rattleback::report {

std::string page_css();      // of both pages
std::string theme_script();  // the button for light and dark
std::string index_script();  // the filters of the index

}  // namespace rattleback::report
