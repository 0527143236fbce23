// A look at all live buckets while time goes on, for statistics and copies.
#ifndef TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SURVEY_H_
#define TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SURVEY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/src/window/bucket_ring.h"

namespace trommel {

template <class Seen>
struct Survey {
  struct Bucket {
    uint64_t bucket;
    BucketStore* bucket_store;
    Seen seen;
  };
  uint64_t now = 0;
  uint64_t num_excess_keys_gone = 0;  // of buckets that are not among these
  std::vector<Bucket> buckets;        // ascending; the last one is the current one
};

// Calls visit(bucket_store) for every bucket of the ring, outside of grace periods. A bucket may
// leave the window while it is looked at, and its store be cleared; then it is left out. Buckets
// that come meanwhile are visited, too: the result is of one time.
template <class Seen, class Visit>
Survey<Seen> SurveyLive(BucketRing& ring, const Visit& visit) {
  constexpr int kRunningRounds = 3;  // then the clock waits for us, or we might follow it for ever
  std::map<uint64_t, Seen> seen;
  for (int round = 0;; ++round) {
    std::unique_lock<std::mutex> clock = ring.StopClock();
    const BucketList list = ring.List();
    std::vector<BucketList::Entry> unseen;
    for (const BucketList::Entry& entry : list.Entries()) {
      if (!seen.contains(entry.bucket)) unseen.push_back(entry);
    }
    const bool is_last = unseen.empty() || round == kRunningRounds;
    if (!is_last) clock.unlock();
    for (const BucketList::Entry& entry : unseen) {
      seen.emplace(entry.bucket, visit(*entry.bucket_store));
    }
    if (!is_last) continue;
    Survey<Seen> survey;
    survey.now = ring.Current().time;
    survey.num_excess_keys_gone = ring.num_excess_keys_gone();
    for (const BucketList::Entry& entry : list.Entries()) {
      survey.buckets.push_back(
          {entry.bucket, entry.bucket_store, std::move(seen.at(entry.bucket))});
    }
    return survey;
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_WINDOW_WINDOW_SURVEY_H_
