// Family snapshots: written member by member, read after all headers were judged.
#include "engine/src/snapshots/multi_store_snapshot.h"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/disk/atomic_file.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/padding.h"

namespace trommel {
namespace {

std::vector<MemberRecord> TableOf(std::span<const MemberStore> members) {
  std::vector<MemberRecord> table;
  table.reserve(members.size());
  for (const MemberStore& member : members) {
    table.push_back(
        {.offset = 0, .num_bytes = SnapshotBytes(*member.store), .words = member.words});
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

// The bytes that the members' blocks take. All headers are judged, also against the family's.
Result<uint64_t> BlockBytes(const ByteSource& source, const MultiStoreHeader& family,
                            std::span<const MemberRecord> table) {
  uint64_t num_bytes = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    std::array<std::byte, sizeof(SnapshotHeader)> buffer;
    const auto start =
        std::span(buffer).first(std::min<uint64_t>(table[i].num_bytes, buffer.size()));
    if (Status read = source.ReadAt(table[i].offset, start); !read) return read.error();
    const Result<SnapshotHeader> header = ParseHeader(start, table[i].num_bytes);
    if (!header) return InMember(i, table[i], header.error());
    if (header->digest_kind != family.start.digest_kind || header->seed != family.start.seed) {
      return InMember(i, table[i],
                      CorruptAt(offsetof(SnapshotHeader, digest_kind),
                                "digest kind or seed are not those of the whole"));
    }
    num_bytes += GeometryOf(*header).num_bytes();  // no more than the file has: cannot wrap
  }
  return num_bytes;
}

// A family as its headers say.
struct JudgedMultiStore {
  MultiStoreHeader header;
  std::vector<MemberRecord> table;
  uint64_t block_bytes = 0;
};

Result<JudgedMultiStore> JudgeMultiStore(const ByteSource& source, SnapshotType expected) {
  const uint64_t file_bytes = source.num_bytes();
  std::array<std::byte, kHeaderBytes> buffer;
  const auto start = std::span(buffer).first(std::min<uint64_t>(file_bytes, buffer.size()));
  if (Status read = source.ReadAt(0, start); !read) return read.error();
  const Result<MultiStoreHeader> header = ParseMultiStoreHeader(start, expected, file_bytes);
  if (!header) return header.error();

  std::vector<MemberRecord> table(header->num_members);
  if (Status read = source.ReadAt(kHeaderBytes, std::as_writable_bytes(std::span(table))); !read) {
    return read.error();
  }
  if (Status placed = CheckTable(*header, table); !placed) return placed.error();
  const Result<uint64_t> block_bytes = BlockBytes(source, *header, table);
  if (!block_bytes) return block_bytes.error();
  return JudgedMultiStore{
      .header = *header, .table = std::move(table), .block_bytes = *block_bytes};
}

Result<MultiStoreContents> WithoutThrowing(const ByteSource& source, SnapshotType expected,
                                           uint64_t limit_bytes, const DigestKey& digest_key) {
  try {
    return ReadMultiStore(source, expected, limit_bytes, digest_key);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory while loading"};
  }
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
  header.start = {.magic = kSnapshotMagic,
                  .version = kSnapshotVersion,
                  .header_bytes = kHeaderBytes,
                  .type = static_cast<uint32_t>(facts.type),
                  .digest_kind = static_cast<uint32_t>(facts.policy.kind),
                  .seed = facts.policy.seed};
  header.params = facts.params;
  header.file_bytes = EndOf(table);
  header.num_members = members.size();
  header.table_checksum = Checksum::Of(std::as_bytes(std::span(table)));
  Seal(header);

  // No half-written file has a header.
  const MultiStoreHeader blank = {};
  Status done = sink.Append(BytesOf(blank));
  if (done) done = sink.Append(std::as_bytes(std::span(table)));
  uint64_t end = kHeaderBytes + std::span(table).size_bytes();
  for (size_t i = 0; done && i < members.size(); ++i) {
    TROMMEL_CHECK(members[i].facts.policy == facts.policy, "a member hashes unlike the whole");
    done = AppendZeros(table[i].offset - end, sink);
    PartSink part(sink, table[i].offset);
    if (done) done = WriteSnapshot(*members[i].store, members[i].facts, part);
    end = table[i].offset + table[i].num_bytes;
  }
  if (!done) return done;
  return sink.Overwrite(0, BytesOf(header));
}

Result<uint64_t> MultiStoreBytes(const ByteSource& source, SnapshotType expected) {
  const Result<JudgedMultiStore> judged = JudgeMultiStore(source, expected);
  if (!judged) return judged.error();
  return judged->block_bytes;
}

Result<MultiStoreContents> ReadMultiStore(const ByteSource& source, SnapshotType expected,
                                          uint64_t limit_bytes, const DigestKey& digest_key) {
  const Result<JudgedMultiStore> judged = JudgeMultiStore(source, expected);
  if (!judged) return judged.error();
  const MultiStoreHeader& header = judged->header;
  const std::vector<MemberRecord>& table = judged->table;
  const Result<DigestPolicy> policy =
      PolicyOfFile(header.start.digest_kind, header.start.seed, digest_key);
  if (!policy) return policy.error();
  const uint64_t limit = limit_bytes != 0 ? limit_bytes : PhysicalMemoryBytes();
  if (judged->block_bytes > limit) {
    return Error{ErrorCode::kOutOfMemory,
                 "the filter needs " + std::to_string(judged->block_bytes) +
                     " bytes, more than the limit of " + std::to_string(limit) + " bytes"};
  }

  MultiStoreContents family{.facts = {.type = expected, .policy = *policy, .params = header.params},
                            .members = {}};
  family.members.reserve(table.size());
  uint64_t end = kHeaderBytes + std::span(table).size_bytes();
  uint64_t num_bytes = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    if (Status zero = CheckZeros(source, end, table[i].offset); !zero) return zero.error();
    const PartSource part(source, table[i].offset, table[i].num_bytes);
    // A limit of 0 would be none at all; no filter fits in 1 byte.
    Result<FilterContents> contents =
        ReadSnapshot(part, std::max<uint64_t>(limit - std::min(limit, num_bytes), 1), digest_key);
    if (!contents) return InMember(i, table[i], contents.error());
    num_bytes += contents->store.num_bytes();
    end = table[i].offset + table[i].num_bytes;
    family.members.push_back({.words = table[i].words, .contents = *std::move(contents)});
  }
  return family;
}

Status SaveMultiStore(const MultiStoreFacts& facts, std::span<const MemberStore> members,
                      const std::filesystem::path& path, const SaveOptions& options) {
  Result<AtomicFile> file = AtomicFile::Create(path, options);
  if (!file) return file.error();
  try {
    if (Status written = WriteMultiStore(facts, members, *file); !written) return written;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "the system refused memory while saving"};
  }
  return file->Commit();
}

std::vector<std::byte> SerializeMultiStore(const MultiStoreFacts& facts,
                                           std::span<const MemberStore> members) {
  VectorSink sink;
  sink.Reserve(MultiStoreSnapshotBytes(members));
  const Status written = WriteMultiStore(facts, members, sink);
  TROMMEL_CHECK(written.ok(), "writing to memory cannot fail");
  return sink.Take();
}

Result<MultiStoreContents> LoadMultiStore(const std::filesystem::path& path, SnapshotType expected,
                                          uint64_t limit_bytes, const DigestKey& digest_key) {
  const Result<FileSource> source = FileSource::Open(path);
  if (!source) return source.error();
  Result<MultiStoreContents> family = WithoutThrowing(*source, expected, limit_bytes, digest_key);
  if (!family) return NamingFile(path, family.error());
  return family;
}

Result<MultiStoreContents> DeserializeMultiStore(std::span<const std::byte> bytes,
                                                 SnapshotType expected, uint64_t limit_bytes,
                                                 const DigestKey& digest_key) {
  return WithoutThrowing(SpanSource(bytes), expected, limit_bytes, digest_key);
}

Error NamingFile(const std::filesystem::path& path, Error error) {
  // Errors of the file system name the file themselves.
  if (error.code != ErrorCode::kIo) error.message = path.string() + ": " + error.message;
  return error;
}

}  // namespace trommel
