// Filters with a limit of side memory: which keys they refuse, and that nothing else changes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "engine/src/fingerprints/hidden_keys.h"
#include "engine/src/fingerprints/make_store.h"
#include "kernels/fingerprint_layout.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

struct LimitShape {
  Encoding encoding = Encoding::kRuns;
  uint32_t num_slices = 0;
  double load = 0;       // keys per block at which many blocks are promoted
  double half_load = 0;  // at which few are, and of twice as many keys many
};

constexpr LimitShape kLimitShapes[] = {
    {Encoding::kFingerprints16, 0, 34, 15}, {Encoding::kDense, 0, 47, 28},
    {Encoding::kRuns, 5, 36, 15},           {Encoding::kRuns, 4, 62, 29},
    {Encoding::kRuns, 10, 36, 15},          {Encoding::kPlanes, 8, 70, 33}};

LimitShape AnyLimitShape() {
  return kLimitShapes[GENERATE(range(size_t{0}, std::size(kLimitShapes)))];
}

Geometry LimitGeometry(const LimitShape& shape, uint64_t num_blocks, uint32_t shard_bits = 0) {
  if (HasFingerprints(shape.encoding)) {
    return tests::FingerprintsOf(shape.encoding, num_blocks, shard_bits);
  }
  return {.num_slices = shape.num_slices,
          .encoding = shape.encoding,
          .shard_bits = shard_bits,
          .num_blocks = num_blocks};
}

Geometry LimitGeometry(Encoding encoding, uint64_t num_blocks, uint32_t shard_bits = 0) {
  return LimitGeometry(LimitShape{.encoding = encoding}, num_blocks, shard_bits);
}

CountingFilter Unlimited(const Geometry& geometry) {
  return CountingFilter::CreateWithGeometry(geometry, {.kind = DigestKind::kCaller}).value();
}

// Bytes for so many records in each owned range; with presence bits, for about so many promoted
// blocks.
uint64_t LimitFor(const Geometry& geometry, uint64_t records_per_range) {
  if (!HasFingerprints(geometry.encoding)) {
    const uint64_t num_counters = uint64_t{geometry.num_slices} * geometry.slice_positions();
    return (num_counters + 100 + records_per_range * 150) << geometry.shard_bits;
  }
  if (geometry.encoding == Encoding::kDense) {
    return LeastSideBytes(geometry) + (records_per_range * 64 << geometry.shard_bits);
  }
  uint64_t bytes = HiddenKeys::LeastLimitBytes();
  while (HiddenKeys::RecordsWithin(bytes) < records_per_range) bytes += 4;
  return bytes << geometry.shard_bits;
}

CountingFilter Limited(const Geometry& geometry, uint64_t records_per_range) {
  CountingFilter filter = Unlimited(geometry);
  REQUIRE(filter.LimitSideMemory(LimitFor(geometry, records_per_range)).ok());
  return filter;
}

Encoding AnyFingerprints() { return GENERATE(Encoding::kFingerprints16, Encoding::kDense); }

// A few more keys than the blocks take, some hot, and a tenth of them in the first group.
std::vector<uint64_t> CrowdedPool(std::mt19937_64& random, const Geometry& geometry, double load) {
  std::vector<uint64_t> pool(static_cast<size_t>(load * static_cast<double>(geometry.num_blocks)) +
                             1);
  for (size_t i = 0; i < pool.size(); ++i) pool[i] = i % 10 == 3 ? random() >> 7 : random();
  return pool;
}

std::vector<uint64_t> DrawFrom(const std::vector<uint64_t>& pool, size_t size,
                               std::mt19937_64& random) {
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = pool[random() % pool.size()];
  if (random() % 10 == 0) std::ranges::fill(digests, digests.front());
  return digests;
}

TEST_CASE("within a limit a hot key counts exactly as far as there is space, and can be erased",
          "[engine][fingerprints][side_limit]") {
  // Beside slots of 16 bits a record counts to 65,535, and the block shows one copy. A space of 2.3
  // bytes per counter, for each half of the blocks, has one or two digits.
  const LimitShape shape = AnyLimitShape();
  const bool is_scarce = GENERATE(false, true);
  const bool is_small = shape.encoding == Encoding::kFingerprints16;
  const bool has_counters = !HasFingerprints(shape.encoding);
  if (is_scarce && !has_counters) return;
  const Geometry geometry = LimitGeometry(shape, 64, has_counters ? 1 : 0);
  CountingFilter filter = Unlimited(geometry);
  const std::vector<std::byte> empty = filter.Serialize();
  const uint64_t num_counters = uint64_t{geometry.num_slices} * geometry.slice_positions();
  const uint64_t scarce = std::max<uint64_t>(750, num_counters * 47 / 20);
  const uint64_t num_bytes = 2 * (is_scarce ? scarce : 20'000);
  const uint64_t num_records = is_small ? 2 : 20;
  const uint64_t limit = has_counters ? num_bytes : LimitFor(geometry, num_records);
  REQUIRE(filter.LimitSideMemory(limit).ok());
  const std::vector<uint64_t> hot(100'000, 0x123456789abcdef0);
  uint64_t num_in = 0;
  for (int i = 0; i < 3; ++i) num_in += filter.Insert(Keys::Digests(hot)).num_inserted;
  if (has_counters && is_scarce) {
    CHECK((num_in == 255 || num_in == 65'535));
  } else {
    CHECK(num_in == (is_small ? 65'536 : 3 * hot.size()));
  }
  CHECK(filter.num_keys() == num_in);
  CHECK(filter.CountEstimate(Key::Digest(hot[0])) == num_in);
  CHECK(filter.GetStats().num_refused_inserts == 3 * hot.size() - num_in);
  CHECK(filter.Insert(Key::Digest(~hot[0])));  // other keys are not affected
  CHECK(filter.Erase(Key::Digest(~hot[0])));
  uint64_t num_out = 0;
  for (int i = 0; i < 3; ++i) num_out += filter.Erase(Keys::Digests(hot)).num_erased;
  CHECK(num_out == num_in);
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("digests chosen for one block fill it and its record, and harm no other group",
          "[engine][fingerprints][side_limit]") {
  const Encoding encoding = AnyFingerprints();
  const Geometry geometry = LimitGeometry(encoding, 256);
  CountingFilter filter = Limited(geometry, 4);
  const std::vector<std::byte> empty = filter.Serialize();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> chosen(20'000);
  for (uint64_t& digest : chosen) digest = random() >> 8;  // block 0 of 256
  std::vector<uint64_t> bits(BitmapWords(chosen.size()));
  const InsertOutcome outcome = filter.Insert(Keys::Digests(chosen), bits);
  const uint64_t num_slots = encoding == Encoding::kFingerprints16 ? 31 + 18 : 48 + 24 * (16 + 2);
  CHECK(outcome.num_inserted >= 31);
  // With further copies of keys that are in: by chance many of 20,000 are, with few bits.
  std::vector<uint64_t> counts(chosen.size());
  filter.CountEstimates(Keys::Digests(chosen), counts);
  std::vector<uint64_t> in;
  for (size_t i = 0; i < chosen.size(); ++i) {
    if (!tests::BitAt(bits, i)) continue;
    REQUIRE(counts[i] > 0);
    in.push_back(chosen[i]);
  }
  std::map<uint64_t, int> distinct;
  for (const uint64_t digest : in) distinct[digest << 8 >> (64 - geometry.fingerprint_bits)] += 1;
  CHECK(distinct.size() <= num_slots);
  std::vector<uint64_t> others(1000);
  for (uint64_t& digest : others) digest = random() | uint64_t{1} << 63;
  CHECK(filter.Insert(Keys::Digests(others)).num_refused == 0);
  CHECK(filter.Erase(Keys::Digests(others)).num_refused == 0);
  CHECK(filter.Erase(Keys::Digests(in)).num_refused == 0);
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("limits that cannot hold are refused with the reason", "[engine][side_limit]") {
  using Catch::Matchers::ContainsSubstring;
  CountingConfig config{.capacity = 100'000,
                        .target_fpr = 0.004,
                        .encoding = Encoding::kDense,
                        .side_memory_limit_bytes = 100};
  const Result<CountingFilter> small = CountingFilter::Create(config);
  REQUIRE_FALSE(small.ok());
  CHECK(small.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(small.error().message, ContainsSubstring("at least"));
  config.side_memory_limit_bytes = 1 << 20;
  const CountingFilter good = CountingFilter::Create(config).value();
  CHECK(good.GetStats().side_table_bytes > 0);
  CHECK(good.GetStats().side_table_bytes <= 1 << 20);
  config.memory_limit_bytes = good.geometry().num_bytes() + 1000;
  CHECK(CountingFilter::Create(config).error().code == ErrorCode::kOutOfMemory);
  config.memory_limit_bytes = 0;
  for (const Encoding encoding : {Encoding::kRuns, Encoding::kPlanes}) {
    config.encoding = encoding;
    config.side_memory_limit_bytes = 100;
    const Result<CountingFilter> other = CountingFilter::Create(config);
    REQUIRE_FALSE(other.ok());
    CHECK(other.error().code == ErrorCode::kInvalidArgument);
    CHECK_THAT(other.error().message, ContainsSubstring("at least"));
  }
}

TEST_CASE("all but dense blocks take their limit again after loading", "[engine][side_limit]") {
  const LimitShape shape = AnyLimitShape();
  if (shape.encoding == Encoding::kDense) return;
  const Geometry geometry = LimitGeometry(shape, 256, 1);
  std::mt19937_64 random(Catch::rngSeed());
  for (const double share : {0.7, 0.8, 0.9, 1.0}) {
    const double load = share * shape.load;
    for (const uint64_t num_records : {2, 10, 60}) {
      CountingFilter filter = Limited(geometry, num_records);
      const std::vector<uint64_t> digests = CrowdedPool(random, geometry, load);
      filter.Insert(Keys::Digests(digests));
      const std::vector<uint64_t> again = DrawFrom(digests, 500, random);
      filter.Insert(Keys::Digests(again));
      const std::vector<std::byte> bytes = filter.Serialize();
      CountingFilter loaded = CountingFilter::Deserialize(bytes).value();
      INFO("load " << load << ", records " << num_records);
      REQUIRE(loaded.LimitSideMemory(LimitFor(geometry, num_records)).ok());
      CHECK(loaded.GetStats().num_promoted <= filter.GetStats().num_promoted);
      CHECK(loaded.Serialize() == bytes);
      REQUIRE(loaded.Subtract(filter).ok());
      CHECK(loaded.num_keys() == 0);
    }
  }
}

TEST_CASE("a limit holds once erasures have left what it has space for",
          "[engine][fingerprints][side_limit]") {
  const Geometry geometry = LimitGeometry(Encoding::kFingerprints16, 64, 0);
  CountingFilter filter = Unlimited(geometry);
  std::vector<uint64_t> digests(80);  // that differ, of block 0
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = (i * 200 + 1) << 44;
  filter.Insert(Keys::Digests(digests));
  const uint64_t limit = LimitFor(geometry, 1);
  const Status refused = filter.LimitSideMemory(limit);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, Catch::Matchers::ContainsSubstring("a block hides more"));

  // Down to a few hidden keys, which need no more than a record.
  bool has_held = false;
  while (!has_held && filter.GetStats().side_table_bytes > 0) {
    filter.Erase(Key::Digest(digests.back()));
    digests.pop_back();
    has_held = filter.LimitSideMemory(limit).ok();
  }
  REQUIRE(has_held);
  CHECK(filter.GetStats().side_table_bytes <= limit);
  uint64_t num_hidden = 0;  // of the block: the least number that makes the next key refused
  while (filter.Insert(Key::Digest((uint64_t{digests.size()} * 200 + 1) << 44)) && num_hidden < 9) {
    digests.push_back((uint64_t{digests.size()} * 200 + 1) << 44);
    ++num_hidden;
  }
  CHECK(num_hidden == 0);  // the record was full: the limit held as soon as it could
  std::vector<uint64_t> counts(digests.size());
  filter.CountEstimates(Keys::Digests(digests), counts);
  CHECK(std::ranges::count(counts, 1) == static_cast<std::ptrdiff_t>(counts.size()));
  CHECK(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("a grown filter and its side memory stay within the memory limit",
          "[engine][fingerprints][side_limit]") {
  const Geometry geometry = LimitGeometry(AnyFingerprints(), 512);
  constexpr uint64_t kSideBytes = 40'000;
  const uint64_t grown_bytes = 2 * geometry.num_bytes() + kSideBytes;
  const auto filter_within = [&](uint64_t memory_limit_bytes) {
    CountingFilter filter = CountingFilter::CreateWithGeometry(
                                geometry, {.kind = DigestKind::kCaller}, memory_limit_bytes)
                                .value();
    REQUIRE(filter.LimitSideMemory(kSideBytes).ok());
    return filter;
  };
  CountingFilter small = filter_within(grown_bytes - 1);
  const Status grown = small.Grow();
  REQUIRE_FALSE(grown.ok());
  CHECK(grown.error().code == ErrorCode::kOutOfMemory);
  CHECK(small.geometry() == geometry);
  CHECK(filter_within(grown_bytes).Grow().ok());
}

TEST_CASE("a merge that exceeds the limit fails and changes nothing",
          "[engine][side_limit][long]") {
  const LimitShape shape = AnyLimitShape();
  const Geometry geometry = LimitGeometry(shape, 256, 2);
  std::mt19937_64 random(Catch::rngSeed());
  const auto random_keys = [&](size_t size) {
    std::vector<uint64_t> digests(size);
    for (uint64_t& digest : digests) digest = random();
    return digests;
  };
  const auto per_block = static_cast<size_t>(shape.half_load);
  int num_merged = 0;
  int num_failed = 0;
  int num_own_failed = 0;
  for (int round = 0; round < 30; ++round) {
    CountingFilter filter = Limited(geometry, 1 + random() % 12);
    CountingFilter unlimited = Unlimited(geometry);
    const std::vector<uint64_t> ours = random_keys(256 * (per_block - random() % 3));
    std::vector<uint64_t> bits(BitmapWords(ours.size()));
    filter.Insert(Keys::Digests(ours), bits);
    for (size_t i = 0; i < ours.size(); ++i) {
      if (tests::BitAt(bits, i)) unlimited.Insert(Key::Digest(ours[i]));
    }
    CountingFilter other = Unlimited(geometry);
    other.Insert(Keys::Digests(random_keys(256 * per_block * (40 + random() % 61) / 100)));
    const std::vector<std::byte> before = filter.Serialize();
    const Stats stats = filter.GetStats();
    const Status merged = filter.Merge(other);
    REQUIRE(filter.GetStats().side_table_bytes == stats.side_table_bytes);
    if (merged.ok()) {
      ++num_merged;
      REQUIRE(unlimited.Merge(other).ok());
      REQUIRE((filter.Serialize() == unlimited.Serialize()));
      REQUIRE(filter.Subtract(other).ok());
      REQUIRE((filter.Serialize() == before));
      REQUIRE(filter.GetStats().side_table_bytes == stats.side_table_bytes);
    } else {
      ++num_failed;
      REQUIRE(merged.error().code == ErrorCode::kOutOfMemory);
      REQUIRE((filter.Serialize() == before));
      REQUIRE(filter.num_keys() == stats.num_keys);
      REQUIRE(filter.GetStats().num_promoted <= stats.num_promoted);
    }
    if (!filter.Merge(filter).ok()) {
      ++num_own_failed;
      REQUIRE((filter.Serialize() == before));
    }
  }
  CHECK(num_merged > 0);
  CHECK(num_failed > 0);
  CHECK(num_own_failed > 0);
}

TEST_CASE("fold and grow carry the limit, and fail where it leaves no space",
          "[engine][fingerprints][side_limit][long]") {
  const Encoding encoding = AnyFingerprints();
  const Geometry geometry = LimitGeometry(encoding, 256);
  std::mt19937_64 random(Catch::rngSeed());
  const size_t half_load = encoding == Encoding::kFingerprints16 ? 10 : 15;
  std::vector<uint64_t> digests(256 * half_load);
  for (uint64_t& digest : digests) digest = random();
  // Two words for records: with a few more, dense blocks count as many copies as there are.
  const uint64_t limit =
      encoding == Encoding::kDense ? LimitFor(geometry, 0) + 48 : LimitFor(geometry, 20);
  CountingFilter filter = Unlimited(geometry);
  REQUIRE(filter.LimitSideMemory(limit).ok());
  REQUIRE(filter.Insert(Keys::Digests(digests)).num_refused == 0);
  const std::vector<std::byte> before = filter.Serialize();
  REQUIRE(filter.Grow().ok());
  CHECK(filter.GetStats().side_table_bytes <= limit);
  REQUIRE(filter.Fold().ok());
  CHECK((filter.Serialize() == before));
  CHECK(filter.GetStats().side_table_bytes <= limit);
  std::vector<uint64_t> hot(100'000, digests[0]);
  hot.resize(200'000, digests[1]);
  const uint64_t num_refused = filter.Insert(Keys::Digests(hot)).num_refused;
  CHECK(num_refused > 0);
  REQUIRE(filter.Grow().ok());
  CHECK(filter.GetStats().num_refused_inserts == num_refused);
  REQUIRE(filter.Fold().ok());
  CHECK(filter.GetStats().num_refused_inserts == num_refused);
  filter.Clear();

  // Half of the blocks have no space for full ones.
  for (int i = 0; i < 3; ++i) filter.Insert(Keys::Digests(digests));
  const std::vector<std::byte> full = filter.Serialize();
  const Status folded = filter.Fold();
  REQUIRE_FALSE(folded.ok());
  CHECK(folded.error().code == ErrorCode::kOutOfMemory);
  CHECK((filter.Serialize() == full));

  // The limit is not in the file.
  CountingFilter loaded = CountingFilter::Deserialize(before).value();
  CHECK(loaded.Insert(Keys::Digests(hot)).num_refused == 0);
  CHECK(loaded.LimitSideMemory(limit).error().code == ErrorCode::kOutOfMemory);
  loaded.Erase(Keys::Digests(hot));
  CHECK(loaded.LimitSideMemory(limit).ok());
  CHECK(loaded.Insert(Keys::Digests(hot)).num_refused > 0);
  CHECK(loaded.LimitSideMemory(0).ok());
  CHECK(loaded.Insert(Keys::Digests(hot)).num_refused == 0);
}

}  // namespace
}  // namespace trommel
