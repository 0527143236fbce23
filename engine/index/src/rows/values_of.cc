#include <algorithm>
#include <cstdint>

#include "engine/index/src/rows/row_store.h"

namespace trommel::index {

Values ValuesOf(const Versions& versions, uint32_t attribute) {
  if (versions.size() == 1) return versions[0][attribute];
  Values values;
  for (const std::vector<Values>& version : versions) {
    values.insert(values.end(), version[attribute].begin(), version[attribute].end());
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace trommel::index
