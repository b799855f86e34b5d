// Text that goes into HTML pages. Everything that a user can name passes through one of these.
#pragma once

#include <string>
#include <string_view>

namespace rattleback::report {

// As text or as the value of an attribute in double quotes. Control characters and bytes that are not UTF-8 become U+FFFD.
std::string html(std::string_view text);

// JSON for a <script type="application/json">: no text in it can end the script or open a comment.
std::string script_json(std::string_view json);

std::string base64(std::string_view bytes);

// A link to a file beside the page, for href. Its ":" is written as %3A, so that no name is taken for "javascript:".
std::string href(std::string_view path);

}  // namespace rattleback::report
