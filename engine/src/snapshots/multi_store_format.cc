// Headers and tables of multi-store snapshots: writing them, and checking them.
#include "engine/src/snapshots/multi_store_format.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/src/base/rounding.h"
#include "engine/src/disk/checksum.h"

namespace trommel {
namespace {

// The first word from first_unused on that is not zero, or words.size().
size_t FirstStray(std::span<const uint64_t> words, size_t first_unused) {
  size_t i = first_unused;
  while (i < words.size() && words[i] == 0) ++i;
  return i;
}

}  // namespace

uint64_t PlaceMembers(std::span<MemberRecord> members) {
  uint64_t end = kHeaderBytes + members.size_bytes();
  for (MemberRecord& member : members) {
    member.offset = RoundUp(end, kPageAlignment);
    end = member.offset + member.num_bytes;
  }
  return end;
}

Error CorruptParam(size_t param_idx, std::string_view what) {
  return CorruptAt(offsetof(MultiStoreHeader, params) + param_idx * sizeof(uint64_t), what);
}

Error CorruptMemberWord(size_t member_idx, size_t word_idx, std::string_view what) {
  return CorruptAt(kHeaderBytes + member_idx * sizeof(MemberRecord) +
                       offsetof(MemberRecord, words) + word_idx * sizeof(uint64_t),
                   "member " + std::to_string(member_idx) + ": " + std::string(what));
}

Status CheckUnusedParams(const MultiStoreParams& params, size_t first_unused) {
  const size_t stray = FirstStray(params, first_unused);
  if (stray == params.size()) return Ok();
  return CorruptParam(stray, "a number that this type does not use is not zero");
}

Status CheckUnusedWords(size_t member_idx, const MemberWords& words, size_t first_unused) {
  const size_t stray = FirstStray(words, first_unused);
  if (stray == words.size()) return Ok();
  return CorruptMemberWord(member_idx, stray, "a number that this type does not use is not zero");
}

Result<MultiStoreHeader> ReadMultiStoreHeader(const OpenedSnapshot& snapshot) {
  auto opened = snapshot.HeaderAs<MultiStoreHeader>(SnapshotType::kScalableFilter);
  if (!opened) return opened;
  const MultiStoreHeader& header = *opened;
  if (header.start.version == kSecondVersion) {
    return UnknownAt(offsetof(SnapshotStart, version), "the version of a filter of several stores",
                     header.start.version, "1 and 3");
  }
  const uint64_t file_bytes = snapshot.num_bytes();
  Status valid = CheckReserved(header.zeros, offsetof(MultiStoreHeader, zeros));
  if (valid) valid = CheckFileBytes(file_bytes, header.file_bytes);
  if (!valid) return valid.error();
  if (header.num_members > kMaxMemberStores) {
    return CorruptAt(offsetof(MultiStoreHeader, num_members),
                     std::to_string(header.num_members) + " members, more than the " +
                         std::to_string(kMaxMemberStores) + " there can be");
  }
  if (header.num_members * sizeof(MemberRecord) > file_bytes - kHeaderBytes) {
    return CorruptAt(offsetof(MultiStoreHeader, num_members),
                     "the table of " + std::to_string(header.num_members) +
                         " members does not fit in a file of " + std::to_string(file_bytes) +
                         " bytes");
  }
  return opened;
}

Status CheckTable(const MultiStoreHeader& header, std::span<const MemberRecord> members) {
  if (Checksum::Of(std::as_bytes(members)) != header.table_checksum) {
    return CorruptAt(kHeaderBytes, "the table of members does not match its checksum");
  }
  uint64_t end = kHeaderBytes + members.size_bytes();
  for (size_t i = 0; i < members.size(); ++i) {
    const MemberRecord& member = members[i];
    const uint64_t offset = RoundUp(end, kPageAlignment);
    const bool fits = offset <= header.file_bytes && member.num_bytes <= header.file_bytes - offset;
    if (member.offset != offset || !fits) {
      return CorruptAt(kHeaderBytes + i * sizeof(MemberRecord),
                       "member " + std::to_string(i) + " of " + std::to_string(member.num_bytes) +
                           " bytes at byte " + std::to_string(member.offset) +
                           ", where its place is byte " + std::to_string(offset) +
                           " of a file of " + std::to_string(header.file_bytes));
    }
    end = offset + member.num_bytes;
  }
  if (end == header.file_bytes) return Ok();
  return CorruptAt(end, "the file goes on behind its last member");
}

}  // namespace trommel
