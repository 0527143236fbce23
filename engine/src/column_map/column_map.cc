#include "trommel/column_map.h"

#include <algorithm>
#include <array>
#include <new>
#include <span>
#include <string>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/out_of_range.h"
#include "engine/src/column_map/column_map_impl.h"
#include "engine/src/column_map/map_geometry.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/key_batches.h"
#include "trommel/sizing.h"

namespace trommel {

ColumnMap::ColumnMap(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
ColumnMap::ColumnMap(ColumnMap&&) noexcept = default;
ColumnMap& ColumnMap::operator=(ColumnMap&&) noexcept = default;
ColumnMap::~ColumnMap() = default;

Result<ColumnMap> ColumnMap::Create(const ColumnMapConfig& config) try {
  if (config.capacity == 0 || config.capacity > kMaxCapacity) {
    return OutOfRange("capacity", config.capacity, uint64_t{1}, kMaxCapacity);
  }
  if (config.num_columns == 0 || config.num_columns > kMaxMapColumns) {
    return OutOfRange("num_columns", config.num_columns, 1U, kMaxMapColumns);
  }
  if (!(config.target_fpr >= kMinTargetFpr && config.target_fpr <= kMaxTargetFpr)) {
    return OutOfRange("target_fpr", config.target_fpr, kMinTargetFpr, kMaxTargetFpr);
  }
  if (const Status good = CheckPolicy(config.digest); !good) return good.error();
  const bool is_given = config.num_blocks != 0 || config.fingerprint_bits != 0;
  const MapGeometry geometry =
      is_given ? MapGeometry{config.num_blocks, config.fingerprint_bits, config.num_columns}
               : MapGeometryFor(config);
  if (const Status good = CheckMapGeometry(geometry); !good) return good.error();
  if (const Status fits =
          CheckMemoryLimit("the map needs", BytesOf(geometry), config.memory_limit_bytes);
      !fits) {
    return fits.error();
  }
  Result<PairStore> pairs = PairStore::Create(geometry);
  if (!pairs) return pairs.error();
  return ColumnMap(std::make_unique<Impl>(config, *std::move(pairs)));
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for the map");
}

// --- Columns.

Status ColumnMap::Impl::CheckClosed(uint32_t column) const {
  if (column >= config.num_columns) {
    return OutOfRange("column", column, 0U, config.num_columns - 1);
  }
  if (!columns[column].is_open) return Ok();
  return Error{ErrorCode::kInvalidArgument, "column " + std::to_string(column) + " is open"};
}

Status ColumnMap::OpenColumn(uint32_t column) {
  if (Status closed = impl_->CheckClosed(column); !closed) return closed;
  impl_->At(column).is_open = true;
  return Ok();
}

void ColumnMap::CloseColumn(uint32_t column) noexcept { CloseColumns({&column, 1}); }

void ColumnMap::CloseColumns(std::span<const uint32_t> columns) noexcept {
  std::array<uint64_t, BitmapWords(kMaxMapColumns)> row;
  const std::span<uint64_t> with_keys = std::span(row).first(row_words());
  std::ranges::fill(with_keys, 0);
  bool has_keys = false;
  for (const uint32_t c : columns) {
    MapColumn& closed = impl_->At(c);
    closed.is_open = false;
    if (closed.num_keys.exchange(0) == 0) continue;
    with_keys[c / 64] |= uint64_t{1} << c % 64;
    has_keys = true;
  }
  if (has_keys) impl_->pairs.EraseColumns(with_keys);
}

bool ColumnMap::IsOpen(uint32_t column) const noexcept { return impl_->At(column).is_open; }

// --- Updates.

InsertOutcome ColumnMap::Impl::Insert(uint32_t column, Keys keys, uint64_t* refused) {
  MapColumn& into = OpenedAt(column);
  into.num_keys.fetch_add(keys.size(), std::memory_order_relaxed);  // first: it is never below 0
  uint64_t num_refused = 0;
  ForEachChunk(config.digest, keys, [&](size_t first, std::span<const uint64_t> digests) {
    num_refused +=
        pairs.Insert(digests, column, refused == nullptr ? nullptr : refused + first / 64);
  });
  if (num_refused == 0) [[likely]]
    return {.num_inserted = keys.size(), .num_refused = 0};
  into.num_keys.fetch_sub(num_refused, std::memory_order_relaxed);
  return {.num_inserted = keys.size() - num_refused,
          .num_refused = num_refused,
          .refusal = GrowthRefusal::kOutOfMemory};
}

InsertOutcome ColumnMap::Insert(uint32_t column, Keys keys) noexcept {
  return impl_->Insert(column, keys, nullptr);
}

InsertOutcome ColumnMap::Insert(uint32_t column, Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  std::ranges::fill(inserted, 0);
  const InsertOutcome outcome = impl_->Insert(column, keys, inserted.data());
  NotRefused(keys.size(), inserted, inserted);
  return outcome;
}

bool ColumnMap::InsertDigest(uint32_t column, uint64_t digest) noexcept {
  return Insert(column, Keys::Digests(std::span(&digest, 1))).num_refused == 0;
}

EraseOutcome ColumnMap::Erase(uint32_t column, Keys keys) noexcept {
  MapColumn& from = impl_->OpenedAt(column);
  uint64_t num_erased = 0;
  ForEachChunk(impl_->config.digest, keys, [&](size_t, std::span<const uint64_t> digests) {
    num_erased += impl_->pairs.Erase(digests, column);
  });
  from.num_keys.fetch_sub(num_erased, std::memory_order_relaxed);
  return {num_erased, keys.size() - num_erased};
}

bool ColumnMap::EraseDigest(uint32_t column, uint64_t digest) noexcept {
  return Erase(column, Keys::Digests(std::span(&digest, 1))).num_refused == 0;
}

// --- Queries.

void ColumnMap::Query(Keys keys, std::span<uint64_t> columns) const noexcept {
  const size_t words = row_words();
  TROMMEL_CHECK(columns.size() / words == keys.size() && columns.size() % words == 0,
                "answers of another size");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(columns)), "the answers overlap the keys");
  ForEachViewedChunk(impl_->config.digest, keys,
                     [&](size_t first, std::span<const uint64_t> digests) {
                       impl_->pairs.Query(digests, words, columns.data() + first * words);
                     });
}

void ColumnMap::Query(Key key, std::span<uint64_t> columns) const noexcept {
  TROMMEL_CHECK(columns.size() == row_words(), "an answer of another size");
  impl_->pairs.QueryOne(impl_.one().DigestOf(key), columns);
}

bool ColumnMap::HasDigest(uint32_t column, uint64_t digest) const noexcept {
  impl_->At(column);
  std::array<uint64_t, BitmapWords(kMaxMapColumns)> answer;
  impl_->pairs.QueryOne(digest, std::span(answer).first(row_words()));
  return (answer[column / 64] >> column % 64 & 1) != 0;
}

Key ColumnMap::Prefetch(Key key) const noexcept {
  const uint64_t digest = impl_.one().DigestOf(key);
  impl_->pairs.Prefetch(digest);
  return Key::Digest(digest);
}

// --- What it is.

const MapGeometry& ColumnMap::geometry() const noexcept { return impl_->pairs.geometry(); }
const DigestPolicy& ColumnMap::digest_policy() const noexcept { return impl_->config.digest; }
uint32_t ColumnMap::num_columns() const noexcept { return impl_->config.num_columns; }
uint64_t ColumnMap::capacity() const noexcept { return impl_->config.capacity; }
double ColumnMap::target_fpr() const noexcept { return impl_->config.target_fpr; }
size_t ColumnMap::row_words() const noexcept { return BitmapWords(impl_->config.num_columns); }

uint64_t ColumnMap::num_keys(uint32_t column) const noexcept {
  return impl_->OpenedAt(column).num_keys.load(std::memory_order_relaxed);
}

MapStats ColumnMap::GetStats() const noexcept {
  MapStats stats = impl_->pairs.GetStats();
  stats.num_bytes += num_columns() * sizeof(MapColumn);
  return stats;
}

}  // namespace trommel
