// Keys of the local index's entries. RocksDB orders them byte by byte:
//
//   +-------------------+----------------------------+-------+--------------------+
//   | attribute         | value, 00 written as 00 ff | 00 01 | row key, as it is  |
//   | 4 bytes, big end. |                            | (end) |                    |
//   +-------------------+----------------------------+-------+--------------------+
//   |<------------------- prefix ------------------->|
//
// The end sorts before every byte that can follow it within a value (00 ff, or 01 and more), so
// entries are in the order of (attribute, value, row key), and no value's prefix begins another's.
// A region's entries for a value are one contiguous range: from prefix + first key to prefix + the
// key at which the region ends. A split or merge of regions rewrites nothing.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_ENTRY_KEY_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_ENTRY_KEY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

// Returns what all entries of the attribute begin with, and no others.
std::string AttributePrefix(uint32_t attribute);
// Returns what all entries of the value begin with, and no others.
std::string ValuePrefix(uint32_t attribute, std::string_view value);
// Returns the least key beyond all keys that begin with a prefix of the two above.
std::string BeyondPrefix(std::string prefix);

// The entries of a value whose row keys are in a range: from `begin` up to, and without, `end`.
struct EntryRange {
  std::string begin;
  std::string end;
};
EntryRange EntriesOf(std::string_view value_prefix, const KeyRange& range);

struct EntryKey {
  uint32_t attribute = 0;
  std::string value;
  std::string_view row_key;  // within the key that was decoded
  size_t prefix_bytes = 0;   // of that key
};

// Fails with kCorrupt unless the bytes are a whole entry, within the limits of the schema.
Result<EntryKey> DecodeEntryKey(std::string_view bytes);

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_ENTRY_KEY_H_
