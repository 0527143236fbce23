// Files of scalable filters that double: what comes back, and what of it follows from the keys.
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "support/catch.h"
#include "support/file_forge.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "trommel/any_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

ScalableFilter EmptyFilter(uint64_t first_capacity = 0) {
  return ScalableFilter::Create({.first_capacity = first_capacity, .mode = GrowthMode::kDoubling})
      .value();
}

}  // namespace

TEST_CASE("a filter that doubles comes back from a file as it was",
          "[engine][scalable][doubling][files][long]") {
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
          "[engine][scalable][doubling][files]") {
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

// A fold that adds two strings up needs an entry of the side table. Of parts that are read from a
// file, folds are tried at any number of entries, 0 among them.
TEST_CASE("a part that could not fold for lack of side memory is as new when it is emptied",
          "[engine][doubling][files]") {
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
          "[engine][scalable][doubling][files]") {
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
