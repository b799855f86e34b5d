// Forms of the equations of a system as text, for `check --form`.
#pragma once

#include "rattleback/simulate.hpp"
#include "system/system.hpp"

namespace rattleback {

// Throws Error, with the reason, where the system has no such form.
void add_form(const System& system, Form form, CheckReport& out);

}  // namespace rattleback
