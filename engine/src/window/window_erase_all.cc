// WindowFilter::EraseAll: the keys of each live bucket are looked up together, and if none is
// missing from any bucket, they are erased bucket by bucket.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <span>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/batches/erase_all.h"
#include "engine/src/keys/key_batches.h"
#include "engine/src/window/window_filter_impl.h"

namespace trommel {
namespace {

// The keys of a batch that were inserted into one bucket.
struct BucketShare {
  uint64_t time = 0;  // any tick of the bucket that has come
  std::vector<uint64_t> digests = {};
  Shortfalls shortfalls;
};

// The shares of a batch, by bucket.
class BucketShares {
 public:
  BucketShares(const TimeBuckets& times, uint64_t now, std::span<const uint64_t> inserted_at,
               Shortfalls::Kept kept)
      : times_(times),
        now_(now),
        current_(times_.BucketOf(now_)),
        inserted_at_(inserted_at),
        kept_(kept) {}

  // The share of the key's bucket, of an earlier key; null if the bucket is not live, or has none.
  BucketShare* Find(size_t key_idx) {
    const uint64_t time = TimeOf(key_idx);
    if (time > now_) return nullptr;
    const auto at = shares_.find(times_.BucketOf(time));
    return at == shares_.end() ? nullptr : &at->second;
  }
  // Returns false, and adds nothing, if the bucket is not live.
  bool Add(size_t key_idx, uint64_t digest) {
    const uint64_t time = TimeOf(key_idx);
    if (time > now_) return false;
    const uint64_t bucket = times_.BucketOf(time);
    if (!times_.IsLive(bucket, current_)) return false;
    const auto [at, is_new] =
        shares_.try_emplace(bucket, BucketShare{.time = time, .shortfalls = Shortfalls(kept_)});
    at->second.digests.push_back(digest);
    return true;
  }
  std::map<uint64_t, BucketShare>& all() { return shares_; }

 private:
  uint64_t TimeOf(size_t key_idx) const {
    return inserted_at_[inserted_at_.size() == 1 ? 0 : key_idx];
  }

  const TimeBuckets times_;
  const uint64_t now_;
  const uint64_t current_;
  const std::span<const uint64_t> inserted_at_;
  const Shortfalls::Kept kept_;
  std::map<uint64_t, BucketShare> shares_;  // as many as there are live buckets, at most
};

}  // namespace

EraseOutcome WindowFilter::Impl::EraseAll(Keys keys, std::span<const uint64_t> inserted_at,
                                          std::span<uint64_t> missing) {
  EraseOutcome outcome{.num_refused = keys.size()};
  if (is_erasable()) {
    outcome = EraseAllUncounted(keys, inserted_at, missing);
  } else if (!missing.empty()) {
    SetAllBits(keys, missing);
  }
  Count(outcome);
  return outcome;
}

EraseOutcome WindowFilter::Impl::EraseAllUncounted(Keys keys, std::span<const uint64_t> inserted_at,
                                                   std::span<uint64_t> missing) {
  const DigestPolicy& policy = settings.policy;
  BucketShares shares(settings.times, now(), inserted_at,
                      missing.empty() ? Shortfalls::Kept::kNumber : Shortfalls::Kept::kDigests);
  EraseOutcome outcome;
  ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    for (size_t i = 0; i < digests.size(); ++i) {
      if (!shares.Add(first + i, digests[i])) outcome.num_expired += 1;
    }
  });
  for (auto& [bucket, share] : shares.all()) {
    std::ranges::sort(share.digests);
    // Of one that has expired by now nothing is missing: Erase, too, says that it has.
    const bool is_live = FindMissing(share.digests, share.time, share.shortfalls);
    if (!is_live) share.shortfalls = Shortfalls(Shortfalls::Kept::kDigests);
    outcome.num_refused += share.shortfalls.num_missing();
    share.shortfalls.BeginTelling();
  }
  if (outcome.num_refused != 0) {
    ForEachChunk(policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
      for (size_t i = 0; i < digests.size() && !missing.empty(); ++i) {
        BucketShare* const share = shares.Find(first + i);
        const uint64_t is_missing{share != nullptr && share->shortfalls.IsNextMissing(digests[i])};
        missing[(first + i) / 64] |= is_missing << (first + i) % 64;
      }
    });
    return outcome;
  }
  for (const auto& [bucket, share] : shares.all()) {
    const EraseOutcome of_bucket = EraseUncounted(Keys::Digests(share.digests), share.time, {});
    outcome.num_erased += of_bucket.num_erased;
    outcome.num_refused += of_bucket.num_refused;
    outcome.num_expired += of_bucket.num_expired;
  }
  return outcome;
}

Result<EraseOutcome> WindowFilter::EraseAll(Keys keys, std::span<const uint64_t> inserted_at,
                                            std::span<uint64_t> missing) try {
  TROMMEL_CHECK(inserted_at.size() == keys.size() || inserted_at.size() == 1,
                "times of another number of keys");
  if (!missing.empty()) CheckBitmap(keys, missing);
  TROMMEL_CHECK(!ShareBytes(std::as_bytes(inserted_at), std::as_bytes(missing)),
                "the bitmap overlaps the times");
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::ranges::fill(missing, 0);
  return impl_->EraseAll(keys, inserted_at, missing);
} catch (const std::bad_alloc&) {
  return OutOfMemoryError(kNoMemoryForDigests);
}

}  // namespace trommel
