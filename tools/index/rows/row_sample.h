// RowSample: some of the rows that pass by, and how many of all have which value.
#ifndef TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_
#define TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/index/rows/reservoir.h"
#include "trommel/index/schema.h"

namespace trommel::tool {

// Not thread-safe. Memory: rows of most_rows, and of each attribute the first kMostValues different
// values of at most kLongestValue bytes, of all attributes together at most kMostBytes. The counts
// of these are exact; other values are not drawn.
class RowSample {
 public:
  static constexpr size_t kMostValues = 50'000;
  static constexpr size_t kLongestValue = 200;
  static constexpr size_t kMostBytes = size_t{64} << 20;

  RowSample(const index::Schema& schema, size_t most_rows);

  // Requires a row of the schema.
  void Add(const index::Row& row);

  uint64_t num_rows() const noexcept { return rows_.num_added(); }
  const std::vector<index::Row>& rows() const noexcept { return rows_.items(); }

  // Different values that were counted.
  size_t NumValues(size_t attribute) const { return values_[attribute].num_rows.size(); }
  // A value that the most rows have, of those that at most `most_rows` have; and one that the
  // fewest have. Of several, the middle one in the order of bytes. None if there is none.
  std::optional<std::string> Frequent(size_t attribute, uint64_t most_rows) const;
  std::optional<std::string> Rare(size_t attribute) const;
  // A value that no row has.
  std::string Absent(size_t attribute) const;

 private:
  struct AttributeValues {
    std::unordered_map<std::string, uint64_t> num_rows;
    size_t absent_bytes = 0;  // length of a value that no row has
  };

  void Count(AttributeValues& values, const std::string& value);
  std::optional<std::string> MiddleOf(size_t attribute, uint64_t num_rows) const;

  std::vector<AttributeValues> values_;
  Reservoir<index::Row> rows_;
  size_t num_bytes_ = 0;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_
