// Headers: making them, and believing them.
#include "engine/src/snapshots/snapshot_format.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "engine/src/base/rounding.h"
#include "engine/src/blocks/encoding.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "trommel/digest.h"

namespace trommel {
namespace {

// Magic and version: what every version keeps.
Status CheckBeginning(std::span<const std::byte> start) {
  const size_t magic_bytes = std::min(start.size(), kSnapshotMagic.size());
  const auto found = std::as_bytes(std::span(kSnapshotMagic)).first(magic_bytes);
  const size_t same = static_cast<size_t>(
      std::ranges::mismatch(start.first(magic_bytes), found).in1 - start.begin());
  if (same < magic_bytes) {
    return CorruptAt(same, same < 4 ? "not a snapshot of a filter"
                                    : "line ends were translated: this file was copied as text");
  }
  if (start.size() < offsetof(SnapshotStart, header_bytes)) return Ok();
  uint32_t version = 0;
  std::memcpy(&version, start.data() + offsetof(SnapshotStart, version), sizeof(version));
  if (version == kSnapshotVersion) return Ok();
  return Error{ErrorCode::kVersion, "snapshot of version " + std::to_string(version) +
                                        "; this library reads version " +
                                        std::to_string(kSnapshotVersion)};
}

// What a later library of the same version could write and we cannot read.
Status CheckKnown(const SnapshotStart& start) {
  if (start.type == 0 || start.type > kNumSnapshotTypes) {
    return UnknownAt(offsetof(SnapshotStart, type), "the type", start.type,
                     "1 (counting filter) to 6 (attribute filter)");
  }
  if (start.digest_kind > static_cast<uint32_t>(kLastDigestKind)) {
    return UnknownAt(offsetof(SnapshotStart, digest_kind), "the digest kind", start.digest_kind,
                     "0 (xxh64), 1 (xxh3), 2 (caller) and 3 (siphash)");
  }
  return Ok();
}

Status CheckEncoding(const SnapshotHeader& header) {
  if (header.encoding <= static_cast<uint32_t>(Encoding::kRuns)) return Ok();
  return UnknownAt(offsetof(SnapshotHeader, encoding), "the encoding", header.encoding,
                   "0 (planes) and 1 (runs)");
}

Status CheckNumbers(const SnapshotHeader& header) {
  if (Status valid = Validate(GeometryOf(header)); !valid) {
    return CorruptAt(offsetof(SnapshotHeader, num_slices), valid.error().message);
  }
  // Both or neither. Bits are compared, for -0.0 is a second spelling of "not sized".
  const bool is_sized = header.capacity >= 1 && header.capacity <= kMaxCapacity &&
                        header.target_fpr >= kMinTargetFpr && header.target_fpr <= kMaxTargetFpr;
  const bool is_not_sized = header.capacity == 0 && std::bit_cast<uint64_t>(header.target_fpr) == 0;
  if (!is_sized && !is_not_sized) {
    return CorruptAt(offsetof(SnapshotHeader, capacity),
                     "capacity and target_fpr are no possible request");
  }
  if (header.num_keys > kMaxSnapshotKeys) {
    return CorruptAt(offsetof(SnapshotHeader, num_keys), "num_keys is over 2^63 - 1");
  }
  if (header.reserved != 0) {
    return CorruptAt(offsetof(SnapshotHeader, reserved), "reserved bytes are not zero");
  }
  if (!std::ranges::all_of(header.zeros, [](uint64_t word) { return word == 0; })) {
    return CorruptAt(offsetof(SnapshotHeader, zeros), "reserved bytes are not zero");
  }
  return Ok();
}

// Sections are where, and as large as, the geometry says; the side table takes what is left.
Status CheckPlaces(const SnapshotHeader& header, uint64_t file_bytes) {
  if (header.file_bytes != file_bytes) {
    return CorruptAt(std::min(file_bytes, header.file_bytes),
                     "the file has " + std::to_string(file_bytes) + " bytes, but the snapshot " +
                         std::to_string(header.file_bytes));
  }
  SnapshotHeader expected = header;
  PlaceSections(expected, 0);
  if (expected.file_bytes > file_bytes) {
    return CorruptAt(offsetof(SnapshotHeader, num_blocks),
                     std::to_string(header.num_blocks) + " blocks do not fit in a file of " +
                         std::to_string(file_bytes) + " bytes");
  }
  PlaceSections(expected, file_bytes - expected.file_bytes);
  const auto check = [](uint64_t at, const SectionRecord& found, const SectionRecord& wanted) {
    if (found.offset == wanted.offset && found.num_bytes == wanted.num_bytes) return Ok();
    return Status(CorruptAt(at, "a section of " + std::to_string(found.num_bytes) +
                                    " bytes at byte " + std::to_string(found.offset) +
                                    ", where the geometry wants " +
                                    std::to_string(wanted.num_bytes) + " bytes at byte " +
                                    std::to_string(wanted.offset)));
  };
  Status placed = check(offsetof(SnapshotHeader, presence), header.presence, expected.presence);
  if (placed) placed = check(offsetof(SnapshotHeader, counts), header.counts, expected.counts);
  if (placed) {
    placed = check(offsetof(SnapshotHeader, side_table), header.side_table, expected.side_table);
  }
  return placed;
}

}  // namespace

Error UnknownAt(uint64_t offset, std::string_view field, uint64_t found, std::string_view known) {
  return {.code = ErrorCode::kVersion,
          .message = "snapshot of a later library: at byte " + std::to_string(offset) + " " +
                     std::string(field) + " is " + std::to_string(found) + "; this library reads " +
                     std::string(known)};
}

uint32_t SideCounterWidth(std::span<const uint64_t> counters) {
  const uint64_t largest = counters.empty() ? 0 : *std::ranges::max_element(counters);
  if (largest <= std::numeric_limits<uint8_t>::max()) return 1;
  if (largest <= std::numeric_limits<uint16_t>::max()) return 2;
  return largest <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
}

Geometry GeometryOf(const SnapshotHeader& header) {
  return {.num_slices = header.num_slices,
          .encoding = static_cast<Encoding>(header.encoding),
          .shard_bits = header.shard_bits,
          .num_blocks = header.num_blocks};
}

void PlaceSections(SnapshotHeader& header, uint64_t side_table_bytes) {
  const Geometry geometry = GeometryOf(header);
  header.presence.offset = kPageAlignment;
  const bool is_interleaved = EncodingTable(geometry.encoding).is_interleaved;
  header.presence.num_bytes = is_interleaved ? 0 : geometry.presence_bytes();
  header.counts.offset =
      RoundUp(header.presence.offset + header.presence.num_bytes, kPageAlignment);
  header.counts.num_bytes = geometry.num_bytes() - header.presence.num_bytes;
  header.side_table.offset =
      RoundUp(header.counts.offset + header.counts.num_bytes, kSideTableAlignment);
  header.side_table.num_bytes = side_table_bytes;
  header.file_bytes = header.side_table.offset + side_table_bytes;
}

std::string_view SnapshotTypeName(SnapshotType type) {
  switch (type) {
    case SnapshotType::kCountingFilter:
      return "counting filter";
    case SnapshotType::kScalableFilter:
      return "scalable filter";
    case SnapshotType::kWindowFilter:
      return "window filter";
    case SnapshotType::kLayeredFilter:
      return "layered filter";
    case SnapshotType::kClassicFilter:
      return "classic filter";
    case SnapshotType::kAttributeFilter:
      return "attribute filter";
  }
  return "unknown filter";
}

uint64_t HeaderChecksum(std::span<const std::byte, kHeaderBytes> header) {
  return Checksum::Of(header.first(kHeaderChecksumAt));
}

void Seal(SnapshotHeader& header) {
  header.checksum = HeaderChecksum(BytesOf(header).first<kHeaderBytes>());
}

Error CorruptAt(uint64_t offset, std::string_view what) {
  return {
      .code = ErrorCode::kCorrupt,
      .message = "corrupt snapshot at byte " + std::to_string(offset) + ": " + std::string(what)};
}

Status CheckSectionSum(const SectionRecord& section, uint64_t checksum, std::string_view name) {
  if (checksum == section.checksum) return Ok();
  return CorruptAt(section.offset, "the " + std::string(name) + " section (" +
                                       std::to_string(section.num_bytes) +
                                       " bytes) does not match its checksum");
}

Result<SnapshotStart> ParseStart(std::span<const std::byte> start, uint64_t file_bytes) {
  if (Status known = CheckBeginning(start); !known) return known.error();
  if (start.size() < kHeaderBytes) {
    return CorruptAt(file_bytes, "the file ends within the header of 256 bytes");
  }
  uint64_t checksum = 0;
  std::memcpy(&checksum, start.data() + kHeaderChecksumAt, sizeof(checksum));
  if (checksum != HeaderChecksum(start.first<kHeaderBytes>())) {
    return CorruptAt(kHeaderChecksumAt, "the header does not match its checksum");
  }
  SnapshotStart parsed;
  std::memcpy(&parsed, start.data(), sizeof(parsed));
  if (parsed.header_bytes != kHeaderBytes) {
    return CorruptAt(offsetof(SnapshotStart, header_bytes), "the header is not 256 bytes long");
  }
  if (Status known = CheckKnown(parsed); !known) return known.error();
  return parsed;
}

Status CheckType(const SnapshotStart& start, SnapshotType wanted) {
  const auto type = static_cast<SnapshotType>(start.type);
  if (type == wanted) return Ok();
  const auto with_article = [](SnapshotType of) {
    const std::string_view name = SnapshotTypeName(of);
    return (name.starts_with('a') ? "an " : "a ") + std::string(name);
  };
  return Error{ErrorCode::kMismatch,
               "this is " + with_article(type) + "'s snapshot, not " + with_article(wanted) + "'s"};
}

Result<SnapshotHeader> ParseHeader(std::span<const std::byte> start, uint64_t file_bytes) {
  const Result<SnapshotStart> parsed = ParseStart(start, file_bytes);
  if (!parsed) return parsed.error();
  if (Status wanted = CheckType(*parsed, SnapshotType::kCountingFilter); !wanted) {
    return wanted.error();
  }
  SnapshotHeader header;
  std::memcpy(&header, start.data(), sizeof(header));
  if (Status known = CheckEncoding(header); !known) return known.error();
  if (Status valid = CheckNumbers(header); !valid) return valid.error();
  if (Status placed = CheckPlaces(header, file_bytes); !placed) return placed.error();
  return header;
}

}  // namespace trommel
