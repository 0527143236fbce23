// Window filters on disk: what comes back, what one file has for one content, and what is refused.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/damage.h"
#include "support/multi_store_forge.h"
#include "support/random_keys.h"
#include "support/scratch_folder.h"
#include "trommel/counting_filter.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::MemberKeys;

// Four live buckets, of which one is empty and one was passed over, and others that have gone.
WindowFilter UsedWindow(Encoding encoding = Encoding::kRuns) {
  WindowFilter filter = std::move(WindowFilter::Create({.window = 50,
                                                        .num_buckets = 5,
                                                        .capacity = 6000,
                                                        .target_fpr = 0.02,
                                                        .digest = {DigestKind::kXxh3, 9},
                                                        .form = WindowForm::kBucketRing,
                                                        .encoding = encoding}))
                            .value();
  for (const uint64_t now : {1, 15, 21, 77, 84, 93, 118, 121}) {
    filter.Advance(now);
    if (now != 84) filter.Insert(MemberKeys(1500, now));
    if (now == 93) filter.Insert(std::vector<uint64_t>(200, 5));  // a block that is promoted
  }
  return filter;
}

TEST_CASE("a window that comes back from disk goes on as the one that stayed",
          "[engine][window][snapshot]") {
  WindowFilter stayed = UsedWindow(GENERATE(Encoding::kRuns, Encoding::kPlanes));
  const tests::ScratchFolder folder;
  const auto path = folder / "window.trm";
  REQUIRE(stayed.Save(path).ok());
  Result<WindowFilter> loaded = WindowFilter::Load(path);
  REQUIRE(loaded.ok());
  CHECK(loaded->now() == 121);
  CHECK(loaded->window() == 50);
  CHECK(loaded->num_buckets() == 5);
  CHECK(loaded->capacity() == 6000);
  CHECK(loaded->bucket_capacity() == stayed.bucket_capacity());
  CHECK(loaded->target_fpr() == 0.02);
  CHECK(loaded->geometry() == stayed.geometry());
  CHECK(loaded->digest_policy() == stayed.digest_policy());
  CHECK(loaded->num_keys() == stayed.num_keys());
  for (uint64_t now = 121; now < 300; now += 6) {
    for (WindowFilter* each : {&stayed, &*loaded}) {
      each->Advance(now);
      each->Insert(MemberKeys(100, now));
      each->Erase(MemberKeys(50, 93), 93);
    }
    REQUIRE((loaded->Serialize() == stayed.Serialize()));
  }
}

TEST_CASE("how a window came to hold what it holds does not show in its bytes",
          "[engine][window][snapshot]") {
  WindowFilter detour = UsedWindow();
  WindowFilter straight = std::move(WindowFilter::Create({.window = 50,
                                                          .num_buckets = 5,
                                                          .capacity = 6000,
                                                          .target_fpr = 0.02,
                                                          .digest = {DigestKind::kXxh3, 9},
                                                          .form = WindowForm::kBucketRing}))
                              .value();
  for (const uint64_t now : {77, 93, 118, 121}) {
    straight.Advance(now);
    straight.Insert(MemberKeys(1500, now));
    if (now == 93) straight.Insert(std::vector<uint64_t>(200, 5));
  }
  CHECK((detour.Serialize() == straight.Serialize()));
}

TEST_CASE("an empty window is saved with its time", "[engine][window][snapshot]") {
  WindowFilter filter =
      std::move(
          WindowFilter::Create(
              {.window = 10, .num_buckets = 2, .capacity = 10, .form = WindowForm::kBucketRing}))
          .value();
  filter.Advance(~uint64_t{0});
  const Bytes bytes = filter.Serialize();
  Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  REQUIRE(loaded.ok());
  CHECK(loaded->now() == ~uint64_t{0});
  CHECK(loaded->num_keys() == 0);
  CHECK((loaded->Serialize() == bytes));
}

TEST_CASE("loading a window keeps to the limit of memory for all of it",
          "[engine][window][snapshot]") {
  const WindowFilter filter = UsedWindow();
  const Bytes bytes = filter.Serialize();
  const uint64_t num_bytes = 7 * filter.geometry().num_bytes();
  CHECK(WindowFilter::Deserialize(bytes, num_bytes).ok());
  const auto refused = WindowFilter::Deserialize(bytes, num_bytes - 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
}

// --- Forgers.

constexpr uint64_t kParamsAt = offsetof(MultiStoreHeader, params);
uint64_t ParamAt(size_t i) { return kParamsAt + i * 8; }
uint64_t WordAt(size_t member, size_t word) {
  return kHeaderBytes + member * sizeof(MemberRecord) + offsetof(MemberRecord, words) + word * 8;
}

// The window's snapshot with another number at that byte, and checksums that match.
Bytes WindowWith(Bytes bytes, uint64_t offset, uint64_t value) {
  tests::Put(bytes, offset, value);
  tests::ResealMultiStore(bytes);
  return bytes;
}

TEST_CASE("a window's numbers that no window has are refused by their place",
          "[engine][window][snapshot][long]") {
  const Bytes good = UsedWindow().Serialize();
  REQUIRE(WindowFilter::Deserialize(WindowWith(good, ParamAt(4), 121)).ok());
  struct WindowForgery {
    uint64_t offset;
    uint64_t value;
    const char* says;
  };
  const double rate = 0.7;
  const uint64_t rate_bits = std::bit_cast<uint64_t>(rate);
  const WindowForgery forgery = GENERATE_COPY(
      WindowForgery{ParamAt(0), 0, "window is 0"}, WindowForgery{ParamAt(0), 4, "num_buckets is 5"},
      WindowForgery{ParamAt(1), 0, "num_buckets is 0"},
      WindowForgery{ParamAt(1), 65, "num_buckets is 65"},
      WindowForgery{ParamAt(1), (uint64_t{1} << 32) + 5, "more buckets"},
      WindowForgery{ParamAt(2), 0, "capacity is 0"},
      WindowForgery{ParamAt(3), 0, "target_fpr is 0"},
      WindowForgery{ParamAt(3), rate_bits, "target_fpr is 0.7"},
      WindowForgery{ParamAt(3), ~uint64_t{0}, "target_fpr is nan"},
      WindowForgery{ParamAt(4), 119, "not the current bucket"},
      WindowForgery{ParamAt(4), 130, "not the current bucket"},
      WindowForgery{ParamAt(5), 1, "does not use"}, WindowForgery{ParamAt(15), 1, "does not use"},
      WindowForgery{WordAt(0, 0), 6, "has left the window"},
      WindowForgery{WordAt(0, 0), 9, "come after"}, WindowForgery{WordAt(1, 0), 11, "come after"},
      WindowForgery{WordAt(1, 0), 7, "come after"},
      WindowForgery{WordAt(3, 0), 13, "not the current bucket"},
      WindowForgery{WordAt(2, 1), 1, "does not use"},
      WindowForgery{WordAt(2, 5), 1, "does not use"});
  const auto refused = WindowFilter::Deserialize(WindowWith(good, forgery.offset, forgery.value));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kCorrupt);
  CHECK_THAT(refused.error().message, ContainsSubstring(forgery.says));
}

// Members as a writer that does not keep the rules might put them.
Bytes MultiStoreOf(const std::vector<std::pair<uint64_t, Geometry>>& buckets, uint64_t keys_of_each,
                   uint64_t capacity = 0) {
  MultiStoreFacts whole{.type = SnapshotType::kWindowFilter,
                        .policy = {},
                        .params = {50, 5, 1000, std::bit_cast<uint64_t>(0.01), 121}};
  std::vector<BlockStore> stores;
  std::vector<MemberStore> members;
  stores.reserve(buckets.size());
  const FilterFacts facts{.policy = {},
                          .capacity = capacity,
                          .target_fpr = capacity == 0 ? 0 : 0.1,
                          .num_keys = keys_of_each};
  for (const auto& [bucket, geometry] : buckets) {
    stores.push_back(std::move(BlockStore::Create(geometry, 0)).value());
    for (uint64_t i = 0; i < keys_of_each; ++i) {
      const uint64_t digest = i * 0x9e3779b97f4a7c15;
      stores.back().Insert(std::span(&digest, 1));
    }
    members.push_back({.words = {bucket}, .store = &stores.back(), .facts = facts});
  }
  return tests::SerializeMultiStore(whole, members);
}

TEST_CASE("members that are no window's are refused", "[engine][window][snapshot]") {
  const Geometry geometry{.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 4};
  Geometry other = geometry;
  other.num_blocks = 5;
  const auto says = [](const Bytes& bytes) {
    const auto refused = WindowFilter::Deserialize(bytes);
    return refused.ok() ? std::string("ok") : refused.error().message;
  };
  CHECK(says(MultiStoreOf({{11, geometry}, {12, geometry}}, 3)) == "ok");
  CHECK(says(MultiStoreOf({{12, geometry}}, 0)) == "ok");
  CHECK_THAT(says(MultiStoreOf({}, 0)), ContainsSubstring("not the current bucket"));
  CHECK_THAT(says(MultiStoreOf({{11, other}, {12, geometry}}, 3)), ContainsSubstring("geometry"));
  CHECK_THAT(says(MultiStoreOf({{11, geometry}, {12, geometry}}, 0)),
             ContainsSubstring("an empty bucket"));
  CHECK_THAT(says(MultiStoreOf({{12, geometry}}, 3, 9)), ContainsSubstring("not sized by itself"));
}

TEST_CASE("a damaged snapshot of a window is refused", "[engine][window][snapshot]") {
  const Bytes good =
      MultiStoreOf({{11, {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1}},
                    {12, {.num_slices = 5, .encoding = Encoding::kRuns, .num_blocks = 1}}},
                   3);
  tests::CheckDamageIsRefused(good, [](auto bytes) { return WindowFilter::Deserialize(bytes); },
                              {.step = 13});
}

TEST_CASE("another type's snapshot is no window", "[engine][window][snapshot]") {
  const tests::ScratchFolder folder;
  const auto path = folder / "counting.trm";
  const CountingFilter counting = std::move(CountingFilter::Create({.capacity = 100})).value();
  REQUIRE(counting.Save(path).ok());
  const auto refused = WindowFilter::Load(path);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kMismatch);
  CHECK_THAT(refused.error().message, ContainsSubstring(path.string()));
  CHECK(WindowFilter::Load(folder / "nothing").error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace trommel
