// Files of every type with any of their numbers forged and all checksums right: either a file is
// refused, or it is the one that would be written of what was loaded; and loading asks for memory,
// and does work, in proportion to the file's size.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/src/files/store_sections.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/every_file.h"
#include "support/file_forge.h"
#include "support/sample_filters.h"
#include "support/sanitized.h"
#include "support/shapes.h"
#include "support/window_files.h"
#include "support/window_slots.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

// The rule (SECURITY.md): the larger of these.
constexpr uint64_t kMostOfFile = 64;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

uint64_t MostBytes(uint64_t file_bytes) { return std::max(kMostOfFile * file_bytes, kMostBytes); }

// Loads it, and says what it took too much of, or what else it would be written as.
void CheckForged(const NamedFile& file, const Bytes& bytes) {
  const AllocationPeak peak;
  const Result<Bytes> loaded = file.load(bytes, 0);
  const uint64_t most = 3 * MostBytes(bytes.size());  // loading, and what it is compared with
  if (peak.num_bytes() > most || peak.num_bytes_in_all() > 2 * most) {
    FAIL_CHECK("a file of " << bytes.size() << " bytes took " << peak.num_bytes() << ", "
                            << peak.num_bytes_in_all()
                            << " in all: " << (loaded.ok() ? "loaded" : loaded.error().message));
  }
  if (loaded.ok()) {
    CHECK((*loaded == bytes));
  } else {
    CHECK_FALSE(loaded.error().message.empty());
  }
}

// What a forger may write where `value` stands: ends of ranges, neighbours, flipped bits, and
// doubles that compare oddly.
std::vector<uint64_t> Claims(uint64_t value) {
  using Double = std::numeric_limits<double>;
  std::vector<uint64_t> claims = {0,
                                  1,
                                  value + 1,
                                  value - 1,
                                  2 * value,
                                  ~uint64_t{0},
                                  ~uint64_t{0} >> 1,
                                  value + (uint64_t{1} << 32),
                                  uint64_t{1} << 40,
                                  std::bit_cast<uint64_t>(-0.0),
                                  std::bit_cast<uint64_t>(0.5),
                                  std::bit_cast<uint64_t>(Double::quiet_NaN()),
                                  std::bit_cast<uint64_t>(Double::infinity())};
  for (int bit = 0; bit < 64; bit += 3) claims.push_back(value ^ uint64_t{1} << bit);
  std::erase(claims, value);
  return claims;
}

// The places of words in the sections that are forged: of small ones all, of others some.
std::vector<uint64_t> PlacesIn(const FileForge::Section& section) {
  const uint64_t num_bytes = section.bytes.size();
  const bool is_small = num_bytes <= 256;
  std::vector<uint64_t> places;
  for (uint64_t at = 0; at + 8 <= num_bytes; at += is_small ? 4 : 4 * (1 + num_bytes / 128)) {
    places.push_back(at);
  }
  return places;
}

}  // namespace

TEST_CASE("a file with any forged number is refused or is in its only form",
          "[engine][files][forged][long]") {
  // With a sanitizer, of each place an eleventh of the claims, another one at the next place.
  constexpr size_t kStride = TROMMEL_TESTS_SANITIZED ? 11 : 1;
  size_t num_places = 0;
  for (const NamedFile& file : EveryFile()) {
    const FileForge good(file.bytes);
    for (size_t i = 0; i < std::min<size_t>(good.sections.size(), 14); ++i) {
      CAPTURE(file.name, std::string(NameOf(good.sections[i].record)));
      for (const uint64_t at : PlacesIn(good.sections[i])) {
        const auto honest = Get<uint64_t>(good.sections[i].bytes, at);
        const std::vector<uint64_t> claims = Claims(honest);
        for (size_t c = num_places++ % kStride; c < claims.size(); c += kStride) {
          const uint64_t claim = claims[c];
          CAPTURE(at, claim);
          FileForge forge = good;
          Put(forge.sections[i].bytes, at, claim);
          CheckForged(file, forge.Seal());
        }
      }
    }
  }
}

TEST_CASE("a file with some forged numbers and bytes is refused or is in its only form",
          "[engine][files][forged][long]") {
  const size_t num_forgeries = AllocationPeak::IsCounted() ? 1000 : 40;  // of each file
  std::mt19937_64 random(Catch::rngSeed());
  for (const NamedFile& file : EveryFile()) {
    CAPTURE(file.name);
    const FileForge good(file.bytes);
    for (size_t i = 0; i < num_forgeries; ++i) {
      FileForge forge = good;
      for (uint64_t left = 1 + random() % 3; left > 0; --left) {
        Bytes& bytes = forge.sections[random() % forge.sections.size()].bytes;
        if (bytes.size() < 8 || random() % 4 == 0) {
          const size_t size = bytes.size() + random() % 129;
          bytes.resize(size > 64 ? size - 64 : 1);
        } else {
          const uint64_t at = random() % (bytes.size() - 7);
          const std::vector<uint64_t> claims = Claims(Get<uint64_t>(bytes, at));
          Put(bytes, at, claims[random() % claims.size()]);
        }
      }
      CheckForged(file, forge.Seal());
    }
  }
}

TEST_CASE("numbers of a store that agree with each other are found out by its sections",
          "[engine][files][forged]") {
  if (!AllocationPeak::IsCounted()) return;
  for (const NamedFile& file : EveryFile()) {
    FileForge good(file.bytes);
    if (good.Find("blocks", 1) == good.sections.size()) continue;
    for (const uint64_t num_blocks : {uint64_t{1} << 16, uint64_t{1} << 20, uint64_t{0x7fffffc0}}) {
      CAPTURE(file.name, num_blocks);
      const Bytes forged =
          WithValue(file.bytes, "numbers", 1, offsetof(StoreNumbers, num_blocks), num_blocks);
      const AllocationPeak peak;
      CHECK(file.load(forged, 0).error().code == ErrorCode::kCorrupt);
      CHECK(peak.num_bytes() <= 3 * forged.size() + 400'000);  // nothing was taken for blocks
    }
  }
}

// The entries that take most memory beside their bytes in the file: one key each, with a count that
// no record holds, one for every block of a filter whose ranges have one block each.
TEST_CASE("forged hidden keys take no more than a multiple of the file",
          "[engine][files][forged]") {
  if (!AllocationPeak::IsCounted()) return;
  const auto [encoding, num_blocks, shard_bits] =
      GENERATE(table<Encoding, uint64_t, uint32_t>({{Encoding::kDense, 16'384, 10},
                                                    {Encoding::kDense, 65'536, 10},
                                                    {Encoding::kFingerprints16, 65'536, 10}}));
  const Bytes empty = MakeFilter(FingerprintsOf(encoding, num_blocks, shard_bits)).Serialize();
  FileForge forge(empty);
  Bytes& blocks = forge.At("blocks", 1).bytes;
  const bool is_dense = encoding == Encoding::kDense;
  Bytes side(num_blocks * (is_dense ? 16 : 32));
  for (uint64_t b = 0; b < num_blocks; ++b) {
    if (is_dense) {  // one key five times, which would be in slots
      Put(side, b * 16, static_cast<uint32_t>(b));
      Put(side, b * 16 + 4, 1U);
      Put(side, b * 16 + 8, 1U | 5U << 18);
      continue;
    }
    Put(blocks, b * 64 + 62, uint16_t{0x00ff});  // the mark
    Put(side, b * 32, b);
    Put(side, b * 32 + 8, 1U);
    Put(side, b * 32 + 16, 1U);
    Put(side, b * 32 + 24, uint64_t{70'000});
  }
  forge.Insert(forge.sections.size(), "side", 1, 0, side);
  const Bytes bytes = forge.Seal();
  const AllocationPeak peak;
  CHECK(CountingFilter::Deserialize(bytes).error().code == ErrorCode::kCorrupt);
  CAPTURE(EncodingName(encoding), num_blocks, shard_bits, bytes.size());
  CHECK(peak.num_bytes() > bytes.size() / 2);  // it was read up to its side table
  CHECK(peak.num_bytes() <= 5 * bytes.size() + 400'000);
}

TEST_CASE("what cannot fit the memory limit is refused before it is read", "[engine][files]") {
  const CountingFilter filter = RunSample(10, 37);
  Bytes bytes = filter.Serialize();
  // Reading the side table would find this.
  bytes[FileForge(bytes).At("side", 1).record.offset] ^= std::byte{1};
  const uint64_t too_few = filter.geometry().num_bytes() - 1;
  CHECK(CountingFilter::Deserialize(bytes, too_few).error().code == ErrorCode::kOutOfMemory);
  CHECK(CountingFilter::Deserialize(bytes).error().code == ErrorCode::kCorrupt);
}

// A file has keys, and the first size as a number.
TEST_CASE("a filter that grows loads without the blocks of its first size",
          "[engine][files][forged][scalable]") {
  FileForge forge(ScalableFilter::Create({})->Serialize());
  Put(forge.At("growing").bytes, 8, uint64_t{100'000'000});  // first capacity
  const Bytes forged = forge.Seal();
  const AllocationPeak peak;
  Result<ScalableFilter> loaded = ScalableFilter::Deserialize(forged, 50'000'000);
  REQUIRE(loaded.ok());
  CHECK(peak.num_bytes() < 200'000);
  CHECK(loaded->first_capacity() == 100'000'000);
  const std::vector<uint64_t> keys = MemberKeys(100'000, 4);
  CHECK(loaded->Insert(keys).num_inserted == keys.size());
  CHECK(loaded->GetStats().num_bytes < 2'000'000);
}

TEST_CASE("a filter that grows loads in a small multiple of its file",
          "[engine][files][scalable][long]") {
  for (const uint64_t num_keys : {30'000U, 400'000U}) {
    ScalableFilter filter = ScalableFilter::Create({}).value();
    filter.Insert(MemberKeys(num_keys, 3));
    const Bytes bytes = filter.Serialize();
    const AllocationPeak peak;
    const Result<ScalableFilter> loaded = ScalableFilter::Deserialize(bytes);
    const uint64_t num_held = peak.num_bytes();
    REQUIRE(loaded.ok());
    CHECK((loaded->Serialize() == bytes));
    CHECK(*loaded == filter);
    if (!AllocationPeak::IsCounted()) continue;
    CAPTURE(bytes.size(), num_held);
    CHECK(num_held < 5 * bytes.size() + (uint64_t{34} << 20));  // whole chunks of segments
  }
}

}  // namespace trommel::tests
