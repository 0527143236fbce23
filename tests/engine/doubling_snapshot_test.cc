// Files of scalable filters that double: round trips, damage, forged numbers and contents.
#include "engine/src/scalable/doubling_snapshot.h"

#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "engine/src/base/rounding.h"
#include "support/catch.h"
#include "support/damage.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "support/snapshot_forge.h"
#include "trommel/any_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

constexpr uint64_t kTableAt = sizeof(DoublingHeader);
constexpr uint64_t kShardsAt = kTableAt + sizeof(ShardTable);

ScalableFilter EmptyFilter(uint64_t first_capacity = 0) {
  return ScalableFilter::Create({.first_capacity = first_capacity, .mode = GrowthMode::kDoubling})
      .value();
}

// Part 0 has blocks, part 1 digests, both with further copies; the others are empty.
ScalableFilter TwoParts() {
  ScalableFilter filter = EmptyFilter();
  std::vector<uint64_t> digests = MemberKeys(1600, 1);
  for (uint64_t& digest : digests) digest >>= 6;
  filter.Insert(Keys::Digests(digests));
  for (size_t i = 0; i < 30; ++i) digests[i] |= uint64_t{1} << 58;
  for (int i = 0; i < 7; ++i) filter.Insert(Keys::Digests(std::span(digests).first(40)));
  return filter;
}

uint64_t ShardBytes(const ShardRecord& record) {
  return RoundUp(record.num_digests * 8 + record.num_further * 16 + record.num_blocks * 4 +
                     record.num_codes * 2,
                 8);
}

// Makes all checksums match, as far as what they are of lies within the file.
void ResealDoubling(Bytes& bytes) {
  auto header = Get<DoublingHeader>(bytes, 0);
  uint64_t at = kShardsAt;
  for (size_t s = 0; s < GrowingStore::kNumShards; ++s) {
    auto record = Get<ShardRecord>(bytes, kTableAt + s * sizeof(ShardRecord));
    const uint64_t payload = record.num_digests * 8 + record.num_further * 16 +
                             record.num_blocks * 4 + record.num_codes * 2;
    if (payload > bytes.size() - at) break;
    record.checksum = Checksum::Of(std::span(bytes).subspan(at, payload));
    Put(bytes, kTableAt + s * sizeof(ShardRecord), record);
    at += std::min<uint64_t>(ShardBytes(record), bytes.size() - at);
  }
  header.table_checksum = Checksum::Of(std::span(bytes).subspan(kTableAt, sizeof(ShardTable)));
  Seal(header);
  Put(bytes, 0, header);
}

std::string RefusalOf(Bytes bytes, const std::function<void(Bytes&)>& edit) {
  edit(bytes);
  ResealDoubling(bytes);
  const Result<ScalableFilter> loaded = ScalableFilter::Deserialize(bytes);
  if (loaded.ok()) return "";
  CHECK((loaded.error().code == ErrorCode::kCorrupt || loaded.error().code == ErrorCode::kVersion ||
         loaded.error().code == ErrorCode::kOutOfMemory));
  return loaded.error().message;
}

template <class T>
std::function<void(Bytes&)> HeaderEdit(T DoublingHeader::*field, T value) {
  return [field, value](Bytes& bytes) {
    auto header = Get<DoublingHeader>(bytes, 0);
    header.*field = value;
    Put(bytes, 0, header);
  };
}

template <class T>
std::function<void(Bytes&)> RecordEdit(size_t shard_idx, T ShardRecord::*field, T value) {
  return [shard_idx, field, value](Bytes& bytes) {
    const uint64_t at = kTableAt + shard_idx * sizeof(ShardRecord);
    auto record = Get<ShardRecord>(bytes, at);
    record.*field = value;
    Put(bytes, at, record);
  };
}

}  // namespace

TEST_CASE("a filter that doubles comes back from a file as it was",
          "[engine][scalable][doubling][snapshot][long]") {
  const ScratchFolder folder;
  const size_t num_keys = GENERATE(size_t{0}, 900, 30'000, 200'000, 500'000);
  ScalableFilter filter = ScalableFilter::Create({.target_fpr = 0.02,
                                                  .mode = GrowthMode::kDoubling,
                                                  .max_capacity = 3'000'000,
                                                  .digest = {.seed = 7}})
                              .value();
  const std::vector<uint64_t> keys = MemberKeys(num_keys, Catch::rngSeed());
  filter.Insert(keys);
  for (int i = 0; i < 9; ++i) filter.Insert(std::span(keys).first(num_keys / 100));
  filter.Erase(std::span(keys).last(num_keys / 3));
  const auto path = folder.path() / "doubling.trommel";
  REQUIRE(filter.Save(path).ok());
  Result<ScalableFilter> loaded = ScalableFilter::Load(path);
  if (!loaded.ok()) FAIL(loaded.error().message);
  CHECK(loaded->Serialize() == filter.Serialize());
  CHECK(loaded->mode() == GrowthMode::kDoubling);
  CHECK(loaded->num_keys() == filter.num_keys());
  CHECK(loaded->first_capacity() == filter.first_capacity());
  CHECK(loaded->largest_capacity() == filter.largest_capacity());
  CHECK(loaded->target_fpr() == 0.02);
  CHECK(loaded->GetStats().doubling.num_entries == filter.GetStats().doubling.num_entries);
  // And goes on alike.
  const std::vector<uint64_t> more = MemberKeys(200'000, Catch::rngSeed(), num_keys);
  CHECK(loaded->Insert(more) == filter.Insert(more));
  CHECK(loaded->Serialize() == filter.Serialize());

  const Result<AnyFilter> any = LoadAny(path);
  REQUIRE(any.ok());
  CHECK(std::get<ScalableFilter>(*any).mode() == GrowthMode::kDoubling);
  // More than 16 bits of a fingerprint and 4 bytes per block are not written.
  if (num_keys == 500'000) CHECK(filter.Serialize().size() < 3 * 500'000);
}

TEST_CASE("the bytes of a filter that doubles do not depend on how its keys came",
          "[engine][scalable][doubling][snapshot]") {
  const std::vector<uint64_t> keys = MemberKeys(3000, 5);
  ScalableFilter one = EmptyFilter();
  one.Insert(keys);
  one.Insert(keys);
  ScalableFilter other = EmptyFilter();
  for (const size_t idx : RandomOrder(keys.size(), 9)) {
    other.Insert(Key(keys[idx]));
    other.Insert(Key(keys[idx]));
  }
  other.Insert(MemberKeys(400, 6));
  other.Erase(MemberKeys(400, 6));
  CHECK(one.Serialize() == other.Serialize());
}

TEST_CASE("damaged files of filters that double are refused",
          "[engine][scalable][doubling][snapshot][long]") {
  const Bytes good = TwoParts().Serialize();
  CheckDamageIsRefused(
      good, [](std::span<const std::byte> bytes) { return ScalableFilter::Deserialize(bytes); },
      {.step = 7});
}

TEST_CASE("forged numbers of a filter that doubles are refused, and named",
          "[engine][scalable][doubling][snapshot]") {
  using H = DoublingHeader;
  using R = ShardRecord;
  const Bytes honest = TwoParts().Serialize();
  REQUIRE(RefusalOf(honest, [](Bytes&) {}).empty());
  struct Forgery {
    std::function<void(Bytes&)> edit;
    const char* message;
  };
  const std::vector<Forgery> forgeries = {
      {HeaderEdit(&H::mode, 0U), "the growth of version 2 is 0"},
      {HeaderEdit(&H::code, 0U), "byte 36"},
      {HeaderEdit(&H::shard_bits, 5U), "byte 40"},
      {HeaderEdit(&H::first_bits, 6U), "2^6 blocks"},
      {HeaderEdit(&H::first_bits, 70U), "2^70 blocks"},
      {HeaderEdit(&H::first_bits, 8U), "shard 0"},
      {HeaderEdit(&H::most_doublings, 15U), "15 times"},
      {HeaderEdit(&H::reserved, 1U), "reserved"},
      {HeaderEdit(&H::max_capacity, ~uint64_t{0}), "max_capacity"},
      {HeaderEdit(&H::target_fpr, 0.0), "rate"},
      {HeaderEdit(&H::target_fpr, 7.0), "rate"},
      {HeaderEdit(&H::num_keys, uint64_t{3}), "num_keys"},
      {HeaderEdit(&H::num_keys, ~uint64_t{0}), "byte 72"},
      {[](Bytes& b) {
         auto header = Get<H>(b, 0);
         header.num_keys += 1;
         Put(b, 0, header);
       },
       "num_keys"},
      {HeaderEdit(&H::file_bytes, uint64_t{4352}), "its header says"},
      {[](Bytes& b) { Put(b, 200, 1); }, "reserved"},
      {RecordEdit(0, &R::depth, 8U), "shard 0"},
      {RecordEdit(0, &R::depth, 0U), "shard 0"},
      {RecordEdit(0, &R::depth, 4'000'000'000U), "shard 0"},
      {RecordEdit(1, &R::depth, 7U), "shard 1"},
      {RecordEdit(0, &R::reserved, 1U), "shard 0: reserved"},
      {RecordEdit(0, &R::zero, uint64_t{1}), "shard 0: reserved"},
      {RecordEdit(0, &R::num_split, uint64_t{1}), "shard 0"},
      {RecordEdit(0, &R::num_split, ~uint64_t{0}), "shard 0"},
      {RecordEdit(1, &R::num_split, uint64_t{1}), "shard 1"},
      {RecordEdit(0, &R::num_blocks, ~uint64_t{0}), "do not fit in the file"},
      {RecordEdit(0, &R::num_codes, uint64_t{1} << 62), "do not fit in the file"},
      {RecordEdit(0, &R::num_codes, uint64_t{0}), "goes on"},
      {RecordEdit(1, &R::num_further, uint64_t{0}), "goes on"},
      {RecordEdit(63, &R::num_digests, uint64_t{1}), "do not fit"},
  };
  for (size_t i = 0; i < forgeries.size(); ++i) {
    INFO("forgery " << i);
    CHECK_THAT(RefusalOf(honest, forgeries[i].edit), ContainsSubstring(forgeries[i].message));
  }
}

TEST_CASE("forged contents of a filter that doubles are refused",
          "[engine][scalable][doubling][snapshot]") {
  const Bytes honest = TwoParts().Serialize();
  const auto blocks = Get<ShardRecord>(honest, kTableAt);
  const auto digests = Get<ShardRecord>(honest, kTableAt + sizeof(ShardRecord));
  REQUIRE(blocks.num_blocks == 128);
  REQUIRE(blocks.num_further > 1);
  REQUIRE(digests.num_digests > 10);
  REQUIRE(digests.num_further > 1);
  const uint64_t further_at = kShardsAt;
  const uint64_t sizes_at = further_at + 16 * blocks.num_further;
  const uint64_t codes_at = sizes_at + 4 * blocks.num_blocks;
  const uint64_t digests_at = kShardsAt + ShardBytes(blocks);
  const uint64_t digests_further_at = digests_at + 8 * digests.num_digests;
  const auto swap = [](uint64_t a, uint64_t b, size_t size) {
    return [=](Bytes& bytes) {
      std::swap_ranges(bytes.begin() + static_cast<ptrdiff_t>(a),
                       bytes.begin() + static_cast<ptrdiff_t>(a + size),
                       bytes.begin() + static_cast<ptrdiff_t>(b));
    };
  };
  const auto put = [](uint64_t at, auto value) {
    return [=](Bytes& bytes) { Put(bytes, at, value); };
  };
  const std::vector<std::function<void(Bytes&)>> edits = {
      swap(further_at, further_at + 16, 16),                  // not ascending
      put(further_at, uint64_t{1}),                           // a string that is not in
      put(further_at + 8, uint64_t{0}),                       // no copies
      put(further_at + 8, ~uint64_t{0}),                      // more than can be
      put(sizes_at, Get<uint32_t>(honest, sizes_at) + 1),     // codes of the next block
      put(sizes_at, ~uint32_t{0}),                            //
      put(codes_at, uint16_t{0}),                             // no code
      put(codes_at, uint16_t{0x8000}),                        // the mark
      put(codes_at, uint16_t{0xffff}),                        // not ascending
      put(codes_at + 2 * blocks.num_codes - 2, uint16_t{1}),  // not ascending
      swap(digests_at, digests_at + 8 * (digests.num_digests - 1), 8),
      put(digests_at, Get<uint64_t>(honest, digests_at) | 1),  // no 58 bits
      put(digests_at, uint64_t{0}),
      swap(digests_further_at, digests_further_at + 16, 16),
      put(digests_further_at, ~uint64_t{0}),
      put(digests_further_at + 8, uint64_t{1} << 63),
  };
  for (size_t i = 0; i < edits.size(); ++i) {
    INFO("edit " << i);
    CHECK_THAT(RefusalOf(honest, edits[i]), !Catch::Matchers::Equals(""));
  }
}

// A fold that adds two strings up needs an entry of the side table. Of parts that are read from a
// file, folds are tried at any number of entries, 0 among them.
TEST_CASE("a part that could not fold for lack of side memory is as new when it is emptied",
          "[engine][doubling][snapshot]") {
  constexpr uint64_t kLimit = 16'384;  // two entries per part, one of them for steps
  auto filter = ScalableFilter::Create({.mode = GrowthMode::kDoubling,
                                        .digest = {.kind = DigestKind::kCaller},
                                        .side_memory_limit_bytes = kLimit})
                    .value();
  std::mt19937_64 random(1);
  const auto fresh = [&random] { return random() >> 6; };  // all of part 0
  const std::vector<uint64_t> twice = {fresh(), fresh()};
  for (int i = 0; i < 2; ++i) REQUIRE(filter.Insert(Keys::Digests(twice)).num_refused == 0);
  std::vector<uint64_t> others(2'800);
  for (uint64_t& digest : others) digest = fresh();
  REQUIRE(filter.Insert(Keys::Digests(others)).num_refused == 0);
  REQUIRE(filter.GetStats().doubling.num_blocks == 256);
  // These differ in the last bit that is known of them, at 256 blocks.
  const uint64_t first = fresh();
  const std::vector<uint64_t> pair = {first, first ^ (uint64_t{1} << (57 - 22))};
  REQUIRE(filter.Insert(Keys::Digests(pair)).num_refused == 0);
  const auto erase = [&](std::span<const uint64_t> digests) {
    REQUIRE(filter.Erase(Keys::Digests(digests)).num_refused == 0);
  };
  erase(std::span(others).first(800));
  filter = ScalableFilter::Deserialize(filter.Serialize()).value();
  REQUIRE(filter.LimitSideMemory(kLimit).ok());
  erase(std::span(others).subspan(800));
  REQUIRE(filter.GetStats().doubling.num_blocks == 256);  // it could not fold
  erase(twice);
  erase(twice);
  erase(pair);
  CHECK(filter.GetStats().doubling.num_blocks == 0);
  CHECK(ScalableFilter::Deserialize(filter.Serialize()).ok());
  CHECK(filter.Clone().ok());
}

TEST_CASE("a file does not make its reader take more memory than it may",
          "[engine][scalable][doubling][snapshot]") {
  ScalableFilter filter = EmptyFilter();
  filter.Insert(MemberKeys(300'000, 1));
  const Bytes bytes = filter.Serialize();
  const Result<ScalableFilter> refused = ScalableFilter::Deserialize(bytes, 500'000);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, ContainsSubstring("more than the limit of 500,000 bytes"));
  const uint64_t enough = filter.GetStats().num_bytes * 3 / 2;
  CHECK(ScalableFilter::Deserialize(bytes, enough).ok());
}

}  // namespace trommel::tests
