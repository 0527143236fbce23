// Snapshots of scalable filters that double: version 2 of the format. All numbers little-endian.
//
//   0      header, 256 bytes           DoublingHeader below
//   256    table, 64 entries of 64     ShardRecord below, in the order of the digests' top 6 bits
//   4352   shards, in that order, each:
//            digests                   8 bytes each: strings (growing/shard_contents.h), ascending
//            further copies            16 bytes each: string, count; ascending by string
//            sizes of blocks           4 bytes each: how many codes the block has
//            codes                     2 bytes each: block by block, ascending
//            zeros up to a multiple of 8
//   end of the last shard: end of file
//
// A shard that keeps digests has no blocks, one that has blocks no digests. Canonical: a shard's
// size follows from its history, which the file keeps as depth and num_split; all else from the
// strings that it holds. Nothing is free: what GrowingStore::ReadShard would not return is refused.
// A block takes at least 4 bytes of the file, and a code that its block has no place for 2 bytes,
// so a file makes its reader take at most 33 times its own size.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "engine/src/scalable/doubling_engine.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

struct DoublingHeader {
  SnapshotStart start;             //   0  version 2, type: kScalableFilter
  uint32_t mode;                   //  32  GrowthMode::kDoubling
  uint32_t code;                   //  36  FingerprintCode::kWithLengths
  uint32_t shard_bits;             //  40  6
  uint32_t first_bits;             //  44  a shard has 2^first_bits blocks at first
  uint32_t most_doublings;         //  48
  uint32_t reserved;               //  52  0
  uint64_t max_capacity;           //  56  as asked for; 0: none
  double target_fpr;               //  64  as asked for
  uint64_t num_keys;               //  72  insertions less erasures
  uint64_t file_bytes;             //  80
  uint64_t table_checksum;         //  88
  std::array<uint64_t, 19> zeros;  //  96
  uint64_t checksum;               // 248  of the bytes before it
};
static_assert(sizeof(DoublingHeader) == kHeaderBytes &&
              std::is_trivially_copyable_v<DoublingHeader>);
static_assert(offsetof(DoublingHeader, max_capacity) == 56 &&
                  offsetof(DoublingHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kScalableFilter, kSecondVersion) &&
                  offsetof(DoublingHeader, zeros) == 96 &&
                  offsetof(DoublingHeader, checksum) == kHeaderChecksumAt,
              "the struct is the file's bytes");

struct ShardRecord {
  uint32_t depth;        //  0  2^depth blocks before those that have been split; 0: digests
  uint32_t reserved;     //  4  0
  uint64_t num_split;    //  8  segments of 4,096 blocks that have been split
  uint64_t num_digests;  // 16
  uint64_t num_further;  // 24
  uint64_t num_blocks;   // 32
  uint64_t num_codes;    // 40
  uint64_t zero;         // 48
  uint64_t checksum;     // 56  of the shard's bytes
};
static_assert(sizeof(ShardRecord) == 64);
using ShardTable = std::array<ShardRecord, GrowingStore::kNumShards>;

// Is it a snapshot of this kind?
bool HasDoublingHeader(const OpenedSnapshot& snapshot);

// Writes the canonical snapshot, shard by shard, each as it is at a moment of its own. Fails as the
// sink does.
Status WriteDoublingSnapshot(const DoublingEngine& engine, ByteSink& sink);

// Fails with kCorrupt, kVersion, kMismatch (digest key) and kOutOfMemory over the limit.
Result<std::unique_ptr<DoublingEngine>> ReadDoublingSnapshot(const OpenedSnapshot& snapshot,
                                                             uint64_t limit_bytes,
                                                             const DigestKey& digest_key);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_DOUBLING_SNAPSHOT_H_
