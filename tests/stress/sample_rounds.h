// Rounds for the tests of the stress program: small, with a bounded amount of work.
#ifndef TROMMEL_TESTS_STRESS_SAMPLE_ROUNDS_H_
#define TROMMEL_TESTS_STRESS_SAMPLE_ROUNDS_H_

#include <algorithm>
#include <cstdint>
#include <optional>

#include "stress/faulty_subject.h"
#include "support/catch.h"
#include "tools/stress/round.h"

namespace trommel::stress {

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
  mix.max_heat = 300;
  mix.weights = {4, 3, 7, 2, 1, 1, 3};
  mix.audit_one_in = 100;
  return mix;
}

// The mix with less work.
inline RoundPlan ShortPlan(const Mix& mix, uint64_t seed, Encoding encoding = Encoding::kPlanes) {
  Mix shorter = mix;
  shorter.keys_per_thread = std::min<uint64_t>(mix.keys_per_thread / 20, 8'000);
  shorter.keys_per_writer = std::min(mix.keys_per_writer, 2000u);
  shorter.max_batch = std::min(mix.max_batch, 5000u);
  shorter.min_batch = std::min(mix.min_batch, 500u);
  shorter.max_heat = std::min(mix.max_heat, 500u);
  shorter.audit_one_in = std::min(mix.audit_one_in, 300u);
  return DrawPlan(shorter, seed, 0, 2, 2, encoding);
}

inline RoundResult RunSample(const Mix& mix, const MakeSubject& make, uint64_t seed = 1,
                             uint32_t num_writers = 2, uint32_t num_readers = 2) {
  const RoundPlan plan = DrawPlan(mix, seed, 0, num_writers, num_readers);
  Result<RoundResult> result = RunRound(plan, make, {});
  REQUIRE(result.ok());
  return *result;
}

// The law that the fault was found to break. Faults that need an interleaving get several rounds.
template <class Fault>
std::optional<Law> BrokenLaw(const Mix& mix, uint64_t num_rounds = 1) {
  for (uint64_t seed = 1; seed <= num_rounds; ++seed) {
    const RoundResult result = RunSample(mix, MakeFaulty<Fault>(), seed);
    if (result.violation) return result.violation->law;
  }
  return std::nullopt;
}

}  // namespace trommel::stress

#endif  // TROMMEL_TESTS_STRESS_SAMPLE_ROUNDS_H_
