/// @file
/// ColumnMap, a map from keys to the columns that have them.
#ifndef TROMMEL_COLUMN_MAP_H_
#define TROMMEL_COLUMN_MAP_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trommel/digest.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"

namespace trommel {

/// Most columns of a ColumnMap.
inline constexpr uint32_t kMaxMapColumns = 65'535;

/// The shape of a ColumnMap: a block is a cache line of 31 slots of 16 bits, 25 of 20 bits or 21 of
/// 24 bits, and a slot is the fingerprint of a key and the number of a column.
struct TROMMEL_API MapGeometry {
  uint64_t num_blocks = 0;        ///< A multiple of 64.
  uint32_t fingerprint_bits = 0;  ///< 1 to 16.
  uint32_t num_columns = 0;       ///< As configured.

  /// Returns the bits of a slot: the least of 16, 20 and 24 that fingerprint and column fit.
  uint32_t slot_bits() const noexcept;
  /// Returns the slots of a block.
  uint32_t slots_per_block() const noexcept;
  /// Returns how many of so many pairs a non-member's place has, on average: false columns of a
  /// query, if the pairs are those of all columns.
  double FalsePairs(uint64_t num_pairs) const noexcept;

  /// Memberwise equality.
  friend bool operator==(const MapGeometry&, const MapGeometry&) = default;
};

/// What ColumnMap::Create makes.
struct ColumnMapConfig {
  /// Pairs of a key and a column for which the blocks have slots, in all columns together;
  /// required. Keys in more than a few columns take one slot each. More pairs than that are kept
  /// elsewhere: nothing fails, and queries and updates read more lines.
  uint64_t capacity = 0;
  uint32_t num_columns = 0;  ///< Most columns; required, 1 to kMaxMapColumns.
  /// False columns of a query of a non-member at the capacity, per column: num_columns times this
  /// are expected at most. The rate is mostly far lower, because slots have at least 16 bits.
  double target_fpr = 0.004;
  DigestPolicy digest = {};       ///< How keys become digests.
  uint64_t num_blocks = 0;        ///< With fingerprint_bits: this geometry; 0: chosen by capacity.
  uint32_t fingerprint_bits = 0;  ///< With num_blocks; 0: chosen.
  uint64_t memory_limit_bytes = 0;  ///< Of the blocks; 0: the machine's memory.
};

/// Returns the geometry that ColumnMap::Create chooses. Requires numbers in range.
TROMMEL_API MapGeometry MapGeometryFor(const ColumnMapConfig& config) noexcept;

/// Statistics of a ColumnMap. Figures are of several moments where threads change the map.
struct MapStats {
  uint64_t num_pairs = 0;             ///< Different pairs of place (block, fingerprint) and column.
  uint64_t num_slots = 0;             ///< Of all blocks.
  uint64_t num_slots_in_use = 0;      ///< By pairs and marks.
  uint64_t num_pairs_elsewhere = 0;   ///< Part of num_pairs: not in slots.
  uint64_t num_places_elsewhere = 0;  ///< To which these belong.
  uint64_t num_hidden_places = 0;     ///< Part of these: without a slot, because the block is full.
  double predicted_false_columns = 0;  ///< Expected of a query of a non-member.
  /// Of blocks and all that is kept elsewhere, free memory for further use included.
  uint64_t num_bytes = 0;
  uint64_t num_refused_inserts = 0;  ///< Insertions that the system refused memory, since Create.
  /// Queries that were answered "maybe present" for all columns, since Create, because the block
  /// was changed at each of several attempts.
  uint64_t num_interrupted_queries = 0;
};

/// A map from keys to columns: which columns may hold this key? One query answers for all of them,
/// from one cache line for keys in few columns, whatever the number of columns. For keys in most of
/// the columns one CountingFilter per column takes less memory, and a query of each.
///
/// A key's digest names a block and a *fingerprint*: its *place*. Each pair of a place and a column
/// takes a slot of the block. A place with more than a few columns has a list or a bitmap of them
/// instead, and one slot says so. Keys with the same place share their columns, and each has a
/// count: a column stays until it was erased as often as it was inserted.
/// @code{.unparsed}
///   block   | a 3 | a 7 | b 3 | c .. |     key a is in columns 3 and 7, b in 3
///                               |
///                               +---> 0 1 3 4 6 ...        c's columns
/// @endcode
/// An answer is row_words() words of 64 bits: column c is bit c % 64 of word c / 64. Bits of closed
/// columns, and bits beyond num_columns(), are 0, except for an interrupted query.
///
/// The contract ("key" includes its duplicates; a batch is a sequence of single operations):
/// @code{.unparsed}
///   operation                  promise
///   -------------------------  ------------------------------------------------------------------
///   Query, MayContain          Take no lock and never wait. If an insertion of the key into a
///                              column happened before the query, and neither an erasure in that
///                              column that could match it nor its closing has begun, the column is
///                              answered "maybe present". Answers are those of one moment, which is
///                              not before the query began. A query whose block is changed at each
///                              of several attempts answers "maybe present" for all columns.
///   Insert, Erase              Any thread at any time. They wait for each other for a key of the
///                              same range of blocks, at most for a part of a batch.
///   OpenColumn, CloseColumns,  Any thread at any time beside queries and operations of other
///   LoadColumn,                columns; not beside others, or Insert and Erase, of their own.
///   SerializeColumns
///   IsOpen, GetStats, num_keys Any thread at any time.
///   move, destruction          Exclusive.
/// @endcode
/// "Happened before" is that of C++. A key may be erased from a column as often as it was inserted
/// there.
class TROMMEL_API ColumnMap {
 public:
  /// Creates a map whose columns are all closed. Fails with kInvalidArgument, naming the number
  /// that is out of range, and with kOutOfMemory if the blocks exceed the limit or the system
  /// refuses memory.
  static Result<ColumnMap> Create(const ColumnMapConfig& config);

  /// Moves the map. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message.
  /// @{
  ColumnMap(ColumnMap&&) noexcept;
  ColumnMap& operator=(ColumnMap&&) noexcept;
  ~ColumnMap();
  /// @}

  /// @name Columns
  /// A closed column has no keys.
  /// @{

  /// Opens a closed column, with no keys. Fails with kInvalidArgument if the column is open or is
  /// not below num_columns().
  Status OpenColumn(uint32_t column);
  /// Removes all keys of the column and closes it, if it is open. When this returns, none of its
  /// pairs is left. Requires column < num_columns(), as all members below. Needs no memory. Cost:
  /// one pass over the map; without memory for a list of its pairs in 64 blocks, some more.
  void CloseColumn(uint32_t column) noexcept;
  /// The same of several columns, each at most once. Cost: one pass over the map.
  void CloseColumns(std::span<const uint32_t> columns) noexcept;
  /// Returns whether the column is open.
  bool IsOpen(uint32_t column) const noexcept;

  /// @}

  /// @name Updates of one column
  /// Require that the column is open.
  /// @{

  /// Inserts every key into the column, as far as there is memory for what blocks have no slots
  /// for. A key that the system refuses memory is refused: nothing changes for it, and it must not
  /// be erased on account of this call. Cost: one cache line per key; for keys in many columns,
  /// their list.
  InsertOutcome Insert(uint32_t column, Keys keys) noexcept;
  /// As above; also sets the bits in `inserted` of the keys that were inserted and clears the
  /// others. Requires BitmapWords(keys.size()) words that do not overlap the keys.
  InsertOutcome Insert(uint32_t column, Keys keys, std::span<uint64_t> inserted) noexcept;
  /// Returns false if the insertion was refused.
  bool Insert(uint32_t column, Key key) noexcept { return InsertDigest(column, DigestOf(key)); }

  /// In input order, erases every key from the column, or refuses a key that is certainly absent
  /// from the column and changes nothing for it. What erasing a non-member does:
  /// CountingFilter::Erase. Needs no memory.
  EraseOutcome Erase(uint32_t column, Keys keys) noexcept;
  /// Returns false if the erasure was refused.
  bool Erase(uint32_t column, Key key) noexcept { return EraseDigest(column, DigestOf(key)); }

  /// @}

  /// @name Queries
  /// @{

  /// Writes every key's answer: that of key i is columns[i * row_words()] and the row_words() - 1
  /// words after it. Requires columns.size() == keys.size() * row_words(), and that the answers do
  /// not overlap the keys. Cost: one line per key, and its answer; for keys in many columns, their
  /// list or bitmap and two lines more.
  void Query(Keys keys, std::span<uint64_t> columns) const noexcept;
  /// As above, for one key. Requires columns.size() == row_words().
  void Query(Key key, std::span<uint64_t> columns) const noexcept;
  /// Returns false if the column is closed or the key certainly absent from it.
  bool MayContain(uint32_t column, Key key) const noexcept {
    return HasDigest(column, DigestOf(key));
  }

  /// As CountingFilter::Prefetch.
  Key Prefetch(Key key) const noexcept;

  /// @}

  /// @name Properties
  /// @{
  const MapGeometry& geometry() const noexcept;        ///< Returns the shape.
  const DigestPolicy& digest_policy() const noexcept;  ///< Returns how keys become digests.
  uint32_t num_columns() const noexcept;               ///< Returns the configured value.
  uint64_t capacity() const noexcept;                  ///< Returns the configured value.
  double target_fpr() const noexcept;                  ///< Returns the configured value.
  /// Returns the words of one answer: num_columns() / 64, rounded up.
  size_t row_words() const noexcept;
  /// Returns the number of keys of an open column, duplicates included. Requires that it is open.
  uint64_t num_keys(uint32_t column) const noexcept;
  /// Returns statistics. Cost: one pass over a few counters.
  MapStats GetStats() const noexcept;
  /// @}

  /// @name Files
  /// FORMAT.md describes every byte.
  /// @{

  /// Returns the bytes of open columns: one form for each set of pairs, whatever the history.
  /// Requires that they are open, each at most once. Throws std::bad_alloc if there is no memory.
  /// Cost: one pass over the map, and memory for all pairs of the columns.
  std::vector<std::vector<std::byte>> SerializeColumns(std::span<const uint32_t> columns) const;
  /// The same of one column.
  std::vector<std::byte> SerializeColumn(uint32_t column) const;

  /// Opens a closed column with the keys that SerializeColumn wrote. On failure it stays closed.
  ///
  /// Fails with kInvalidArgument as OpenColumn does; with kMismatch, naming the field, if number of
  /// blocks, fingerprint bits or digest policy differ from those here; with kVersion for bytes of a
  /// later version, with kCorrupt for bytes that SerializeColumn does not write, and with
  /// kOutOfMemory.
  Status LoadColumn(uint32_t column, std::span<const std::byte> bytes);

  /// @}

  /// Returns whether both have the same geometry, digest policy, num_columns, capacity and
  /// target_fpr, and the same columns open, of which SerializeColumns returns the same bytes.
  /// Requires that no thread inserts, erases, opens or closes meanwhile. Throws std::bad_alloc if
  /// there is no memory for the bytes of both.
  friend TROMMEL_API bool operator==(const ColumnMap& a, const ColumnMap& b);

 private:
  struct Impl;
  explicit ColumnMap(std::unique_ptr<Impl> impl) noexcept;
  // One key.
  uint64_t DigestOf(const Key& key) const noexcept { return impl_.one().DigestOf(key); }
  bool InsertDigest(uint32_t column, uint64_t digest) noexcept;
  bool EraseDigest(uint32_t column, uint64_t digest) noexcept;
  bool HasDigest(uint32_t column, uint64_t digest) const noexcept;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_COLUMN_MAP_H_
