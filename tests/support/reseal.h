// Snapshots of any type with all checksums made right again, from the inside out: what a loader
// refuses then it refuses for what the numbers say.
#ifndef TROMMEL_TESTS_SUPPORT_RESEAL_H_
#define TROMMEL_TESTS_SUPPORT_RESEAL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/src/attributes/attribute_format.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/scalable/doubling_snapshot.h"
#include "engine/src/snapshots/multi_store_format.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "engine/src/window/window_snapshot.h"

namespace trommel::tests {

// A part of a snapshot whose checksums a forger would make right: a header, a table, or a section.
struct SnapshotPart {
  uint64_t offset;
  uint64_t num_bytes;
};

namespace reseal {

using FileSpan = std::span<std::byte>;

template <class T>
T GetAt(FileSpan file, uint64_t offset) {
  T value;
  std::memcpy(&value, file.data() + offset, sizeof(value));
  return value;
}

template <class T>
void PutAt(FileSpan file, uint64_t offset, const T& value) {
  std::memcpy(file.data() + offset, &value, sizeof(value));
}

// The part of the file; empty if it is not within it.
inline FileSpan PartOf(FileSpan file, uint64_t offset, uint64_t num_bytes) {
  if (offset > file.size() || num_bytes > file.size() - offset) return {};
  return file.subspan(offset, num_bytes);
}

inline void SealSection(FileSpan file, uint64_t record_at) {
  auto section = GetAt<SectionRecord>(file, record_at);
  section.checksum = Checksum::Of(PartOf(file, section.offset, section.num_bytes));
  PutAt(file, record_at, section);
}

inline void SealDoubling(FileSpan file) {
  uint64_t at = kHeaderBytes + sizeof(ShardTable);
  if (file.size() < at) return;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    const uint64_t record_at = kHeaderBytes + s * sizeof(ShardRecord);
    auto record = GetAt<ShardRecord>(file, record_at);
    const uint64_t left = file.size() - at;
    // In doubles: a forger's numbers may wrap.
    const double wanted = 8.0 * static_cast<double>(record.num_digests) +
                          16.0 * static_cast<double>(record.num_further) +
                          4.0 * static_cast<double>(record.num_blocks) +
                          2.0 * static_cast<double>(record.num_codes);
    if (wanted > static_cast<double>(left)) break;
    const auto num_bytes = static_cast<uint64_t>(wanted);
    record.checksum = Checksum::Of(file.subspan(at, num_bytes));
    PutAt(file, record_at, record);
    at += std::min((num_bytes + 7) / 8 * 8, left);
  }
  PutAt(file, offsetof(DoublingHeader, table_checksum),
        Checksum::Of(file.subspan(kHeaderBytes, sizeof(ShardTable))));
}

}  // namespace reseal

// The snapshot's headers and tables, its own and those of what is in it, as far as it can be made
// out; makes their checksums right.
inline void ResealParts(std::span<std::byte> file, uint64_t offset, int depth,
                        std::vector<SnapshotPart>& parts) {
  using namespace reseal;  // NOLINT(google-build-using-namespace)
  if (file.size() < kHeaderBytes || depth > 3) return;
  const auto start = GetAt<SnapshotStart>(file, 0);
  const auto type = static_cast<SnapshotType>(start.type);
  const bool is_second = start.version == kSecondVersion;
  parts.push_back({offset, kHeaderBytes});
  // Files within the file: a table of records of so many bytes, each with offset and size first.
  const auto seal_files = [&](uint64_t num_records, uint64_t record_bytes) {
    const FileSpan table = PartOf(file, kHeaderBytes, num_records * record_bytes);
    for (uint64_t at = 0; at + record_bytes <= table.size(); at += record_bytes) {
      const auto file_at = GetAt<uint64_t>(table, at);
      const FileSpan inner = PartOf(file, file_at, GetAt<uint64_t>(table, at + 8));
      ResealParts(inner, offset + file_at, depth + 1, parts);
    }
    if (!table.empty()) parts.push_back({offset + kHeaderBytes, table.size()});
  };
  if (type == SnapshotType::kAttributeFilter) {
    const auto header = GetAt<AttributeHeader>(file, 0);
    seal_files(std::min<uint64_t>(header.num_sets, kMaxAttributeSets), sizeof(SetRecord));
    PutAt(file, offsetof(AttributeHeader, front_checksum),
          Checksum::Of(PartOf(file, kHeaderBytes, header.front_bytes)));
  } else if (type == SnapshotType::kScalableFilter && is_second) {
    SealDoubling(file);
    parts.push_back({offset + kHeaderBytes, sizeof(ShardTable)});
  } else if (type == SnapshotType::kCountingFilter || type == SnapshotType::kWindowFilter) {
    for (const uint64_t at : {88U, 112U, 136U}) {
      const auto section = GetAt<SectionRecord>(file, at);
      SealSection(file, at);
      parts.push_back({offset + section.offset, std::min<uint64_t>(section.num_bytes, 64)});
    }
    if (type == SnapshotType::kWindowFilter) {
      SealSection(file, offsetof(WindowHeader, keys));
    }
  } else {
    const auto header = GetAt<MultiStoreHeader>(file, 0);
    const uint64_t num_members = std::min<uint64_t>(header.num_members, kMaxMemberStores);
    seal_files(num_members, sizeof(MemberRecord));
    PutAt(file, offsetof(MultiStoreHeader, table_checksum),
          Checksum::Of(PartOf(file, kHeaderBytes, num_members * sizeof(MemberRecord))));
  }
  PutAt(file, kHeaderChecksumAt,
        HeaderChecksum(std::span<const std::byte>(file).first<kHeaderBytes>()));
}

// Makes all checksums right, as far as what they are of lies within the file. Returns where numbers
// are, before anything else: headers, tables, and the beginnings of sections.
inline std::vector<SnapshotPart> ResealAny(std::span<std::byte> file) {
  std::vector<SnapshotPart> parts;
  ResealParts(file, 0, 0, parts);
  std::erase_if(parts, [&](const SnapshotPart& part) {
    return part.offset > file.size() || part.num_bytes > file.size() - part.offset;
  });
  return parts;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_RESEAL_H_
