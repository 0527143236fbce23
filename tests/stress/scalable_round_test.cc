// Rounds with filters that grow: a correct one holds, and faulty ones are found.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "tools/stress/subjects/subject.h"
#include "trommel/scalable_filter.h"

namespace trommel::stress {
namespace {

// Keys enough for several sizes, most of which are left again.
Mix GrowingMix() {
  Mix mix = SampleMix();
  mix.capacity = 3000;
  mix.keys_per_writer = 2000;
  mix.num_races = 4;
  mix.keys_per_thread = 30'000;
  mix.max_batch = 512;
  mix.weights = {4, 3, 7, 2, 1, 1, 1};
  return mix;
}

enum class GrowthFault {
  kNone,
  kLosesKey,      // a step of growth loses a key
  kRefuses,       // never has more blocks than a small limit allows
  kNeverShrinks,  // stays at its largest size
};

// A filter that grows, all of whose keys are in one part, with a planted fault.
class FaultyGrowing : public Subject {
 public:
  FaultyGrowing(AnyFilterPtr filter, SubjectOptions options, GrowthFault fault)
      : Subject(std::move(filter), std::move(options)), fault_(fault) {}

  uint64_t Insert(Keys keys) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t before = Subject::num_sizes();
    const uint64_t time = Subject::Insert(keys);
    if (fault_ == GrowthFault::kLosesKey && Subject::num_sizes() > before) {
      // The keys of the tests are digests.
      EraseOne(Key::Digest(*static_cast<const uint64_t*>(keys.data())), 0);
    }
    return time;
  }
  uint64_t num_sizes() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    most_sizes_ = std::max(most_sizes_, Subject::num_sizes());
    return fault_ == GrowthFault::kNeverShrinks ? most_sizes_ : Subject::num_sizes();
  }

 private:
  const GrowthFault fault_;
  mutable std::mutex mutex_;
  mutable uint64_t most_sizes_ = 1;
};

template <GrowthFault kFault>
Result<std::unique_ptr<Subject>> MakeFaultyGrowing(const RoundPlan& plan) {
  const auto create = [digest = plan.config.digest](const Figures&, const auto&) {
    const uint64_t limit_bytes = kFault == GrowthFault::kRefuses ? 20'000 : 0;
    return AnyFilter::Create(FilterType::kScalable, {{"memory_limit_bytes", limit_bytes}}, digest);
  };
  Result<AnyFilterPtr> filter = create({}, nullptr);
  if (!filter.ok()) return filter.error();
  return std::unique_ptr<Subject>(std::make_unique<FaultyGrowing>(
      *std::move(filter), SubjectOptions{.create = create, .num_zeros = 6}, kFault));
}

TEST_CASE("every mix holds on a scalable filter", "[stress][scalable][threads]") {
  for (const Mix& mix : AllMixes()) {
    CHECK(CheckHolds(ShortPlan(mix, 3), MakeScalableSubject).growth.most_sizes > 0);
  }
}

TEST_CASE("a correct filter that grows violates no invariant", "[stress][scalable][threads]") {
  const RoundResult result = RunSample(GrowingMix(), MakeFaultyGrowing<GrowthFault::kNone>);
  INFO((result.violation ? result.violation->detail : ""));
  CHECK_FALSE(result.violation);
  CHECK(result.growth.most_sizes > 1);
  CHECK(result.totals.num_races > 0);
}

TEST_CASE("what growing loses, refuses or keeps is found", "[stress][scalable][threads]") {
  CHECK(Violated(GrowingMix(), MakeFaultyGrowing<GrowthFault::kLosesKey>, 5));
  CHECK(Violated(GrowingMix(), MakeFaultyGrowing<GrowthFault::kRefuses>, 5) ==
        Invariant::kNoRefusedInsert);
  CHECK(Violated(GrowingMix(), MakeFaultyGrowing<GrowthFault::kNeverShrinks>, 5) ==
        Invariant::kEmptyAfterDraining);
}

}  // namespace
}  // namespace trommel::stress
