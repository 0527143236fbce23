// RocksRowStore: the rows of a range as a whole.
#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/item_scan.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kKeysPerStep = 1024;
constexpr size_t kMostSampled = 4096;
constexpr int kMostMeasured = 1000;

class RocksRowScan final : public RowScan {
 public:
  RocksRowScan(const RocksRowStore& store, std::unique_ptr<ItemScan> scan)
      : store_(store), scan_(std::move(scan)) {}

  Result<std::vector<RowChange>> Next(size_t max_rows) override {
    Result<std::vector<StoredItem>> items = scan_->Next(max_rows);
    if (!items) return items.error();
    std::vector<RowChange> rows;
    rows.reserve(items->size());
    for (StoredItem& item : *items) {
      Result<Versions> versions = store_.Decode(item.key, item.value);
      if (!versions) return versions.error();
      rows.push_back({.key = std::move(item.key), .versions = *std::move(versions)});
    }
    return rows;
  }

 private:
  const RocksRowStore& store_;
  const std::unique_ptr<ItemScan> scan_;
};

// Keys number 0, stride, 2 * stride and so on, of all that were added.
class KeySample {
 public:
  void Add(std::string key) {
    if (num_keys_++ % stride_ != 0) return;
    keys_.push_back(std::move(key));
    if (keys_.size() > kMostSampled) Thin();
  }

  // Returns the key about in the middle, and not the first; none: there are fewer than two.
  std::optional<std::string> Middle() {
    if (num_keys_ < 2) return std::nullopt;
    // Beyond the first: once the stride is 2, there are more than kMostSampled keys.
    return std::move(keys_[num_keys_ / 2 / stride_]);
  }

 private:
  void Thin() {
    for (size_t i = 1; 2 * i < keys_.size(); ++i) keys_[i] = std::move(keys_[2 * i]);
    keys_.resize((keys_.size() + 1) / 2);
    stride_ *= 2;
  }

  uint64_t num_keys_ = 0;
  uint64_t stride_ = 1;
  std::vector<std::string> keys_;
};

uint64_t BytesInMemory(const DatabaseShare& share, size_t family) {
  uint64_t bytes = 0;
  const std::string& property = rocksdb::DB::Properties::kCurSizeAllMemTables;
  return share.db().GetIntProperty(share.family(family), property, &bytes) ? bytes : 0;
}

rocksdb::Status BytesInTables(const DatabaseShare& share, size_t family,
                              const rocksdb::Range& range, uint64_t& bytes) {
  rocksdb::SizeApproximationOptions options;
  options.include_memtables = false;
  options.include_files = true;
  return share.db().GetApproximateSizes(options, share.family(family), &range, 1, &bytes);
}

struct FirstRows {
  uint64_t num_bytes = 0;
  bool are_all = false;  // of the range
};

rocksdb::Status MeasureFirstRows(const DatabaseShare& share, const KeyRange& range,
                                 FirstRows& first) {
  const rocksdb::Slice end = range.end;
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> rows(
      share.db().NewIterator(options, share.family(kRowsFamily)));
  rows->Seek(range.begin);
  for (int i = 0; rows->Valid() && i < kMostMeasured; ++i, rows->Next()) {
    first.num_bytes += rows->key().size() + rows->value().size();
  }
  first.are_all = !rows->Valid();
  return rows->status();
}

}  // namespace

Result<std::unique_ptr<RowScan>> RocksRowStore::Scan(const KeyRange& range) const {
  Result<std::unique_ptr<ItemScan>> scan =
      ItemScan::Begin(database_, kRowsFamily, range, ItemParts::kKeysAndValues);
  if (!scan) return scan.error();
  return std::unique_ptr<RowScan>(std::make_unique<RocksRowScan>(*this, *std::move(scan)));
}

Result<std::optional<std::string>> RocksRowStore::MiddleKey(const KeyRange& range) const {
  const Result<std::unique_ptr<ItemScan>> scan =
      ItemScan::Begin(database_, kRowsFamily, range, ItemParts::kKeys);
  if (!scan) return scan.error();
  KeySample sample;
  for (;;) {
    Result<std::vector<StoredItem>> items = (*scan)->Next(kKeysPerStep);
    if (!items) return items.error();
    if (items->empty()) return sample.Middle();
    for (StoredItem& item : *items) sample.Add(std::move(item.key));
  }
}

Result<uint64_t> RocksRowStore::EstimateBytes(const KeyRange& range) const {
  const Result<DatabaseShare> share = database_.Use();
  if (!share) return share.error();
  if (range.empty()) return uint64_t{0};
  FirstRows first;
  rocksdb::Status status = MeasureFirstRows(*share, range, first);
  const std::string last_key(kMaxKeyBytes, '\xff');
  const rocksdb::Range all(rocksdb::Slice(), last_key);
  const rocksdb::Range part(range.begin, range.end.empty() ? last_key : range.end);
  uint64_t of_part = 0;
  uint64_t of_rows = 0;
  uint64_t of_entries = 0;
  if (status.ok()) status = BytesInTables(*share, kRowsFamily, part, of_part);
  if (status.ok()) status = BytesInTables(*share, kRowsFamily, all, of_rows);
  if (status.ok()) status = BytesInTables(*share, kIndexFamily, all, of_entries);
  if (!status.ok()) return share->Check(status, "estimate its size").error();
  const uint64_t in_memory = BytesInMemory(*share, kRowsFamily);
  of_rows += in_memory;
  of_entries += BytesInMemory(*share, kIndexFamily);

  if (first.are_all) {
    of_part = first.num_bytes;
  } else if (range == KeyRange{}) {
    of_part = of_rows;
  } else {
    // The difference of two estimates of positions: it may be far off.
    uint64_t num_rows = 0;
    uint64_t bytes = 0;
    share->db().GetApproximateMemTableStats(share->family(kRowsFamily), part, &num_rows, &bytes);
    of_part = std::max(of_part + std::min(bytes, in_memory), first.num_bytes);
  }
  const double entries_per_row_byte =
      static_cast<double>(of_entries) / static_cast<double>(std::max<uint64_t>(of_rows, 1));
  return of_part + static_cast<uint64_t>(static_cast<double>(of_part) * entries_per_row_byte);
}

}  // namespace trommel::index
