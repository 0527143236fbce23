/// @file
/// FilterColumns, many counting filters of one geometry that one query answers for all at once.
#ifndef TROMMEL_FILTER_COLUMNS_H_
#define TROMMEL_FILTER_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/byte_stream.h"
#include "trommel/digest.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

/// Most columns of a FilterColumns.
inline constexpr uint32_t kMaxColumns = 65'536;

/// What FilterColumns::Create makes.
struct ColumnsConfig {
  /// Distinct keys per column at which a column's false-positive rate is target_fpr; required. A
  /// column may hold more: its rate and its side table then grow.
  uint64_t column_capacity = 0;
  /// False-positive rate of one column at its capacity. A query of a non-member shows num_columns
  /// times as many false columns on average, so choose it by that product.
  double target_fpr = 0.004;
  uint32_t num_columns = 0;             ///< Most columns; required, 1 to kMaxColumns.
  DigestPolicy digest = {};             ///< How keys become digests.
  uint32_t num_slices = 0;              ///< As SizingRequest::num_slices.
  Encoding encoding = Encoding::kRuns;  ///< How counts are stored: kRuns or kPlanes.
  /// Creating, opening and loading fail rather than let the rows and the counters of all open
  /// columns take more bytes; 0: the machine's memory. Side tables may grow beyond it;
  /// loading a column counts the side table, too.
  uint64_t memory_limit_bytes = 0;
  /// The most bytes of side memory of each column, reserved when it is opened or loaded; 0: no
  /// limit. As CountingConfig::side_memory_limit_bytes: an insertion that finds no space is
  /// refused.
  uint64_t side_memory_limit_bytes = 0;
};

/// A set of counting filters, one per *column*, that are queried together: which columns may hold
/// this key?
///
/// All columns have one geometry and one digest policy. Each open column has its own counters, as a
/// CountingFilter has. The presence bits of all columns are kept a second time, transposed: for
/// each position of each slice of each block one *row*, with one bit per column. A query ANDs the
/// key's rows, one per slice, and has the answers of all columns.
/// @code{.unparsed}
///                  column 0 1 2 3 4 5 ..
///   row of slice 0        1 0 0 1 1 0        the key's position in slice 0
///   row of slice 1        1 0 1 1 0 0
///   ..
///   row of slice k - 1    1 1 0 1 0 0
///   answer                1 0 0 1 0 0        columns 0 and 3 may hold the key
/// @endcode
/// An answer is row_words() words of 64 bits: column c is bit c % 64 of word c / 64. Bits of closed
/// columns, and bits beyond num_columns(), are 0.
///
/// The contract ("key" includes its duplicates; a batch is a sequence of single operations):
/// @code{.unparsed}
///   operation                  promise
///   -------------------------  ------------------------------------------------------------------
///   Query, MayContain          Take no lock and never wait. If an insertion of the key into a
///                              column happened before the query, and neither an erasure in that
///                              column that could match it nor its closing has begun, the column is
///                              answered "maybe present". Columns are not answered at one moment.
///   Insert, Erase              Any thread at any time. Operations of one column wait for each
///                              other, at most for a part of a batch; those of different columns do
///                              not.
///   OpenColumn, CloseColumn,   Any thread at any time, as operations of that column.
///   LoadColumn,
///   SerializeColumn, GetStats,
///   MeasureFill, Clone, ==
///   num_bytes                  Each column as it is at some moment.
///   move, destruction          Exclusive.
/// @endcode
/// "Happened before" is that of C++. A key may be erased from a column as often as it was inserted
/// there.
class TROMMEL_API FilterColumns {
 public:
  /// Creates a set whose columns are all closed. Fails with kInvalidArgument, naming the number
  /// that is out of range, and with kOutOfMemory if the rows exceed the limit or the system refuses
  /// memory.
  static Result<FilterColumns> Create(const ColumnsConfig& config);

  /// Moves the set. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  FilterColumns(FilterColumns&&) noexcept;
  FilterColumns& operator=(FilterColumns&&) noexcept;
  ~FilterColumns();
  /// @}

  /// @name Columns
  /// A closed column has no keys and no memory of its own, and is answered "absent".
  /// @{

  /// Opens a closed column, with no keys. Fails with kInvalidArgument if the column is open or is
  /// not below num_columns() or side_memory_limit_bytes is too low, and with kOutOfMemory if its
  /// counters and side memory exceed the limit or the system refuses memory.
  Status OpenColumn(uint32_t column);

  /// Removes the column's keys and frees its counters. Does nothing if it is closed. Requires
  /// column < num_columns(), as all members below. Cost: one pass over its presence bits, and one
  /// row per bit that is set.
  void CloseColumn(uint32_t column) noexcept;

  /// Returns whether the column is open.
  bool IsOpen(uint32_t column) const noexcept;

  /// @}

  /// @name Updates of one column
  /// Require that the column is open. Without a limit of side memory, running out of memory for the
  /// side table ends the program.
  /// @{

  /// Increments the column's counters of every key. With a limit of side memory, a key that finds
  /// no space is refused: nothing changes for it, and it must not be erased on account of this
  /// call. Cost: that of CountingFilter::Insert, and one cache line per slice for the rows.
  InsertOutcome Insert(uint32_t column, Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that were inserted and clears the
  /// others. Requires BitmapWords(keys.size()) words that do not overlap the keys.
  InsertOutcome Insert(uint32_t column, Keys keys, std::span<uint64_t> inserted) noexcept;
  bool Insert(uint32_t column, Key key) noexcept;  ///< Returns false if the insertion was refused.

  /// In input order, decrements the column's counters of every key, or refuses a key that is
  /// certainly absent from the column and changes nothing for it. What erasing a non-member does:
  /// CountingFilter::Erase.
  EraseOutcome Erase(uint32_t column, Keys keys) noexcept;
  bool Erase(uint32_t column, Key key) noexcept;  ///< Returns false if the erasure was refused.

  /// @}

  /// @name Queries
  /// @{

  /// Writes every key's answer: that of key i is columns[i * row_words()] and the row_words() - 1
  /// words after it. Requires columns.size() == keys.size() * row_words(), and that the answers do
  /// not overlap the keys. Cost: num_slices rows of 8 * row_words() bytes per key. A few hundred
  /// keys at a time are fastest: their answers are then still in the caches when they are read.
  void Query(Keys keys, std::span<uint64_t> columns) const noexcept;
  /// As above, for one key. Requires columns.size() == row_words().
  void Query(Key key, std::span<uint64_t> columns) const noexcept;

  /// Returns false if the column is closed or the key certainly absent from it.
  bool MayContain(uint32_t column, Key key) const noexcept;

  /// As CountingFilter::Prefetch. For queries: the key's rows, of all columns.
  Key Prefetch(Key key) const noexcept;

  /// @}

  /// @name Properties
  /// @{
  const Geometry& geometry() const noexcept;           ///< Returns the geometry of every column.
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint32_t num_columns() const noexcept;               ///< Returns the configured value.
  uint64_t column_capacity() const noexcept;           ///< Returns the configured value.
  double target_fpr() const noexcept;                  ///< Returns the configured value.
  /// Returns the words of one answer: num_columns() / 64, rounded up to 1, 2, 4 or a multiple of 8.
  size_t row_words() const noexcept;
  /// Returns the bytes of the rows, whatever columns are open.
  uint64_t row_bytes() const noexcept;
  /// Returns the bytes of rows, counters and side tables. Cost: one lock per column.
  uint64_t num_bytes() const noexcept;
  /// Returns statistics of an open column, whose num_bytes leaves out the rows. Requires that it is
  /// open. Cost: as CountingFilter::GetStats.
  Stats GetStats(uint32_t column) const noexcept;
  /// Measures how full the column's blocks are. Requires that it is open. Cost: one pass over them.
  BlockFill MeasureFill(uint32_t column) const noexcept;
  /// @}

  /// @name Files
  /// A column is saved as the snapshot of a CountingFilter that was created for column_capacity()
  /// and target_fpr() with the same geometry and digest policy. FORMAT.md describes every byte.
  /// @{

  /// Returns the snapshot of an open column: that of a CountingFilter after the same operations, if
  /// these commute. Requires that it is open. Throws std::bad_alloc if there is no memory.
  std::vector<std::byte> SerializeColumn(uint32_t column) const;

  /// Opens a closed column with the keys of a snapshot. On failure it stays closed.
  ///
  /// Fails with kInvalidArgument as OpenColumn does; with kMismatch, naming the field, if geometry
  /// or digest policy differ from those here, or if the snapshot is of another type; and with
  /// kVersion, kOutOfMemory or kCorrupt as CountingFilter::Deserialize; with kOutOfMemory also if
  /// the keys need more side memory than its limit.
  Status LoadColumn(uint32_t column, std::span<const std::byte> bytes);

  /// Writes the bytes of SerializeColumn to any destination; updates of the column wait meanwhile.
  /// Requires that it is open. Fails with kOutOfMemory, and as the sink does.
  Status SaveColumnTo(uint32_t column, ByteSink& sink) const;

  /// As LoadColumn, from any source. Fails as that does, and as the source does.
  Status LoadColumnFrom(uint32_t column, const ByteSource& source);

  /// @}

  /// @name Copies
  /// @{

  /// Returns a copy with the same limits and open columns, each as it is at a moment of its own.
  /// Fails with kOutOfMemory. Cost: a snapshot of each column, one at a time, and loading it.
  Result<FilterColumns> Clone() const;

  /// Returns whether both have the same geometry, digest policy, num_columns, column_capacity and
  /// target_fpr, and the same columns open, of which SerializeColumn returns the same bytes. Throws
  /// std::bad_alloc if there is no memory for two snapshots of a column.
  friend TROMMEL_API bool operator==(const FilterColumns& a, const FilterColumns& b);

  /// @}

 private:
  struct Impl;
  explicit FilterColumns(std::unique_ptr<Impl> impl) noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_FILTER_COLUMNS_H_
