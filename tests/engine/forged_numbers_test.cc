// Files of every type with each of their numbers forged and all checksums right: whatever a file
// claims, loading it asks for memory, and does work, in proportion to its size.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/every_type.h"
#include "support/paths.h"
#include "support/random_keys.h"
#include "support/reseal.h"
#include "support/snapshot_forge.h"
#include "support/window_slots.h"
#include "trommel/any_filter.h"
#include "trommel/byte_stream.h"

namespace trommel::tests {
namespace {

// The rule (SECURITY.md): the larger of these.
constexpr uint64_t kMostOfFile = 64;
constexpr uint64_t kMostBytes = uint64_t{64} << 20;

uint64_t MostBytes(uint64_t file_bytes) { return std::max(kMostOfFile * file_bytes, kMostBytes); }

// Work is counted in bytes: those that are read of the file, and those that were asked for, freed
// ones included. Each part of a file is read a few times, whole or in pieces.
constexpr uint64_t kMostReads = 8;

class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  uint64_t num_bytes() const override { return bytes_.num_bytes(); }
  Status ReadAt(uint64_t offset, std::span<std::byte> into) const override {
    num_read_ += into.size();
    return bytes_.ReadAt(offset, into);
  }
  uint64_t num_read() const { return num_read_; }

 private:
  SpanSource bytes_;
  mutable uint64_t num_read_ = 0;
};

template <class Filter>
Status LoadAs(const ByteSource& source) {
  const auto filter = Filter::LoadFrom(source);
  return filter.ok() ? Status(Ok()) : Status(filter.error());
}

Status LoadOf(FilterType type, const ByteSource& source) {
  switch (type) {
    case FilterType::kCounting:
      return LoadAs<CountingFilter>(source);
    case FilterType::kScalable:
      return LoadAs<ScalableFilter>(source);
    case FilterType::kWindow:
      return LoadAs<WindowFilter>(source);
    case FilterType::kAttributes:
      return LoadAs<AttributeFilter>(source);
  }
  return Ok();
}

struct NamedBytes {
  std::string name;
  Bytes bytes;
};

// Each type and encoding, small.
std::vector<NamedBytes> SmallFiles() {
  std::vector<NamedBytes> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(tests::kSourceFolder) / "engine/docs/samples")) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".trommel")) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const auto bytes = std::as_bytes(std::span(text));
    files.push_back({name, Bytes(bytes.begin(), bytes.end())});
  }
  for (const NamedFilter& one : EveryType()) {
    files.push_back({one.name, SerializeAny(one.filter)});
  }
  files.push_back(
      {"doubling from 32,768 blocks on",
       ScalableFilter::Create({.first_capacity = 600'000, .mode = GrowthMode::kDoubling})
           ->Serialize()});
  for (const double rate : {kRateOfSlots16, kRateOfSlots24}) {
    const auto window = WindowFilter::Create(
        {.window = 100, .num_buckets = 4, .capacity = 500, .target_fpr = rate});
    files.push_back({"window at " + std::to_string(rate), window->Serialize()});
  }
  return files;
}

// Loads it, and says what it took too much of.
void CheckLoading(const Bytes& bytes) {
  const Result<FilterType> type = TypeOfBytes(bytes);
  if (!type.ok()) return;
  const AllocationPeak peak;
  const CountingSource source(bytes);
  const Status loaded = LoadOf(*type, source);
  const uint64_t most = MostBytes(bytes.size());
  if (peak.num_bytes() <= most && peak.num_bytes_in_all() <= 2 * most &&
      source.num_read() <= kMostReads * bytes.size()) {
    return;
  }
  FAIL_CHECK("a file of " << bytes.size() << " bytes took " << peak.num_bytes() << ", "
                          << peak.num_bytes_in_all() << " in all, and was read "
                          << source.num_read()
                          << " bytes: " << (loaded.ok() ? "loaded" : loaded.error().message));
}

template <class T>
std::vector<T> Claims(T honest) {
  std::vector<T> claims = {0, 1, T(honest + 1), T(honest - 1), T(2 * honest), T(~T{0})};
  for (const int bits : {7, 12, 16, 20, 26, 31, 32, 40, 62, 63}) {
    if (bits >= static_cast<int>(8 * sizeof(T))) continue;
    claims.push_back(T(T{1} << bits));
    claims.push_back(T((T{1} << bits) - 1));
  }
  return claims;
}

// At a multiple of 4, or of 8 if it is wide.
void Forge(Bytes& bytes, uint64_t at, bool is_wide, size_t claim) {
  if (is_wide) {
    const auto claims = Claims(Get<uint64_t>(bytes, at));
    Put(bytes, at, claims[claim % claims.size()]);
  } else {
    const auto claims = Claims(Get<uint32_t>(bytes, at));
    Put(bytes, at, claims[claim % claims.size()]);
  }
}

// All multiples of 4 in headers, tables and the beginnings of sections but those of the parts'
// first 16 bytes that say what they are; of long tables the beginning and the end.
std::vector<uint64_t> PlacesOf(const Bytes& bytes) {
  constexpr uint64_t kMostOfPart = 256;
  Bytes copy = bytes;
  std::vector<uint64_t> places;
  for (const SnapshotPart& part : ResealAny(copy)) {
    for (uint64_t at = 0; at + 4 <= part.num_bytes; at += 4) {
      if (at >= kMostOfPart && at + 64 < part.num_bytes) continue;
      places.push_back(part.offset + at);
    }
  }
  return places;
}

}  // namespace

TEST_CASE("a resealed snapshot is what it was", "[support][reseal]") {
  for (const auto& [name, bytes] : SmallFiles()) {
    CAPTURE(name);
    Bytes copy = bytes;
    CHECK(ResealAny(copy).size() >= 1);
    CHECK((copy == bytes));
  }
}

TEST_CASE("no forged number makes loading take more than 64 times the file",
          "[engine][snapshot][load_memory][forged][long]") {
  // With sanitizers, which take their time and count nothing, some of them.
  const size_t step = AllocationPeak::IsCounted() ? 1 : 7;
  for (const auto& [name, bytes] : SmallFiles()) {
    CAPTURE(name);
    CheckLoading(bytes);
    for (const uint64_t at : PlacesOf(bytes)) {
      for (const bool is_wide : {false, true}) {
        if (is_wide && (at % 8 != 0 || at + 8 > bytes.size())) continue;
        const size_t num_claims = is_wide ? Claims(uint64_t{0}).size() : Claims(0U).size();
        for (size_t claim = at / 4 % step; claim < num_claims; claim += step) {
          CAPTURE(at, is_wide, claim);
          Bytes forged = bytes;
          Forge(forged, at, is_wide, claim);
          ResealAny(forged);
          CheckLoading(forged);
        }
      }
    }
  }
}

TEST_CASE("no two or three forged numbers make loading take more than 64 times the file",
          "[engine][snapshot][load_memory][forged][long]") {
  const size_t num_forgeries = AllocationPeak::IsCounted() ? 4000 : 400;  // of each file
  std::mt19937_64 random(Catch::rngSeed());
  for (const auto& [name, bytes] : SmallFiles()) {
    CAPTURE(name);
    const std::vector<uint64_t> places = PlacesOf(bytes);
    for (size_t i = 0; i < num_forgeries; ++i) {
      Bytes forged = bytes;
      for (uint64_t left = 2 + random() % 2; left > 0; --left) {
        const uint64_t at = places[random() % places.size()];
        Forge(forged, at, at % 8 == 0 && at + 8 <= bytes.size() && random() % 2 == 0, random());
      }
      ResealAny(forged);
      CheckLoading(forged);
    }
  }
}

TEST_CASE("a filter that doubles is not made before its table is compared with its first size",
          "[engine][scalable][doubling][snapshot][load_memory]") {
  // 12 kB, and 4 GB once: blocks of the first size, of which the file has none.
  std::vector<Bytes> files = {ScalableFilter::Create({.mode = GrowthMode::kDoubling})->Serialize()};
  ScalableFilter filled = ScalableFilter::Create({.mode = GrowthMode::kDoubling}).value();
  filled.Insert(MemberKeys(1000, 1));
  files.push_back(filled.Serialize());
  for (const Bytes& honest : files) {
    for (uint32_t first_bits = 8; first_bits <= 26; ++first_bits) {
      CAPTURE(honest.size(), first_bits);
      Bytes forged = honest;
      Put(forged, offsetof(DoublingHeader, first_bits), first_bits);
      Put(forged, offsetof(DoublingHeader, most_doublings), 0U);
      Put(forged, offsetof(DoublingHeader, max_capacity), uint64_t{0});
      ResealAny(forged);
      const AllocationPeak peak;
      const Result<ScalableFilter> loaded = ScalableFilter::Deserialize(forged);
      REQUIRE_FALSE(loaded.ok());
      CHECK(loaded.error().code == ErrorCode::kCorrupt);
      CHECK_THAT(loaded.error().message,
                 Catch::Matchers::ContainsSubstring("fewer blocks than a shard at first"));
      CHECK(peak.num_bytes() < 100'000);
    }
  }
}

TEST_CASE("an empty filter that doubles from a large first size loads in 17 times its file",
          "[engine][scalable][doubling][snapshot][load_memory][long]") {
  for (const uint64_t first_capacity : {600'000, 3'000'000}) {
    const Bytes bytes =
        ScalableFilter::Create({.first_capacity = first_capacity, .mode = GrowthMode::kDoubling})
            ->Serialize();
    const AllocationPeak peak;
    const Result<ScalableFilter> loaded = ScalableFilter::Deserialize(bytes);
    const uint64_t num_held = peak.num_bytes();
    REQUIRE(loaded.ok());
    CHECK((loaded->Serialize() == bytes));
    if (!AllocationPeak::IsCounted()) continue;
    CAPTURE(bytes.size());
    CHECK(num_held > 10 * bytes.size());
    CHECK(num_held < 18 * bytes.size() + (uint64_t{34} << 20));  // whole chunks of segments
  }
}

}  // namespace trommel::tests
