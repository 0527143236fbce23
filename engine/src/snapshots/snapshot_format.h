// The snapshot format, version 1: the header, and where the sections are. All numbers
// little-endian.
//
//   0      header, 256 bytes              SnapshotHeader below
//          zeros up to a multiple of 4096
//   4096   presence section               the blocks' presence words, as in kernels/layout.h
//          zeros up to a multiple of 4096
//   ....   counts section                 the blocks' words of counts
//          zeros up to a multiple of 64
//   ....   side table section             the promoted blocks; may be empty
//   end of file
//
// Presence and counts are the very words of memory, on page boundaries: a reader may map them. With
// runs, whose blocks hold both (kernels/run_block.h), the presence section is empty and the counts
// section is the blocks. A promoted block has its marker among the counts and an entry in the side
// table, ascending by block:
//
//   0   u64  block index                        u = 1, 2, 4 or 8, the least that holds the largest
//   8   u32  u, the width of a counter          counter of the block
//   12  u32  0
//   16  the block's counters of u bytes, slice by slice, position by position
//
// Canonical: there is one file for each state of the counters. Nothing is free, so anything
// unexpected is an error: a block is promoted iff its counters do not fit its encoding, whatever it
// was in memory. Each section and the header carry an XXH3-64 checksum, padding must be zero, and
// nothing may follow: a change to any bit is noticed. What a forger can make match is checked for
// itself (snapshot_read.cc, snapshot_side_table.cc).
//
// Later versions keep the first 12 bytes. A reader that does not know a version, type, digest kind
// or encoding says so and reads no further.
//
// Files of other types (multi_store_format.h) share the first 32 bytes, the header's size and the
// place of its checksum: whatever reads one type can name the others.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_FORMAT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_FORMAT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "trommel/digest.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

static_assert(std::endian::native == std::endian::little,
              "snapshots hold the words of memory as they are, and the format is little-endian");

// As in PNG: a byte with the high bit set, then our name, then both line ends around the character
// that ends a DOS text. Any copy that "translates" text changes one of them.
inline constexpr std::array<unsigned char, 8> kSnapshotMagic = {0x89, 'T',  'R',  'M',
                                                                '\r', '\n', 0x1a, '\n'};
inline constexpr uint32_t kSnapshotVersion = 1;
// Of filters with fingerprints: counting (fingerprint_snapshot.h), scalable ones that double
// (scalable/doubling_snapshot.h), and windows (window/window_snapshot.h); and of
// attribute filters whose sets version 1 cannot name (attributes/attribute_format.h).
inline constexpr uint32_t kSecondVersion = 2;
// Of scalable filters whose generations may have fingerprints (multi_store_format.h).
inline constexpr uint32_t kThirdVersion = 3;
inline constexpr uint64_t kPageAlignment = 4096;
inline constexpr uint64_t kSideTableAlignment = 64;
// Insertions a snapshot may hold: so few that one more cannot wrap. Merges stop at half of it, and
// the other half is centuries of inserting one by one.
inline constexpr uint64_t kMaxSnapshotKeys = (uint64_t{1} << 63) - 1;

enum class SnapshotType : uint32_t {
  kCountingFilter = 1,
  kScalableFilter = 2,
  kWindowFilter = 3,
  kAttributeFilter = 6,
};
inline constexpr uint32_t kNumSnapshotTypes = 6;
// Those of layered and of classic filters, which this library reads no longer. Not to be used
// again.
inline constexpr uint32_t kLayeredType = 4;
inline constexpr uint32_t kClassicType = 5;

// "counting", "scalable", "window", "attribute"; "unknown" for anything else.
std::string_view SnapshotTypeName(SnapshotType type);

// What every header begins with.
struct SnapshotStart {
  std::array<unsigned char, 8> magic;  //   0
  uint32_t version;                    //   8
  uint32_t header_bytes;               //  12  256
  uint32_t type;                       //  16  SnapshotType
  uint32_t digest_kind;                //  20  DigestKind
  uint64_t seed;                       //  24  of kSipHash: the check value of its key
};
static_assert(sizeof(SnapshotStart) == 32);
inline constexpr uint64_t kHeaderBytes = 256;

// Where the header of a type and version has the size of the whole file, a uint64_t.
constexpr size_t FileBytesAt(SnapshotType type, uint32_t version) {
  if (type == SnapshotType::kAttributeFilter) return 72;
  return type == SnapshotType::kScalableFilter && version == kSecondVersion ? 80 : 160;
}
inline constexpr uint64_t kHeaderChecksumAt = 248;  // of the bytes before it

struct SectionRecord {
  uint64_t offset;  // from the start of the file
  uint64_t num_bytes;
  uint64_t checksum;
};

struct SnapshotHeader {
  SnapshotStart start;             //   0  type: kCountingFilter
  uint32_t num_slices;             //  32
  uint32_t encoding;               //  36  Encoding
  uint32_t shard_bits;             //  40
  uint32_t reserved;               //  44  0
  uint64_t num_blocks;             //  48
  uint64_t capacity;               //  56  0 together with target_fpr: not sized
  double target_fpr;               //  64
  uint64_t num_keys;               //  72
  uint64_t num_promoted;           //  80  entries of the side table
  SectionRecord presence;          //  88
  SectionRecord counts;            // 112
  SectionRecord side_table;        // 136
  uint64_t file_bytes;             // 160
  std::array<uint64_t, 10> zeros;  // 168
  uint64_t checksum;               // 248  of the bytes before it
};
static_assert(sizeof(SnapshotHeader) == kHeaderBytes &&
              std::is_trivially_copyable_v<SnapshotHeader>);
static_assert(offsetof(SnapshotHeader, num_slices) == sizeof(SnapshotStart) &&
                  offsetof(SnapshotHeader, num_blocks) == 48 &&
                  offsetof(SnapshotHeader, presence) == 88 &&
                  offsetof(SnapshotHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kCountingFilter, kSnapshotVersion) &&
                  offsetof(SnapshotHeader, zeros) == 168 &&
                  offsetof(SnapshotHeader, checksum) == kHeaderChecksumAt,
              "the struct is the file's bytes");

struct SideEntryHeader {
  uint64_t block_idx;
  uint32_t width;
  uint32_t reserved;
};
static_assert(sizeof(SideEntryHeader) == 16);

// The bytes of a header, an entry or a block's words.
template <class T>
std::span<const std::byte> BytesOf(const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(&value, 1));
}

// The bytes of an entry's counters in the side table: always a multiple of 8.
constexpr uint64_t SideCounterBytes(const Geometry& geometry, uint32_t width) {
  return uint64_t{geometry.num_slices} * geometry.slice_positions() * width;
}

// The least width that holds the largest of the counters.
uint32_t SideCounterWidth(std::span<const uint64_t> counters);

Geometry GeometryOf(const SnapshotHeader& header);

// Sets the sections' places and the file's size from the header's geometry.
void PlaceSections(SnapshotHeader& header, uint64_t side_table_bytes);

// The first bytes of a snapshot of this type and digest policy.
SnapshotStart StartOf(SnapshotType type, const DigestPolicy& policy);

// The checksum that a header of any type has in its last 8 bytes.
uint64_t HeaderChecksum(std::span<const std::byte, kHeaderBytes> header);

// Sets the header's own checksum, after all other fields.
template <class Header>
void Seal(Header& header) {
  header.checksum = HeaderChecksum(BytesOf(header).template first<kHeaderBytes>());
}

// --- Errors and checks that the types share. Status: kCorrupt unless it says otherwise.

// kVersion: a field that a later library may have written and this one does not know.
Error UnknownAt(uint64_t offset, std::string_view field, uint64_t found, std::string_view known);

// "corrupt snapshot at byte 88: ..."
Error CorruptAt(uint64_t offset, std::string_view what);

// The file has the size that its header says: "file is 300 bytes, its header says 6,464:
// truncated?"
Status CheckFileBytes(uint64_t file_bytes, uint64_t header_says);

// Reserved words, from byte `offset` on, are zero.
Status CheckReserved(std::span<const uint64_t> words, uint64_t offset);

// Capacity (at byte `offset`) and rate could have been asked for, or are both zero: not sized.
Status CheckSizedFor(uint64_t capacity, double target_fpr, double least_fpr, double most_fpr,
                     uint64_t offset);

// At most kMaxSnapshotKeys.
Status CheckNumKeys(uint64_t num_keys, uint64_t offset);

// `checksum`, computed over the named section's bytes, is the one recorded.
Status CheckSectionSum(const SectionRecord& section, uint64_t checksum, std::string_view name);

// --- Padding: the zeros from one section's end to the multiple of its alignment at which the next
// one begins.

// Any number of zeros. Fails as the sink does.
Status AppendZeros(uint64_t num_bytes, ByteSink& sink);

// The source's bytes from begin to end, at most kPageAlignment of them, are zero: names the first
// that is not.
Status CheckZeros(const ByteSource& source, uint64_t begin, uint64_t end);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_SNAPSHOT_FORMAT_H_
