#include "engine/src/column_map/column_file.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace trommel {
namespace {

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

Error Differs(std::string_view field, uint64_t there, uint64_t here) {
  return {ErrorCode::kMismatch, "cannot load the column: " + std::string(field) + " is " +
                                    std::to_string(there) + " there and " + std::to_string(here) +
                                    " here"};
}

Status CheckNumbers(FileReader& file, const MapGeometry& geometry, const DigestPolicy& policy) {
  const FileSection section = file.Take(sections::kColumn);
  const Result<ColumnNumbers> numbers = section.ReadAs<ColumnNumbers>();
  if (!numbers) return numbers.error();
  if (numbers->num_blocks != geometry.num_blocks) {
    return Differs("num_blocks", numbers->num_blocks, geometry.num_blocks);
  }
  if (numbers->fingerprint_bits != geometry.fingerprint_bits) {
    return Differs("fingerprint_bits", numbers->fingerprint_bits, geometry.fingerprint_bits);
  }
  if (file.header().digest_kind != static_cast<uint32_t>(policy.kind)) {
    return Differs("digest kind", file.header().digest_kind, static_cast<uint32_t>(policy.kind));
  }
  if (file.header().seed != policy.seed) {
    return Error{ErrorCode::kMismatch, "cannot load the column: its seed or digest key differs"};
  }
  if (numbers->reserved == 0) return Ok();
  return section.CorruptAt(offsetof(ColumnNumbers, reserved), "reserved bytes are not zero");
}

}  // namespace

Status WriteColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                   const ColumnContents& contents, FileWriter& file) {
  std::vector<std::byte> places;
  uint64_t next = 0;  // the least place that may follow
  for (const PlaceCopies& pair : contents.places) {
    const bool has_copies = pair.num_copies > 1;
    AppendNumber(2 * (pair.place - next) + (has_copies ? 1 : 0), places);
    if (has_copies) AppendNumber(pair.num_copies - 2, places);
    next = pair.place + 1;
  }
  file.Begin(FileType::kColumn, policy, places.size());
  file.Add(sections::kColumn, 0,
           BytesOf(ColumnNumbers{.num_blocks = geometry.num_blocks,
                                 .fingerprint_bits = geometry.fingerprint_bits,
                                 .reserved = 0}));
  file.Add(sections::kPlaces, 0, places);
  return Ok();
}

Result<ColumnContents> ReadColumn(const MapGeometry& geometry, const DigestPolicy& policy,
                                  FileReader& file) {
  if (Status fits = file.CheckType(FileType::kColumn); !fits) return fits.error();
  if (const Status good = CheckNumbers(file, geometry, policy); !good) return good.error();
  const FileSection section = file.Take(sections::kPlaces);
  const Result<std::vector<std::byte>> bytes = section.ReadAll<std::byte>();
  if (!bytes) return bytes.error();
  ColumnContents contents;
  std::span<const std::byte> left = *bytes;
  const uint64_t end = geometry.num_blocks << geometry.fingerprint_bits;
  const uint64_t fingerprint_mask = (uint64_t{1} << geometry.fingerprint_bits) - 1;
  uint64_t next = 0;
  while (!left.empty()) {
    const size_t at = bytes->size() - left.size();
    const auto corrupt = [&](const char* what) { return section.CorruptAt(at, what); };
    const std::optional<uint64_t> number = TakeNumber(left);
    if (!number) return corrupt("not a number in its only form");
    if (*number / 2 >= end - next) return corrupt("a place behind the last block");
    const uint64_t place = next + *number / 2;
    if ((place & fingerprint_mask) == 0) return corrupt("a fingerprint of zero");
    uint64_t num_copies = 1;
    if (*number % 2 != 0) {
      const std::optional<uint64_t> more = TakeNumber(left);
      if (!more || *more > kMaxFileKeys) return corrupt("not a number of copies");
      num_copies = *more + 2;
    }
    contents.places.push_back({place, num_copies});
    contents.num_keys += num_copies;
    if (contents.num_keys > kMaxFileKeys) return corrupt("too many keys");
    next = place + 1;
  }
  return contents;
}

}  // namespace trommel
