// The colours of curves, on a light and on a dark page; web/page.css has the same. Any two of them differ by more than 20 units
// of CIELAB, also for eyes without one kind of cones, and from the page by a contrast of 3 (tests/plot/palette_test.cpp).
#pragma once

#include <array>

namespace rattleback::plot {

inline constexpr std::array kLight = {"#0969da", "#9c2600", "#00aa6b", "#710059",
                                      "#a69600", "#482a21", "#dc6eb8", "#3d0f87"};
inline constexpr std::array kDark = {"#58a6ff", "#d70052", "#55fa9a", "#97529b",
                                     "#d0e743", "#bc6400", "#ffb6db", "#714bf3"};

}  // namespace rattleback::plot
