// What a ColumnMap must have: copies of each pair of a place and a column.
#ifndef TROMMEL_TESTS_SUPPORT_MAP_MODEL_H_
#define TROMMEL_TESTS_SUPPORT_MAP_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "kernels/map_layout.h"
#include "trommel/column_map.h"

namespace trommel::tests {

class MapModel {
 public:
  using MapRow = std::vector<uint64_t>;

  explicit MapModel(const ColumnMap& map) : shape_(map.geometry()), row_words_(map.row_words()) {}

  uint64_t PlaceOf(uint64_t digest) const {
    const auto place = kernels::FingerprintPlaceOf(digest, shape_.num_blocks);
    return place.block_idx << 16 | kernels::MapFingerprint(place.rest, shape_.fingerprint_bits);
  }
  void Insert(uint32_t column, uint64_t digest) { ++copies_[PlaceOf(digest)][column]; }
  // Returns whether it was in.
  bool Erase(uint32_t column, uint64_t digest) {
    const auto place = copies_.find(PlaceOf(digest));
    if (place == copies_.end()) return false;
    const auto pair = place->second.find(column);
    if (pair == place->second.end()) return false;
    if (--pair->second == 0) place->second.erase(pair);
    if (place->second.empty()) copies_.erase(place);
    return true;
  }
  void Close(uint32_t column) {
    for (auto& [place, columns] : copies_) columns.erase(column);
    std::erase_if(copies_, [](const auto& entry) { return entry.second.empty(); });
  }

  MapRow Want(uint64_t digest) const {
    MapRow row(row_words_);
    const auto place = copies_.find(PlaceOf(digest));
    if (place == copies_.end()) return row;
    for (const auto& [column, count] : place->second) row[column / 64] |= 1ULL << column % 64;
    return row;
  }
  uint64_t num_pairs() const {
    uint64_t sum = 0;
    for (const auto& [place, columns] : copies_) sum += columns.size();
    return sum;
  }
  // By place, then by column.
  const std::map<uint64_t, std::map<uint32_t, uint64_t>>& copies() const { return copies_; }

 private:
  MapGeometry shape_;
  size_t row_words_;
  std::map<uint64_t, std::map<uint32_t, uint64_t>> copies_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_MAP_MODEL_H_
