// The format of an attribute filter's snapshot: the header, and where the sets' filters are. All
// numbers little-endian.
//
//   0      header, 256 bytes              AttributeHeader below
//   256    table, 24 bytes per set        SetRecord below, ascending by set
//          cuts, 4 bytes each             ascending; of version 2 8 bytes each
//          names, one for each attribute  a byte that says how many bytes follow, and these
//          zeros up to a multiple of 4096
//   ....   the first set's filter         a scalable filter's snapshot, whole
//   (multi_store_format.h)
//          zeros up to a multiple of 4096
//   ....   the second set's ...
//   end of the last one: end of file
//
// Which sets there are follows from the number of attributes, the limit and the cuts, or is the
// table's list; each set's numbers stand in its filter's snapshot. Canonical: places follow from
// sizes alone. Header and front (table, cuts and names) have a checksum, each filter has its own;
// padding must be zero, and nothing may follow.
//
// Version 1 has up to 16 attributes and sets by cuts; it is written where it can be. Version 2 has
// what else there is.
#ifndef TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FORMAT_H_
#define TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/attribute_sets.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

struct AttributeHeader {
  SnapshotStart start;             //   0  type: kAttributeFilter; digest kind and seed: of values
  uint32_t num_attributes;         //  32  1 .. kMaxAttributes; of version 1 at most 16
  uint32_t num_cuts;               //  36
  uint64_t num_sets;               //  40
  uint64_t num_tuples;             //  48  in every set
  uint64_t front_bytes;            //  56  table, cuts and names
  uint64_t front_checksum;         //  64
  uint64_t file_bytes;             //  72
  uint32_t is_list;                //  80  AttributeSets::is_list; of version 1: 0
  uint32_t max_together;           //  84  AttributeSets::max_together; of version 1: 0
  std::array<uint64_t, 20> zeros;  //  88
  uint64_t checksum;               // 248  of the bytes before it
};
static_assert(sizeof(AttributeHeader) == kHeaderBytes &&
              std::is_trivially_copyable_v<AttributeHeader>);
static_assert(offsetof(AttributeHeader, num_attributes) == 32 &&
                  offsetof(AttributeHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kAttributeFilter, kSnapshotVersion) &&
                  offsetof(AttributeHeader, zeros) == 88 &&
                  offsetof(AttributeHeader, checksum) == kHeaderChecksumAt,
              "the struct is the file's bytes");

struct SetRecord {
  uint64_t offset;  // of its filter, from the start of the file
  uint64_t num_bytes;
  uint64_t set;
};
static_assert(sizeof(SetRecord) == 24);

// What stands before the sets' filters.
struct AttributeFront {
  DigestPolicy digest;
  AttributeSets sets;
  std::vector<std::string> names;
  uint64_t num_tuples = 0;
  std::vector<SetRecord> table;  // as sets.allowed()
};

// Where the first filter's padding begins: after the front.
uint64_t FrontEnd(const AttributeFront& front);

// The header, sealed, and the front; the table's offsets and sizes must be set.
std::vector<std::byte> FrontBytes(const AttributeFront& front);

// A front that could be: all that can be told without looking at the filters. Fails with kCorrupt
// or kMismatch if it is not the front of an attribute filter's snapshot, and as the source does.
// Takes no more memory than the source has bytes, and what kMaxAttributeSets sets take.
Result<AttributeFront> ReadFront(const OpenedSnapshot& snapshot);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_ATTRIBUTES_ATTRIBUTE_FORMAT_H_
