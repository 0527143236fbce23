// What `trommel size` says.
#ifndef TROMMEL_TOOLS_SIZE_PRINT_H_
#define TROMMEL_TOOLS_SIZE_PRINT_H_

#include <span>

#include "tools/trommel/report.h"
#include "trommel/sizing.h"

namespace trommel::tool {

// One sizing, a line a figure.
void DescribeSizing(const Sizing& sizing, Report& report);

// Sizings of different encodings, a column each. Not empty.
void DescribeSideBySide(std::span<const Sizing> sizings, Report& report);

// For programs: the figures of `chosen`, and all of them again under "encodings".
void AddSizingFields(const Sizing& chosen, std::span<const Sizing> sizings, Report& report);

// Cache lines of a block that a query reads, and that an update changes.
uint64_t LinesOfQuery(const Geometry& geometry);
uint64_t LinesOfUpdate(const Geometry& geometry);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_SIZE_PRINT_H_
