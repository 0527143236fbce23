// Writing and reading. Checksums first, for they name an accident best; then everything again as if
// there were none, because a forger can compute checksums, too.
#include "engine/src/classic/snapshot.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/classic/filter_impl.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/filter_files.h"
#include "trommel/classic/sizing.h"
#include "trommel/sizing.h"

namespace trommel::classic {
namespace {

ArrayGeometry GeometryOf(const ClassicHeader& header) {
  return {.kind = static_cast<Kind>(header.kind),
          .hashing = static_cast<Hashing>(header.hashing),
          .num_hashes = header.num_hashes,
          .counter_bits = header.counter_bits,
          .num_positions = header.num_positions};
}

// --- Checking a header.

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
  Status valid = CheckSizedFor(header.capacity, header.target_fpr, kMinTargetFpr, kMaxTargetFpr,
                               offsetof(ClassicHeader, capacity));
  if (valid) valid = CheckNumKeys(header.num_keys, offsetof(ClassicHeader, num_keys));
  if (valid) valid = CheckReserved(header.zeros, offsetof(ClassicHeader, zeros));
  return valid;
}

Status CheckPlaces(const ClassicHeader& header, uint64_t file_bytes) {
  if (Status whole = CheckFileBytes(file_bytes, header.file_bytes); !whole) return whole;
  const ArrayGeometry geometry = GeometryOf(header);
  if (header.positions.offset != kPageAlignment ||
      header.positions.num_bytes != geometry.num_bytes() ||
      file_bytes != kPageAlignment + geometry.num_bytes()) {
    return CorruptAt(offsetof(ClassicHeader, positions),
                     "the geometry wants " + std::to_string(geometry.num_bytes()) +
                         " bytes at byte 4096, and nothing behind them");
  }
  return Ok();
}

Result<ClassicHeader> ReadClassicHeader(const OpenedSnapshot& snapshot) {
  auto header = snapshot.HeaderAs<ClassicHeader>(SnapshotType::kClassicFilter);
  if (!header) return header;
  if (Status known = CheckKnown(*header); !known) return known.error();
  if (Status valid = CheckNumbers(*header); !valid) return valid.error();
  if (Status placed = CheckPlaces(*header, snapshot.num_bytes()); !placed) return placed.error();
  return header;
}

// --- Checking positions.

// Are all fields from position num_positions on zero?
bool TailIsZero(std::span<const std::byte> slice, const ArrayGeometry& geometry) {
  const uint64_t num_bits = geometry.num_positions * geometry.field_bits();
  uint32_t stray = 0;
  if (num_bits % 8 != 0) stray |= std::to_integer<uint32_t>(slice[num_bits / 8]) >> num_bits % 8;
  for (uint64_t i = (num_bits + 7) / 8; i < slice.size(); ++i) {
    stray |= std::to_integer<uint32_t>(slice[i]);
  }
  return stray == 0;
}

// Empty if a slice of these counts may belong to a filter of so many keys.
std::string WhyNot(std::span<const uint64_t> histogram, const ArrayGeometry& geometry,
                   uint64_t num_keys) {
  const uint64_t num_present = geometry.num_positions - histogram[0];
  const uint64_t hashes_per_key = geometry.kind == Kind::kSplitCounting ? 1 : geometry.num_hashes;
  if (geometry.kind == Kind::kBloom) {
    const bool is_possible = (num_present != 0) == (num_keys != 0) &&
                             (num_present + hashes_per_key - 1) / hashes_per_key <= num_keys;
    return is_possible ? "" : "the bits set do not go with num_keys";
  }
  uint64_t sum = 0;  // at most 2^32 counters of 255
  for (size_t c = 0; c < histogram.size(); ++c) {
    sum += c * histogram[c];
    if (c > geometry.max_count() && histogram[c] != 0) return "a counter is over its maximum";
  }
  const bool has_stuck = histogram[geometry.max_count()] != 0;
  if (has_stuck) return "";
  const bool is_whole = sum % hashes_per_key == 0 && sum / hashes_per_key == num_keys;
  return is_whole ? "" : "no counter is stuck, and yet they do not add up to num_keys";
}

Status CheckPositions(const PositionStore& store, uint64_t num_keys) {
  const ArrayGeometry& geometry = store.geometry();
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
  if (Status zero = CheckZeros(source, sizeof(header), header.positions.offset); !zero) return zero;
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

Status WriteClassic(const PositionStore& store, const FilterFacts& facts, ByteSink& sink) {
  const ArrayGeometry& geometry = store.geometry();
  ClassicHeader header = {};
  header.start = StartOf(SnapshotType::kClassicFilter, facts.policy);
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
  header.file_bytes = kPageAlignment + geometry.num_bytes();
  Seal(header);
  sink.Reserve(header.file_bytes);
  Status done = sink.Append(BytesOf(header));
  if (done) done = AppendZeros(kPageAlignment - sizeof(header), sink);
  return done ? sink.Append(store.bytes()) : done;
}

Result<ClassicContents> ReadClassic(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                    const DigestKey& digest_key) {
  const Result<ClassicHeader> header = ReadClassicHeader(snapshot);
  if (!header) return header.error();
  const Result<DigestPolicy> policy =
      PolicyOfFile(header->start.digest_kind, header->start.seed, digest_key);
  if (!policy) return policy.error();
  Result<PositionStore> store = PositionStore::Create(GeometryOf(*header), limit_bytes);
  if (!store) return store.error();
  if (Status read = ReadPositions(snapshot.source(), *header, *store); !read) return read.error();
  store->Recount();
  const FilterFacts facts{.policy = *policy,
                          .capacity = header->capacity,
                          .target_fpr = header->target_fpr,
                          .num_keys = header->num_keys};
  return ClassicContents{*std::move(store), facts};
}

// --- The filter on disk.

Result<Filter> Filter::ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                const DigestKey& digest_key) {
  Result<ClassicContents> contents = ReadClassic(snapshot, limit_bytes, digest_key);
  if (!contents) return contents.error();
  return Filter(std::make_unique<Impl>(std::move(contents->store), contents->facts, limit_bytes));
}

Status Filter::WriteTo(ByteSink& sink) const {
  return WriteClassic(impl_->store, impl_->Facts(), sink);
}

Status Filter::Save(const std::filesystem::path& path, const SaveOptions& options) const {
  return FilterFiles::Save(*this, path, options);
}

std::vector<std::byte> Filter::Serialize() const { return FilterFiles::Serialize(*this); }

Result<Filter> Filter::Load(const std::filesystem::path& path, uint64_t memory_limit_bytes,
                            const DigestKey& digest_key) {
  return FilterFiles::Load<Filter>(path, memory_limit_bytes, digest_key);
}

Result<Filter> Filter::Deserialize(std::span<const std::byte> bytes, uint64_t memory_limit_bytes,
                                   const DigestKey& digest_key) {
  return FilterFiles::Deserialize<Filter>(bytes, memory_limit_bytes, digest_key);
}

Status Filter::SaveTo(ByteSink& sink) const { return FilterFiles::SaveTo(*this, sink); }

Result<Filter> Filter::LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes,
                                const DigestKey& digest_key) {
  return FilterFiles::LoadFrom<Filter>(source, memory_limit_bytes, digest_key);
}

Result<Filter> Filter::Clone(uint64_t memory_limit_bytes) const {
  return FilterFiles::Clone(*this, memory_limit_bytes, impl_->executor);
}

bool operator==(const Filter& a, const Filter& b) { return FilterFiles::AreSame(a, b); }

}  // namespace trommel::classic
