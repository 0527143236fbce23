#include "engine/src/column_map/column_file.h"

#include <cstring>
#include <optional>
#include <string>

#include "engine/src/disk/checksum.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {
namespace {

constexpr uint32_t kVersion = 1;
constexpr size_t kChecksumAt = offsetof(MapColumnHeader, checksum);

uint64_t ChecksumOf(std::span<const std::byte> bytes) {
  Checksum sum;
  sum.Add(bytes.first(kChecksumAt));
  sum.Add(bytes.subspan(sizeof(MapColumnHeader)));
  return sum.Value();
}

void AppendNumber(uint64_t number, std::vector<std::byte>& bytes) {
  for (; number >= 0x80; number >>= 7) bytes.push_back(static_cast<std::byte>(number | 0x80));
  bytes.push_back(static_cast<std::byte>(number));
}

// Nothing if there is no number, or it has more bytes than it needs.
std::optional<uint64_t> TakeNumber(std::span<const std::byte>& bytes) {
  uint64_t number = 0;
  for (uint32_t shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint64_t>(bytes.front());
    bytes = bytes.subspan(1);
    const uint64_t part = byte & 0x7f;
    if (part << shift >> shift != part) return std::nullopt;
    number |= part << shift;
    if ((byte & 0x80) != 0) continue;
    if (byte == 0 && shift != 0) return std::nullopt;
    return number;
  }
  return std::nullopt;
}

Error Corrupt(size_t offset, std::string_view what) {
  return {ErrorCode::kCorrupt,
          "corrupt column at byte " + std::to_string(offset) + ": " + std::string(what)};
}

Error Differs(std::string_view field, uint64_t there, uint64_t here) {
  return {ErrorCode::kMismatch, "cannot load the column: " + std::string(field) + " is " +
                                    std::to_string(there) + " there and " + std::to_string(here) +
                                    " here"};
}

Status CheckHeader(const MapColumnHeader& header, const MapGeometry& geometry,
                   const DigestPolicy& policy) {
  if (header.num_blocks != geometry.num_blocks) {
    return Differs("num_blocks", header.num_blocks, geometry.num_blocks);
  }
  if (header.fingerprint_bits != geometry.fingerprint_bits) {
    return Differs("fingerprint_bits", header.fingerprint_bits, geometry.fingerprint_bits);
  }
  if (header.digest_kind != static_cast<uint32_t>(policy.kind)) {
    return Differs("digest kind", header.digest_kind, static_cast<uint32_t>(policy.kind));
  }
  if (header.seed != policy.seed) {
    return Error{ErrorCode::kMismatch, "cannot load the column: its seed or digest key differs"};
  }
  if (header.reserved != 0) {
    return Corrupt(offsetof(MapColumnHeader, reserved), "reserved bytes are not zero");
  }
  return Ok();
}

}  // namespace

std::vector<std::byte> EncodeColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                    const ColumnContents& contents) {
  MapColumnHeader header{.magic = kMapColumnMagic,
                         .version = kVersion,
                         .digest_kind = static_cast<uint32_t>(policy.kind),
                         .seed = policy.seed,
                         .num_blocks = geometry.num_blocks,
                         .fingerprint_bits = geometry.fingerprint_bits,
                         .reserved = 0,
                         .num_keys = contents.num_keys,
                         .num_places = contents.places.size(),
                         .checksum = 0};
  std::vector<std::byte> bytes(sizeof(header));
  uint64_t next = 0;  // the least place that may follow
  for (const PlaceCopies& pair : contents.places) {
    const bool has_copies = pair.num_copies > 1;
    AppendNumber(2 * (pair.place - next) + (has_copies ? 1 : 0), bytes);
    if (has_copies) AppendNumber(pair.num_copies - 2, bytes);
    next = pair.place + 1;
  }
  std::memcpy(bytes.data(), &header, sizeof(header));
  header.checksum = ChecksumOf(bytes);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes;
}

Result<ColumnContents> DecodeColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                    std::span<const std::byte> bytes) {
  MapColumnHeader header;
  if (bytes.size() < sizeof(header)) return Corrupt(bytes.size(), "truncated in its header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.magic != kMapColumnMagic) return Corrupt(0, "not a column of a map (bad magic)");
  if (header.version != kVersion) {
    return Error{ErrorCode::kVersion, "version " + std::to_string(header.version) +
                                          " of a column of a map; this library reads 1"};
  }
  if (header.checksum != ChecksumOf(bytes)) {
    return Corrupt(kChecksumAt, "the checksum does not match");
  }
  if (const Status good = CheckHeader(header, geometry, policy); !good) return good.error();

  // What a forger can make match.
  ColumnContents contents;
  std::span<const std::byte> left = bytes.subspan(sizeof(header));
  const auto here = [&] { return bytes.size() - left.size(); };
  const uint64_t end = geometry.num_blocks << geometry.fingerprint_bits;
  const uint64_t fingerprint_mask = (uint64_t{1} << geometry.fingerprint_bits) - 1;
  uint64_t next = 0;
  const auto wrong_number = [] {
    return Corrupt(offsetof(MapColumnHeader, num_places), "another number of places follows");
  };
  if (header.num_places > left.size()) return wrong_number();  // each has a byte at least
  contents.places.reserve(header.num_places);
  while (!left.empty()) {
    if (contents.places.size() == header.num_places) return wrong_number();
    const size_t at = here();
    const std::optional<uint64_t> number = TakeNumber(left);
    if (!number) return Corrupt(at, "not a number in its only form");
    if (*number / 2 >= end - next) return Corrupt(at, "a place behind the last block");
    const uint64_t place = next + *number / 2;
    if ((place & fingerprint_mask) == 0) return Corrupt(at, "a fingerprint of zero");
    uint64_t num_copies = 1;
    if (*number % 2 != 0) {
      const std::optional<uint64_t> more = TakeNumber(left);
      if (!more || *more > kMaxSnapshotKeys) return Corrupt(at, "not a number of copies");
      num_copies = *more + 2;
    }
    contents.places.push_back({place, num_copies});
    contents.num_keys += num_copies;
    if (contents.num_keys > kMaxSnapshotKeys) return Corrupt(at, "too many keys");
    next = place + 1;
  }
  if (contents.places.size() != header.num_places) return wrong_number();
  if (contents.num_keys != header.num_keys) {
    return Corrupt(offsetof(MapColumnHeader, num_keys), "not the sum of all copies");
  }
  return contents;
}

}  // namespace trommel
