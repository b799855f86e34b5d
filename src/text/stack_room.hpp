// Room on the stack for another level of a recursion. Limits on nesting are numbers; what a level takes, and how much there
// is (`ulimit -s`, threads), is not known to them. So each recursion over a text asks here, too.
#pragma once

namespace rattleback::front {

[[nodiscard]] bool stack_is_short();

inline constexpr const char* kStackIsShort = "nested too deep for the stack that the program has (`ulimit -s`)";

}  // namespace rattleback::front
