// The parts of `trommel size`.
#ifndef TROMMEL_TOOLS_SIZE_H_
#define TROMMEL_TOOLS_SIZE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bench/sweep/encoding_speed.h"
#include "tools/trommel/options/command_line.h"
#include "tools/trommel/options/filter_options.h"
#include "tools/trommel/output/report.h"
#include "trommel/sizing.h"

namespace trommel::tool {

// What --measure found, one for each sizing.
using Speeds = std::vector<bench::SideSpeed>;

// Measures a filter of each of them on this machine, with progress on a terminal. Returns an exit
// code; unless it is kDone, the failure has been printed.
int MeasureSizings(std::span<const Sizing> sizings, const Settings& settings, Speeds& speeds);

// Sizings of different encodings, one column each. Requires at least one; `speeds` may be empty.
void DescribeSizings(std::span<const Sizing> sizings, const Speeds& speeds, Report& report);

// For programs: the figures of `chosen`, one of `sizings`, and all of them again under "encodings".
void AddSizingFields(const Sizing& chosen, std::span<const Sizing> sizings, const Speeds& speeds,
                     Report& report);

// Cache lines of a block that a query reads, and that an update changes.
uint64_t LinesOfQuery(const Geometry& geometry);
uint64_t LinesOfUpdate(const Geometry& geometry);

// For types whose memory is not one sizing: scalable and window filters. Returns an exit code.
int RunFamilySize(const FamilyOptions& options, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_SIZE_H_
