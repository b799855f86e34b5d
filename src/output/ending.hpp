// How a study ended, for those who say it: the exit status, the message on stderr and the JSON.
#pragma once

#include <string>

#include "output/json.hpp"
#include "rattleback/analysis.hpp"

namespace rattleback::report {

struct Ending {
  Status status = Status::done;
  std::string message = {};  // empty when it is done
};

// Stopped: no method reached the end.
Ending ending_of(const CompareReport& report);
// Stopped: some members (starts) did not reach the end.
Ending ending_of(const EnsembleReport& report);
Ending ending_of(const SectionReport& report);

// `status` and `message`, unless it is done.
void put_ending(Json& json, const Ending& ending);

}  // namespace rattleback::report
