// Queries of batches: by threads as by one, key by key.
#include "engine/src/batches/query_batch.h"

#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "support/random_keys.h"
#include "support/shapes.h"
#include "support/ways.h"

namespace trommel {
namespace {

TEST_CASE("a batch is answered by many threads as by one, key by key",
          "[engine][query_batch][threads]") {
  const size_t batch = GENERATE(size_t{0}, 1, 16'384, 16'385, 100'003);
  // Crowded, so that some counts are those of promoted blocks.
  const auto shape = GENERATE(kernels::Shape(8), kernels::Shape(5, true), kernels::Shape(10, true));
  const Geometry geometry = tests::GeometryOf(shape, 2048, /*shard_bits=*/4);
  tests::WayStore store({Route::kDirect, 0, false}, geometry);
  const std::vector<uint64_t> members = tests::MemberKeys(50'000, 1);
  store.Apply(Update::kInsert, members, {});
  std::vector<uint64_t> queried = tests::MemberKeys(batch, 1);
  for (size_t i = 0; i < batch; i += 2) queried[i] = ~queried[i];  // non-members, most of them

  std::vector<uint64_t> want((batch + 63) / 64);
  std::vector<uint32_t> want_absent;
  std::vector<uint64_t> want_counts;
  size_t num_present = 0;
  for (size_t i = 0; i < batch; ++i) {
    const uint64_t digest = store.policy(queried[i]);
    const bool answer = store.store.MayContain(digest);
    want[i / 64] |= uint64_t{answer} << (i % 64);
    num_present += answer ? 1 : 0;
    if (!answer) want_absent.push_back(static_cast<uint32_t>(i));
    want_counts.push_back(store.store.CountEstimate(digest));
  }
  RangeLocks locks(2);
  for (const uint32_t num_threads : {0, 1, 2, 3, 8}) {
    INFO(num_threads << " threads, " << batch << " keys");
    const auto executor = num_threads == 0 ? nullptr : Executor::Create(num_threads).value();
    const BatchTarget target{.store = store.store,
                             .policy = store.policy,
                             .executor = executor.get(),
                             .locks = num_threads == 2 ? &locks : nullptr};
    std::vector<uint64_t> answers(want.size(), ~uint64_t{0});
    CHECK(QueryBatch(target, queried, answers) == num_present);
    CHECK(answers == want);
    std::vector<uint32_t> selection(batch);
    selection.resize(SelectBatch(target, queried, /*maybe_present=*/false, selection));
    CHECK(selection == want_absent);
    std::vector<uint64_t> counts(batch);
    CountBatch(target, queried, counts);
    CHECK(counts == want_counts);
  }
}

}  // namespace
}  // namespace trommel
