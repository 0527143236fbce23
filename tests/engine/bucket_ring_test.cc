// Stores that go round: current, live, gone, cleared, current again.
#include "engine/src/window/bucket_ring.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "engine/src/window/time_buckets.h"
#include "support/catch.h"
#include "support/digests.h"

namespace trommel {
namespace {

// Of 4 owned ranges a store, so that clearing takes four steps.
std::vector<BlockStore> RingStores(size_t num_stores) {
  std::vector<BlockStore> stores;
  const Geometry geometry{
      .num_slices = 5, .encoding = Encoding::kRuns, .shard_bits = 2, .num_blocks = 16};
  for (size_t i = 0; i < num_stores; ++i) {
    stores.push_back(std::move(BlockStore::Create(geometry, 0)).value());
  }
  return stores;
}

// A ring of 3 buckets of 10 ticks, which clears an owned range for every 2 keys.
struct RingOfThree {
  RingOfThree() : ring({30, 3}, RingStores(5), {.expected = 16, .most = 20}) {}

  BucketStore& Current() { return *ring.List().Current().bucket_store; }
  void Fill(uint64_t num_keys) {
    BucketStore& current = Current();
    current.Touch();
    // One copy of many keys and many of a few: some blocks are promoted.
    std::vector<uint64_t> digests = tests::DrawnDigests(num_keys, num_keys, ring.Current().time);
    digests.insert(digests.end(), 100, digests[0]);
    current.store.Insert(digests);
    current.locks.Hold(0, current.locks.lock_bits()).AddKeys(digests.size());
  }
  uint64_t num_bytes() const { return ring.geometry().num_bytes(); }

  BucketRing ring;
};

void CheckEmpty(const BucketStore& bucket_store) {
  const BlockStore& store = bucket_store.store;
  CHECK_FALSE(bucket_store.is_touched());
  CHECK(bucket_store.locks.num_keys() == 0);
  CHECK(store.side_table().num_bytes() == 0);
  CHECK(std::ranges::all_of(store.counts().bytes(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST_CASE("every store that becomes current is empty, however time leaps", "[engine][ring]") {
  RingOfThree three;
  uint64_t now = 0;
  std::set<const BucketStore*> used;
  for (const uint64_t leap : {10, 10, 10, 10, 10, 20, 40, 10, 200, 10, 10, 30, 10, 0, 10}) {
    three.Fill(200);
    used.insert(&three.Current());
    now += leap;
    REQUIRE(three.ring.Advance(now));
    if (leap > 0) CheckEmpty(three.Current());
    const auto entries = three.ring.List().Entries();
    CHECK(entries.size() <= 4);
    CHECK(entries.back().bucket == now / 10);
    CHECK(std::ranges::all_of(entries, [&](const BucketList::Entry& entry) {
      return now / 10 - entry.bucket <= 3 && three.ring.List().Find(entry.bucket) != nullptr;
    }));
  }
  CHECK(used.size() <= 5);
}

TEST_CASE("what has left the window is cleared with the inserts that follow", "[engine][ring]") {
  RingOfThree three;
  for (const uint64_t now : {10, 20, 30}) {
    three.Fill(200);
    three.ring.Advance(now);
  }
  const BucketStore* first = three.ring.List().Entries()[0].bucket_store;
  three.Fill(200);
  CHECK(three.ring.num_uncleared_bytes() == 0);
  three.ring.Advance(40);  // clears one of four parts
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 3 / 4);
  CHECK(three.ring.List().Find(0) == nullptr);
  three.ring.ClearShare(1);  // half a part: owed
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 3 / 4);
  three.ring.ClearShare(1);
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 2 / 4);
  three.ring.Advance(45);
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 1 / 4);
  three.ring.ClearShare(1'000);
  CHECK(three.ring.num_uncleared_bytes() == 0);
  CheckEmpty(*first);
  // A leap over everything leaves all of it to be cleared.
  three.Fill(200);
  three.ring.Advance(1000);
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 4 - three.num_bytes() / 4);
}

TEST_CASE("a share that finds the clock taken is done by the next one", "[engine][ring][threads]") {
  RingOfThree three;
  for (const uint64_t now : {10, 20, 30, 40}) {
    three.Fill(200);
    three.ring.Advance(now);
  }
  REQUIRE(three.ring.num_uncleared_bytes() == three.num_bytes() * 3 / 4);
  {
    const auto stopped = three.ring.StopClock();
    std::thread([&] { three.ring.ClearShare(3); }).join();
  }
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 3 / 4);
  three.ring.ClearShare(1);  // half a part, and one and a half that are owed
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 1 / 4);
}

TEST_CASE("what is owed when all is cleared is forgotten", "[engine][ring]") {
  RingOfThree three;
  for (const uint64_t now : {10, 20, 30, 40}) {
    three.Fill(200);
    three.ring.Advance(now);
  }
  three.ring.ClearShare(7);  // three parts and a half
  REQUIRE(three.ring.num_uncleared_bytes() == 0);
  three.Fill(200);
  three.ring.Advance(50);
  three.ring.ClearShare(1);
  CHECK(three.ring.num_uncleared_bytes() == three.num_bytes() * 3 / 4);
}

TEST_CASE("a bucket that took no keys is not cleared", "[engine][ring]") {
  RingOfThree three;
  for (uint64_t now = 0; now < 500; now += 7) {
    three.ring.Advance(now);
    CHECK(three.ring.num_uncleared_bytes() == 0);
  }
}

TEST_CASE("nothing of a bucket goes while a reader of it is inside", "[engine][ring][threads]") {
  RingOfThree three;
  three.Fill(200);
  const BlockStore& store = three.Current().store;
  const uint64_t num_present = store.Tally().num_present;
  std::atomic<bool> has_advanced{false};
  std::thread clock;
  {
    const GracePeriods::Reader reader = three.ring.Enter();
    const BucketList& list = three.ring.List();
    clock = std::thread([&] {
      three.ring.Advance(100);
      has_advanced = true;
    });
    while (&three.ring.List() == &list) std::this_thread::yield();
    // Unpublished, and time goes on; but the store is whole, and Advance waits.
    CHECK(three.ring.Current().time == 100);
    CHECK(list.Current().bucket == 0);
    CHECK(store.Tally().num_present == num_present);
    CHECK_FALSE(has_advanced);
  }
  clock.join();
  three.ring.ClearShare(1000);
  CHECK(store.Tally().num_present == 0);
}

TEST_CASE("buckets that were passed over can be had afterwards", "[engine][ring]") {
  RingOfThree three;
  three.ring.Advance(5);
  three.ring.Advance(35);
  BucketStore& second = three.ring.Obtain(1);
  CHECK(&three.ring.Obtain(1) == &second);
  CHECK(three.ring.List().Find(1) == &second);
  const auto entries = three.ring.List().Entries();
  CHECK(std::ranges::is_sorted(entries, {}, &BucketList::Entry::bucket));
  CHECK(entries.size() == 3);
  CHECK(entries.back().bucket == 3);
}

TEST_CASE("a cleared ring is as new but for the time", "[engine][ring]") {
  RingOfThree three;
  for (const uint64_t now : {10, 20, 30, 70}) {
    three.Fill(200);
    three.ring.Advance(now);
  }
  three.Fill(200);
  three.ring.Clear();
  CHECK(three.ring.num_uncleared_bytes() == 0);
  CHECK(three.ring.Current().time == 70);
  for (const BucketList::Entry& entry : three.ring.List().Entries()) {
    CheckEmpty(*entry.bucket_store);
  }
}

constexpr uint64_t kEnd = std::numeric_limits<uint64_t>::max();

// Of all pairs of ticks of a stretch: exact at both edges of the guarantee.
void CheckPairs(const TimeBuckets& times, uint64_t from, uint64_t num_ticks) {
  const uint64_t width = times.LongestTicks();
  for (uint64_t t = from; t - from < num_ticks && t >= from; ++t) {
    for (uint64_t age = 0; age <= times.window + 2 * width + 1 && age <= kEnd - t; ++age) {
      const bool is_live = times.IsLive(times.BucketOf(t), times.BucketOf(t + age));
      if (age < times.window && !is_live) {
        FAIL(t << " is gone after " << age << " of " << times.window << " ticks in "
               << times.num_buckets << " buckets");
      }
      if (age >= times.window + width && is_live) {
        FAIL(t << " is live after " << age << " of " << times.window << " ticks in "
               << times.num_buckets << " buckets");
      }
    }
    if (t == kEnd) break;
  }
}

TEST_CASE("keys live for the window and not for a bucket more", "[engine][window]") {
  for (uint64_t window = 1; window <= 24; ++window) {
    for (uint32_t num_buckets = 1; num_buckets <= window; ++num_buckets) {
      const TimeBuckets times{window, num_buckets};
      CheckPairs(times, 0, 2 * window + 1);
      CheckPairs(times, (uint64_t{1} << 40) - window, 2 * window);
      CheckPairs(times, kEnd - 3 * window, 3 * window + 1);
    }
  }
  SUCCEED("all pairs hold");
}

TEST_CASE("buckets follow each other without gaps and differ by one tick at most",
          "[engine][window]") {
  for (uint64_t window = 1; window <= 100; window += 3) {
    for (uint32_t num_buckets = 1; num_buckets <= window && num_buckets <= 64; ++num_buckets) {
      const TimeBuckets times{window, num_buckets};
      for (const uint64_t first : {uint64_t{0}, times.BucketOf(kEnd) - 2 * num_buckets}) {
        for (uint64_t b = first; b < first + 2 * num_buckets; ++b) {
          const uint64_t length = times.LastTick(b) - times.FirstTick(b) + 1;
          REQUIRE(times.FirstTick(b + 1) == times.LastTick(b) + 1);
          REQUIRE((length == times.LongestTicks() || length + 1 == times.LongestTicks()));
          REQUIRE(times.BucketOf(times.FirstTick(b)) == b);
          REQUIRE(times.BucketOf(times.LastTick(b)) == b);
        }
        // num_buckets of them are the window.
        REQUIRE(times.FirstTick(first + num_buckets) - times.FirstTick(first) == window);
      }
    }
  }
}

TEST_CASE("time ends within a bucket", "[engine][window]") {
  for (const uint64_t window : {uint64_t{1}, uint64_t{7}, uint64_t{1} << 63, kEnd}) {
    const TimeBuckets times{window, static_cast<uint32_t>(window < 64 ? window : 64)};
    const uint64_t last = times.BucketOf(kEnd);
    CHECK(times.FirstTick(last) <= kEnd);
    CHECK(times.LastTick(last) == kEnd);
    CHECK(times.LastTick(0) < window);
    CHECK(times.IsLive(0, times.BucketOf(window - 1)));
  }
}

}  // namespace
}  // namespace trommel
