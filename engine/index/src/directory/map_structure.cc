// The map of fingerprints to columns: ColumnMap as a PairStructure.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "trommel/column_map.h"

namespace trommel::index {
namespace {

// From so many pairs on, the slots that a map's pairs take say what its successor's will.
constexpr uint64_t kPairsThatTell = 10'000;
constexpr double kMargin = 1.125;
constexpr double kLeastShare = 1.0 / 16;

uint64_t SlotsFor(uint64_t num_pairs, double slots_per_pair) {
  return static_cast<uint64_t>(std::ceil(static_cast<double>(num_pairs) * slots_per_pair));
}

class MapStructure final : public PairStructure {
 public:
  MapStructure(ColumnMap map, const ColumnMapConfig& config)
      : map_(std::move(map)), config_(config) {}

  size_t num_words() const override { return map_.row_words(); }
  uint32_t num_columns() const override { return map_.num_columns(); }
  Status Open(uint32_t column) override { return map_.OpenColumn(column); }
  std::shared_ptr<const void> Close(std::span<const uint32_t> columns) noexcept override {
    map_.CloseColumns(columns);
    return nullptr;  // what queries may read stays
  }
  Status Load(uint32_t column, std::span<const std::byte> bytes) override {
    return map_.LoadColumn(column, bytes);
  }
  std::vector<std::vector<std::byte>> Serialize(std::span<const uint32_t> columns) const override {
    return map_.SerializeColumns(columns);
  }
  bool Insert(uint32_t column, Keys keys) noexcept override {
    return map_.Insert(column, keys).num_refused == 0;
  }
  bool Erase(uint32_t column, Keys keys) noexcept override {
    return map_.Erase(column, keys).num_refused == 0;
  }
  ColumnStats StatsOf(uint32_t column) const override {
    const uint64_t num_pairs = map_.num_keys(column);
    return {.num_pairs = num_pairs, .predicted_fpr = map_.geometry().FalsePairs(num_pairs)};
  }
  void Query(std::span<const uint64_t> digests,
             std::span<uint64_t> columns) const noexcept override {
    map_.Query(Keys::Digests(digests), columns);
  }
  void Query(uint64_t digest, std::span<uint64_t> columns) const noexcept override {
    map_.Query(Key::Digest(digest), columns);
  }
  uint64_t num_bytes() const override { return map_.GetStats().num_bytes; }
  StructureShape shape() const override {
    return {map_.geometry().num_blocks, map_.geometry().fingerprint_bits};
  }
  double share_in_lists() const override {
    const MapStats stats = map_.GetStats();
    if (stats.num_pairs == 0) return 0;
    return static_cast<double>(stats.num_pairs_elsewhere) / static_cast<double>(stats.num_pairs);
  }
  double slots_per_pair() const override {
    const MapStats stats = map_.GetStats();
    if (stats.num_pairs < kPairsThatTell) return 1;
    const double share =
        static_cast<double>(stats.num_slots_in_use) / static_cast<double>(stats.num_pairs);
    return std::clamp(kMargin * share, kLeastShare, 1.0);
  }
  double SuccessorShare(uint64_t num_pairs) const override {
    ColumnMapConfig config = config_;
    config.capacity = SlotsFor(num_pairs, slots_per_pair());
    return static_cast<double>(MapGeometryFor(config).num_blocks) /
           static_cast<double>(map_.geometry().num_blocks);
  }

 private:
  ColumnMap map_;
  ColumnMapConfig config_;
};

}  // namespace

Result<std::shared_ptr<PairStructure>> MakeMapStructure(const ServerIndexConfig& config,
                                                        uint64_t num_pairs, double slots_per_pair,
                                                        uint32_t num_columns,
                                                        const StructureShape& shape) {
  ColumnMapConfig made{.capacity = SlotsFor(num_pairs, slots_per_pair),
                       .num_columns = num_columns,
                       .target_fpr = config.target_fpr,
                       .digest = config.digest,
                       .memory_limit_bytes = config.memory_limit_bytes};
  ColumnMapConfig with_shape = made;
  with_shape.num_blocks = shape.num_blocks;
  with_shape.fingerprint_bits = shape.fingerprint_bits;
  Result<ColumnMap> map = ColumnMap::Create(with_shape);
  if (!map) return map.error();
  return std::shared_ptr<PairStructure>(std::make_shared<MapStructure>(*std::move(map), made));
}

}  // namespace trommel::index
