// Digests in large batches: all of them, once, in order.
#include "tools/trommel/digest_gatherer.h"

#include <span>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("digests are handed on in order, enough at a time", "[tools][digest_gatherer]") {
  std::vector<std::vector<uint64_t>> applied;
  DigestGatherer gatherer(
      4, [&applied](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
        CHECK(times.empty());
        applied.emplace_back(digests.begin(), digests.end());
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
  CHECK(DigestGatherer::NumKeysFor(1) == size_t{1} << 16);
  CHECK(DigestGatherer::NumKeysFor(100'000) == 100'000);
  CHECK(DigestGatherer::NumKeysFor(uint64_t{1} << 40) == size_t{1} << 22);
}

}  // namespace
}  // namespace trommel::tool
