// The format of snapshots with several stores, versions 1 and 3 of scalable filters: the header,
// and where the members are. All numbers little-endian.
//
//   0      header, 256 bytes              MultiStoreHeader below
//   256    table, 64 bytes per member     MemberRecord below
//          zeros up to a multiple of 4096
//   ....   member 0                       a counting filter's snapshot, whole (snapshot_format.h)
//          zeros up to a multiple of 4096
//   ....   member 1 ...
//   end of the last member, or of the table: end of file
//
// Version 1 has members of slices. Version 3 also takes members of fingerprints
// (fingerprint_snapshot.h); it is written where a filter may have these.
//
// What the members are to each other, and what params and words mean, is up to what reads them
// (scalable/generations_snapshot.cc); so is checking them. Canonical: places follow from sizes
// alone. Header and table have a checksum, each member has its own; padding must be zero, and
// nothing may follow.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_FORMAT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_FORMAT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "trommel/result.h"

namespace trommel {

// Far more than are of use: a query looks up every one of them.
inline constexpr uint64_t kMaxMemberStores = 4096;

using MultiStoreParams = std::array<uint64_t, 16>;
using MemberWords = std::array<uint64_t, 6>;

struct MultiStoreHeader {
  SnapshotStart start;            //   0  type: kScalableFilter
  MultiStoreParams params;        //  32
  uint64_t file_bytes;            // 160
  uint64_t num_members;           // 168  0 .. kMaxMemberStores
  uint64_t table_checksum;        // 176
  std::array<uint64_t, 8> zeros;  // 184
  uint64_t checksum;              // 248  of the bytes before it
};
static_assert(sizeof(MultiStoreHeader) == kHeaderBytes &&
              std::is_trivially_copyable_v<MultiStoreHeader>);
static_assert(offsetof(MultiStoreHeader, params) == 32 &&
                  offsetof(MultiStoreHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kScalableFilter, kSnapshotVersion) &&
                  offsetof(MultiStoreHeader, file_bytes) ==
                      FileBytesAt(SnapshotType::kScalableFilter, kThirdVersion) &&
                  offsetof(MultiStoreHeader, checksum) == kHeaderChecksumAt,
              "the struct is the file's bytes");

struct MemberRecord {
  uint64_t offset;  // from the start of the file
  uint64_t num_bytes;
  MemberWords words;
};
static_assert(sizeof(MemberRecord) == 64);

// Sets the members' offsets from their sizes; returns the file's size.
uint64_t PlaceMembers(std::span<MemberRecord> members);

// "corrupt snapshot at byte 40: ...": what a type says of a param or a member's word that it cannot
// have written.
Error CorruptParam(size_t param_idx, std::string_view what);
Error CorruptMemberWord(size_t member_idx, size_t word_idx, std::string_view what);

// kCorrupt unless all params (a member's words) from the first_unused-th on are zero.
Status CheckUnusedParams(const MultiStoreParams& params, size_t first_unused);
Status CheckUnusedWords(size_t member_idx, const MemberWords& words, size_t first_unused);

// The header, every field of which could be. Fails with kCorrupt, or kMismatch for another type's
// snapshot.
Result<MultiStoreHeader> ReadMultiStoreHeader(const OpenedSnapshot& snapshot);

// Checks the table's checksum and that every member is where its predecessors' sizes put it.
Status CheckTable(const MultiStoreHeader& header, std::span<const MemberRecord> members);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_FORMAT_H_
