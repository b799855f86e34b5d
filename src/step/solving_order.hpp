// Equations in blocks that can be solved one after the other (block lower triangular form).
//
// First by what occurs in which equation, then, inside a block, by what the derivatives say: an equation may contain an
// unknown that it does not depend on, as in (u + b) c - u c. A matching of the derivatives lies inside the blocks of the
// occurrences, so derivatives with respect to unknowns of other blocks are never formed: the stages of an explicit method
// of high order do not derive the stages before them.
#pragma once

#include <map>
#include <vector>

#include "step/equations.hpp"

namespace rattleback {

struct BlockRows {
  using Row = std::map<std::int32_t, NodeId>;  // unknown -> d residual / d unknown; 0 = occurs, but only in jumps
  std::vector<std::int32_t> unknowns, equations;
  std::vector<Row> rows;  // by equation, unknowns of the block only
  bool jumps = false;     // an unknown of the block is below a function with jumps: sign, a condition
};

// Leading blocks of one linear equation c*u + rest = 0, c an expression of the inputs, become formulas, too: nothing but
// this equation determines u. They are put in, and alive[u] becomes 0. Throws Error when some unknown cannot be determined
// whatever the values are.
std::vector<BlockRows> solving_order(Equations& eq, std::vector<char>& alive);

// The size of the largest block, as occurrences show it.
std::size_t largest_block(const Equations& eq, const std::vector<char>& alive);

// All equations as one block; equation k belongs to unknown k.
BlockRows whole_block(Equations& eq);

}  // namespace rattleback
