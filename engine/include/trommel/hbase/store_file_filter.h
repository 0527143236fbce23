/// @file
/// StoreFileFilter, all that HBase asks before it reads a store file, and PruneFilesByRow and
/// PruneFilesByCell, which ask many files for many gets.
#ifndef TROMMEL_HBASE_STORE_FILE_FILTER_H_
#define TROMMEL_HBASE_STORE_FILE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trommel/export.h"
#include "trommel/hbase/bloom_keys.h"
#include "trommel/hbase/compound_filter.h"
#include "trommel/result.h"

namespace trommel::hbase {

/// The filters of one store file: the general one, of the family's type, and the delete-family
/// filter, which has the rows of which the whole family was deleted.
///
/// Thread safety: const members may run in any number of threads at once.
class TROMMEL_API StoreFileFilter {
 public:
  /// A file without cells.
  StoreFileFilter() = default;

  /// A file of so many cells whose filters were read, as by CompoundFilter::DeserializeOrPass.
  /// Without a general filter it may hold everything; without a delete-family filter every row may
  /// be one of num_deletions that were deleted.
  StoreFileFilter(uint64_t num_cells, std::optional<CompoundFilter> general, uint64_t num_deletions,
                  std::optional<CompoundFilter> delete_family);

  /// Returns false if a get of the row need not read the file.
  bool MayHoldRow(std::string_view row) const;

  /// Returns false if a get of one column of the row need not read the file.
  bool MayHold(CellName cell) const;

  /// Returns false if a scan of the rows from `start` to `stop` (excluded; empty: to the end) need
  /// not read the file: known only under kRowPrefixFixedLength, and if both begin with the same
  /// prefix.
  bool MayHoldRange(std::string_view start, std::string_view stop) const;

  /// Returns false if the file certainly has no deletion of the row's family. Under kRowCol HBase
  /// keeps no filter of these, so that any deletion in the file makes it true for all rows.
  bool MayHoldDeleteFamily(std::string_view row) const;

  bool is_empty() const noexcept { return num_cells_ == 0; }  ///< Returns whether no cell came.
  uint64_t num_cells() const noexcept { return num_cells_; }  ///< Returns deletions included.
  uint64_t num_deletions() const noexcept {
    return num_deletions_;
  }  ///< Returns DeleteFamily cells.
  /// Returns the general filter; null under kNone.
  const CompoundFilter* general() const noexcept { return general_ ? &*general_ : nullptr; }
  /// Returns the delete-family filter; null where there is none.
  const CompoundFilter* delete_family() const noexcept {
    return delete_family_ ? &*delete_family_ : nullptr;
  }
  uint64_t num_bytes() const noexcept;  ///< Returns the bytes of both filters' chunks.

 private:
  friend class StoreFileFilterWriter;

  uint64_t num_cells_ = 0;
  uint64_t num_deletions_ = 0;
  std::optional<CompoundFilter> general_;
  std::optional<CompoundFilter> delete_family_;
};

/// Writes the filters of a store file from its cells.
///
/// Thread safety: exclusive.
class TROMMEL_API StoreFileFilterWriter {
 public:
  /// Begins a file. Fails as ChunkShapeFor; kNone has no general filter.
  static Result<StoreFileFilterWriter> Create(const FilterOptions& options);

  /// Adds a cell. Fails as CompoundFilterWriter::Append, and then nothing of the cell is in.
  Status Append(CellName cell);

  /// Adds the deletion of the row's family. It sorts before all cells of its row, with an empty
  /// qualifier. Fails as Append.
  Status AppendDeleteFamily(std::string_view row);

  /// Closes the file and returns its filters.
  StoreFileFilter Finish() &&;

 private:
  StoreFileFilterWriter() = default;

  std::optional<CompoundFilterWriter> general_;
  std::optional<CompoundFilterWriter> delete_family_;
  StoreFileFilter file_;
};

/// Which of these files must be read for which rows. Row i of `maybe_held` has bit f, in words of
/// 64 files each, for files[f]->MayHoldRow(rows[i]); all other bits are cleared. Returns how many
/// are set. Requires rows.size() * PrunedWords(files.size()) words and no null pointers.
///
/// Cost: each key is hashed once for all files of one type.
TROMMEL_API size_t PruneFilesByRow(std::span<const StoreFileFilter* const> files,
                                   std::span<const std::string_view> rows,
                                   std::span<uint64_t> maybe_held);

/// As PruneFilesByRow for gets of one column: MayHold(cells[i]).
TROMMEL_API size_t PruneFilesByCell(std::span<const StoreFileFilter* const> files,
                                    std::span<const CellName> cells,
                                    std::span<uint64_t> maybe_held);

/// Returns the words of one row of PruneFilesByRow and PruneFilesByCell.
constexpr size_t PrunedWords(size_t num_files) noexcept { return (num_files + 63) / 64; }

}  // namespace trommel::hbase

#endif  // TROMMEL_HBASE_STORE_FILE_FILTER_H_
