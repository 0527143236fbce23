// The library's version, at compile time and at run time.
#ifndef TROMMEL_VERSION_H_
#define TROMMEL_VERSION_H_

#include <string_view>

#define TROMMEL_VERSION_MAJOR 0
#define TROMMEL_VERSION_MINOR 1
#define TROMMEL_VERSION_PATCH 0
#define TROMMEL_VERSION_STRING "0.1.0"

namespace trommel {

// The version of the library that was linked, as opposed to the headers that were included.
std::string_view LinkedVersion() noexcept;

}  // namespace trommel

#endif  // TROMMEL_VERSION_H_
