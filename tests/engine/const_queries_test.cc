// The contract of the plain filter: while nobody changes it, any number of threads may ask it.
// Promoted blocks included, whose counters are in the side table. ThreadSanitizer is the judge of
// the rest: a query that kept notes in the filter would be a race here.
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

TEST_CASE("a filter that nobody changes answers many threads at once",
          "[engine][filter][threads]") {
  CountingConfig config;
  config.capacity = 2000;
  config.encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns);
  CountingFilter filter = CountingFilter::Create(config).value();
  const std::vector<uint64_t> members = tests::MemberKeys(2000, 1);
  filter.Insert(members);
  filter.Insert(std::vector<uint64_t>(300, members[0]));
  const CountingFilter& shared = filter;

  constexpr size_t kThreads = 4;
  std::vector<size_t> present(kThreads, 0);
  std::vector<uint64_t> counts(kThreads, 0);
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        std::vector<uint64_t> answers(CountingFilter::BitmapWords(members.size()));
        present[t] = shared.Query(members, answers);
        for (const uint64_t member : members) present[t] += shared.MayContain(member) ? 1 : 0;
        counts[t] = shared.CountEstimate(members[0]);
      });
    }
  }
  for (size_t t = 0; t < kThreads; ++t) {
    CHECK(present[t] == 2 * members.size());
    CHECK(counts[t] >= 301);
  }
}

}  // namespace
}  // namespace trommel
