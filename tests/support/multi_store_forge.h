// Multi-store snapshots for tests: samples of them, and how a forger works on them. What a reader
// refuses after Reseal it refuses for the right reason.
#ifndef TROMMEL_TESTS_SUPPORT_MULTI_STORE_FORGE_H_
#define TROMMEL_TESTS_SUPPORT_MULTI_STORE_FORGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/multi_store_snapshot.h"
#include "support/snapshot_forge.h"

namespace trommel::tests {

inline Bytes SerializeMultiStore(const MultiStoreFacts& facts,
                                 std::span<const MemberStore> members) {
  VectorSink sink;
  (void)WriteMultiStore(facts, members, sink).value();
  return sink.Take();
}

inline Result<MultiStoreContents> DeserializeMultiStore(std::span<const std::byte> bytes,
                                                        uint64_t limit_bytes) {
  const SpanSource source(bytes);
  const Result<OpenedSnapshot> snapshot = OpenedSnapshot::Open(source);
  if (!snapshot.ok()) return snapshot.error();
  return ReadMultiStore(*snapshot, limit_bytes, {});
}

// Stores with what is written of them.
struct SampleMultiStore {
  MultiStoreFacts facts;
  std::vector<BlockStore> stores;
  std::vector<uint64_t> num_keys;

  std::vector<MemberStore> Members() const {
    std::vector<MemberStore> members;
    for (size_t i = 0; i < stores.size(); ++i) {
      FilterFacts filter{.policy = facts.policy, .num_keys = num_keys[i]};
      if (i % 2 == 1) filter.capacity = 100, filter.target_fpr = 0.01;
      members.push_back({.words = {i, ~i, 0, 7}, .store = &stores[i], .facts = filter});
    }
    return members;
  }

  Bytes Serialize() const { return SerializeMultiStore(facts, Members()); }

  void Add(const Geometry& geometry, uint64_t keys) {
    stores.push_back(std::move(BlockStore::Create(geometry, 0)).value());
    std::vector<uint64_t> digests;
    for (uint64_t i = 0; i < keys; ++i) digests.push_back((i + 1) * 0x9e3779b97f4a7c15);
    stores.back().Insert(digests);
    num_keys.push_back(keys);
  }
};

// Of that many members: planes and runs, with padding before them and without, with side tables.
inline SampleMultiStore MakeMultiStore(size_t num_members) {
  SampleMultiStore sample{.facts = {.policy = {.kind = DigestKind::kXxh3, .seed = 11},
                                    .params = {3, ~uint64_t{0}, 0, 1}},
                          .stores = {},
                          .num_keys = {}};
  for (size_t i = 0; i < num_members; ++i) {
    switch (i % 3) {
      case 0:
        sample.Add({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 2}, 20 * i);
        break;
      case 1:
        sample.Add({.num_slices = 8, .num_blocks = 1}, 300);
        break;
      default:
        sample.Add({.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 63}, 1000);
        break;
    }
  }
  return sample;
}

inline MultiStoreHeader MultiStoreHeaderOf(const Bytes& bytes) {
  return Get<MultiStoreHeader>(bytes, 0);
}

// Makes the checksums of header and table match, as far as they lie within the file.
inline void ResealMultiStore(Bytes& bytes) {
  if (bytes.size() < sizeof(MultiStoreHeader)) return;
  MultiStoreHeader header = MultiStoreHeaderOf(bytes);
  const uint64_t room = (bytes.size() - sizeof(header)) / sizeof(MemberRecord);
  if (header.num_members <= room) {
    header.table_checksum = Checksum::Of(
        std::span(bytes).subspan(sizeof(header), header.num_members * sizeof(MemberRecord)));
  }
  Seal(header);
  Put(bytes, 0, header);
}

// The snapshot with other bytes in header or table, their checksums right.
template <class Edit>
Bytes ForgedMultiStore(Bytes bytes, const Edit& edit) {
  edit(bytes);
  ResealMultiStore(bytes);
  return bytes;
}

template <class Edit>
Bytes WithMultiStoreHeader(Bytes bytes, const Edit& edit) {
  return ForgedMultiStore(std::move(bytes), [&edit](Bytes& all) {
    MultiStoreHeader header = MultiStoreHeaderOf(all);
    edit(header);
    Put(all, 0, header);
  });
}

template <class Edit>
Bytes WithRecord(Bytes bytes, size_t member_idx, const Edit& edit) {
  return ForgedMultiStore(std::move(bytes), [&edit, member_idx](Bytes& all) {
    const uint64_t at = sizeof(MultiStoreHeader) + member_idx * sizeof(MemberRecord);
    auto record = Get<MemberRecord>(all, at);
    edit(record);
    Put(all, at, record);
  });
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_MULTI_STORE_FORGE_H_
