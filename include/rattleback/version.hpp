/* The version of these headers and that of the library a program runs with. */
#ifndef RATTLEBACK_VERSION_HPP
#define RATTLEBACK_VERSION_HPP

#include "rattleback/export.hpp"

/* Of these headers, as text. The same as in CMakeLists.txt, which looks here. */
#define RATTLEBACK_VERSION "0.1.0"

#if defined(__cplusplus)
namespace RATTLEBACK_API rattleback {

// RATTLEBACK_VERSION of the library: another one than that of the headers where a shared library was exchanged.
const char* version() noexcept;

}  // namespace rattleback
#endif

#endif
