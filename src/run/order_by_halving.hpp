// The order that a method shows in a run (Options::audit_order).
#pragma once

#include <optional>

#include "audit/claims.hpp"
#include "rattleback/simulate.hpp"

namespace rattleback {

// Differences of the end states with h, h/2, h/4 shrink by 2^p. Nothing when such a run stops, or when they are all the same.
std::optional<MeasuredOrder> order_by_halving(const Model& model, Options options);

}  // namespace rattleback
