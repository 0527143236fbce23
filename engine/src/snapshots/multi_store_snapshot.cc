// Multi-store snapshots: written member by member, read after all headers were checked.
#include "engine/src/snapshots/multi_store_snapshot.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"

namespace trommel {
namespace {

bool IsOfFingerprints(const Store& store) { return HasFingerprints(store.geometry().encoding); }

uint64_t MemberBytes(const Store& store) {
  return IsOfFingerprints(store)
             ? FingerprintSnapshotBytes(static_cast<const FingerprintStore&>(store))
             : SnapshotBytes(static_cast<const BlockStore&>(store));
}

Status WriteMember(const MemberStore& member, ByteSink& sink) {
  const Store& store = *member.store;
  return IsOfFingerprints(store)
             ? WriteFingerprintSnapshot(static_cast<const FingerprintStore&>(store), member.facts,
                                        sink)
             : WriteSnapshot(static_cast<const BlockStore&>(store), member.facts, sink);
}

std::vector<MemberRecord> TableOf(std::span<const MemberStore> members) {
  std::vector<MemberRecord> table;
  table.reserve(members.size());
  for (const MemberStore& member : members) {
    table.push_back({.offset = 0, .num_bytes = MemberBytes(*member.store), .words = member.words});
  }
  PlaceMembers(table);
  return table;
}

uint64_t EndOf(std::span<const MemberRecord> table) {
  return table.empty() ? kHeaderBytes : table.back().offset + table.back().num_bytes;
}

// What is said of a member names it; offsets within it count from its own start.
Error InMember(size_t member_idx, const MemberRecord& record, Error error) {
  if (error.code != ErrorCode::kIo) {
    error.message = "member " + std::to_string(member_idx) + ", which begins at byte " +
                    std::to_string(record.offset) + ": " + error.message;
  }
  return error;
}

using MemberHeader = std::variant<SnapshotHeader, FingerprintHeader>;

template <class Header>
Result<MemberHeader> Checked(const Result<Header>& header, const SnapshotStart& whole) {
  if (!header) return header.error();
  if (header->start.digest_kind != whole.digest_kind || header->start.seed != whole.seed) {
    return CorruptAt(offsetof(SnapshotStart, digest_kind),
                     "digest kind or seed are not those of the whole");
  }
  return MemberHeader(*header);
}

// Every member's header, checked, also against the whole's. Offsets count from the member's start.
Result<MemberHeader> ReadMemberHeader(const ByteSource& source, const MemberRecord& record,
                                      const SnapshotStart& whole) {
  const PartSource part(source, record.offset, record.num_bytes);
  const Result<OpenedSnapshot> member = OpenedSnapshot::Open(part);
  if (!member) return member.error();
  if (whole.version == kThirdVersion && HasFingerprintHeader(*member)) {
    return Checked(ReadFingerprintHeader(*member), whole);
  }
  return Checked(ReadHeader(*member), whole);
}

uint64_t BlockBytesOf(const MemberHeader& header) {
  return std::visit([](const auto& of_kind) { return GeometryOf(of_kind).num_bytes(); }, header);
}

struct MemberContents {
  std::unique_ptr<Store> store;
  FilterFacts facts;
};

Result<MemberContents> ReadMember(const ByteSource& source, const MemberHeader& header,
                                  uint64_t limit_bytes, const DigestKey& digest_key,
                                  uint64_t used_bytes) {
  if (const auto* of_slices = std::get_if<SnapshotHeader>(&header)) {
    Result<FilterContents> slices =
        ReadSections(source, *of_slices, limit_bytes, digest_key, used_bytes);
    if (!slices) return slices.error();
    return MemberContents{std::make_unique<BlockStore>(std::move(slices->store)), slices->facts};
  }
  Result<FingerprintContents> fingerprints = ReadFingerprintSections(
      source, std::get<FingerprintHeader>(header), limit_bytes, digest_key, used_bytes);
  if (!fingerprints) return fingerprints.error();
  return MemberContents{std::move(fingerprints->store), fingerprints->facts};
}

}  // namespace

uint64_t MultiStoreSnapshotBytes(std::span<const MemberStore> members) {
  return EndOf(TableOf(members));
}

Status WriteMultiStore(const MultiStoreFacts& facts, std::span<const MemberStore> members,
                       ByteSink& sink) {
  TROMMEL_CHECK(members.size() <= kMaxMemberStores, "more members than a snapshot may hold");
  const std::vector<MemberRecord> table = TableOf(members);
  MultiStoreHeader header = {};
  header.start = StartOf(SnapshotType::kScalableFilter, facts.policy);
  header.start.version = facts.version;
  header.params = facts.params;
  header.file_bytes = EndOf(table);
  header.num_members = members.size();
  header.table_checksum = Checksum::Of(std::as_bytes(std::span(table)));
  Seal(header);

  // No half-written file has a header.
  sink.Reserve(header.file_bytes);
  const MultiStoreHeader blank = {};
  Status done = sink.Append(BytesOf(blank));
  if (done) done = sink.Append(std::as_bytes(std::span(table)));
  uint64_t end = kHeaderBytes + std::span(table).size_bytes();
  for (size_t i = 0; done && i < members.size(); ++i) {
    TROMMEL_CHECK(members[i].facts.policy == facts.policy, "a member hashes unlike the whole");
    TROMMEL_CHECK(facts.version == kThirdVersion || !IsOfFingerprints(*members[i].store),
                  "fingerprints in a snapshot of a version without them");
    done = AppendZeros(table[i].offset - end, sink);
    PartSink part(sink, table[i].offset);
    if (done) done = WriteMember(members[i], part);
    end = table[i].offset + table[i].num_bytes;
  }
  if (!done) return done;
  return sink.Overwrite(0, BytesOf(header));
}

Result<MultiStoreOutline> ReadOutline(const OpenedSnapshot& snapshot) {
  const Result<MultiStoreHeader> header = ReadMultiStoreHeader(snapshot);
  if (!header) return header.error();
  MultiStoreOutline outline{.header = *header,
                            .table = std::vector<MemberRecord>(header->num_members),
                            .members = {},
                            .block_bytes = 0};
  const ByteSource& source = snapshot.source();
  Status read = source.ReadAt(kHeaderBytes, std::as_writable_bytes(std::span(outline.table)));
  if (read) read = CheckTable(*header, outline.table);
  if (!read) return read.error();
  outline.members.reserve(outline.table.size());
  for (const MemberRecord& record : outline.table) {
    const Result<MemberHeader> member = ReadMemberHeader(source, record, header->start);
    if (!member) return InMember(outline.members.size(), record, member.error());
    outline.members.push_back(*member);
    // No more than the file has: cannot wrap.
    outline.block_bytes += BlockBytesOf(*member);
  }
  return outline;
}

Result<MultiStoreContents> ReadMembers(const ByteSource& source, const MultiStoreOutline& outline,
                                       uint64_t limit_bytes, const DigestKey& digest_key,
                                       uint64_t used_bytes) {
  const SnapshotStart& start = outline.header.start;
  const Result<DigestPolicy> policy = PolicyOfFile(start.digest_kind, start.seed, digest_key);
  if (!policy) return policy.error();
  const uint64_t least_bytes = used_bytes + outline.block_bytes;
  if (Status fits = CheckMemoryLimit("the filter needs", least_bytes, limit_bytes); !fits) {
    return fits.error();
  }
  MultiStoreContents contents{
      .facts = {.version = start.version, .policy = *policy, .params = outline.header.params},
      .members = {}};
  contents.members.reserve(outline.table.size());
  uint64_t end = kHeaderBytes + std::span(outline.table).size_bytes();
  for (size_t i = 0; i < outline.table.size(); ++i) {
    const MemberRecord& record = outline.table[i];
    if (Status zero = CheckZeros(source, end, record.offset); !zero) return zero.error();
    Result<MemberContents> member =
        ReadMember(PartSource(source, record.offset, record.num_bytes), outline.members[i],
                   limit_bytes, digest_key, used_bytes);
    if (!member) return InMember(i, record, member.error());
    used_bytes += member->store->num_bytes();
    end = record.offset + record.num_bytes;
    contents.members.push_back(
        {.words = record.words, .store = std::move(member->store), .facts = member->facts});
  }
  return contents;
}

Result<MultiStoreContents> ReadMultiStore(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                          const DigestKey& digest_key) {
  const Result<MultiStoreOutline> outline = ReadOutline(snapshot);
  if (!outline) return outline.error();
  return ReadMembers(snapshot.source(), *outline, limit_bytes, digest_key);
}

}  // namespace trommel
