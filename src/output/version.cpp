#include "rattleback/version.hpp"

namespace rattleback {

const char* version() noexcept { return RATTLEBACK_VERSION; }

}  // namespace rattleback
