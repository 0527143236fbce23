#include "tools/index/rows/range_text.h"

#include <fmt/core.h>

#include "tools/trommel/output/report.h"

namespace trommel::tool {

std::string RangeText(const index::KeyRange& range) {
  return fmt::format("{} to {}", range.begin.empty() ? "the first key" : Quoted(range.begin),
                     range.end.empty() ? "the last" : "before " + Quoted(range.end));
}

}  // namespace trommel::tool
