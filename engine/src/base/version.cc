// The linked version.
#include "trommel/version.h"

namespace trommel {

std::string_view LinkedVersion() noexcept { return TROMMEL_VERSION_STRING; }

}  // namespace trommel
