// Snapshots of fingerprint stores: version 2 of the format. All numbers little-endian.
//
//   0      header, 256 bytes           FingerprintHeader below
//          zeros up to a multiple of 4096
//   4096   blocks section              the blocks' words, as in kernels/fingerprint_layout.h
//          zeros up to a multiple of 4096
//   ....   lines section               the overflow lines (fingerprints/wide_store.h); empty with
//   slots
//                                      of 8 bits
//          zeros up to a multiple of 64
//   ....   side table section          the blocks that hide keys, ascending; may be empty
//   end of file
//
// An entry of the side table:
//
//   0   u64  block index               then n times, keys ascending:    0   u32  key
//   8   u32  n, keys that it hides                                      4   u32  0
//   12  u32  0                                                          8   u64  copies, 1 or more
//
// Canonical: blocks, lines and entries are those that Canonical (fingerprints/fingerprint_store.h)
// makes of what the blocks hold, whatever led there. Reading checks just that, so every file that
// is read is the one that would be written.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_FINGERPRINT_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_FINGERPRINT_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/src/disk/byte_sink.h"
#include "engine/src/fingerprints/fingerprint_store.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/result.h"

namespace trommel {

// How keys lie in slots. Only the first is known; the second is for filters that grow by
// themselves.
enum class FingerprintCode : uint32_t { kUniform = 0, kWithLengths = 1 };

struct FingerprintHeader {
  SnapshotStart start;             //   0  version 2, type: kCountingFilter
  uint32_t fingerprint_bits;       //  32
  uint32_t encoding;               //  36  Encoding
  uint32_t shard_bits;             //  40
  uint32_t code;                   //  44  FingerprintCode
  uint64_t num_blocks;             //  48
  uint64_t capacity;               //  56  0 together with target_fpr: not sized
  double target_fpr;               //  64
  uint64_t num_keys;               //  72
  uint64_t num_hiding;             //  80  entries of the side table
  SectionRecord blocks;            //  88
  SectionRecord lines;             // 112
  SectionRecord side_table;        // 136
  uint64_t file_bytes;             // 160
  std::array<uint64_t, 10> zeros;  // 168
  uint64_t checksum;               // 248  of the bytes before it
};
static_assert(sizeof(FingerprintHeader) == kHeaderBytes &&
              offsetof(FingerprintHeader, num_blocks) == 48 &&
              offsetof(FingerprintHeader, blocks) == 88 &&
              offsetof(FingerprintHeader, file_bytes) ==
                  FileBytesAt(SnapshotType::kCountingFilter, kSecondVersion) &&
              offsetof(FingerprintHeader, checksum) == kHeaderChecksumAt);

struct HiddenEntryHeader {
  uint64_t block_idx;
  uint32_t num_keys;
  uint32_t reserved;
};
struct HiddenEntryKey {
  uint32_t key;
  uint32_t reserved;
  uint64_t count;
};
static_assert(sizeof(HiddenEntryHeader) == 16 && sizeof(HiddenEntryKey) == 16);

struct FingerprintContents {
  std::unique_ptr<FingerprintStore> store;
  FilterFacts facts;
};

// Is it a snapshot of this kind?
bool HasFingerprintHeader(const OpenedSnapshot& snapshot);

Geometry GeometryOf(const FingerprintHeader& header);

// The size of the snapshot. Cost: one pass over the groups that have promoted blocks.
uint64_t FingerprintSnapshotBytes(const FingerprintStore& store);

// Writes the canonical snapshot in one pass. Fails as the sink does.
Status WriteFingerprintSnapshot(const FingerprintStore& store, const FilterFacts& facts,
                                ByteSink& sink);

// The header, whose every field could be that of a filter of fingerprints of this file size. Fails
// with kCorrupt, kVersion or kMismatch.
Result<FingerprintHeader> ReadFingerprintHeader(const OpenedSnapshot& snapshot);

// A whole valid store of a header that ReadFingerprintHeader returned. Fails, and counts
// `used_bytes`, as ReadSections (snapshot.h).
Result<FingerprintContents> ReadFingerprintSections(const ByteSource& source,
                                                    const FingerprintHeader& header,
                                                    uint64_t limit_bytes,
                                                    const DigestKey& digest_key,
                                                    uint64_t used_bytes = 0);

// Both. Fails as ReadSnapshot (snapshot.h).
Result<FingerprintContents> ReadFingerprintSnapshot(const OpenedSnapshot& snapshot,
                                                    uint64_t limit_bytes,
                                                    const DigestKey& digest_key);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_FINGERPRINT_SNAPSHOT_H_
