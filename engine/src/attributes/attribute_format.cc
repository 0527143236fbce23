// Fronts of attribute filters' snapshots: making them, and believing them.
#include "engine/src/attributes/attribute_format.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/src/base/rounding.h"
#include "engine/src/disk/checksum.h"

namespace trommel {
namespace {

constexpr uint32_t kMaxAttributesOfVersion1 = 16;
// No two of them contain each other: at most the sets of half of the attributes, 16 over 8.
constexpr uint32_t kMaxCutsOfVersion1 = 12870;

template <class T>
void AppendValue(const T& value, std::vector<std::byte>& bytes) {
  const auto more = BytesOf(value);
  bytes.insert(bytes.end(), more.begin(), more.end());
}

// The version that is written for such sets.
uint32_t VersionFor(const AttributeSets& sets) {
  const bool is_old = sets.num_attributes() <= kMaxAttributesOfVersion1 && sets.is_by_cuts();
  return is_old ? kSnapshotVersion : kSecondVersion;
}

uint64_t CutBytes(uint32_t version) {
  return version == kSnapshotVersion ? sizeof(uint32_t) : sizeof(AttributeMask);
}

// The front but for its names.
uint64_t NumbersBytes(uint32_t version, uint64_t num_sets, uint64_t num_cuts) {
  return num_sets * sizeof(SetRecord) + num_cuts * CutBytes(version);
}

// How the sets are given.
Status CheckForm(const AttributeHeader& header) {
  const bool is_old = header.start.version == kSnapshotVersion;
  const uint32_t most = is_old ? kMaxAttributesOfVersion1 : kMaxAttributes;
  if (header.num_attributes == 0 || header.num_attributes > most) {
    return CorruptAt(offsetof(AttributeHeader, num_attributes),
                     std::to_string(header.num_attributes) + " attributes; there are 1 to " +
                         std::to_string(most));
  }
  if (is_old && (header.is_list != 0 || header.max_together != 0)) {
    return CorruptAt(offsetof(AttributeHeader, is_list), "reserved bytes are not zero");
  }
  if (header.is_list > 1) {
    return UnknownAt(offsetof(AttributeHeader, is_list), "the form of the sets", header.is_list,
                     "0 (cuts and a limit) and 1 (a list)");
  }
  if (header.is_list != 0 && header.num_cuts != 0) {
    return CorruptAt(offsetof(AttributeHeader, num_cuts),
                     std::to_string(header.num_cuts) + " cuts of a list of sets");
  }
  if (!is_old && (header.max_together == 0 || header.max_together > header.num_attributes)) {
    return CorruptAt(offsetof(AttributeHeader, max_together),
                     std::to_string(header.max_together) + " attributes together, of " +
                         std::to_string(header.num_attributes));
  }
  return Ok();
}

Status CheckAttributeHeader(const AttributeHeader& header, uint64_t file_bytes) {
  Status valid = CheckReserved(header.zeros, offsetof(AttributeHeader, zeros));
  if (valid.ok()) valid = CheckFileBytes(file_bytes, header.file_bytes);
  if (!valid.ok()) return valid;
  if (Status good = CheckForm(header); !good.ok()) return good;
  const uint32_t version = header.start.version;
  if (version == kSnapshotVersion && header.num_cuts > kMaxCutsOfVersion1) {
    return CorruptAt(offsetof(AttributeHeader, num_cuts),
                     std::to_string(header.num_cuts) + " cuts, more than the " +
                         std::to_string(kMaxCutsOfVersion1) + " there can be");
  }
  const uint32_t bits = std::min(header.num_attributes, kMaxAttributesOfVersion1);
  if (header.num_sets > kMaxAttributeSets ||
      (bits == header.num_attributes && header.num_sets >> bits != 0)) {
    return CorruptAt(offsetof(AttributeHeader, num_sets),
                     std::to_string(header.num_sets) + " sets of " +
                         std::to_string(header.num_attributes) + " attributes");
  }
  const uint64_t num_names = header.num_attributes;
  const uint64_t least = NumbersBytes(version, header.num_sets, header.num_cuts) + num_names * 2;
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
    if (record.set != front.sets.allowed()[s]) {
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

// The sets of a header and its table; `behind` begins with the cuts.
Result<AttributeSets> SetsOf(const AttributeHeader& header, std::span<const SetRecord> table,
                             std::span<const std::byte> behind) {
  const uint64_t cuts_at = kHeaderBytes + std::as_bytes(table).size();
  const uint64_t cut_bytes = CutBytes(header.start.version);
  std::vector<AttributeMask> numbers(header.is_list != 0 ? table.size() : header.num_cuts);
  if (header.is_list != 0) {
    std::ranges::transform(table, numbers.begin(), &SetRecord::set);
  } else {
    for (size_t c = 0; c < numbers.size(); ++c) {
      std::memcpy(&numbers[c], behind.data() + c * cut_bytes, cut_bytes);
    }
  }
  Result<AttributeSets> sets =
      header.is_list != 0 ? AttributeSets::Keep(header.num_attributes, numbers)
      : header.start.version == kSnapshotVersion
          ? AttributeSets::Create(header.num_attributes, numbers)
          : AttributeSets::AtMost(header.num_attributes, header.max_together, numbers);
  if (!sets.ok()) {
    return CorruptAt(header.is_list != 0 ? kHeaderBytes : cuts_at, sets.error().message);
  }
  if (header.is_list == 0 && !std::ranges::equal(sets->cuts(), numbers)) {
    return CorruptAt(cuts_at, "the cuts do not ascend, or contain each other");
  }
  if (sets->allowed().size() != header.num_sets) {
    return CorruptAt(offsetof(AttributeHeader, num_sets),
                     std::to_string(header.num_sets) + " sets, where there should be " +
                         std::to_string(sets->allowed().size()));
  }
  if (VersionFor(*sets) != header.start.version ||
      (header.is_list != 0 && sets->max_together() != header.max_together)) {
    return CorruptAt(offsetof(AttributeHeader, is_list),
                     "these sets are written in another version, or with another limit");
  }
  return sets;
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
  Result<AttributeSets> sets = SetsOf(header, front.table, bytes.subspan(table.size()));
  if (!sets.ok()) return sets.error();
  front.sets = *std::move(sets);
  const uint64_t numbers_bytes =
      NumbersBytes(header.start.version, header.num_sets, header.num_cuts);
  Result<std::vector<std::string>> names =
      NamesIn(bytes.subspan(numbers_bytes), kHeaderBytes + numbers_bytes, header.num_attributes);
  if (!names.ok()) return names.error();
  front.names = *std::move(names);
  return front;
}

}  // namespace

uint64_t FrontEnd(const AttributeFront& front) {
  uint64_t end = kHeaderBytes + NumbersBytes(VersionFor(front.sets), front.sets.allowed().size(),
                                             front.sets.cuts().size());
  for (const std::string& name : front.names) end += 1 + name.size();
  return end;
}

std::vector<std::byte> FrontBytes(const AttributeFront& front) {
  std::vector<std::byte> bytes(kHeaderBytes);
  bytes.reserve(FrontEnd(front));
  for (const SetRecord& record : front.table) AppendValue(record, bytes);
  const uint32_t version = VersionFor(front.sets);
  for (const AttributeMask cut : front.sets.cuts()) {
    const auto cut_bytes = BytesOf(cut).first(CutBytes(version));
    bytes.insert(bytes.end(), cut_bytes.begin(), cut_bytes.end());
  }
  for (const std::string& name : front.names) {
    AppendValue(static_cast<uint8_t>(name.size()), bytes);
    for (const char letter : name) AppendValue(letter, bytes);
  }
  const auto behind = std::span(bytes).subspan(kHeaderBytes);
  AttributeHeader header = {};
  header.start = StartOf(SnapshotType::kAttributeFilter, front.digest);
  header.start.version = version;
  header.num_attributes = front.sets.num_attributes();
  header.num_cuts = static_cast<uint32_t>(front.sets.cuts().size());
  header.num_sets = front.table.size();
  header.num_tuples = front.num_tuples;
  header.front_bytes = behind.size();
  header.front_checksum = Checksum::Of(behind);
  header.file_bytes =
      front.table.empty() ? bytes.size() : front.table.back().offset + front.table.back().num_bytes;
  if (version != kSnapshotVersion) {
    header.is_list = front.sets.is_list() ? 1 : 0;
    header.max_together = front.sets.max_together();
  }
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
