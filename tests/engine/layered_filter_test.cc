// A layered filter beside its twin, a counting filter of the large layer's geometry: every answer,
// outcome and byte is the twin's, whatever was done, and the first layer always fits the large one.
#include "trommel/layered_filter.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "engine/src/base/machine_memory.h"
#include "engine/src/layered/layered_sizing.h"
#include "support/catch.h"
#include "support/death.h"
#include "support/digests.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "support/shapes.h"
#include "support/statistics.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

CountingFilter CopyOf(const CountingFilter& filter) {
  return std::move(CountingFilter::Deserialize(filter.Serialize())).value();
}

// Small enough for promoted blocks and false positives in plenty.
LayeredFilter MakeLayers(const kernels::Shape& large, uint64_t num_blocks) {
  const kernels::Shape first =
      large.positions() == 64 ? kernels::Shape(4, true) : kernels::Shape(8);
  return std::move(LayeredFilter::FromLayers(
                       tests::MakeFilter(tests::GeometryOf(first, num_blocks, 2)),
                       tests::MakeFilter(tests::GeometryOf(large, 3 * num_blocks, 2))))
      .value();
}

// The layers hold the same keys: what FromLayers demands, and counters that add up.
void CheckLayersAgree(const LayeredFilter& filter) {
  CHECK(LayeredFilter::FromLayers(CopyOf(filter.layer(0)), CopyOf(filter.layer(1))).ok());
  const uint64_t sums = filter.layer(0).num_keys();
  CHECK(sums == filter.layer(1).num_keys());
}

// A random program, erasures of non-members included, on the filter and on its twin.
void RunBeside(LayeredFilter& filter, CountingFilter& twin, uint64_t seed, int num_steps) {
  std::mt19937_64 random(seed);
  const auto pool = tests::DrawnDigests(600, 400, seed);
  for (int step = 0; step < num_steps; ++step) {
    std::vector<uint64_t> keys(random() % 8 == 0 ? 2500 : random() % 100);
    for (uint64_t& key : keys) key = pool[random() % (random() % 4 == 0 ? 8 : pool.size())];
    std::vector<uint64_t> got((keys.size() + 63) / 64, ~uint64_t{0});
    std::vector<uint64_t> want(got);
    switch (random() % 4) {
      case 0:
        filter.Insert(keys);
        twin.Insert(keys);
        break;
      case 1:
        REQUIRE(filter.InsertIfAbsent(keys, got) == twin.InsertIfAbsent(keys, want));
        break;
      case 2:
        REQUIRE(filter.Erase(keys, got) == twin.Erase(keys, want));
        break;
      default:
        REQUIRE(filter.Erase(keys) == twin.Erase(keys));
    }
    REQUIRE(got == want);
    std::vector<uint64_t> answers((pool.size() + 63) / 64, ~uint64_t{0});
    std::vector<uint64_t> want_answers(answers);
    REQUIRE(filter.Query(pool, answers) == twin.Query(pool, want_answers));
    REQUIRE(answers == want_answers);
  }
}

TEST_CASE("a layered filter answers and erases as its large layer alone would",
          "[engine][layered][long]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  const uint64_t num_blocks = GENERATE(uint64_t{4}, 40);
  for (uint64_t seed = 0; seed < 6; ++seed) {
    LayeredFilter filter = MakeLayers(shape, num_blocks);
    CountingFilter twin = tests::MakeFilter(filter.layer(1).geometry());
    RunBeside(filter, twin, Catch::rngSeed() + seed, 25);
    CHECK(filter.num_keys() == twin.num_keys());
    CHECK((filter.layer(1).Serialize() == twin.Serialize()));
    CheckLayersAgree(filter);
  }
}

TEST_CASE("selections and counts of layers are the large layer's", "[engine][layered]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  LayeredFilter filter = MakeLayers(shape, 40);
  CountingFilter twin = tests::MakeFilter(filter.layer(1).geometry());
  const auto members = tests::MemberKeys(2000, Catch::rngSeed());
  filter.Insert(members);
  twin.Insert(members);
  auto keys = tests::NonMemberKeys(5000, Catch::rngSeed());
  for (size_t i = 0; i < keys.size(); i += 3) keys[i] = members[i % members.size()];
  for (const Answer answer : {Answer::kAbsent, Answer::kMaybePresent}) {
    std::vector<uint32_t> got(keys.size());
    std::vector<uint32_t> want(keys.size());
    got.resize(filter.Select(keys, answer, got));
    want.resize(twin.Select(keys, answer, want));
    CHECK(got == want);
  }
  std::vector<uint64_t> got(keys.size());
  std::vector<uint64_t> want(keys.size());
  filter.CountEstimates(keys, got);
  twin.CountEstimates(keys, want);
  CHECK(got == want);
}

TEST_CASE("no key that is in a layered filter is answered absent", "[engine][layered]") {
  auto filter = LayeredFilter::Create({.capacity = 3000});
  REQUIRE(filter.ok());
  tests::ExactModel<uint64_t> model;
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> inserted(47);
  for (uint64_t round = 0; round < 20; ++round) {
    const auto keys = tests::MemberKeys(3000, Catch::rngSeed(), round * 500);
    filter->InsertIfAbsent(keys, inserted);
    model.FollowInsertIfAbsent(keys, inserted);
    std::vector<uint64_t> going;
    for (const uint64_t key : model.DistinctKeys()) {
      if (random() % 2 == 0) going.push_back(key);
    }
    std::vector<uint64_t> erased(LayeredFilter::BitmapWords(going.size()));
    CHECK(filter->Erase(going, erased).num_refused == 0);
    CHECK(model.FollowErase(going, erased) == 0);
    const auto in = model.DistinctKeys();
    std::vector<uint64_t> answers(LayeredFilter::BitmapWords(in.size()));
    filter->Query(in, answers);
    CHECK(model.NumFalseNegatives(in, answers) == 0);
    CHECK(filter->num_keys() == model.num_keys());
  }
}

TEST_CASE("erasing what was inserted gives both layers their bytes back", "[engine][layered]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  LayeredFilter filter = MakeLayers(shape, 8);
  filter.Insert(tests::MemberKeys(500, Catch::rngSeed()));
  const auto first = filter.layer(0).Serialize();
  const auto large = filter.layer(1).Serialize();
  const auto more = tests::MemberKeys(2000, Catch::rngSeed(), 500);
  filter.Insert(more);
  CHECK(filter.Erase(more) == EraseOutcome{2000, 0});
  CHECK((filter.layer(0).Serialize() == first));
  CHECK((filter.layer(1).Serialize() == large));
}

TEST_CASE("single keys do to both layers what batches do", "[engine][layered]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  LayeredFilter batches = MakeLayers(shape, 8);
  LayeredFilter points = MakeLayers(shape, 8);
  const auto keys = tests::DrawnDigests(700, 300, Catch::rngSeed());
  std::vector<uint64_t> bits(LayeredFilter::BitmapWords(keys.size()));
  batches.Insert(keys);
  for (const uint64_t key : keys) points.Insert(key);
  const auto others = tests::DrawnDigests(700, 300, Catch::rngSeed() + 1);
  batches.InsertIfAbsent(others, bits);
  for (size_t i = 0; i < others.size(); ++i) {
    CHECK(points.InsertIfAbsent(others[i]) == tests::BitAt(bits, i));
  }
  const auto going = tests::DrawnDigests(700, 400, Catch::rngSeed() + 1);
  batches.Erase(going, bits);
  for (size_t i = 0; i < going.size(); ++i) {
    CHECK(points.Erase(going[i]) == tests::BitAt(bits, i));
  }
  batches.Query(others, bits);
  for (size_t i = 0; i < others.size(); ++i) {
    CHECK(points.MayContain(others[i]) == tests::BitAt(bits, i));
    CHECK(points.CountEstimate(others[i]) == batches.layer(1).CountEstimate(others[i]));
  }
  CHECK((points.layer(0).Serialize() == batches.layer(0).Serialize()));
  CHECK((points.layer(1).Serialize() == batches.layer(1).Serialize()));
}

TEST_CASE("threads leave the same layers as one", "[engine][layered][threads]") {
  const LayeredConfig config{.capacity = 60'000,
                             .encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes)};
  auto one = std::move(LayeredFilter::Create(config)).value();
  auto many = std::move(LayeredFilter::Create(config)).value();
  many.UseExecutor(std::move(Executor::Create(4)).value());
  const auto keys = tests::MemberKeys(60'000, Catch::rngSeed());
  std::vector<uint64_t> got(LayeredFilter::BitmapWords(keys.size()));
  std::vector<uint64_t> want(got);
  one.Insert(std::span(keys).first(40'000));
  many.Insert(std::span(keys).first(40'000));
  CHECK(many.InsertIfAbsent(keys, got) == one.InsertIfAbsent(keys, want));
  CHECK(got == want);
  const auto going = tests::MemberKeys(30'000, Catch::rngSeed(), 20'000);
  CHECK(many.Erase(going) == one.Erase(going));
  CHECK(many.Query(keys, got) == one.Query(keys, want));
  CHECK(got == want);
  for (size_t i = 0; i < LayeredFilter::kNumLayers; ++i) {
    CHECK((many.layer(i).Serialize() == one.layer(i).Serialize()));
  }
}

TEST_CASE("a layered filter has the large layer's rate, and its first layer the pass rate",
          "[engine][layered]") {
  constexpr uint64_t kCapacity = 200'000;
  auto filter = std::move(LayeredFilter::Create({.capacity = kCapacity})).value();
  filter.Insert(tests::MemberKeys(kCapacity, Catch::rngSeed()));
  const auto non_members = tests::NonMemberKeys(200'000, Catch::rngSeed());
  std::vector<uint64_t> bits(LayeredFilter::BitmapWords(non_members.size()));
  const auto large = tests::FprBound(filter.layer(1).geometry(), kCapacity, non_members.size());
  const size_t num_hits = filter.Query(non_members, bits);
  INFO(num_hits << " hits, " << large);
  CHECK(large.ContainsHits(num_hits));
  const auto first = tests::FprBound(filter.layer(0).geometry(), kCapacity, non_members.size());
  CHECK(first.ContainsHits(filter.layer(0).Query(non_members, bits)));
  CHECK(first.predicted <= 0.2);
  CHECK(large.predicted <= 0.01);
}

TEST_CASE("without a limit both layers together are held against the machine's memory",
          "[engine][layered]") {
  // A large layer of 9 tenths of it leaves too little for the first one.
  constexpr uint64_t kSample = uint64_t{1} << 24;
  const auto sample = SizeLayers({.capacity = kSample});
  REQUIRE(sample.ok());
  const double bytes_per_key = static_cast<double>(sample->large.num_bytes()) / kSample;
  const LayeredConfig huge{.capacity = static_cast<uint64_t>(
                               0.9 * static_cast<double>(MachineMemoryBytes()) / bytes_per_key)};
  const auto layers = SizeLayers(huge);
  if (!layers.ok()) return;  // more memory than any filter takes
  REQUIRE(layers->large.num_bytes() < MachineMemoryBytes());
  REQUIRE(layers->first.num_bytes() + layers->large.num_bytes() > MachineMemoryBytes());
  const auto too_large = LayeredFilter::Create(huge);
  REQUIRE_FALSE(too_large.ok());
  CHECK(too_large.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(too_large.error().message, Catch::Contains("the layers need"));
  CHECK_THAT(too_large.error().message, Catch::Contains("this machine's memory"));
}

TEST_CASE("creation of layers refuses what it cannot do", "[engine][layered]") {
  CHECK(LayeredFilter::Create({}).error().code == ErrorCode::kInvalidArgument);
  const auto refused = LayeredFilter::Create({.capacity = 1'000'000, .memory_limit_bytes = 1000});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  CHECK_THAT(refused.error().message, Catch::Contains("limit of 1,000 bytes"));
  const auto filter = LayeredFilter::Create({.capacity = 1000, .target_fpr = 0.02});
  REQUIRE(filter.ok());
  CHECK(filter->capacity() == 1000);
  CHECK(filter->target_fpr() == 0.02);
}

TEST_CASE("bitmaps of another size and a third layer are mistakes", "[engine][layered]") {
  LayeredFilter filter = MakeLayers(8, 4);
  const std::vector<uint64_t> keys(65, 1);
  std::vector<uint64_t> bits(1);
  std::vector<uint32_t> selection(1);
  CHECK_THAT(tests::AbortMessage([&] { filter.Query(keys, bits); }), Catch::Contains("bitmap"));
  CHECK_THAT(tests::AbortMessage([&] { filter.InsertIfAbsent(keys, bits); }),
             Catch::Contains("bitmap"));
  CHECK_THAT(tests::AbortMessage([&] { filter.Erase(keys, bits); }), Catch::Contains("bitmap"));
  CHECK_THAT(tests::AbortMessage([&] { filter.Select(keys, Answer::kAbsent, selection); }),
             Catch::Contains("selection"));
  CHECK_THAT(tests::AbortMessage([&] { filter.layer(2); }), Catch::Contains("layer"));
}

TEST_CASE("layers with a limit of side memory take a key both, or neither", "[engine][layered]") {
  const bool is_first_scarce = GENERATE(false, true);
  const auto layer = [](uint32_t num_slices, uint64_t num_blocks, uint64_t limit_bytes) {
    CountingFilter made =
        CountingFilter::CreateWithGeometry({.num_slices = num_slices, .num_blocks = num_blocks},
                                           {.kind = DigestKind::kCaller})
            .value();
    REQUIRE(made.LimitSideMemory(limit_bytes).ok());
    return made;
  };
  LayeredFilter filter = LayeredFilter::FromLayers(layer(8, 16, is_first_scarce ? 1'000 : 60'000),
                                                   layer(8, 64, is_first_scarce ? 60'000 : 1'000))
                             .value();
  const std::vector<std::byte> empty = filter.Serialize();
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> digests(4'000);
  for (size_t i = 0; i < digests.size(); ++i) {
    digests[i] = i % 3 == 0 || i < 100 ? random() : digests[random() % 100];  // some hot
  }
  std::vector<uint64_t> bits(BitmapWords(digests.size()));
  std::vector<uint64_t> in;
  uint64_t num_refused = 0;
  for (int round = 0; round < 3; ++round) {
    const InsertOutcome outcome = filter.Insert(Keys::Digests(digests), bits);
    num_refused += outcome.num_refused;
    CHECK(outcome.num_inserted + outcome.num_refused == digests.size());
    CHECK(outcome.refusal == GrowthRefusal::kSideMemoryLimit);
    for (size_t i = 0; i < digests.size(); ++i) {
      if ((bits[i / 64] >> (i % 64) & 1) != 0) in.push_back(digests[i]);
    }
    const size_t num_new = filter.InsertIfAbsent(Keys::Digests(digests), bits);
    for (size_t i = 0; i < digests.size(); ++i) {
      if ((bits[i / 64] >> (i % 64) & 1) != 0) in.push_back(digests[i]);
    }
    CHECK(filter.num_keys() == in.size());
    CHECK(num_new <= outcome.num_refused);
    const bool is_in = filter.Insert(Key::Digest(digests[0]));
    if (is_in) in.push_back(digests[0]);
    num_refused += uint64_t{!is_in};
  }
  CHECK(filter.GetStats().num_refused_inserts >= num_refused);
  CHECK(filter.layer(0).num_keys() == in.size());
  CHECK(filter.layer(1).num_keys() == in.size());
  // Loading compares the layers, counter by counter.
  REQUIRE(LayeredFilter::Deserialize(filter.Serialize()).ok());
  std::vector<uint64_t> shown(BitmapWords(in.size()));
  CHECK(filter.Query(Keys::Digests(in), shown) == in.size());
  CHECK(filter.Erase(Keys::Digests(in)).num_refused == 0);
  CHECK((filter.Serialize() == empty));
}

TEST_CASE("the limit of side memory is that of both layers", "[engine][layered]") {
  LayeredConfig config{.capacity = 10'000, .side_memory_limit_bytes = 100'000};
  const LayeredFilter filter = LayeredFilter::Create(config).value();
  const LayeredStats stats = filter.GetStats();
  CHECK(stats.first.side_table_bytes > 0);
  CHECK(stats.large.side_table_bytes > 0);
  CHECK(stats.first.side_table_bytes + stats.large.side_table_bytes <= 100'000);
  config.memory_limit_bytes = stats.num_bytes - 1;
  CHECK(LayeredFilter::Create(config).error().code == ErrorCode::kOutOfMemory);
  config = {.capacity = 10'000, .side_memory_limit_bytes = 100};
  CHECK(LayeredFilter::Create(config).error().code == ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace trommel
