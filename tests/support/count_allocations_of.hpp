// The count of allocations that count_allocations.hpp keeps, for the other files of its program.
#pragma once

namespace rattleback::testing {

long allocations_so_far();

}  // namespace rattleback::testing
