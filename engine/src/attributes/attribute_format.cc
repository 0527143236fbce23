// Fronts of attribute filters' snapshots: making them, and believing them.
#include "engine/src/attributes/attribute_format.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/src/base/rounding.h"
#include "engine/src/disk/checksum.h"

namespace trommel {
namespace {

// No two of them contain each other: at most the sets of half of the attributes, 16 over 8.
constexpr uint32_t kMaxCuts = 12870;

template <class T>
void AppendValue(const T& value, std::vector<std::byte>& bytes) {
  const auto more = BytesOf(value);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// The front but for its names.
uint64_t NumbersBytes(uint64_t num_sets, uint64_t num_cuts) {
  return num_sets * sizeof(SetRecord) + num_cuts * sizeof(AttributeMask);
}

Status CheckAttributeHeader(const AttributeHeader& header, uint64_t file_bytes) {
  Status valid = CheckReserved(header.zeros, offsetof(AttributeHeader, zeros));
  if (valid.ok()) valid = CheckFileBytes(file_bytes, header.file_bytes);
  if (!valid.ok()) return valid;
  if (header.num_attributes == 0 || header.num_attributes > kMaxAttributes) {
    return CorruptAt(offsetof(AttributeHeader, num_attributes),
                     std::to_string(header.num_attributes) + " attributes; there are 1 to " +
                         std::to_string(kMaxAttributes));
  }
  if (header.num_cuts > kMaxCuts) {
    return CorruptAt(offsetof(AttributeHeader, num_cuts),
                     std::to_string(header.num_cuts) + " cuts, more than the " +
                         std::to_string(kMaxCuts) + " there can be");
  }
  if (header.num_sets >> header.num_attributes != 0) {
    return CorruptAt(offsetof(AttributeHeader, num_sets),
                     std::to_string(header.num_sets) + " sets of " +
                         std::to_string(header.num_attributes) + " attributes");
  }
  const uint64_t num_names = header.num_attributes;
  const uint64_t least = NumbersBytes(header.num_sets, header.num_cuts) + num_names * 2;
  const uint64_t most = least + num_names * 254;
  if (header.front_bytes < least || header.front_bytes > most ||
      header.front_bytes > file_bytes - kHeaderBytes) {
    return CorruptAt(offsetof(AttributeHeader, front_bytes),
                     "a front of " + std::to_string(header.front_bytes) +
                         " bytes, which cannot be with these attributes, cuts and sets");
  }
  return Ok();
}

// The names that fill these bytes, which begin at that byte of the file.
Result<std::vector<std::string>> NamesIn(std::span<const std::byte> bytes, uint64_t offset,
                                         uint32_t num_names) {
  std::vector<std::string> names;
  for (uint32_t a = 0; a < num_names; ++a) {
    const size_t num_left = bytes.size();
    const size_t size = num_left == 0 ? 0 : std::to_integer<size_t>(bytes[0]);
    if (num_left < 1 + size) return CorruptAt(offset, "the names end too early");
    std::string name(size, '\0');
    std::memcpy(name.data(), bytes.data() + 1, size);
    names.push_back(std::move(name));
    bytes = bytes.subspan(1 + size);
    offset += 1 + size;
  }
  if (!bytes.empty()) return CorruptAt(offset, "bytes behind the last name");
  return names;
}

// The sets are the allowed ones, and every filter is where its predecessors' sizes put it.
Status CheckSetTable(const AttributeFront& front, uint64_t front_end, uint64_t file_bytes) {
  uint64_t end = front_end;
  for (size_t s = 0; s < front.table.size(); ++s) {
    const SetRecord& record = front.table[s];
    const uint64_t at = kHeaderBytes + s * sizeof(SetRecord);
    if (record.set != front.sets.allowed()[s] || record.reserved != 0) {
      return CorruptAt(at + offsetof(SetRecord, set),
                       "not the allowed set " + AttributeMaskText(front.sets.allowed()[s]));
    }
    const uint64_t offset = RoundUp(end, kPageAlignment);
    const bool fits = offset <= file_bytes && record.num_bytes <= file_bytes - offset;
    if (record.offset != offset || !fits) {
      return CorruptAt(at, "the filter of " + AttributeMaskText(record.set) + " of " +
                               std::to_string(record.num_bytes) + " bytes at byte " +
                               std::to_string(record.offset) + ", where its place is byte " +
                               std::to_string(offset) + " of a file of " +
                               std::to_string(file_bytes));
    }
    end = offset + record.num_bytes;
  }
  if (end == file_bytes) return Ok();
  return CorruptAt(end, "the file goes on behind its last filter");
}

// The front that these bytes are, after the header.
Result<AttributeFront> ParseFront(const AttributeHeader& header, std::span<const std::byte> bytes) {
  if (Checksum::Of(bytes) != header.front_checksum) {
    return CorruptAt(kHeaderBytes, "table, cuts and names do not match their checksum");
  }
  AttributeFront front{.digest = {.kind = static_cast<DigestKind>(header.start.digest_kind),
                                  .seed = header.start.seed},
                       .sets = {},
                       .names = {},
                       .num_tuples = header.num_tuples,
                       .table = std::vector<SetRecord>(header.num_sets)};
  const auto table = std::as_writable_bytes(std::span(front.table));
  std::ranges::copy(bytes.first(table.size()), table.begin());
  std::vector<AttributeMask> cuts(header.num_cuts);
  const auto numbers = std::as_writable_bytes(std::span(cuts));
  std::ranges::copy(bytes.subspan(table.size(), numbers.size()), numbers.begin());

  const uint64_t cuts_at = kHeaderBytes + table.size();
  Result<AttributeSets> sets = AttributeSets::Create(header.num_attributes, cuts);
  if (!sets.ok()) return CorruptAt(cuts_at, sets.error().message);
  if (!std::ranges::equal(sets->cuts(), cuts)) {
    return CorruptAt(cuts_at, "the cuts do not ascend, or contain each other");
  }
  if (sets->allowed().size() != header.num_sets) {
    return CorruptAt(offsetof(AttributeHeader, num_sets),
                     std::to_string(header.num_sets) + " sets, where the cuts leave " +
                         std::to_string(sets->allowed().size()));
  }
  front.sets = *std::move(sets);
  const uint64_t numbers_bytes = NumbersBytes(header.num_sets, header.num_cuts);
  Result<std::vector<std::string>> names =
      NamesIn(bytes.subspan(numbers_bytes), kHeaderBytes + numbers_bytes, header.num_attributes);
  if (!names.ok()) return names.error();
  front.names = *std::move(names);
  return front;
}

}  // namespace

uint64_t FrontEnd(const AttributeFront& front) {
  uint64_t end = kHeaderBytes + NumbersBytes(front.sets.allowed().size(), front.sets.cuts().size());
  for (const std::string& name : front.names) end += 1 + name.size();
  return end;
}

std::vector<std::byte> FrontBytes(const AttributeFront& front) {
  std::vector<std::byte> bytes(kHeaderBytes);
  bytes.reserve(FrontEnd(front));
  for (const SetRecord& record : front.table) AppendValue(record, bytes);
  for (const AttributeMask cut : front.sets.cuts()) AppendValue(cut, bytes);
  for (const std::string& name : front.names) {
    AppendValue(static_cast<uint8_t>(name.size()), bytes);
    for (const char letter : name) AppendValue(letter, bytes);
  }
  const auto behind = std::span(bytes).subspan(kHeaderBytes);
  AttributeHeader header = {};
  header.start = StartOf(SnapshotType::kAttributeFilter, front.digest);
  header.num_attributes = front.sets.num_attributes();
  header.num_cuts = static_cast<uint32_t>(front.sets.cuts().size());
  header.num_sets = front.table.size();
  header.num_tuples = front.num_tuples;
  header.front_bytes = behind.size();
  header.front_checksum = Checksum::Of(behind);
  header.file_bytes =
      front.table.empty() ? bytes.size() : front.table.back().offset + front.table.back().num_bytes;
  Seal(header);
  std::ranges::copy(BytesOf(header), bytes.begin());
  return bytes;
}

Result<AttributeFront> ReadFront(const OpenedSnapshot& snapshot) {
  const auto opened = snapshot.HeaderAs<AttributeHeader>(SnapshotType::kAttributeFilter);
  if (!opened.ok()) return opened.error();
  const AttributeHeader& header = *opened;
  const uint64_t file_bytes = snapshot.num_bytes();
  if (Status good = CheckAttributeHeader(header, file_bytes); !good.ok()) return good.error();
  std::vector<std::byte> bytes(header.front_bytes);
  if (Status read = snapshot.source().ReadAt(kHeaderBytes, bytes); !read.ok()) return read.error();
  Result<AttributeFront> front = ParseFront(header, bytes);
  if (!front.ok()) return front;
  if (Status placed = CheckSetTable(*front, kHeaderBytes + bytes.size(), file_bytes);
      !placed.ok()) {
    return placed.error();
  }
  return front;
}

}  // namespace trommel
