// Values are counted from the first row that has them, or not at all.
#include "tools/index/rows/row_sample.h"

#include <algorithm>
#include <string_view>

#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::tool {
namespace {

// The absent value is this and a number of hyphens: more than any value that begins so.
constexpr std::string_view kAbsent = "no-such-value";

}  // namespace

RowSample::RowSample(const index::Schema& schema, size_t most_rows)
    : values_(schema.attributes.size()), rows_(most_rows) {
  for (AttributeValues& values : values_) values.absent_bytes = kAbsent.size();
}

void RowSample::Add(const index::Row& row) {
  rows_.Add(row);
  for (size_t attribute = 0; attribute < values_.size(); ++attribute) {
    for (const std::string& value : row.attributes[attribute]) Count(values_[attribute], value);
  }
}

void RowSample::Count(AttributeValues& values, const std::string& value) {
  if (value.starts_with(kAbsent)) {
    values.absent_bytes = std::max(values.absent_bytes, value.size() + 1);
  }
  if (value.size() > kLongestValue) return;
  if (const auto found = values.num_rows.find(value); found != values.num_rows.end()) {
    ++found->second;
    return;
  }
  constexpr size_t kBytesPerValue = 64;  // of the map, about
  const size_t num_bytes = value.size() + kBytesPerValue;
  if (values.num_rows.size() >= kMostValues || num_bytes_ + num_bytes > kMostBytes) return;
  num_bytes_ += num_bytes;
  values.num_rows.emplace(value, 1);
}

std::optional<std::string> RowSample::Frequent(size_t attribute, uint64_t most_rows) const {
  uint64_t most = 0;
  for (const auto& [value, num_rows] : values_[attribute].num_rows) {
    if (num_rows <= most_rows) most = std::max(most, num_rows);
  }
  return MiddleOf(attribute, most);
}

std::optional<std::string> RowSample::Rare(size_t attribute) const {
  uint64_t fewest = UINT64_MAX;
  for (const auto& [value, num_rows] : values_[attribute].num_rows) {
    fewest = std::min(fewest, num_rows);
  }
  return MiddleOf(attribute, fewest);
}

std::optional<std::string> RowSample::MiddleOf(size_t attribute, uint64_t num_rows) const {
  std::vector<std::string_view> values;
  for (const auto& [value, num_with] : values_[attribute].num_rows) {
    if (num_with == num_rows) values.push_back(value);
  }
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return std::string(*middle);
}

std::string RowSample::Absent(size_t attribute) const {
  std::string value(kAbsent);
  value.resize(values_[attribute].absent_bytes, '-');
  return value;
}

std::vector<std::string> KeySample::Splits(size_t num_regions) const {
  std::vector<std::string> keys = keys_.items();
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<std::string> splits;
  const size_t num_ranges = std::min(num_regions, keys.size());
  for (size_t range = 1; range < num_ranges; ++range) {
    splits.push_back(keys[range * keys.size() / num_ranges]);
  }
  return splits;
}

void DifferentKeys::Add(std::string_view key) {
  digests_.push_back(DigestPolicy{.kind = DigestKind::kXxh3}(Key(key)));
}

uint64_t DifferentKeys::Count() {
  std::ranges::sort(digests_);
  const auto end = std::unique(digests_.begin(), digests_.end());
  return static_cast<uint64_t>(end - digests_.begin());
}

}  // namespace trommel::tool
