// Keys with times: runs of one bucket.
#include "tools/trommel/filters/window_keys.h"

#include <algorithm>
#include <vector>

#include "tools/trommel/filters/key_figures.h"
#include "tools/trommel/output/time_text.h"
#include "trommel/counting_filter.h"
#include "trommel/keys.h"
#include "trommel/sizing.h"

namespace trommel::tool {
namespace {

// Advances to now, or not at all where the filter's own time is later: then all keys are late. A
// batch without keys has no times, whatever clock its input has, and advances nothing.
void AdvanceToWallClock(WindowFilter& filter, size_t num_keys, Applied& applied) {
  if (num_keys == 0) return;
  if (filter.Advance(WallClockTicks())) return;
  applied.num_late += num_keys;
  applied.late_are_current = true;
}

// Calls apply(begin, end, time) for runs of keys of one bucket; time is the latest of theirs. What
// is late is in the bucket of `now`, as is what follows, until time goes on.
template <class Apply>
void ForRunsOfNow(WindowFilter& filter, std::span<const uint64_t> times, Applied& applied,
                  const Apply& apply) {
  for (size_t begin = 0; begin < times.size();) {
    uint64_t now = std::max(filter.now(), times[begin]);
    const uint64_t bucket = BucketOf(filter, now);
    size_t end = begin;
    for (; end < times.size(); ++end) {
      const uint64_t its_bucket = BucketOf(filter, times[end]);
      if (its_bucket > bucket) break;
      applied.num_late += its_bucket < bucket ? 1 : 0;
      now = std::max(now, times[end]);
    }
    filter.Advance(now);
    apply(begin, end);
    begin = end;
  }
}

// Bits [0, num_bits) of `from` to bits begin .. of `to`, which are zero.
void CopyBits(std::span<const uint64_t> from, size_t num_bits, size_t begin,
              std::span<uint64_t> to) {
  for (size_t i = 0; i < num_bits; ++i) {
    to[(begin + i) / 64] |= (from[i / 64] >> (i % 64) & 1) << ((begin + i) % 64);
  }
}

}  // namespace

uint64_t BucketOf(const WindowFilter& filter, uint64_t tick) {
  const uint64_t num_buckets = filter.num_buckets();
  const uint64_t whole = filter.window() / num_buckets;
  const uint64_t rest = filter.window() % num_buckets;
  // ceil(bucket * window / num_buckets), where the product would not always fit.
  const auto first_tick = [&](uint64_t bucket) {
    return bucket * whole + (bucket * rest + num_buckets - 1) / num_buckets;
  };
  const uint64_t in_window = tick % filter.window();
  uint64_t bucket = in_window / filter.bucket_ticks();  // or a later one: most are shorter
  while (bucket + 1 < num_buckets && first_tick(bucket + 1) <= in_window) ++bucket;
  return tick / filter.window() * num_buckets + bucket;
}

WindowRate::WindowRate(const WindowFilter& filter) {
  for (const WindowBucket& bucket : filter.GetStats().buckets) {
    buckets_.push_back({BucketOf(filter, bucket.first_tick), bucket.num_keys});
  }
}

WindowRate::Bucket& WindowRate::At(uint64_t bucket) {
  const auto place = std::ranges::lower_bound(buckets_, bucket, {}, &Bucket::bucket);
  if (place != buckets_.end() && place->bucket == bucket) return *place;
  return *buckets_.insert(place, {bucket, 0});
}

double WindowRate::FprWith(const WindowFilter& filter, uint64_t keys_more) const {
  uint64_t num_keys = 0;
  for (const Bucket& bucket : buckets_) num_keys += bucket.num_keys;
  return filter.PredictedFpr(std::min(num_keys, most_distinct_) + keys_more);
}

void WindowRate::Add(const WindowFilter& filter, uint64_t num_keys, uint64_t bucket) {
  const uint64_t present = BucketOf(filter, filter.now());
  while (!buckets_.empty() && present - buckets_.front().bucket > filter.num_buckets()) {
    buckets_.pop_front();
  }
  Bucket& into = At(bucket);

  // The midpoint rule over the added keys.
  constexpr uint64_t kMaxSteps = 16;
  const uint64_t num_steps = std::min(num_keys, kMaxSteps);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const double width = static_cast<double>(num_keys) / static_cast<double>(num_steps);
    const double middle = (static_cast<double>(step) + 0.5) * width;
    const double fpr = FprWith(filter, static_cast<uint64_t>(middle));
    // A filter that takes all for present ends the sum: nothing is found absent any more.
    if (fpr < 1) expected_wrongly_present_ += width * fpr / (1 - fpr);
  }

  into.num_keys += num_keys;
  most_distinct_ += num_keys;
  since_measured_ += num_keys;
  if (FprWith(filter, 0) > filter.target_fpr()) {
    if (since_measured_ < filter.geometry().num_blocks) return;
    since_measured_ = 0;
    most_distinct_ = FiguresOf(filter, filter.MeasureFill()).distinct.at_least;
  }
  highest_fpr_ = std::max(highest_fpr_, FprWith(filter, 0));
}

namespace {

// Keys of buckets before the current one, until the clock goes on.
class LateKeys {
 public:
  void Add(uint64_t bucket, uint64_t digest, uint64_t time) {
    keys_.push_back({bucket, digest, time});
  }

  // Inserts all into their buckets, as far as these are live, one batch for each.
  void Insert(WindowFilter& filter, Applied& applied, WindowRate& rate) {
    std::ranges::stable_sort(keys_, {}, &LateKey::bucket);
    for (size_t begin = 0; begin < keys_.size();) {
      const LateKey& first = keys_[begin];
      digests_.clear();
      for (; begin < keys_.size() && keys_[begin].bucket == first.bucket; ++begin) {
        digests_.push_back(keys_[begin].digest);
      }
      const WindowInsertOutcome outcome = filter.Insert(Keys::Digests(digests_), first.time);
      applied.num_done += outcome.num_inserted;
      applied.num_late += outcome.num_inserted;
      applied.num_expired += outcome.num_refused;
      if (outcome.num_inserted > 0) rate.Add(filter, outcome.num_inserted, first.bucket);
    }
    keys_.clear();
  }

 private:
  struct LateKey {
    uint64_t bucket;
    uint64_t digest;
    uint64_t time;
  };

  std::vector<LateKey> keys_;
  std::vector<uint64_t> digests_;
};

}  // namespace

Applied InsertAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                      std::span<const uint64_t> times, WindowRate& rate) {
  Applied applied;
  if (times.empty()) {
    AdvanceToWallClock(filter, digests.size(), applied);
    filter.Insert(Keys::Digests(digests));
    applied.num_done = digests.size();
    rate.Add(filter, digests.size());
    return applied;
  }
  LateKeys late;
  std::vector<uint64_t> current;
  for (size_t begin = 0; begin < times.size();) {
    // Up to the next bucket.
    uint64_t now = std::max(filter.now(), times[begin]);
    const uint64_t bucket = BucketOf(filter, now);
    size_t end = begin;
    current.clear();
    for (; end < times.size(); ++end) {
      const uint64_t its_bucket = BucketOf(filter, times[end]);
      if (its_bucket > bucket) break;
      now = std::max(now, times[end]);
      if (its_bucket == bucket) {
        current.push_back(digests[end]);
      } else {
        late.Add(its_bucket, digests[end], times[end]);
      }
    }
    filter.Advance(now);
    filter.Insert(Keys::Digests(current));
    applied.num_done += current.size();
    if (!current.empty()) rate.Add(filter, current.size());
    late.Insert(filter, applied, rate);
    begin = end;
  }
  return applied;
}

Applied InsertIfAbsentAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                              std::span<const uint64_t> times, std::span<uint64_t> inserted,
                              WindowRate& rate) {
  Applied applied;
  if (times.empty()) {
    AdvanceToWallClock(filter, digests.size(), applied);
    applied.num_done = filter.InsertIfAbsent(Keys::Digests(digests), inserted);
    rate.Add(filter, applied.num_done);
    return applied;
  }
  std::ranges::fill(inserted, 0);
  applied.late_are_current = true;
  std::vector<uint64_t> bitmap;
  ForRunsOfNow(filter, times, applied, [&](size_t begin, size_t end) {
    bitmap.resize(CountingFilter::BitmapWords(end - begin));
    const size_t num_inserted =
        filter.InsertIfAbsent(Keys::Digests(digests.subspan(begin, end - begin)), bitmap);
    applied.num_done += num_inserted;
    rate.Add(filter, num_inserted);
    CopyBits(bitmap, end - begin, begin, inserted);
  });
  return applied;
}

Applied EraseAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times) {
  Applied applied;
  std::vector<uint64_t> erased;
  for (size_t begin = 0; begin < times.size();) {
    // Of one bucket, but of one side of now.
    const auto is_same = [&](uint64_t time) {
      return BucketOf(filter, time) == BucketOf(filter, times[begin]) &&
             (time > filter.now()) == (times[begin] > filter.now());
    };
    const auto rest = times.subspan(begin);
    const auto end =
        begin + static_cast<size_t>(std::ranges::find_if_not(rest, is_same) - rest.begin());
    // Inserting moves the clock, so no key of a later time was inserted.
    if (times[begin] > filter.now()) {
      applied += {.num_refused = end - begin, .num_ahead = end - begin, .first_refused = size_t{0}};
      begin = end;
      continue;
    }
    erased.resize(BitmapWords(end - begin));
    const WindowEraseOutcome outcome =
        filter.Erase(Keys::Digests(digests.subspan(begin, end - begin)), times[begin], erased);
    Applied of_bucket = AppliedOf(EraseOutcome{outcome.num_erased, outcome.num_refused}, erased);
    of_bucket.num_expired = outcome.num_expired;
    applied += of_bucket;
    begin = end;
  }
  return applied;
}

}  // namespace trommel::tool
