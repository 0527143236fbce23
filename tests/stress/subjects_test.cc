// The filters of each type as subjects.
#include <set>
#include <span>
#include <vector>

#include "stress/faulty_rounds.h"
#include "support/catch.h"
#include "support/random_keys.h"
#include "tools/stress/subjects/subject.h"

namespace trommel::stress {
namespace {

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

TEST_CASE("a plan's type says which filter is made", "[stress][subject][threads]") {
  RoundPlan plan = ShortPlan(*FindMix("churn"), 4);
  plan.type = GENERATE(FilterType::kConcurrent, FilterType::kScalable, FilterType::kWindow);
  const Result<std::unique_ptr<Subject>> subject = MakeTypedSubject(plan);
  REQUIRE(subject.ok());
  CHECK((*subject)->expires() == (plan.type == FilterType::kWindow));
  const RoundResult result = CheckHolds(plan, MakeTypedSubject);
  CHECK((result.growth.most_sizes > 0) == (plan.type == FilterType::kScalable));
}

}  // namespace
}  // namespace trommel::stress
