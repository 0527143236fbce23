// Columns as snapshots of counting filters.
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/columns/filter_columns_impl.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/snapshots/filter_files.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/filter_columns.h"

namespace trommel {
namespace {

// A column as FilterFiles writes filters.
struct ColumnFile {
  Status WriteTo(ByteSink& sink) const { return WriteSnapshot(store, facts, sink); }

  const BlockStore& store;
  const FilterFacts facts;
};

// Requires the column's lock, and that it is open.
ColumnFile FileOf(const ColumnsConfig& config, const Column& column) {
  return {*column.store,
          {config.digest, config.column_capacity, config.target_fpr, column.num_keys}};
}

std::optional<std::vector<std::byte>> SnapshotIfOpen(const ColumnsConfig& config,
                                                     const Column& column) {
  const std::lock_guard lock(column.mutex);
  if (column.store == nullptr) return std::nullopt;
  return FilterFiles::Serialize(FileOf(config, column));
}

// The contents of a snapshot that fits, with `used_bytes` of the limit taken already.
Result<FilterContents> ReadColumn(const OpenedSnapshot& snapshot, const Geometry& geometry,
                                  const ColumnsConfig& config, uint64_t used_bytes) {
  const Result<SnapshotHeader> header = ReadHeader(snapshot);
  if (!header) return header.error();
  const DigestPolicy policy{.kind = static_cast<DigestKind>(header->start.digest_kind),
                            .seed = header->start.seed};
  const std::string difference = DifferenceOf(geometry, config.digest, GeometryOf(*header), policy);
  if (!difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot load the column: " + difference};
  }
  return ReadSections(snapshot.source(), *header, config.memory_limit_bytes, {}, used_bytes);
}

}  // namespace

std::vector<std::byte> FilterColumns::SerializeColumn(uint32_t column) const {
  const Column& saved = impl_->At(column);
  const auto held = saved.Hold();
  return FilterFiles::Serialize(FileOf(impl_->config, saved));
}

Status FilterColumns::SaveColumnTo(uint32_t column, ByteSink& sink) const {
  const Column& saved = impl_->At(column);
  const auto held = saved.Hold();
  return FilterFiles::SaveTo(FileOf(impl_->config, saved), sink);
}

Status FilterColumns::LoadColumn(uint32_t column, std::span<const std::byte> bytes) {
  return LoadColumnFrom(column, SpanSource(bytes));
}

Status FilterColumns::LoadColumnFrom(uint32_t column, const ByteSource& source) try {
  if (Status known = impl_->CheckIndex(column); !known) return known;
  Column& loaded = impl_->At(column);
  const std::lock_guard lock(loaded.mutex);
  if (Status closed = impl_->CheckClosed(column); !closed) return closed;
  Result<FilterContents> contents =
      FilterFiles::ReadBytes(source, [&](const OpenedSnapshot& snapshot) {
        return ReadColumn(snapshot, impl_->geometry, impl_->config, impl_->budget.num_bytes());
      });
  if (!contents) return contents.error();
  auto store = std::make_unique<BlockStore>(std::move(contents->store));
  // Again: other columns may have been opened meanwhile.
  if (Status taken = impl_->ReserveFor(loaded, *store); !taken) return taken;
  impl_->rows.SetAll(column, *store);
  loaded.store = std::move(store);
  loaded.num_keys = contents->facts.num_keys;
  return Ok();
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for a column"};
}

Result<FilterColumns> FilterColumns::Clone() const try {
  Result<FilterColumns> clone = Create(impl_->config);
  if (!clone) return clone;
  for (uint32_t c = 0; c < num_columns(); ++c) {
    const auto snapshot = SnapshotIfOpen(impl_->config, impl_->columns[c]);
    if (!snapshot) continue;
    if (Status loaded = clone->LoadColumn(c, *snapshot); !loaded) return loaded.error();
  }
  return clone;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for a copy of the columns"};
}

bool operator==(const FilterColumns& a, const FilterColumns& b) {
  const ColumnsConfig& of_a = a.impl_->config;
  const ColumnsConfig& of_b = b.impl_->config;
  if (a.geometry() != b.geometry() || of_a.digest != of_b.digest ||
      of_a.num_columns != of_b.num_columns || of_a.column_capacity != of_b.column_capacity ||
      of_a.target_fpr != of_b.target_fpr) {
    return false;
  }
  // One lock at a time: two threads may compare the same sets in either order.
  for (uint32_t c = 0; c < a.num_columns(); ++c) {
    if (SnapshotIfOpen(of_a, a.impl_->columns[c]) != SnapshotIfOpen(of_b, b.impl_->columns[c])) {
      return false;
    }
  }
  return true;
}

}  // namespace trommel
