// The structure of the source: a scalable counting filter per server, queried in turn (Huang, Fang
// and Zhang, section 4). Here each attribute has filters of its own, so that one attribute's can be
// replaced without the others'.
//
// A pair (value, region) is one key per region: a value in two regions of a server counts twice.
//
// Columns come and go while queries run: a query reads the pointer of each column, of its version
// or not, and the caller frees a closed column's filter when no query can hold that pointer any
// more.
#include <atomic>
#include <bit>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "trommel/outcomes.h"
#include "trommel/scalable_filter.h"

namespace trommel::index {
namespace {

class ServerFilters final : public PairStructure {
 public:
  ServerFilters(const ScalableConfig& config, uint64_t first_capacity, uint32_t num_columns)
      : config_(config), first_capacity_(first_capacity), filters_(num_columns) {}
  ~ServerFilters() override {
    for (uint32_t c = 0; c < num_columns(); ++c) Take(c);
  }

  size_t num_words() const override { return BitmapWords(filters_.size()); }
  uint32_t num_columns() const override { return static_cast<uint32_t>(filters_.size()); }

  Status Open(uint32_t column) override { return Add(column, ScalableFilter::Create(config_)); }
  Status Load(uint32_t column, std::span<const std::byte> bytes) override {
    Result<ScalableFilter> filter = ScalableFilter::Deserialize(bytes, config_.memory_limit_bytes);
    if (!filter) return filter.error();
    if (filter->digest_policy() != config_.digest || filter->first_capacity() != first_capacity_) {
      return Error{ErrorCode::kMismatch, "a server's filter has another digest or capacity"};
    }
    return Add(column, std::move(filter));
  }
  std::shared_ptr<const void> Close(std::span<const uint32_t> columns) noexcept override {
    auto filters = std::make_shared<std::vector<std::unique_ptr<const ScalableFilter>>>();
    for (const uint32_t column : columns) filters->push_back(Take(column));
    return filters;
  }
  std::vector<std::vector<std::byte>> Serialize(std::span<const uint32_t> columns) const override {
    std::vector<std::vector<std::byte>> bytes;
    for (const uint32_t column : columns) bytes.push_back(FilterOf(column)->Serialize());
    return bytes;
  }

  bool Insert(uint32_t column, Keys keys) noexcept override {
    return FilterOf(column)->Insert(keys).num_refused == 0;
  }
  bool Erase(uint32_t column, Keys keys) noexcept override {
    return FilterOf(column)->Erase(keys).num_refused == 0;
  }
  ColumnStats StatsOf(uint32_t column) const override {
    const ScalableFilter& filter = *FilterOf(column);
    const ScalableStats stats = filter.GetStats();
    return {.num_pairs = stats.num_keys, .predicted_fpr = stats.predicted_fpr};
  }

  void Query(std::span<const uint64_t> digests,
             std::span<uint64_t> columns) const noexcept override {
    const size_t words = num_words();
    for (size_t i = 0; i < digests.size(); ++i) {
      Query(digests[i], columns.subspan(i * words, words));
    }
  }
  void Query(uint64_t digest, std::span<uint64_t> columns) const noexcept override {
    for (uint64_t& word : columns) word = 0;
    for (uint32_t c = 0; c < num_columns(); ++c) {
      const ScalableFilter* const filter = FilterOf(c);
      if (filter != nullptr && filter->MayContain(Key::Digest(digest))) {
        columns[c / 64] |= uint64_t{1} << c % 64;
      }
    }
  }

  uint64_t num_bytes() const override {
    uint64_t sum = 0;
    for (uint32_t c = 0; c < num_columns(); ++c) {
      const ScalableFilter* const filter = FilterOf(c);
      if (filter != nullptr) sum += filter->GetStats().num_bytes;
    }
    return sum;
  }

 private:
  std::unique_ptr<const ScalableFilter> Take(uint32_t column) noexcept {
    return std::unique_ptr<const ScalableFilter>(
        filters_[column].exchange(nullptr, std::memory_order_acq_rel));
  }
  Status Add(uint32_t column, Result<ScalableFilter> filter) {
    if (!filter) return filter.error();
    filters_[column].store(new ScalableFilter(*std::move(filter)), std::memory_order_release);
    return Ok();
  }
  ScalableFilter* FilterOf(uint32_t column) const {
    return filters_[column].load(std::memory_order_acquire);
  }

  ScalableConfig config_;
  uint64_t first_capacity_;  // of filters of the configuration: no less than was asked for
  std::vector<std::atomic<ScalableFilter*>> filters_;  // by column; null: closed
};

}  // namespace

Result<std::shared_ptr<PairStructure>> MakeServerFilters(const ServerIndexConfig& config,
                                                         uint64_t pairs_per_column,
                                                         uint32_t num_columns) {
  ScalableConfig scalable{.first_capacity = pairs_per_column,
                          .target_fpr = config.target_fpr,
                          .digest = config.digest,
                          .memory_limit_bytes = config.memory_limit_bytes};
  // Refused now rather than when the first column is opened.
  const Result<ScalableFilter> filter = ScalableFilter::Create(scalable);
  if (!filter) return filter.error();
  return std::shared_ptr<PairStructure>(
      std::make_shared<ServerFilters>(scalable, filter->first_capacity(), num_columns));
}

}  // namespace trommel::index
