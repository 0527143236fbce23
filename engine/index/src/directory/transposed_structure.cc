// Transposed columns: FilterColumns as a PairStructure.
#include <memory>
#include <utility>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "trommel/filter_columns.h"

namespace trommel::index {
namespace {

class TransposedStructure final : public PairStructure {
 public:
  explicit TransposedStructure(FilterColumns columns) : columns_(std::move(columns)) {}

  size_t num_words() const override { return columns_.row_words(); }
  uint32_t num_columns() const override { return columns_.num_columns(); }
  Status Open(uint32_t column) override { return columns_.OpenColumn(column); }
  std::shared_ptr<const void> Close(std::span<const uint32_t> columns) noexcept override {
    for (const uint32_t column : columns) columns_.CloseColumn(column);
    return nullptr;  // their rows stay
  }
  Status Load(uint32_t column, std::span<const std::byte> bytes) override {
    return columns_.LoadColumn(column, bytes);
  }
  std::vector<std::vector<std::byte>> Serialize(std::span<const uint32_t> columns) const override {
    std::vector<std::vector<std::byte>> bytes;
    for (const uint32_t column : columns) bytes.push_back(columns_.SerializeColumn(column));
    return bytes;
  }
  bool Insert(uint32_t column, Keys keys) noexcept override {
    columns_.Insert(column, keys);
    return true;
  }
  bool Erase(uint32_t column, Keys keys) noexcept override {
    return columns_.Erase(column, keys).num_refused == 0;
  }
  ColumnStats StatsOf(uint32_t column) const override {
    const Stats stats = columns_.GetStats(column);
    return {.num_pairs = stats.num_keys, .predicted_fpr = stats.predicted_fpr};
  }
  void Query(std::span<const uint64_t> digests,
             std::span<uint64_t> columns) const noexcept override {
    columns_.Query(Keys::Digests(digests), columns);
  }
  void Query(uint64_t digest, std::span<uint64_t> columns) const noexcept override {
    columns_.Query(Key::Digest(digest), columns);
  }
  uint64_t num_bytes() const override { return columns_.num_bytes(); }
  uint64_t row_bytes() const override { return columns_.row_bytes(); }

 private:
  FilterColumns columns_;
};

}  // namespace

Result<std::shared_ptr<PairStructure>> MakeTransposedStructure(const ServerIndexConfig& config,
                                                               uint64_t pairs_per_column,
                                                               uint32_t num_columns) {
  Result<FilterColumns> columns =
      FilterColumns::Create({.column_capacity = pairs_per_column,
                             .target_fpr = config.target_fpr,
                             .num_columns = num_columns,
                             .digest = config.digest,
                             .memory_limit_bytes = config.memory_limit_bytes});
  if (!columns) return columns.error();
  return std::shared_ptr<PairStructure>(std::make_shared<TransposedStructure>(*std::move(columns)));
}

}  // namespace trommel::index
