// Columns of a ColumnMap as files in memory.
#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/column_map/column_file.h"
#include "engine/src/column_map/column_map_impl.h"
#include "engine/src/files/filter_files.h"
#include "trommel/column_map.h"

namespace trommel {

std::vector<std::vector<std::byte>> ColumnMap::SerializeColumns(
    std::span<const uint32_t> columns) const {
  constexpr uint32_t kNotSaved = ~uint32_t{0};
  std::vector<uint32_t> indexes(num_columns(), kNotSaved);
  std::vector<ColumnContents> contents(columns.size());
  for (uint32_t i = 0; i < columns.size(); ++i) {
    contents[i].num_keys = num_keys(columns[i]);  // which requires that there is such a column
    indexes[columns[i]] = i;
  }
  const uint32_t bits = geometry().fingerprint_bits;
  impl_->pairs.ForEachPair([&](PairPlace place, uint32_t column, uint64_t num_copies) {
    if (indexes[column] == kNotSaved) return;
    contents[indexes[column]].places.push_back(
        {place.block_idx << bits | place.fingerprint, num_copies});
  });
  std::vector<std::vector<std::byte>> bytes;
  bytes.reserve(columns.size());
  for (ColumnContents& of_column : contents) {
    std::ranges::sort(of_column.places, {}, &PlaceCopies::place);
    bytes.push_back(FilterFiles::WriteBytes([&](FileWriter& file) {
      return WriteColumn(geometry(), digest_policy(), of_column, file);
    }));
    of_column.places = {};
  }
  return bytes;
}

std::vector<std::byte> ColumnMap::SerializeColumn(uint32_t column) const {
  return std::move(SerializeColumns({&column, 1}).front());
}

Status ColumnMap::LoadColumn(uint32_t column, std::span<const std::byte> bytes) try {
  if (Status closed = impl_->CheckClosed(column); !closed) return closed;
  const Result<ColumnContents> contents =
      FilterFiles::ReadBytes(SpanSource(bytes), [&](FileReader& file) -> Result<ColumnContents> {
        if (Status good = file.CheckRest(); !good) return good.error();
        return FilterFiles::AllTaken(file, ReadColumn(geometry(), digest_policy(), file));
      });
  if (!contents) return contents.error();
  const uint32_t bits = geometry().fingerprint_bits;
  for (const PlaceCopies& pair : contents->places) {
    const auto fingerprint = static_cast<uint32_t>(pair.place & ((uint64_t{1} << bits) - 1));
    if (impl_->pairs.InsertCopies({pair.place >> bits, fingerprint}, column, pair.num_copies)) {
      continue;
    }
    impl_->At(column).num_keys = contents->num_keys;
    CloseColumn(column);  // with the pairs that are in
    return OutOfMemoryError("the system refused memory for a column");
  }
  MapColumn& loaded = impl_->At(column);
  loaded.num_keys = contents->num_keys;
  loaded.is_open = true;
  return Ok();
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for a column");
}

std::vector<uint32_t> ColumnMap::Impl::OpenColumns() const {
  std::vector<uint32_t> open;
  for (uint32_t c = 0; c < config.num_columns; ++c) {
    if (columns[c].is_open.load(std::memory_order_relaxed)) open.push_back(c);
  }
  return open;
}

bool operator==(const ColumnMap& a, const ColumnMap& b) {
  if (a.geometry() != b.geometry() || a.digest_policy() != b.digest_policy() ||
      a.num_columns() != b.num_columns() || a.capacity() != b.capacity() ||
      a.target_fpr() != b.target_fpr()) {
    return false;
  }
  const std::vector<uint32_t> open = a.impl_->OpenColumns();
  return open == b.impl_->OpenColumns() && a.SerializeColumns(open) == b.SerializeColumns(open);
}

}  // namespace trommel
