// Snapshots of filters that hold several block stores: stores and facts to bytes, and bytes that
// nobody vouches for to stores and facts. The format is drawn in multi_store_format.h.
//
// What params and words mean is checked by the type that reads them; everything else is checked
// here. A type's Save, Load, Serialize and Deserialize need no more than the functions below.
#ifndef TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_
#define TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "engine/src/disk/byte_sink.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/snapshots/multi_store_format.h"
#include "engine/src/snapshots/snapshot.h"
#include "trommel/digest.h"
#include "trommel/result.h"
#include "trommel/save_options.h"

namespace trommel {

struct MultiStoreFacts {
  SnapshotType type = SnapshotType::kScalableFilter;
  DigestPolicy policy;
  MultiStoreParams params{};
};

// To be written. Its policy must be the family's; the store must outlive the call.
struct MemberStore {
  MemberWords words{};
  const BlockStore* store = nullptr;
  FilterFacts facts;
};

// As read. Its policy is the family's.
struct MemberStoreContents {
  MemberWords words{};
  FilterContents contents;
};

struct MultiStoreContents {
  MultiStoreFacts facts;
  std::vector<MemberStoreContents> members;
};

// The size of the snapshot. Cost: one pass over the side tables.
uint64_t MultiStoreSnapshotBytes(std::span<const MemberStore> members);

// Writes the canonical snapshot in one pass, straight from the stores' memory: at most
// kMaxMemberStores of them. Fails as the sink does.
Status WriteMultiStore(const MultiStoreFacts& facts, std::span<const MemberStore> members,
                       ByteSink& sink);

// Whole valid members, or kMismatch (another type's file), kVersion, kCorrupt, kOutOfMemory (all
// members together over limit_bytes; 0: physical memory), kInvalidArgument (as PolicyOfFile) or
// what the source says. All members' headers are judged before memory is taken for any.
Result<MultiStoreContents> ReadMultiStore(const ByteSource& source, SnapshotType expected,
                                          uint64_t limit_bytes, const DigestKey& digest_key = {});

// What the members' blocks will take when such a family is read, by all headers: the same errors,
// but for the limit, and no memory for blocks.
Result<uint64_t> MultiStoreBytes(const ByteSource& source, SnapshotType expected);

// --- Whole doors: memory that the system refuses is an error here, except for Serialize's.

// Writes the file atomically. Fails as CountingFilter::Save does.
Status SaveMultiStore(const MultiStoreFacts& facts, std::span<const MemberStore> members,
                      const std::filesystem::path& path, const SaveOptions& options = {});
// Throws std::bad_alloc where there is no memory for the bytes.
std::vector<std::byte> SerializeMultiStore(const MultiStoreFacts& facts,
                                           std::span<const MemberStore> members);
// As ReadMultiStore. LoadMultiStore's errors name the path; what the type finds wrong afterwards
// must be named with NamingFile.
Result<MultiStoreContents> LoadMultiStore(const std::filesystem::path& path, SnapshotType expected,
                                          uint64_t limit_bytes, const DigestKey& digest_key = {});
Result<MultiStoreContents> DeserializeMultiStore(std::span<const std::byte> bytes,
                                                 SnapshotType expected, uint64_t limit_bytes,
                                                 const DigestKey& digest_key = {});

// The error with the file's path in front.
Error NamingFile(const std::filesystem::path& path, Error error);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SNAPSHOTS_MULTI_STORE_SNAPSHOT_H_
