// Ctrl-C, kill and a closed terminal (SIGINT, SIGTERM, SIGHUP): the first one ends a computation after its step, and what
// there is is written; a second one ends the program at once. While nothing has been computed, the first one does.
#pragma once

#include <stop_token>
#include <string>

#include "rattleback/simulate.hpp"

namespace rattleback::cli {

// At the start of the program. A signal that was ignored then stays so (nohup).
void install_signal_handlers();

// What computations are given.
std::stop_token stop_token();

// From here on there is something to lose.
void begin_computing();

// The signal that came, or 0; 128 + its number is the exit status.
int received_signal();
int exit_status(Status status);
// "cancelled ..." becomes "cancelled by SIGINT ...".
std::string with_signal(const std::string& message);

}  // namespace rattleback::cli
