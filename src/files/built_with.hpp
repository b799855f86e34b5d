// The parts of this build that can be left out of it (RATTLEBACK_WITH_... of CMake).
#pragma once

namespace rattleback {

#ifdef RATTLEBACK_WITHOUT_HDF5
inline constexpr bool kWithHdf5 = false;
#else
inline constexpr bool kWithHdf5 = true;
#endif

#ifdef RATTLEBACK_WITHOUT_RSVG
inline constexpr bool kWithRsvg = false;
#else
inline constexpr bool kWithRsvg = true;
#endif

#ifdef RATTLEBACK_WITHOUT_SUNDIALS
inline constexpr bool kWithSundials = false;
#else
inline constexpr bool kWithSundials = true;
#endif

}  // namespace rattleback
