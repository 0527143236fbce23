// Layered filters on disk: what comes back, and what is refused.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/multi_store_forge.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/scratch_folder.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Bytes;
using tests::MemberKeys;

LayeredFilter UsedLayers(uint32_t num_slices = 0, Encoding encoding = Encoding::kRuns) {
  LayeredFilter filter = std::move(LayeredFilter::Create({.capacity = 5000,
                                                          .target_fpr = 0.01,
                                                          .digest = {DigestKind::kXxh3, 9},
                                                          .num_slices = num_slices,
                                                          .encoding = encoding}))
                             .value();
  filter.Insert(MemberKeys(4000, Catch::rngSeed()));
  filter.Insert(std::vector<uint64_t>(300, 5));  // blocks with side tables
  return filter;
}

TEST_CASE("layers that come back from disk go on as those that stayed",
          "[engine][layered][snapshot]") {
  const auto [num_slices, encoding] =
      GENERATE(std::pair{0U, Encoding::kRuns}, std::pair{5U, Encoding::kRuns},
               std::pair{16U, Encoding::kPlanes});
  LayeredFilter stayed = UsedLayers(num_slices, encoding);
  const tests::ScratchFolder folder;
  REQUIRE(stayed.Save(folder / "layers").ok());
  Result<LayeredFilter> loaded = LayeredFilter::Load(folder / "layers");
  REQUIRE(loaded.ok());
  CHECK(loaded->capacity() == 5000);
  CHECK(loaded->target_fpr() == 0.01);
  CHECK(loaded->digest_policy() == stayed.digest_policy());
  CHECK(loaded->num_keys() == 4300);
  for (size_t i = 0; i < LayeredFilter::kNumLayers; ++i) {
    CHECK(loaded->layer(i).geometry() == stayed.layer(i).geometry());
  }
  for (LayeredFilter* each : {&stayed, &*loaded}) {
    each->Erase(MemberKeys(1000, Catch::rngSeed()));
    each->Insert(MemberKeys(500, 77));
  }
  CHECK((loaded->Serialize() == stayed.Serialize()));
  Result<LayeredFilter> copy = LayeredFilter::Deserialize(stayed.Serialize());
  REQUIRE(copy.ok());
  CHECK(copy->MayContain(5));
  CHECK((copy->Serialize() == stayed.Serialize()));
}

TEST_CASE("layers of different keys are refused as a file", "[engine][layered][snapshot]") {
  const Geometry first{.num_slices = 8, .num_blocks = 2};
  const Geometry large{.num_slices = 8, .encoding = Encoding::kRuns, .num_blocks = 6};
  const auto file_of = [](const tests::SampleMultiStore& layers) {
    std::vector<MemberStore> members = layers.Members();
    for (MemberStore& member : members) member.words = {};
    return tests::SerializeMultiStore(layers.facts, members);
  };
  tests::SampleMultiStore layers{
      .facts = {.type = SnapshotType::kLayeredFilter, .policy = {}}, .stores = {}, .num_keys = {}};
  layers.Add(first, 20);
  CHECK_THAT(LayeredFilter::Deserialize(file_of(layers)).error().message,
             ContainsSubstring("2 layers, not 1"));
  layers.Add(large, 20);
  CHECK(LayeredFilter::Deserialize(file_of(layers)).ok());

  SECTION("other numbers of keys") {
    layers.num_keys.back() = 19;
    CHECK_FALSE(LayeredFilter::Deserialize(file_of(layers)).ok());
  }
  SECTION("other presence bits") {
    std::vector<uint64_t> erased(1);
    layers.stores.front().Erase(std::vector<uint64_t>{0x9e3779b97f4a7c15}, erased);
    REQUIRE(erased[0] == 1);
    layers.stores.front().Insert(std::vector<uint64_t>{0x123456789abcdef0});
    const Result<LayeredFilter> refused = LayeredFilter::Deserialize(file_of(layers));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kCorrupt);
    CHECK_THAT(refused.error().message, ContainsSubstring("no layers of one filter"));
  }
  SECTION("other counts behind the same presence bits") {
    const std::vector<uint64_t> one = {0x9e3779b97f4a7c15};
    const std::vector<uint64_t> two = {2 * 0x9e3779b97f4a7c15};
    layers.stores.front().Insert(one);
    layers.stores.back().Insert(two);
    ++layers.num_keys.front();
    ++layers.num_keys.back();
    const Result<LayeredFilter> refused = LayeredFilter::Deserialize(file_of(layers));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kCorrupt);
    CHECK_THAT(refused.error().message, ContainsSubstring("not the sums"));
  }
  SECTION("layers that do not nest") {
    layers.stores.clear();
    layers.num_keys.clear();
    layers.Add({.num_slices = 8, .num_blocks = 4}, 0);
    layers.Add(large, 0);
    CHECK_THAT(LayeredFilter::Deserialize(file_of(layers)).error().message,
               ContainsSubstring("not a multiple"));
  }
}

TEST_CASE("params and words that layers do not use must be zero", "[engine][layered][snapshot]") {
  const Bytes good = UsedLayers().Serialize();
  const Bytes param =
      tests::WithMultiStoreHeader(good, [](MultiStoreHeader& h) { h.params[0] = 1; });
  CHECK(LayeredFilter::Deserialize(param).error().code == ErrorCode::kCorrupt);
  const Bytes word = tests::WithRecord(good, 1, [](MemberRecord& r) { r.words[0] = 1; });
  CHECK(LayeredFilter::Deserialize(word).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a layered filter refuses other filters' files and keeps its memory limit",
          "[engine][layered][snapshot]") {
  const Bytes counting = tests::MakeFilter({.num_slices = 8, .num_blocks = 2}).Serialize();
  CHECK(LayeredFilter::Deserialize(counting).error().code == ErrorCode::kMismatch);
  const LayeredFilter filter = UsedLayers();
  const Bytes bytes = filter.Serialize();
  CHECK(CountingFilter::Deserialize(bytes).error().code == ErrorCode::kMismatch);
  CHECK(LayeredFilter::Deserialize(bytes, 100).error().code == ErrorCode::kOutOfMemory);
  const tests::ScratchFolder folder;
  REQUIRE(filter.Save(folder / "layers").ok());
  CHECK_THAT(CountingFilter::Load(folder / "layers").error().message, ContainsSubstring("layers"));
}

}  // namespace
}  // namespace trommel
