// The filters of each type as subjects.
#include "tools/stress/subjects/subjects.h"

#include <set>
#include <span>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "support/random_keys.h"

namespace trommel::stress {
namespace {

TEST_CASE("a concurrent filter is made as asked", "[stress][subject][threads]") {
  RoundPlan plan;
  plan.executor_threads = GENERATE(0u, 2u);
  plan.config.capacity = 1000;
  const bool has_runs = GENERATE(false, true);
  plan.config.num_slices = has_runs ? 10 : 8;
  plan.config.encoding = has_runs ? Encoding::kRuns : Encoding::kPlanes;
  const Result<std::unique_ptr<Subject>> subject = MakeConcurrentSubject(plan);
  REQUIRE(subject.ok());
  const CountingFilter same = CountingFilter::Create(plan.config).value();
  CHECK((*subject)->num_blocks() == same.geometry().num_blocks);
  const std::vector<uint64_t> keys = {1, 2, 2};
  (*subject)->Insert(keys);
  CHECK((*subject)->num_keys() == 3);
  CHECK((*subject)->CountEstimate(2) == 2);
  plan.config.capacity = 0;
  CHECK_FALSE(MakeConcurrentSubject(plan).ok());
}

TEST_CASE("a scalable filter is made as asked, and grows", "[stress][subject][threads]") {
  RoundPlan plan;
  plan.executor_threads = GENERATE(0u, 2u);
  const Result<std::unique_ptr<Subject>> made = MakeScalableSubject(plan);
  REQUIRE(made.ok());
  Subject& subject = **made;
  CHECK(subject.grows());
  const std::vector<std::byte> as_new = subject.Serialize();
  const std::vector<uint64_t> keys = tests::MemberKeys(8000, 1);
  subject.Insert(keys);
  CHECK(subject.num_sizes() > 2);
  CHECK(subject.num_refused_inserts() == 0);
  const SubjectStats stats = subject.GetStats();
  CHECK(stats.num_keys == 8000);
  CHECK(stats.fill_ratio > 0);
  CHECK(stats.fill_ratio < 1);
  const Result<std::unique_ptr<Subject>> loaded = subject.Load(subject.Serialize());
  REQUIRE(loaded.ok());
  CHECK((*loaded)->num_keys() == 8000);
  CHECK((*loaded)->Serialize() == subject.Serialize());
  std::vector<uint64_t> erased(BitmapWords(keys.size()));
  CHECK(subject.Erase(keys, 0, erased).num_erased == 8000);
  CHECK(subject.num_sizes() == 1);
  CHECK(subject.Serialize() == as_new);
  CHECK_FALSE(subject.Load(std::span(as_new).first(10)).ok());
}

TEST_CASE("drawn windows have one bucket or many, of equal or unequal lengths",
          "[stress][window]") {
  std::set<uint64_t> num_buckets;
  bool has_uneven = false;
  for (uint64_t round = 0; round < 100; ++round) {
    const Figures drawn = DrawWindow(DrawPlan(SampleMix(), 1, round, 2, 2));
    const WindowSpan span{FigureOr<uint64_t>(drawn, "window", 0),
                          FigureOr<uint64_t>(drawn, "num_buckets", 0)};
    num_buckets.insert(span.num_buckets);
    has_uneven |= span.window % span.num_buckets != 0;
    for (uint64_t bucket = 0; bucket < 70; ++bucket) {
      REQUIRE(span.Bucket(span.FirstTick(bucket)) == bucket);
      if (bucket > 0) REQUIRE(span.Bucket(span.FirstTick(bucket) - 1) == bucket - 1);
    }
  }
  CHECK(num_buckets.size() == 6);
  CHECK(has_uneven);
}

TEST_CASE("a plan's type says which filter is made", "[stress][subject][threads]") {
  RoundPlan plan = ShortPlan(*FindMix("churn"), 4);
  plan.type = GENERATE(FilterType::kConcurrent, FilterType::kScalable, FilterType::kWindow);
  const Result<std::unique_ptr<Subject>> subject = MakeTypedSubject(plan);
  REQUIRE(subject.ok());
  CHECK((*subject)->expires() == (plan.type == FilterType::kWindow));
  const RoundResult result = CheckHolds(plan, MakeTypedSubject);
  CHECK((result.growth.most_sizes > 0) == (plan.type == FilterType::kScalable));
}

TEST_CASE("a filter that cannot be made is an error of the round", "[stress][subject]") {
  RoundPlan plan = DrawPlan(SampleMix(), 1, 1, 1, 1);
  plan.type = GENERATE(FilterType::kConcurrent, FilterType::kWindow);
  plan.config.capacity = 0;
  CHECK_FALSE(RunRound(plan, MakeTypedSubject).ok());
  CHECK_FALSE(RunRound(plan, MakeLocked).ok());
}

}  // namespace
}  // namespace trommel::stress
