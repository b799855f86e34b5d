// Places that [define] has as `xA`, `yA` or `A_x`, `A_y`: rods where a constraint keeps a distance between two of them, or of one
// from a point of coordinates or a fixed place. In a system without constraints and points, where angles are the
// coordinates: rods where such a distance is constant.
#pragma once

#include "report/view_builder.hpp"

namespace rattleback::report {

void find_defined_places(ViewBuilder& builder);

}  // namespace rattleback::report
