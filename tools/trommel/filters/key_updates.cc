// Keys into and out of a filter of any type.
#include "tools/trommel/filters/key_updates.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/trommel/input/digest_gatherer.h"
#include "tools/trommel/output/number_text.h"
#include "trommel/keys.h"

namespace trommel::tool {
namespace {

// Bits [0, num_bits) of `from` to bits begin .. of `to`, which are zero.
void CopyBits(std::span<const uint64_t> from, size_t num_bits, size_t begin,
              std::span<uint64_t> to) {
  for (size_t i = 0; i < num_bits; ++i) {
    to[(begin + i) / 64] |= (from[i / 64] >> (i % 64) & 1) << ((begin + i) % 64);
  }
}

// Keys of buckets before the current one, until the clock goes on.
class LateKeys {
 public:
  void Add(uint64_t bucket, uint64_t digest, uint64_t time) {
    keys_.push_back({bucket, digest, time});
  }

  // Inserts all into their buckets, as far as these are live, one batch for each.
  void Insert(AnyFilter& filter, Applied& applied, WindowRate& rate) {
    std::ranges::stable_sort(keys_, {}, &LateKey::bucket);
    for (size_t begin = 0; begin < keys_.size();) {
      const LateKey& first = keys_[begin];
      digests_.clear();
      for (; begin < keys_.size() && keys_[begin].bucket == first.bucket; ++begin) {
        digests_.push_back(keys_[begin].digest);
      }
      const InsertOutcome outcome = *filter.InsertAt(Keys::Digests(digests_), first.time, {});
      applied.num_done += outcome.num_inserted;
      applied.num_late += outcome.num_inserted;
      applied.num_expired += outcome.num_refused;
      if (outcome.num_inserted > 0) rate.Add(outcome.num_inserted, first.bucket);
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

std::string AFilter(FilterType type) {
  return fmt::format("{} {} filter", type == FilterType::kAttributes ? "an" : "a",
                     FilterTypeName(type));
}

Error Unfit(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

}  // namespace

KeyUpdates::KeyUpdates(AnyFilter& filter) : filter_(filter) {
  if (filter.expires()) rate_.emplace(filter);
}

// Advances to now, or not at all where the filter's own time is later: then all keys are late. A
// batch without keys has no times, whatever clock its input has, and advances nothing.
void KeyUpdates::AdvanceToWallClock(size_t num_keys, Applied& applied) {
  if (!rate_ || num_keys == 0 || *filter_.Advance(WallClockTicks())) return;
  applied.num_late += num_keys;
  applied.late_are_current = true;
}

Applied KeyUpdates::Insert(Digests digests, Times times) {
  if (rate_ && !times.empty()) return InsertAtTimes(digests, times);
  Applied applied;
  AdvanceToWallClock(digests.size(), applied);
  applied += AppliedOf(*filter_.Insert(Keys::Digests(digests), {}, nullptr));
  if (rate_) rate_->Add(digests.size());
  return applied;
}

Applied KeyUpdates::InsertAtTimes(Digests digests, Times times) {
  Applied applied;
  LateKeys late;
  std::vector<uint64_t> current;
  const WindowBuckets& buckets = rate_->buckets();
  for (size_t begin = 0; begin < times.size();) {
    // Up to the next bucket.
    uint64_t now = std::max(filter_.now(), times[begin]);
    const uint64_t bucket = buckets.Of(now);
    size_t end = begin;
    current.clear();
    for (; end < times.size(); ++end) {
      const uint64_t its_bucket = buckets.Of(times[end]);
      if (its_bucket > bucket) break;
      now = std::max(now, times[end]);
      if (its_bucket == bucket) {
        current.push_back(digests[end]);
      } else {
        late.Add(its_bucket, digests[end], times[end]);
      }
    }
    (void)filter_.Advance(now);
    (void)filter_.Insert(Keys::Digests(current), {}, nullptr);
    applied.num_done += current.size();
    if (!current.empty()) rate_->Add(current.size());
    late.Insert(filter_, applied, *rate_);
    begin = end;
  }
  return applied;
}

Applied KeyUpdates::InsertIfAbsent(Digests digests, Times times, std::span<uint64_t> inserted) {
  Applied applied;
  if (!rate_ || times.empty()) {
    AdvanceToWallClock(digests.size(), applied);
    applied += AppliedOf(*filter_.InsertIfAbsent(Keys::Digests(digests), inserted, {}, {}));
    if (rate_) rate_->Add(applied.num_done);
    return applied;
  }
  std::ranges::fill(inserted, 0);
  applied.late_are_current = true;
  std::vector<uint64_t> bitmap;
  const WindowBuckets& buckets = rate_->buckets();
  // Runs of keys of one bucket. What is late is in the bucket of `now`, as is what follows, until
  // time goes on.
  for (size_t begin = 0; begin < times.size();) {
    uint64_t now = std::max(filter_.now(), times[begin]);
    const uint64_t bucket = buckets.Of(now);
    size_t end = begin;
    for (; end < times.size(); ++end) {
      const uint64_t its_bucket = buckets.Of(times[end]);
      if (its_bucket > bucket) break;
      applied.num_late += its_bucket < bucket ? 1 : 0;
      now = std::max(now, times[end]);
    }
    (void)filter_.Advance(now);
    bitmap.resize(BitmapWords(end - begin));
    const Keys keys = Keys::Digests(digests.subspan(begin, end - begin));
    const uint64_t num_inserted = filter_.InsertIfAbsent(keys, bitmap, {}, {})->num_inserted;
    applied.num_done += num_inserted;
    rate_->Add(num_inserted);
    CopyBits(bitmap, end - begin, begin, inserted);
    begin = end;
  }
  return applied;
}

Applied KeyUpdates::Erase(Digests digests, Times times) {
  if (rate_) return EraseAtTimes(digests, times);
  std::vector<uint64_t> erased(BitmapWords(digests.size()));
  return AppliedOf(*filter_.Erase(Keys::Digests(digests), erased), erased);
}

Applied KeyUpdates::EraseAtTimes(Digests digests, Times times) {
  Applied applied;
  std::vector<uint64_t> erased;
  const WindowBuckets& buckets = rate_->buckets();
  for (size_t begin = 0; begin < times.size();) {
    // Of one bucket, but of one side of now.
    const auto is_same = [&](uint64_t time) {
      return buckets.Of(time) == buckets.Of(times[begin]) &&
             (time > filter_.now()) == (times[begin] > filter_.now());
    };
    const auto rest = times.subspan(begin);
    const auto end =
        begin + static_cast<size_t>(std::ranges::find_if_not(rest, is_same) - rest.begin());
    // Inserting moves the clock, so no key of a later time was inserted.
    if (times[begin] > filter_.now()) {
      applied += {.num_refused = end - begin, .num_ahead = end - begin, .first_refused = size_t{0}};
      begin = end;
      continue;
    }
    erased.resize(BitmapWords(end - begin));
    const Keys keys = Keys::Digests(digests.subspan(begin, end - begin));
    applied += AppliedOf(*filter_.EraseAt(keys, times[begin], erased), erased);
    begin = end;
  }
  return applied;
}

size_t NumKeysToGather(const AnyFilter& filter) {
  return DigestGatherer::NumKeysFor(
      FigureOr<uint64_t>(filter.GetFigures(/*measured=*/false), "num_blocks", 0));
}

Status CheckTakesKeys(const AnyFilter& filter, std::string_view instead) {
  if (filter.takes_keys()) return Ok();
  return Unfit(fmt::format("this is {}, of rows of columns, not of keys: use trommel attr {}",
                           AFilter(filter.type()), instead));
}

Status CheckCanErase(const AnyFilter& filter, bool has_times) {
  if (!FigureOr(filter.GetFigures(false), "is_erasable", true)) {
    return Unfit("keys cannot be erased: this window filter was made with --no-erase");
  }
  if (!has_times && filter.expires()) {
    return Unfit(
        "a window filter erases a key at the time it was inserted: name the column of that time "
        "with --time");
  }
  return CheckTimes(filter, has_times);
}

Status CheckTimes(const AnyFilter& filter, bool has_times) {
  if (!has_times || filter.expires()) return Ok();
  return Unfit(fmt::format("--time is for window filters, and this is {}", AFilter(filter.type())));
}

}  // namespace trommel::tool
