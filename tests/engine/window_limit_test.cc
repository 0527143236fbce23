// Windows with a limit of side memory: what expires makes space, and refusals do not depend on how
// a batch is cut. (What filters of all kinds promise within a limit: promises/kept_limits_test.cc.)
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "kernels/stamped_layout.h"
#include "support/catch.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel {
namespace {

constexpr uint64_t kSlots = kernels::kStampedSlots16;
constexpr uint64_t kLineEntries = 14;
// Of one group, in the order in which a sweep comes to them; and a block of another group.
constexpr uint64_t kGroup = 7;
constexpr uint64_t kFirst = kGroup * kernels::kGroupBlocks;
constexpr uint64_t kElsewhere = kFirst + kernels::kGroupBlocks;

// A window whose blocks share one limit.
class LimitedWindow {
 public:
  LimitedWindow() {
    REQUIRE(tests::SlotBitsOf(filter) == 16);
    REQUIRE(filter.geometry().shard_bits == 0);
    REQUIRE(filter.geometry().num_blocks > kElsewhere + kernels::kGroupBlocks);
  }

  // The digest of a fingerprint of a block.
  uint64_t DigestOf(uint64_t block_idx, uint64_t fingerprint) const {
    __extension__ using Wide = unsigned __int128;
    const uint64_t num_blocks = filter.geometry().num_blocks;
    const Wide place = Wide{block_idx} << 64 | Wide{fingerprint} << (64 - kernels::kStampedBits16);
    return static_cast<uint64_t>((place + num_blocks - 1) / num_blocks);
  }
  std::vector<uint64_t> Digests(uint64_t block_idx, uint64_t first, uint64_t count) const {
    std::vector<uint64_t> digests;
    for (uint64_t i = 0; i < count; ++i) digests.push_back(DigestOf(block_idx, first + i));
    return digests;
  }
  // Returns how many were inserted. Cut into batches of so many keys, a multiple of 64.
  uint64_t Insert(const std::vector<uint64_t>& digests, size_t batch_keys = 1 << 20) {
    std::vector<uint64_t> inserted(1 << 14);
    uint64_t num_inserted = 0;
    for (size_t first = 0; first < digests.size(); first += batch_keys) {
      const auto batch = std::span(digests).subspan(first);
      const Keys keys = Keys::Digests(batch.first(std::min(batch_keys, batch.size())));
      const auto bits = std::span(inserted).first(BitmapWords(keys.size()));
      num_inserted += filter.Insert(keys, bits).num_inserted;
    }
    return num_inserted;
  }
  // Takes all space that is left, by second copies of keys of kElsewhere and the blocks behind it.
  void FillUp() {
    for (uint64_t block_idx = kElsewhere; block_idx < kElsewhere + 20; ++block_idx) {
      const std::vector<uint64_t> digests = Digests(block_idx, 100, 20);
      REQUIRE(Insert(digests) == digests.size());
      if (Insert(digests) < digests.size()) return;
    }
    FAIL("the limit leaves too much space");
  }

  WindowFilter filter = std::move(WindowFilter::Create({.window = 8,
                                                        .num_buckets = 8,
                                                        .capacity = 20'000,
                                                        .digest = {.kind = DigestKind::kCaller},
                                                        .side_memory_limit_bytes = 6000}))
                            .value();
};

TEST_CASE("live keys return to slots of expired ones before a window refuses a key",
          "[engine][window][side_limit]") {
  LimitedWindow window;
  // Slots and line are full of keys of the first bucket when others come, which need entries.
  REQUIRE(window.Insert(window.Digests(kFirst, 1, kSlots + kLineEntries)) == kSlots + kLineEntries);
  const std::vector<uint64_t> other = window.Digests(kElsewhere - 1, 1, 1);
  window.filter.Advance(5);
  REQUIRE(window.Insert(other) == 1);
  REQUIRE(window.Insert(window.Digests(kFirst, 100, 10)) == 10);
  window.FillUp();
  REQUIRE(window.Insert(other) == 0);
  window.filter.Advance(9);
  const uint64_t num_refused = window.filter.GetStats().num_without_space;
  CHECK(window.Insert(other) == 1);
  CHECK(window.filter.GetStats().num_without_space == num_refused);
  CHECK(window.filter.GetStats().slots.undecided_share == 0);
}

// The line that expires can be that of either of two blocks. Which of them takes it decides how
// many entries are free afterwards: one has two copies of each key.
TEST_CASE("what a window refuses does not depend on how a batch is cut",
          "[engine][window][side_limit]") {
  std::vector<std::vector<std::byte>> bytes;
  for (const size_t batch_keys : {size_t{1} << 20, size_t{64}}) {
    LimitedWindow window;
    const uint64_t block_of_line = kFirst + 9;
    const uint64_t twice = kFirst + 1;
    const uint64_t once = kFirst + 2;
    window.Insert(window.Digests(block_of_line, 1, kSlots + kLineEntries));
    window.filter.Advance(5);
    window.Insert(window.Digests(twice, 1, kSlots + kLineEntries));
    window.Insert(window.Digests(twice, 1 + kSlots, kLineEntries));
    window.Insert(window.Digests(once, 1, kSlots + kLineEntries));
    const std::vector<uint64_t> copied = window.Digests(kElsewhere - 1, 1, kLineEntries);
    REQUIRE(window.Insert(copied) == copied.size());
    window.FillUp();
    window.filter.Advance(9);
    std::vector<uint64_t> batch;
    for (uint64_t b = 0; b < window.filter.geometry().num_blocks; ++b) {
      const bool is_apart = b / kernels::kGroupBlocks - kGroup < 2;
      const std::vector<uint64_t> some = window.Digests(b, 200, is_apart ? 0 : 16);
      batch.insert(batch.end(), some.begin(), some.end());
    }
    REQUIRE(batch.size() > 10'000);
    batch.push_back(window.DigestOf(once, 200));
    batch.insert(batch.end(), copied.begin(), copied.end());
    CHECK(window.Insert(batch, batch_keys) == batch.size() - 1);
    bytes.push_back(window.filter.Serialize());
  }
  CHECK((bytes[0] == bytes[1]));
}

}  // namespace
}  // namespace trommel
