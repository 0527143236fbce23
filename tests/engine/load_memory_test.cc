// What a file claims is judged before memory is taken for it: however its numbers are forged, the
// most that loading holds at once is a small multiple of the file's size.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/rounding.h"
#include "engine/src/snapshots/fingerprint_snapshot.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/snapshot_forge.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

using tests::Bytes;

// Of a loading: blocks and side table; and what a filter of any size has: two copies of the
// contents of a group of 64 blocks, a kilobyte each (an array of blocks takes whole huge pages only
// from 2 MiB on).
constexpr uint64_t kMostOfFile = 5;
constexpr uint64_t kFixedBytes = 160'000;

uint64_t MostBytes(uint64_t file_bytes) { return kMostOfFile * file_bytes + kFixedBytes; }

struct Loading {
  bool is_ok = false;
  std::string message;
  uint64_t peak_bytes = 0;
};

Loading Load(const Bytes& bytes) {
  const tests::AllocationPeak peak;
  const Result<AnyFilter> filter = DeserializeAny(bytes);
  return {filter.ok(), filter.ok() ? "" : filter.error().message, peak.num_bytes()};
}

// Numbers that a forger would try, as far as they differ from the sample's own.
constexpr std::array<uint64_t, 12> kClaims = {1,
                                              2,
                                              1000,
                                              4096,
                                              uint64_t{1} << 20,
                                              uint64_t{1} << 24,
                                              1000000000,
                                              0x7fffffff,
                                              0xffffffff,
                                              uint64_t{1} << 40,
                                              kMaxSnapshotKeys,
                                              ~uint64_t{0}};

struct NamedBytes {
  std::string name;
  Bytes bytes;
};

// The sample files of FORMAT.md but attribute filters, whose memory beyond their files SECURITY.md
// states.
std::vector<NamedBytes> Samples() {
  std::vector<NamedBytes> samples;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(tests::kSourceFolder) / "engine/docs/samples")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".trommel") || name.starts_with("attributes")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto bytes = std::as_bytes(std::span(text));
    samples.push_back({name, Bytes(bytes.begin(), bytes.end())});
  }
  REQUIRE(samples.size() > 10);
  return samples;
}

TEST_CASE("an allocation's peak is counted, mappings included", "[support][allocation_peak]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const tests::AllocationPeak peak;
  const uint64_t before = peak.num_bytes();
  for (int i = 0; i < 3; ++i)
    std::vector<char>(100'000).swap(*std::make_unique<std::vector<char>>());
  CHECK(peak.num_bytes() >= before + 100'000);
  CHECK(peak.num_bytes() < before + 200'000);
  { const CountingFilter filter = CountingFilter::Create({.capacity = 1'000'000}).value(); }
  CHECK(peak.num_bytes() > 2'000'000);
}

TEST_CASE("no number of a header makes loading take more than a multiple of the file",
          "[engine][snapshot][load_memory][long]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  for (const auto& [name, bytes] : Samples()) {
    CAPTURE(name);
    CHECK(Load(bytes).peak_bytes <= MostBytes(bytes.size()));
    for (size_t at = sizeof(SnapshotStart); at < kHeaderChecksumAt; at += 4) {
      for (const uint64_t claim : kClaims) {
        CAPTURE(at, claim);
        for (const bool is_wide : {false, true}) {
          if (is_wide && at % 8 != 0) continue;
          Bytes forged = bytes;
          if (is_wide) {
            tests::Put(forged, at, claim);
          } else {
            tests::Put(forged, at, static_cast<uint32_t>(claim));
          }
          tests::Reseal(forged);
          const Loading loading = Load(forged);
          if (loading.peak_bytes > MostBytes(forged.size())) {
            FAIL("held " << loading.peak_bytes << " bytes for a file of " << forged.size() << ": "
                         << loading.message);
          }
        }
      }
    }
  }
}

// The header's places and sizes are those of its geometry, and so is the size it claims to have.
void PlaceAsClaimed(Bytes& bytes, bool claims_size) {
  const uint64_t file_bytes = bytes.size();
  auto header = tests::Get<SnapshotHeader>(bytes, 0);
  if (header.start.version == kSnapshotVersion) {
    PlaceSections(header, 0);
  } else {
    const auto own = tests::Get<FingerprintHeader>(bytes, 0);
    const uint64_t num_lines = own.encoding == 2 ? (own.num_blocks + 63) / 64 : 0;
    header.presence = {kPageAlignment, own.num_blocks * 64, 0};
    header.counts = {RoundUp(kPageAlignment + own.num_blocks * 64, kPageAlignment), num_lines * 64,
                     0};
    header.side_table.offset =
        RoundUp(header.counts.offset + header.counts.num_bytes, kSideTableAlignment);
    header.side_table.num_bytes = 0;
    header.file_bytes = header.side_table.offset;
  }
  if (!claims_size) header.file_bytes = file_bytes;
  tests::Put(bytes, 0, header);
  tests::Reseal(bytes);
}

TEST_CASE("a header that agrees with itself is found out by the size of the file",
          "[engine][snapshot][load_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  for (const auto& [name, bytes] : Samples()) {
    if (!name.starts_with("counting-")) continue;
    for (const uint64_t num_blocks :
         {uint64_t{1} << 16, uint64_t{1} << 20, kMaxBlocks / 1024 * 1024}) {
      for (const uint32_t shard_bits : {0, 4, 10}) {
        for (const bool claims_size : {false, true}) {
          CAPTURE(name, num_blocks, shard_bits, claims_size);
          Bytes forged = bytes;
          tests::Put(forged, offsetof(SnapshotHeader, num_blocks), num_blocks);
          tests::Put(forged, offsetof(SnapshotHeader, shard_bits), shard_bits);
          PlaceAsClaimed(forged, claims_size);
          const Loading loading = Load(forged);
          CHECK_FALSE(loading.is_ok);
          CHECK(loading.peak_bytes <= kFixedBytes);  // nothing was taken for blocks
        }
      }
    }
  }
}

// Many keys in few blocks, with copies: side tables that are large beside the blocks.
Bytes FilledBytes(const Geometry& geometry) {
  CountingFilter filter =
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
  std::vector<uint64_t> digests(geometry.num_blocks * 70);
  for (uint64_t i = 0; i < digests.size(); ++i) digests[i] = i * 0x9e3779b97f4a7c15U;
  filter.Insert(Keys::Digests(digests));
  filter.Insert(Keys::Digests(digests));
  return filter.Serialize();
}

const std::array<Geometry, 4> kGeometries = {{
    {.num_slices = 8, .encoding = Encoding::kPlanes, .num_blocks = 256},
    {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 256},
    {.num_slices = 0,
     .encoding = Encoding::kFingerprints16,
     .num_blocks = 256,
     .fingerprint_bits = 16},
    {.num_slices = 0,
     .encoding = Encoding::kFingerprints8,
     .num_blocks = 256,
     .fingerprint_bits = 14},
}};

TEST_CASE("side tables take no more than a multiple of the file",
          "[engine][snapshot][load_memory][long]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  for (const Geometry& geometry : kGeometries) {
    CAPTURE(EncodingName(geometry.encoding));
    const Bytes bytes = FilledBytes(geometry);
    const Loading good = Load(bytes);
    CHECK(good.is_ok);
    CHECK(good.peak_bytes <= MostBytes(bytes.size()));
    const auto side = tests::HeaderOf(bytes).side_table;
    REQUIRE(side.num_bytes > 0);
    // Each word of the first entries, and the number of entries.
    for (uint64_t at = side.offset; at < side.offset + std::min<uint64_t>(side.num_bytes, 160);
         at += 4) {
      for (const uint64_t claim : kClaims) {
        Bytes forged = bytes;
        tests::Put(forged, at, static_cast<uint32_t>(claim));
        tests::Put(forged, offsetof(SnapshotHeader, num_promoted), claim);
        tests::Reseal(forged);
        CAPTURE(at, claim);
        CHECK(Load(forged).peak_bytes <= MostBytes(forged.size()));
      }
    }
  }
}

// The entries that take most memory beside their bytes in the file: one key each, with a count that
// no record holds, one for every block of a filter whose ranges have one block each.
TEST_CASE("forged hidden keys take no more than a multiple of the file",
          "[engine][snapshot][load_memory]") {
  if (!tests::AllocationPeak::IsCounted()) return;
  const auto [encoding, num_blocks, shard_bits] =
      GENERATE(table<Encoding, uint64_t, uint32_t>({{Encoding::kFingerprints8, 1024, 10},
                                                    {Encoding::kFingerprints8, 1024, 0},
                                                    {Encoding::kFingerprints8, 65'536, 10},
                                                    {Encoding::kFingerprints16, 65'536, 10},
                                                    {Encoding::kFingerprints16, 1024, 0}}));
  const Geometry geometry{.num_slices = 0,
                          .encoding = encoding,
                          .shard_bits = shard_bits,
                          .num_blocks = num_blocks,
                          .fingerprint_bits = encoding == Encoding::kFingerprints16 ? 16U : 14U};
  Bytes bytes =
      CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller})->Serialize();
  const uint64_t side_at = bytes.size();
  constexpr uint64_t kEntryBytes = sizeof(HiddenEntryHeader) + sizeof(HiddenEntryKey);
  bytes.resize(side_at + num_blocks * kEntryBytes);
  for (uint64_t b = 0; b < num_blocks; ++b) {
    const uint64_t at = side_at + b * kEntryBytes;
    tests::Put(bytes, at, HiddenEntryHeader{.block_idx = b, .num_keys = 1, .reserved = 0});
    tests::Put(bytes, at + sizeof(HiddenEntryHeader),
               HiddenEntryKey{.key = 1, .reserved = 0, .count = 70'000});
  }
  auto header = tests::Get<FingerprintHeader>(bytes, 0);
  header.num_hiding = num_blocks;
  header.side_table = {side_at, num_blocks * kEntryBytes, 0};
  header.file_bytes = bytes.size();
  tests::Put(bytes, 0, header);
  tests::Reseal(bytes);
  const Loading loading = Load(bytes);
  CHECK_FALSE(loading.is_ok);
  CAPTURE(EncodingName(encoding), num_blocks, shard_bits, bytes.size(), loading.message);
  CHECK(loading.peak_bytes > bytes.size() / 2);  // it was read up to its side table
  CHECK(loading.peak_bytes <= MostBytes(bytes.size()));
}

}  // namespace
}  // namespace trommel
