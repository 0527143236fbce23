// Windows on disk: version 2 of the format, of type window filter. All numbers little-endian.
//
//   0      header, 256 bytes           WindowHeader below
//          zeros up to a multiple of 4096
//   4096   blocks section              the blocks' words, as in kernels/stamped_layout.h
//          zeros up to a multiple of 4096
//   ....   lines section               the overflow lines (window/stamped_line.h)
//          zeros up to a multiple of 64
//   ....   keys section                u64 per live bucket, the oldest first: its keys
//          zeros up to a multiple of 64
//   ....   side table section          entries, ascending by block, fingerprint, bucket; may be
//   end of file                        empty
//
// An entry of the side table:
//
//   0   u64  block index          16  u64  copies, 1 or more        24  u32  fingerprint
//   8   u64  bucket                                                 28  u32  0
//
// Stamps count from the first live bucket, max(0, current - num_buckets). Expired keys are not
// there. Canonical: a block's fingerprints ascend, those that do not fit follow in its line, block
// after block, or in the side table (StampedStore::StoreContents); reading checks just that.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {

struct WindowHeader {
  SnapshotStart start;            //   0  version 2, type: kWindowFilter
  uint32_t fingerprint_bits;      //  32  12: slots of 16 bits; 16: slots of 24 bits
  uint32_t is_erasable;           //  36  0 or 1
  uint32_t shard_bits;            //  40
  uint32_t num_buckets;           //  44
  uint64_t num_blocks;            //  48
  uint64_t capacity;              //  56
  double target_fpr;              //  64
  uint64_t window;                //  72
  uint64_t now;                   //  80
  SectionRecord blocks;           //  88
  SectionRecord lines;            // 112
  SectionRecord side_table;       // 136
  uint64_t file_bytes;            // 160
  SectionRecord keys;             // 168
  std::array<uint64_t, 7> zeros;  // 192
  uint64_t checksum;              // 248  of the bytes before it
};
static_assert(sizeof(WindowHeader) == kHeaderBytes && offsetof(WindowHeader, blocks) == 88 &&
              offsetof(WindowHeader, file_bytes) ==
                  FileBytesAt(SnapshotType::kWindowFilter, kSecondVersion) &&
              offsetof(WindowHeader, zeros) == 192 &&
              offsetof(WindowHeader, checksum) == kHeaderChecksumAt);

struct SideCopiesEntry {
  uint64_t block_idx;
  uint64_t bucket;
  uint64_t count;
  uint32_t fingerprint;
  uint32_t reserved;
};
static_assert(sizeof(SideCopiesEntry) == 32);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SNAPSHOT_H_
