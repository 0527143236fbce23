// Ranges of keys as text.
#ifndef TROMMEL_TOOLS_INDEX_RANGE_TEXT_H_
#define TROMMEL_TOOLS_INDEX_RANGE_TEXT_H_

#include <string>

#include "trommel/index/schema.h"

namespace trommel::tool {

// "'a' to before 'b'", "the first key to the last".
std::string RangeText(const index::KeyRange& range);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_RANGE_TEXT_H_
