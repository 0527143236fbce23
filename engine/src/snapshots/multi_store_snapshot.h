// Snapshots of scalable filters, which hold several stores: stores and facts to bytes, and
// untrusted bytes to stores and facts. The format is drawn in multi_store_format.h.
//
// What params and words mean is checked by what reads them; everything else is checked here.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "engine/src/blocks/store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/fingerprint_snapshot.h"
#include "engine/src/snapshots/multi_store_format.h"
#include "engine/src/snapshots/snapshot.h"
#include "trommel/digest.h"
#include "trommel/result.h"

namespace trommel {

struct MultiStoreFacts {
  // kThirdVersion where members may have fingerprints, else kSnapshotVersion.
  uint32_t version = kSnapshotVersion;
  DigestPolicy policy;
  MultiStoreParams params{};
};

// To be written. Its policy must be the whole snapshot's; the store must outlive the call.
struct MemberStore {
  MemberWords words{};
  const Store* store = nullptr;
  FilterFacts facts;
};

// As read. Its policy is the whole snapshot's.
struct MemberStoreContents {
  MemberWords words{};
  std::unique_ptr<Store> store;
  FilterFacts facts;
};

struct MultiStoreContents {
  MultiStoreFacts facts;
  std::vector<MemberStoreContents> members;
};

// The size of the snapshot. Cost: one pass over the side tables, and over groups of fingerprints
// with promoted blocks.
uint64_t MultiStoreSnapshotBytes(std::span<const MemberStore> members);

// Writes the canonical snapshot in one pass, straight from the stores' memory: at most
// kMaxMemberStores of them. Fails as the sink does.
Status WriteMultiStore(const MultiStoreFacts& facts, std::span<const MemberStore> members,
                       ByteSink& sink);

// A multi-store snapshot as its headers say: the file's own, its table, and every member's.
struct MultiStoreOutline {
  MultiStoreHeader header;
  std::vector<MemberRecord> table;
  std::vector<std::variant<SnapshotHeader, FingerprintHeader>> members;
  uint64_t block_bytes = 0;  // what the members' blocks will take
};

// Takes no memory for blocks. Fails with kMismatch (another type's file), kVersion, kCorrupt, and
// as the source does.
Result<MultiStoreOutline> ReadOutline(const OpenedSnapshot& snapshot);

// The whole valid members that the outline, which ReadOutline returned, tells of. Fails with
// kInvalidArgument (as PolicyOfFile), kOutOfMemory (all members together over limit_bytes; 0:
// physical memory), kCorrupt, and as the source does. `used_bytes` as for ReadSections.
Result<MultiStoreContents> ReadMembers(const ByteSource& source, const MultiStoreOutline& outline,
                                       uint64_t limit_bytes, const DigestKey& digest_key,
                                       uint64_t used_bytes = 0);

// Both.
Result<MultiStoreContents> ReadMultiStore(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                          const DigestKey& digest_key);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_
