#include "trommel/filter_columns.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "engine/src/base/out_of_range.h"
#include "engine/src/blocks/store_stats.h"
#include "engine/src/columns/filter_columns_impl.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/sizing/geometry_checks.h"

namespace trommel {

FilterColumns::FilterColumns(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
FilterColumns::FilterColumns(FilterColumns&&) noexcept = default;
FilterColumns& FilterColumns::operator=(FilterColumns&&) noexcept = default;
FilterColumns::~FilterColumns() = default;

Result<FilterColumns> FilterColumns::Create(const ColumnsConfig& config) try {
  if (config.column_capacity == 0 || config.column_capacity > kMaxCapacity) {
    return OutOfRange("column_capacity", config.column_capacity, uint64_t{1}, kMaxCapacity);
  }
  if (config.num_columns == 0 || config.num_columns > kMaxColumns) {
    return OutOfRange("num_columns", config.num_columns, 1U, kMaxColumns);
  }
  if (const Status good = CheckPolicy(config.digest); !good) return good.error();
  if (auto error = CheckPresenceEncoding("a FilterColumns", config.encoding)) return *error;
  const Result<Sizing> sizing = SizeFor({.capacity = config.column_capacity,
                                         .target_fpr = config.target_fpr,
                                         .num_slices = config.num_slices,
                                         .encoding = config.encoding});
  if (!sizing) return sizing.error();
  const Geometry& geometry = sizing->geometry;
  if (const Status fits =
          CheckMemoryLimit("the rows need", TransposedRows::NumBytes(geometry, config.num_columns),
                           config.memory_limit_bytes);
      !fits) {
    return fits.error();
  }
  Result<TransposedRows> rows = TransposedRows::Allocate(geometry, config.num_columns);
  if (!rows) return rows.error();
  return FilterColumns(std::make_unique<Impl>(config, geometry, *std::move(rows)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the columns"};
}

// --- Columns.

Status FilterColumns::Impl::CheckIndex(uint32_t column) const {
  if (column < config.num_columns) return Ok();
  return OutOfRange("column", column, 0U, config.num_columns - 1);
}

Status FilterColumns::Impl::CheckClosed(uint32_t column) const {
  if (columns[column].store == nullptr) return Ok();
  return Error{ErrorCode::kInvalidArgument, "column " + std::to_string(column) + " is open"};
}

Status FilterColumns::Impl::ReserveFor(Column& column, BlockStore& store) {
  uint64_t num_bytes = store.num_bytes();
  if (config.side_memory_limit_bytes != 0) {  // what the side table takes is part of it
    const uint64_t block_bytes = geometry.num_bytes();
    num_bytes = block_bytes + std::min(config.side_memory_limit_bytes, ~block_bytes);
  }
  if (!budget.Change(0, num_bytes)) {
    const uint64_t num_taken = budget.num_bytes();
    return OverMemoryLimit("the rows and the open columns need",
                           num_taken + std::min(num_bytes, ~num_taken), budget.limit_bytes(),
                           config.memory_limit_bytes != 0);
  }
  if (config.side_memory_limit_bytes != 0) {
    if (Status limited = store.LimitSideMemory(config.side_memory_limit_bytes); !limited) {
      budget.Change(num_bytes, 0);
      return limited;
    }
  }
  column.budget_bytes = num_bytes;
  return Ok();
}

Status FilterColumns::OpenColumn(uint32_t column) try {
  if (Status known = impl_->CheckIndex(column); !known) return known;
  Column& opened = impl_->At(column);
  const std::lock_guard lock(opened.mutex);
  if (Status closed = impl_->CheckClosed(column); !closed) return closed;
  Result<BlockStore> store = BlockStore::Create(impl_->geometry, impl_->config.memory_limit_bytes);
  if (!store) return store.error();
  auto owned = std::make_unique<BlockStore>(*std::move(store));
  if (Status taken = impl_->ReserveFor(opened, *owned); !taken) return taken;
  opened.store = std::move(owned);
  return Ok();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for a column"};
}

void FilterColumns::CloseColumn(uint32_t column) noexcept {
  Column& closed = impl_->At(column);
  const std::lock_guard lock(closed.mutex);
  if (closed.store == nullptr) return;
  impl_->rows.ClearAll(column, *closed.store);
  impl_->budget.Change(closed.budget_bytes, 0);
  closed.store = nullptr;
  closed.num_keys = closed.num_refused_erases = closed.budget_bytes = 0;
}

bool FilterColumns::IsOpen(uint32_t column) const noexcept {
  const Column& queried = impl_->At(column);
  const std::lock_guard lock(queried.mutex);
  return queried.store != nullptr;
}

// --- Updates: first the counters, then the column's bits of the rows (transposed_rows.h).

uint64_t FilterColumns::Impl::Insert(uint32_t column, std::span<const uint64_t> digests,
                                     uint64_t* refused) {
  Column& into = At(column);
  const auto held = into.Hold();
  const uint64_t num_refused = held.store.ApplyNoting(Update::kInsert, digests.data(),
                                                      {0, digests.size()}, nullptr, refused);
  if (num_refused == 0) {
    rows.Set(column, digests);
  } else {
    for (size_t i = 0; i < digests.size(); ++i) {
      if ((refused[i / 64] >> (i % 64) & 1) == 0) rows.Set(column, digests.subspan(i, 1));
    }
  }
  into.num_keys += digests.size() - num_refused;
  return num_refused;
}

uint64_t FilterColumns::Impl::Erase(uint32_t column, std::span<const uint64_t> digests) {
  std::array<uint64_t, BlockStore::kBitmapWords> buffer;
  const std::span erased = std::span(buffer).first(BitmapWords(digests.size()));
  std::ranges::fill(erased, 0);
  Column& from = At(column);
  const auto held = from.Hold();
  held.store.Erase(digests, erased);
  rows.ClearDrained(column, digests, erased, held.store);
  const uint64_t num_erased = CountBits(erased);
  from.num_keys -= num_erased;
  from.num_refused_erases += digests.size() - num_erased;
  return num_erased;
}

InsertOutcome FilterColumns::Insert(uint32_t column, Keys keys) noexcept {
  uint64_t num_refused = 0;
  ForEachChunk(impl_->config.digest, keys, [&](size_t, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> refused{};
    num_refused += impl_->Insert(column, digests, refused.data());
  });
  return SideMemoryOutcome(keys.size() - num_refused, num_refused);
}

InsertOutcome FilterColumns::Insert(uint32_t column, Keys keys,
                                    std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  uint64_t num_refused = 0;
  ForEachChunk(impl_->config.digest, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> refused{};
    num_refused += impl_->Insert(column, digests, refused.data());
    NotRefused(digests.size(), refused, inserted.subspan(first / 64));
  });
  return SideMemoryOutcome(keys.size() - num_refused, num_refused);
}

bool FilterColumns::Insert(uint32_t column, Key key) noexcept {
  const uint64_t digest = impl_->config.digest(key);
  uint64_t refused = 0;
  return impl_->Insert(column, std::span(&digest, 1), &refused) == 0;
}

EraseOutcome FilterColumns::Erase(uint32_t column, Keys keys) noexcept {
  uint64_t num_erased = 0;
  ForEachChunk(impl_->config.digest, keys, [&](size_t, std::span<const uint64_t> digests) {
    num_erased += impl_->Erase(column, digests);
  });
  return {num_erased, keys.size() - num_erased};
}

bool FilterColumns::Erase(uint32_t column, Key key) noexcept {
  const uint64_t digest = impl_->config.digest(key);
  return impl_->Erase(column, std::span(&digest, 1)) != 0;
}

// --- Queries: rows only, no locks.

void FilterColumns::Query(Keys keys, std::span<uint64_t> columns) const noexcept {
  const size_t row_words = impl_->rows.row_words();
  TROMMEL_CHECK(columns.size() / row_words == keys.size() && columns.size() % row_words == 0,
                "answers of another size");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(columns)), "the answers overlap the keys");
  ForEachViewedChunk(impl_->config.digest, keys,
                     [&](size_t first, std::span<const uint64_t> digests) {
                       impl_->rows.Query(digests, columns.data() + first * row_words);
                     });
}

void FilterColumns::Query(Key key, std::span<uint64_t> columns) const noexcept {
  TROMMEL_CHECK(columns.size() == impl_->rows.row_words(), "an answer of another size");
  const uint64_t digest = impl_->config.digest(key);
  impl_->rows.Query(std::span(&digest, 1), columns.data());
}

bool FilterColumns::MayContain(uint32_t column, Key key) const noexcept {
  impl_->At(column);
  return impl_->rows.MayContain(column, impl_->config.digest(key));
}

Key FilterColumns::Prefetch(Key key) const noexcept {
  const uint64_t digest = impl_->config.digest(key);
  impl_->rows.Prefetch(digest);
  return Key::Digest(digest);
}

// --- What it is.

const Geometry& FilterColumns::geometry() const noexcept { return impl_->geometry; }
const DigestPolicy& FilterColumns::digest_policy() const noexcept { return impl_->config.digest; }
uint32_t FilterColumns::num_columns() const noexcept { return impl_->config.num_columns; }
uint64_t FilterColumns::column_capacity() const noexcept { return impl_->config.column_capacity; }
double FilterColumns::target_fpr() const noexcept { return impl_->config.target_fpr; }
size_t FilterColumns::row_words() const noexcept { return impl_->rows.row_words(); }
uint64_t FilterColumns::row_bytes() const noexcept { return impl_->rows.num_bytes(); }

uint64_t FilterColumns::num_bytes() const noexcept {
  uint64_t num_bytes = impl_->rows.num_bytes();
  for (uint32_t c = 0; c < impl_->config.num_columns; ++c) {
    const Column& column = impl_->columns[c];
    const std::lock_guard lock(column.mutex);
    if (column.store != nullptr) num_bytes += column.store->num_bytes();
  }
  return num_bytes;
}

Stats FilterColumns::GetStats(uint32_t column) const noexcept {
  const Column& queried = impl_->At(column);
  const auto held = queried.Hold();
  return StatsOf(geometry(), held.store.Figures(), queried.num_keys, queried.num_refused_erases);
}

BlockFill FilterColumns::MeasureFill(uint32_t column) const noexcept {
  const auto held = impl_->At(column).Hold();
  return MeasureFillOf(held.store);
}

}  // namespace trommel
