// `trommel size` for the types whose memory is not one sizing: growth by generation, buckets,
// layers, classic positions.
#ifndef TROMMEL_TOOLS_SIZE_FAMILY_H_
#define TROMMEL_TOOLS_SIZE_FAMILY_H_

#include "tools/trommel/family_options.h"
#include "tools/trommel/options.h"

namespace trommel::tool {

// Any type but kCounting. Returns an exit code.
int RunFamilySize(const FamilyOptions& options, const Settings& settings);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_SIZE_FAMILY_H_
