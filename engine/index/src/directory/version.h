// Version: what a query pins. The region table, and for each attribute the columns of its regions.
//
//   Version ---- RegionTable            positions 0 .. R-1, in the order of keys
//      |
//      +-- AttributeColumns (one per attribute; shared by versions in which it did not change)
//             |   now.structure             the pairs, in columns 0 .. C-1
//             |   now.regions[position] --> RegionColumn: column, built or not, cursor
//             |   next                      the same of the successor, which no query reads
//             |   unbuilt                   bit per position: a candidate for every value
//             |   positions_of_columns      from an answer's bit to the regions that it stands for
//
// Everything is immutable once published but for a column becoming built (and its cursor before).
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_VERSION_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_VERSION_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/directory/pair_structure.h"
#include "trommel/index/region_table.h"
#include "trommel/index/server_index.h"

namespace trommel::index {

inline constexpr uint32_t kNoColumn = ~uint32_t{0};

// The pairs of a region and an attribute: which column of the structure has them, and how far it is
// built. It becomes built once, and is replaced rather than emptied.
struct RegionColumn {
  RegionColumn(uint64_t id_of_it, uint32_t column_of_it) : id(id_of_it), column(column_of_it) {}

  const uint64_t id;          // of no other column, before or after
  const uint32_t column;      // kNoColumn: none was free, or the structure refused a pair
  bool has_given_up = false;  // the structure refused a pair: not to be built again
  std::atomic<bool> is_built{false};
  std::mutex mutex;  // over the cursor
  std::optional<std::string> cursor;

  // Whether the pair of this value is, or has been, the builder's: from then on it follows the
  // rows.
  bool Maintains(std::string_view value) {
    if (is_built.load(std::memory_order_acquire)) return true;
    if (column == kNoColumn) return false;
    const std::lock_guard<std::mutex> lock(mutex);
    return cursor.has_value() && value <= *cursor;
  }
};

// A structure, and the columns of the regions in it.
struct ColumnSet {
  uint64_t pairs_per_region = 0;
  std::shared_ptr<PairStructure> structure;            // null: not sized yet
  std::vector<std::shared_ptr<RegionColumn>> regions;  // by position
};

// While an attribute's structure is replaced, it has a successor beside it:
//
//   now    queries read it; follows the rows as before
//   next   builders fill it, column by column; follows the rows up to each column's cursor
//
// When all columns of `next` are built, a version is published in which it is `now`.
//
// *Why no pair is lost.* A writer holds a lock that excludes the region's builder (FlightTable)
// from when it asks whether a pair is maintained until it has changed the pair. Versions may be
// published meanwhile. One with a new successor: its column has no cursor before the lock is
// released, and the builder then finds the value in the rows or in flight. The switch: it moves no
// cursor, and the column of `next` is in both versions. A column that is replaced follows no rows.
// Afterwards, the old structure is read only by queries that pinned it before the switch, and so
// before any commit whose pairs it lacks.
struct AttributeColumns {
  // Bits that depend on `state`, `now` and `next`, which must be set before. num_words is that of
  // an answer in regions.
  void Prepare(size_t num_words);
  // The region at this position has become built in `now`. Requires the lock under which versions
  // change.
  void SetBuilt(size_t position);
  // The set that builders fill.
  ColumnSet& to_fill() { return next ? *next : now; }
  const ColumnSet& to_fill() const { return next ? *next : now; }

  AttributeState state = AttributeState::kNone;
  ColumnSet now;
  std::optional<ColumnSet> next;

  // Set by Prepare. Regions of `next` that keep it from becoming `now`. Under the lock under which
  // versions change.
  uint32_t num_unbuilt_next = 0;

  // Set by Prepare, of `now`. A plain attribute's answers need no translation: the region at
  // position i has column i.
  bool is_plain = false;
  std::vector<uint32_t> first_position_of_column;  // and the next column's: a range of
  std::vector<uint32_t> positions_of_columns;      // this
  std::atomic<uint32_t> num_unbuilt{0};
  std::unique_ptr<std::atomic<uint64_t>[]> unbuilt;  // num_words words
};

struct ServerIndex::Version {
  uint64_t number = 0;
  std::shared_ptr<const RegionTable> table;
  size_t num_words = 0;
  std::vector<std::shared_ptr<AttributeColumns>> attributes;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_VERSION_H_
