/// @file
/// The library's version, at compile time and at run time.
#ifndef TROMMEL_VERSION_H_
#define TROMMEL_VERSION_H_

#include <string_view>

#include "trommel/export.h"

/// @name Version of the headers
/// Before 1.0 a minor version may change the interface.
/// @{
#define TROMMEL_VERSION_MAJOR 0         ///< Major version.
#define TROMMEL_VERSION_MINOR 1         ///< Minor version.
#define TROMMEL_VERSION_PATCH 0         ///< Patch version.
#define TROMMEL_VERSION_STRING "0.1.0"  ///< "MAJOR.MINOR.PATCH".
/// @}

/// Approximate sets and multisets of keys: counting filters, and what goes with them.
namespace trommel {

/// Returns the version of the library that was linked, which may differ from that of the headers.
TROMMEL_API std::string_view LinkedVersion() noexcept;

}  // namespace trommel

#endif  // TROMMEL_VERSION_H_
