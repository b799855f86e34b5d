// The members of an ensemble as named columns: files, JSON and figures take them from here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "output/columns.hpp"
#include "output/json.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback::report {

// One row for each member: what varies, time, state, multipliers and outputs at the end, and what was kept. What a member does not
// have is nan. Without `all` only what was selected (EnsembleReport::selected).
std::vector<Block> member_blocks(const Model& model, const EnsembleReport& report, bool all = false);

// Why the energy of members is not kept, "" where it is: a parameter that varies may switch a force on.
std::string why_not_kept(const Model& model, const EnsembleReport& report);
// "energy_error", or "energy_change" where work is done.
std::string energy_key(const Model& model, const EnsembleReport& report);

// The end time of the members that reached it: "4", or "3.1 .. 4.3" where events have ended them.
std::string ends_text(const EnsembleReport& report);

// The first members as JSON objects.
Json member_rows(const Model& model, const EnsembleReport& report, std::size_t most);

// What the files of an ensemble say of themselves.
std::vector<std::pair<std::string, std::string>> ensemble_attributes(const Model& model, const EnsembleReport& report);
// How each member ended, and why it stopped early.
std::vector<std::string> member_status(const EnsembleReport& report);
std::vector<std::string> member_messages(const EnsembleReport& report);

// All numbers of an ensemble that do not depend on the time it took.
Json ensemble_json(const Model& model, const EnsembleReport& report);

}  // namespace rattleback::report
