// RowSample: some of the rows that pass by, and how many of all have which value.
#ifndef TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_
#define TROMMEL_TOOLS_INDEX_ROW_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trommel/index/schema.h"

namespace trommel::tool {

// Reservoir: a sample in which each item of a sequence has the same chance to be (Vitter's
// algorithm R).

// Not thread-safe. With the same items in the same order, the sample is the same.
template <typename Item>
class Reservoir {
 public:
  explicit Reservoir(size_t most_items) : most_items_(most_items) {}

  // `item` is copied only if it comes into the sample.
  template <typename Source>
  void Add(const Source& item) {
    ++num_added_;
    if (items_.size() < most_items_) {
      items_.emplace_back(item);
      return;
    }
    // xorshift64 (Marsaglia, "Xorshift RNGs", 2003): enough to spread a sample.
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    const uint64_t place = random_ % num_added_;
    if (place < items_.size()) items_[place] = item;
  }

  const std::vector<Item>& items() const noexcept { return items_; }
  uint64_t num_added() const noexcept { return num_added_; }

 private:
  size_t most_items_;
  std::vector<Item> items_;
  uint64_t num_added_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

// KeySample: where a table should be cut into regions, and how many keys are different.

// Not thread-safe.
class KeySample {
 public:
  explicit KeySample(size_t most_keys = 200'000) : keys_(most_keys) {}

  void Add(std::string_view key) { keys_.Add(key); }

  // Keys that cut the sampled ones into num_regions ranges of about the same number, strictly
  // ascending. Fewer where there are not enough different keys.
  std::vector<std::string> Splits(size_t num_regions) const;

 private:
  Reservoir<std::string> keys_;
};

// Counts different keys by their digests: two keys have the same one with probability 2^-64. 8
// bytes per key that is added.
class DifferentKeys {
 public:
  void Add(std::string_view key);
  uint64_t Count();

 private:
  std::vector<uint64_t> digests_;
};

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
