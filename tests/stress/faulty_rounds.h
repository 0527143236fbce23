// Small rounds for the tests of the stress program: with a correct filter, and with planted faults.
#ifndef TROMMEL_TESTS_STRESS_FAULTY_ROUNDS_H_
#define TROMMEL_TESTS_STRESS_FAULTY_ROUNDS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "support/shrink.h"
#include "tools/stress/round.h"
#include "tools/stress/subjects/subject.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {

// A CountingFilter with one lock: what a ConcurrentFilter must look like from outside.
class LockedSubject : public Subject {
 public:
  LockedSubject(CountingFilter&& filter, const CountingConfig& config, bool may_refuse = false)
      : Subject(AnyFilter::Of(std::move(filter)),
                {.create = [config](const Figures&, const auto&) { return AnyOf(config); },
                 .may_refuse = may_refuse,
                 .is_locked = true}) {}

 private:
  static Result<AnyFilterPtr> AnyOf(const CountingConfig& config) {
    Result<CountingFilter> filter = CountingFilter::Create(config);
    if (!filter.ok()) return filter.error();
    return AnyFilter::Of(*std::move(filter));
  }
};

template <class S, class... Args>
Result<std::unique_ptr<Subject>> SubjectWith(Result<CountingFilter> filter, Args&&... args) {
  if (!filter.ok()) return filter.error();
  return std::unique_ptr<Subject>(
      std::make_unique<S>(*std::move(filter), std::forward<Args>(args)...));
}

inline Result<std::unique_ptr<Subject>> MakeLocked(const RoundPlan& plan) {
  return SubjectWith<LockedSubject>(CountingFilter::Create(plan.config), plan.config);
}

// The same with a fault: derived classes override some calls. The keys of their tests are digests.
class FaultySubject : public LockedSubject {
 public:
  using LockedSubject::LockedSubject;

 protected:
  // True once in n calls, counted over all threads.
  bool IsTurn(uint64_t n) const { return turns_.fetch_add(1) % n == n - 1; }

  static std::span<const uint64_t> Digests(Keys keys) {
    return {static_cast<const uint64_t*>(keys.data()), keys.size()};
  }

 private:
  mutable std::atomic<uint64_t> turns_ = 0;
};

template <class Fault>
Result<std::unique_ptr<Subject>> MakeFaulty(const RoundPlan& plan) {
  return SubjectWith<Fault>(CountingFilter::Create(plan.config), plan.config);
}

// All moves, on digests with lone keys to race for.
inline Mix SampleMix() {
  Mix mix;
  mix.name = "sample";
  mix.capacity = 4000;
  mix.kind = KeyKind::kDigests;
  mix.keys_per_writer = 300;
  mix.num_hot = 2;
  mix.num_races = 16;
  mix.keys_per_thread = 20'000;
  mix.max_batch = 64;
  mix.max_hot_batch = 300;
  mix.weights = {4, 3, 7, 2, 1, 1, 3};
  mix.audit_one_in = 100;
  return mix;
}

inline RoundResult RunSample(const Mix& mix, const MakeSubject& make, uint64_t seed = 1,
                             uint32_t num_writers = 2, uint32_t num_readers = 2) {
  const Result<RoundResult> result =
      RunRound(DrawPlan(mix, seed, 0, num_writers, num_readers), make);
  REQUIRE(result.ok());
  return *result;
}

// The invariant that was found violated. Faults that need an interleaving get several rounds.
inline std::optional<Invariant> Violated(const Mix& mix, const MakeSubject& make,
                                         uint64_t num_rounds = 1) {
  for (uint64_t seed = 1; seed <= num_rounds; ++seed) {
    const RoundResult result = RunSample(mix, make, seed);
    if (result.violation) return result.violation->invariant;
  }
  return std::nullopt;
}
template <class Fault>
std::optional<Invariant> ViolatedBy(const Mix& mix, uint64_t num_rounds = 1) {
  return Violated(mix, MakeFaulty<Fault>, num_rounds);
}

// The mix with less work.
inline RoundPlan ShortPlan(const Mix& mix, uint64_t seed, Encoding encoding = Encoding::kPlanes) {
  Mix shorter = mix;
  shorter.keys_per_thread = tests::Scaled(std::min<uint64_t>(mix.keys_per_thread / 20, 8'000));
  shorter.keys_per_writer = std::min(mix.keys_per_writer, 2000u);
  shorter.max_batch = std::min(mix.max_batch, 5000u);
  shorter.min_batch = std::min(mix.min_batch, 500u);
  shorter.max_hot_batch = std::min(mix.max_hot_batch, 500u);
  shorter.audit_one_in = std::min(mix.audit_one_in, 300u);
  return DrawPlan(shorter, seed, 0, 2, 2, encoding);
}

// A short round of this plan holds, and is complete.
inline RoundResult CheckHolds(const RoundPlan& plan, const MakeSubject& make) {
  INFO(plan.mix.name << ", seed " << plan.seed);
  const Result<RoundResult> result = RunRound(plan, make);
  REQUIRE(result.ok());
  INFO((result->violation ? result->violation->detail : ""));
  CHECK_FALSE(result->violation);
  CHECK(result->totals.num_checked > 0);
  CHECK_FALSE(result->is_cut_short);
  return *result;
}

}  // namespace trommel::stress

#endif  // TROMMEL_TESTS_STRESS_FAULTY_ROUNDS_H_
