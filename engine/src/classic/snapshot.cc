// Writing and reading. Checksums first, for they name an accident best; then everything again as if
// there were none, because a forger can compute checksums, too.
#include "engine/src/classic/snapshot.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "trommel/classic/sizing.h"
#include "trommel/sizing.h"

namespace trommel::classic {
namespace {

Geometry GeometryOf(const ClassicHeader& header) {
  return {.kind = static_cast<Kind>(header.kind),
          .hashing = static_cast<Hashing>(header.hashing),
          .num_hashes = header.num_hashes,
          .counter_bits = header.counter_bits,
          .num_positions = header.num_positions};
}

// --- Believing a header.

// What a later library of the same version could write and we cannot read.
Status CheckKnown(const ClassicHeader& header) {
  if (header.kind > static_cast<uint32_t>(Kind::kSplitCounting)) {
    return UnknownAt(offsetof(ClassicHeader, kind), "the kind", header.kind,
                     "0 (bloom), 1 (counting bloom) and 2 (split counting)");
  }
  if (header.hashing > static_cast<uint32_t>(Hashing::kMixed)) {
    return UnknownAt(offsetof(ClassicHeader, hashing), "the hashing", header.hashing,
                     "0 (double) and 1 (mixed)");
  }
  return Ok();
}

Status CheckNumbers(const ClassicHeader& header) {
  if (Status valid = Validate(GeometryOf(header)); !valid) {
    return CorruptAt(offsetof(ClassicHeader, num_hashes), valid.error().message);
  }
  // Both or neither. Bits are compared, for -0.0 is a second spelling of "not sized".
  const bool is_sized = header.capacity >= 1 && header.capacity <= kMaxCapacity &&
                        header.target_fpr >= kMinTargetFpr && header.target_fpr <= kMaxTargetFpr;
  const bool is_not_sized = header.capacity == 0 && std::bit_cast<uint64_t>(header.target_fpr) == 0;
  if (!is_sized && !is_not_sized) {
    return CorruptAt(offsetof(ClassicHeader, capacity),
                     "capacity and target_fpr are no possible request");
  }
  if (header.num_keys > kMaxSnapshotKeys) {
    return CorruptAt(offsetof(ClassicHeader, num_keys), "num_keys is over 2^63 - 1");
  }
  if (!std::ranges::all_of(header.zeros, [](uint64_t word) { return word == 0; })) {
    return CorruptAt(offsetof(ClassicHeader, zeros), "reserved bytes are not zero");
  }
  return Ok();
}

Status CheckPlaces(const ClassicHeader& header, uint64_t file_bytes) {
  if (header.file_bytes != file_bytes) {
    return CorruptAt(std::min(file_bytes, header.file_bytes),
                     "the file has " + std::to_string(file_bytes) + " bytes, but the snapshot " +
                         std::to_string(header.file_bytes));
  }
  const Geometry geometry = GeometryOf(header);
  if (header.positions.offset != kPageAlignment ||
      header.positions.num_bytes != geometry.num_bytes() ||
      file_bytes != kPageAlignment + geometry.num_bytes()) {
    return CorruptAt(offsetof(ClassicHeader, positions),
                     "the geometry wants " + std::to_string(geometry.num_bytes()) +
                         " bytes at byte 4096, and nothing behind them");
  }
  return Ok();
}

Result<ClassicHeader> Parse(std::span<const std::byte> start, uint64_t file_bytes) {
  const Result<SnapshotStart> parsed = ParseStart(start, file_bytes);
  if (!parsed) return parsed.error();
  if (Status type = CheckType(*parsed, SnapshotType::kClassicFilter); !type) return type.error();
  ClassicHeader header;
  std::memcpy(&header, start.data(), sizeof(header));
  if (Status known = CheckKnown(header); !known) return known.error();
  if (Status valid = CheckNumbers(header); !valid) return valid.error();
  if (Status placed = CheckPlaces(header, file_bytes); !placed) return placed.error();
  return header;
}

// --- Believing positions.

// Are all fields from position num_positions on zero?
bool TailIsZero(std::span<const std::byte> slice, const Geometry& geometry) {
  const uint64_t num_bits = geometry.num_positions * geometry.field_bits();
  uint32_t stray = 0;
  if (num_bits % 8 != 0) stray |= std::to_integer<uint32_t>(slice[num_bits / 8]) >> num_bits % 8;
  for (uint64_t i = (num_bits + 7) / 8; i < slice.size(); ++i) {
    stray |= std::to_integer<uint32_t>(slice[i]);
  }
  return stray == 0;
}

// Empty if a slice of these counts may belong to a filter of so many keys.
std::string WhyNot(std::span<const uint64_t> histogram, const Geometry& geometry,
                   uint64_t num_keys) {
  const uint64_t num_present = geometry.num_positions - histogram[0];
  const uint64_t hashes_a_key = geometry.kind == Kind::kSplitCounting ? 1 : geometry.num_hashes;
  if (geometry.kind == Kind::kBloom) {
    const bool is_possible = (num_present != 0) == (num_keys != 0) &&
                             (num_present + hashes_a_key - 1) / hashes_a_key <= num_keys;
    return is_possible ? "" : "the bits set do not go with num_keys";
  }
  uint64_t sum = 0;  // at most 2^32 counters of 255
  for (size_t c = 0; c < histogram.size(); ++c) {
    sum += c * histogram[c];
    if (c > geometry.max_count() && histogram[c] != 0) return "a counter is over its maximum";
  }
  const bool has_stuck = histogram[geometry.max_count()] != 0;
  if (has_stuck) return "";
  const bool is_whole = sum % hashes_a_key == 0 && sum / hashes_a_key == num_keys;
  return is_whole ? "" : "no counter is stuck, and yet they do not add up to num_keys";
}

Status CheckPositions(const PositionStore& store, uint64_t num_keys) {
  const Geometry& geometry = store.geometry();
  const uint64_t slice_bytes = geometry.slice_bytes();
  for (size_t s = 0; s < geometry.num_slices(); ++s) {
    const uint64_t begin = s * slice_bytes;
    if (!TailIsZero(store.bytes().subspan(begin, slice_bytes), geometry)) {
      return CorruptAt(kPageAlignment + begin, "a slice is not zero behind its last position");
    }
    const std::string why_not = WhyNot(store.Histogram(s), geometry, num_keys);
    if (!why_not.empty()) return CorruptAt(kPageAlignment + begin, why_not);
  }
  return Ok();
}

Status ReadPositions(const ByteSource& source, const ClassicHeader& header, PositionStore& store) {
  std::array<std::byte, kPageAlignment - sizeof(ClassicHeader)> padding;
  if (Status read = source.ReadAt(sizeof(header), padding); !read) return read;
  const auto stray =
      std::ranges::find_if(padding, [](std::byte byte) { return byte != std::byte{0}; });
  if (stray != padding.end()) {
    return CorruptAt(sizeof(header) + static_cast<uint64_t>(stray - padding.begin()),
                     "padding is not zero");
  }
  if (Status read = source.ReadAt(header.positions.offset, store.writable_bytes()); !read) {
    return read;
  }
  if (Status summed = CheckSectionSum(header.positions, Checksum::Of(store.bytes()), "positions");
      !summed) {
    return summed;
  }
  return CheckPositions(store, header.num_keys);
}

}  // namespace

void Seal(ClassicHeader& header) {
  header.checksum = HeaderChecksum(BytesOf(header).first<kHeaderBytes>());
}

uint64_t SnapshotBytes(const Geometry& geometry) { return kPageAlignment + geometry.num_bytes(); }

Status WriteSnapshot(const PositionStore& store, const ClassicFacts& facts, ByteSink& sink) {
  const Geometry& geometry = store.geometry();
  ClassicHeader header = {};
  header.magic = kSnapshotMagic;
  header.version = kSnapshotVersion;
  header.header_bytes = sizeof(header);
  header.type = static_cast<uint32_t>(SnapshotType::kClassicFilter);
  header.digest_kind = static_cast<uint32_t>(facts.policy.kind);
  header.seed = facts.policy.seed;
  header.kind = static_cast<uint32_t>(geometry.kind);
  header.hashing = static_cast<uint32_t>(geometry.hashing);
  header.num_hashes = geometry.num_hashes;
  header.counter_bits = geometry.counter_bits;
  header.num_positions = geometry.num_positions;
  header.capacity = facts.capacity;
  header.target_fpr = facts.target_fpr;
  header.num_keys = facts.num_keys;
  header.positions = {.offset = kPageAlignment,
                      .num_bytes = geometry.num_bytes(),
                      .checksum = Checksum::Of(store.bytes())};
  header.file_bytes = SnapshotBytes(geometry);
  Seal(header);
  if (Status done = sink.Append(BytesOf(header)); !done) return done;
  static constexpr std::array<std::byte, kPageAlignment - sizeof(ClassicHeader)> kZeros{};
  if (Status done = sink.Append(kZeros); !done) return done;
  return sink.Append(store.bytes());
}

Result<ClassicContents> ReadSnapshot(const ByteSource& source, Kind kind, uint64_t limit_bytes,
                                     const DigestKey& digest_key) {
  std::array<std::byte, sizeof(ClassicHeader)> buffer;
  const auto start = std::span(buffer).first(std::min<uint64_t>(source.num_bytes(), buffer.size()));
  if (Status read = source.ReadAt(0, start); !read) return read.error();
  const Result<ClassicHeader> header = Parse(start, source.num_bytes());
  if (!header) return header.error();
  const Geometry geometry = GeometryOf(*header);
  if (geometry.kind != kind) {
    return Error{ErrorCode::kMismatch, "the snapshot holds a filter of the kind " +
                                           std::string(KindName(geometry.kind)) + ", not " +
                                           std::string(KindName(kind))};
  }
  const Result<DigestPolicy> policy = PolicyOfFile(header->digest_kind, header->seed, digest_key);
  if (!policy) return policy.error();
  Result<PositionStore> store = PositionStore::Create(geometry, limit_bytes);
  if (!store) return store.error();
  if (Status read = ReadPositions(source, *header, *store); !read) return read.error();
  store->Recount();
  const ClassicFacts facts{.policy = *policy,
                           .capacity = header->capacity,
                           .target_fpr = header->target_fpr,
                           .num_keys = header->num_keys};
  return ClassicContents{*std::move(store), facts};
}

}  // namespace trommel::classic
