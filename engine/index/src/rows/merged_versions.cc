// The readable versions of a row, taken together.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

Row MergedRow(std::string_view key, const Versions& versions) {
  Row row{.key = std::string(key), .attributes = {}};
  for (uint32_t attribute = 0; attribute < versions[0].size(); ++attribute) {
    row.attributes.push_back(ValuesOf(versions, attribute));
  }
  return row;
}

}  // namespace trommel::index
