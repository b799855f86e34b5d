// Reading JSON and printing it in failures, compiled once.
#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>

namespace rattleback {

nlohmann::ordered_json parse_json(const std::string& text);

}  // namespace rattleback

namespace nlohmann {

// Called by GoogleTest.
void PrintTo(const ordered_json& json, std::ostream* out);

}  // namespace nlohmann
