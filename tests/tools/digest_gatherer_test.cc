// Digests in large batches: all of them, once, in order.
#include "tools/trommel/digest_gatherer.h"

#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("digests are handed on in order, enough at a time", "[tools][digest_gatherer]") {
  std::vector<std::vector<uint64_t>> applied;
  DigestGatherer gatherer(4, [&applied](Keys keys) {
    REQUIRE(keys.kind() == KeyKind::kDigests);
    const auto* digests = static_cast<const uint64_t*>(keys.data());
    applied.emplace_back(digests, digests + keys.size());
  });
  KeyBatch batch;
  const auto add = [&](std::vector<uint64_t> digests, bool is_idle) {
    batch.digests = std::move(digests);
    batch.piece.is_input_idle = is_idle;
    gatherer.Add(batch);
  };
  add({1, 2, 3}, false);
  CHECK(applied.empty());
  add({4, 5}, false);
  add({}, true);
  add({6}, true);
  add({7}, false);
  CHECK(applied == std::vector<std::vector<uint64_t>>{{1, 2, 3, 4, 5}, {6}});
  gatherer.Flush();
  gatherer.Flush();
  CHECK(applied == std::vector<std::vector<uint64_t>>{{1, 2, 3, 4, 5}, {6}, {7}});
}

TEST_CASE("larger filters are given more digests at a time, within limits",
          "[tools][digest_gatherer]") {
  const auto num_keys_for = [](uint64_t capacity) {
    Config config;
    config.capacity = capacity;
    const Result<CountingFilter> filter = CountingFilter::Create(config);
    REQUIRE(filter.ok());
    return DigestGatherer::NumKeysFor(*filter);
  };
  CHECK(num_keys_for(1) == size_t{1} << 16);
  CHECK(num_keys_for(4000000) > size_t{1} << 16);
  CHECK(num_keys_for(4000000) < size_t{1} << 22);
}

}  // namespace
}  // namespace trommel::tool
