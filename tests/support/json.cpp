#include "support/json.hpp"

#include <ostream>

nlohmann::ordered_json rattleback::parse_json(const std::string& text) { return nlohmann::ordered_json::parse(text); }

void nlohmann::PrintTo(const ordered_json& json, std::ostream* out) { *out << json.dump(); }
