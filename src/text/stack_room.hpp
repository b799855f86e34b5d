// Room on the stack for another level of a recursion. Limits on nesting are numbers; what a level takes, and how much there
// is (`ulimit -s`, threads), is not known to them. So each recursion over a text asks here, too.
#pragma once

namespace rattleback::front {

// Within a level that has asked, a part of it (an index) may ask for its own levels: it is told later, so that a circle of levels
// is found by the levels.
enum class Room { of_a_level, within_a_level };
[[nodiscard]] bool stack_is_short(Room room = Room::of_a_level);

inline constexpr const char* kStackIsShort = "nested too deep for the stack that the program has (`ulimit -s`)";

}  // namespace rattleback::front
