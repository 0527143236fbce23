// What snapshots of all types share: names, places, checks, padding.
#include "engine/src/snapshots/snapshot_format.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "engine/src/base/grouped_text.h"
#include "engine/src/base/rounding.h"
#include "engine/src/blocks/encoding.h"
#include "engine/src/disk/checksum.h"

namespace trommel {

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
      return "counting";
    case SnapshotType::kScalableFilter:
      return "scalable";
    case SnapshotType::kWindowFilter:
      return "window";
    case SnapshotType::kAttributeFilter:
      return "attribute";
  }
  return "unknown";
}

uint64_t HeaderChecksum(std::span<const std::byte, kHeaderBytes> header) {
  return Checksum::Of(header.first(kHeaderChecksumAt));
}

SnapshotStart StartOf(SnapshotType type, const DigestPolicy& policy) {
  return {.magic = kSnapshotMagic,
          .version = kSnapshotVersion,
          .header_bytes = kHeaderBytes,
          .type = static_cast<uint32_t>(type),
          .digest_kind = static_cast<uint32_t>(policy.kind),
          .seed = policy.seed};
}

Error UnknownAt(uint64_t offset, std::string_view field, uint64_t found, std::string_view known) {
  return {.code = ErrorCode::kVersion,
          .message = "snapshot of a later library: at byte " + std::to_string(offset) + " " +
                     std::string(field) + " is " + std::to_string(found) + "; this library reads " +
                     std::string(known)};
}

Error CorruptAt(uint64_t offset, std::string_view what) {
  return {
      .code = ErrorCode::kCorrupt,
      .message = "corrupt snapshot at byte " + std::to_string(offset) + ": " + std::string(what)};
}

Status CheckFileBytes(uint64_t file_bytes, uint64_t header_says) {
  if (file_bytes == header_says) return Ok();
  return Error{ErrorCode::kCorrupt, "file is " + GroupedText(file_bytes) +
                                        " bytes, its header says " + GroupedText(header_says) +
                                        (file_bytes < header_says ? ": truncated?" : "")};
}

Status CheckReserved(std::span<const uint64_t> words, uint64_t offset) {
  if (std::ranges::all_of(words, [](uint64_t word) { return word == 0; })) return Ok();
  return CorruptAt(offset, "reserved bytes are not zero");
}

Status CheckSizedFor(uint64_t capacity, double target_fpr, double least_fpr, double most_fpr,
                     uint64_t offset) {
  const bool is_sized = capacity >= 1 && capacity <= kMaxCapacity && target_fpr >= least_fpr &&
                        target_fpr <= most_fpr;
  // Bits are compared, for -0.0 is a second spelling of "not sized".
  const bool is_not_sized = capacity == 0 && std::bit_cast<uint64_t>(target_fpr) == 0;
  if (is_sized || is_not_sized) return Ok();
  return CorruptAt(offset, "capacity and target_fpr are no possible request");
}

Status CheckNumKeys(uint64_t num_keys, uint64_t offset) {
  if (num_keys <= kMaxSnapshotKeys) return Ok();
  return CorruptAt(offset, "num_keys is over 2^63 - 1");
}

Status CheckSectionSum(const SectionRecord& section, uint64_t checksum, std::string_view name) {
  if (checksum == section.checksum) return Ok();
  return CorruptAt(section.offset, "the " + std::string(name) + " section (" +
                                       std::to_string(section.num_bytes) +
                                       " bytes) does not match its checksum");
}

Status AppendZeros(uint64_t num_bytes, ByteSink& sink) {
  static constexpr std::array<std::byte, kPageAlignment> kZeros{};
  while (num_bytes > 0) {
    const uint64_t part = std::min<uint64_t>(num_bytes, kZeros.size());
    if (Status done = sink.Append(std::span(kZeros).first(part)); !done) return done;
    num_bytes -= part;
  }
  return Ok();
}

Status CheckZeros(const ByteSource& source, uint64_t begin, uint64_t end) {
  std::array<std::byte, kPageAlignment> buffer;
  const auto gap = std::span(buffer).first(end - begin);
  if (Status read = source.ReadAt(begin, gap); !read) return read;
  const auto stray = std::ranges::find_if(gap, [](std::byte byte) { return byte != std::byte{0}; });
  if (stray == gap.end()) return Ok();
  return CorruptAt(begin + static_cast<uint64_t>(stray - gap.begin()), "padding is not zero");
}

}  // namespace trommel
