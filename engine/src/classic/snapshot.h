// Snapshots of classic filters, type 5 of the format (snapshot_format.h): the same first bytes, a
// header of their own, and one section. All numbers little-endian.
//
//   0      header, 256 bytes     ClassicHeader below
//          zeros up to 4096
//   4096   positions section     the slices one after the other, each whole cache lines, as in
//                                kernels/classic_array.h
//   end of file
//
// There is one file for each state: fields beyond a slice's positions are zero, and a slice none of
// whose counters is stuck holds exactly the header's number of keys. What its counters cannot prove
// (a slice with stuck ones) a forger can make up.
#ifndef TROMMEL_ENGINE_SRC_CLASSIC_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_CLASSIC_SNAPSHOT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "engine/src/classic/position_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel::classic {

struct ClassicHeader {
  SnapshotStart start;             //   0  type: kClassicFilter
  uint32_t kind;                   //  32  Kind
  uint32_t hashing;                //  36  Hashing
  uint32_t num_hashes;             //  40
  uint32_t counter_bits;           //  44
  uint64_t num_positions;          //  48
  uint64_t capacity;               //  56  0 together with target_fpr: not sized
  double target_fpr;               //  64
  uint64_t num_keys;               //  72
  SectionRecord positions;         //  80
  uint64_t file_bytes;             // 104
  std::array<uint64_t, 17> zeros;  // 112
  uint64_t checksum;               // 248  of the bytes before it
};
static_assert(sizeof(ClassicHeader) == kHeaderBytes && std::is_trivially_copyable_v<ClassicHeader>);
static_assert(offsetof(ClassicHeader, kind) == sizeof(SnapshotStart) &&
                  offsetof(ClassicHeader, num_positions) == 48 &&
                  offsetof(ClassicHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kClassicFilter, kSnapshotVersion) &&
                  offsetof(ClassicHeader, zeros) == 112 &&
                  offsetof(ClassicHeader, checksum) == kHeaderChecksumAt,
              "the struct is the file's bytes");

struct ClassicContents {
  PositionStore store;
  FilterFacts facts;
};

Status WriteClassic(const PositionStore& store, const FilterFacts& facts, ByteSink& sink);

// Fails with kMismatch for a snapshot of another type, and as Filter::Load.
Result<ClassicContents> ReadClassic(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                    const DigestKey& digest_key);

}  // namespace trommel::classic

#endif  // TROMMEL_ENGINE_SRC_CLASSIC_SNAPSHOT_H_
