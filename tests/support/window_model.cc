// The model of a window filter: a table of counters a bucket, and no expiry but in the looking.
#include "support/shapes.h"
#include "support/window_subject.h"

namespace trommel::tests {

WindowModel::WindowModel(const WindowProgram& program, const Geometry& geometry)
    : window_(program.config.window),
      num_buckets_(program.config.num_buckets),
      empty_(geometry.num_blocks, ShapeOf(geometry)) {
  for (Window& window : windows_) window.now = program.start;
}

uint64_t WindowModel::BucketAt(uint64_t tick) const {
  // Whole windows first, then the remainder: no product needs more than 64 bits here.
  return tick / window_ * num_buckets_ + tick % window_ * num_buckets_ / window_;
}

template <class Look>
void WindowModel::ForEachLive(size_t which, const Look& look) {
  const uint64_t current = BucketAt(windows_[which].now);
  const uint64_t oldest = current > num_buckets_ ? current - num_buckets_ : 0;
  auto& buckets = windows_[which].buckets;
  for (auto it = buckets.lower_bound(oldest); it != buckets.end(); ++it) look(it->second);
}

WindowModel::Bucket& WindowModel::Current(size_t which) {
  const uint64_t current = BucketAt(windows_[which].now);
  return windows_[which].buckets.try_emplace(current, Bucket{empty_}).first->second;
}

bool WindowModel::Advance(size_t which, uint64_t now) {
  if (now < windows_[which].now) return false;
  windows_[which].now = now;
  return true;
}

uint64_t WindowModel::Insert(size_t which, Digests digests) {
  Bucket& current = Current(which);
  for (const uint64_t digest : digests) current.filter.Insert(digest);
  current.num_keys += digests.size();
  return windows_[which].now;
}

WindowAnswers WindowModel::InsertIfAbsent(size_t which, Digests digests) {
  Bucket& current = Current(which);
  WindowAnswers inserted;
  for (const uint64_t digest : digests) {
    bool is_in = false;
    ForEachLive(which, [&](Bucket& bucket) { is_in |= bucket.filter.MayContain(digest); });
    if (!is_in) {
      current.filter.Insert(digest);
      current.num_keys += 1;
    }
    inserted.push_back(is_in ? 0 : 1);
  }
  return inserted;
}

WindowEraseOutcome WindowModel::Erase(size_t which, Digests digests, uint64_t inserted_at,
                                      WindowAnswers& erased) {
  Window& window = windows_[which];
  erased.assign(digests.size(), 0);
  const uint64_t bucket_idx = BucketAt(inserted_at);
  const uint64_t current = BucketAt(window.now);
  if (inserted_at > window.now || current - bucket_idx > num_buckets_) {
    return {.num_expired = digests.size()};
  }
  const auto found = window.buckets.find(bucket_idx);
  if (found == window.buckets.end()) return {.num_refused = digests.size()};
  WindowEraseOutcome outcome;
  for (size_t i = 0; i < digests.size(); ++i) {
    erased[i] = found->second.filter.Erase(digests[i]) ? 1 : 0;
    outcome.num_erased += erased[i];
  }
  outcome.num_refused = digests.size() - outcome.num_erased;
  found->second.num_keys -= outcome.num_erased;
  return outcome;
}

void WindowModel::Merge(size_t which) {
  for (const auto& [bucket_idx, from] : windows_[1 - which].buckets) {
    Bucket& into = windows_[which].buckets.try_emplace(bucket_idx, Bucket{empty_}).first->second;
    into.filter.Merge(from.filter);
    into.num_keys += from.num_keys;
  }
}

void WindowModel::Clear(size_t which) { windows_[which].buckets.clear(); }

WindowAnswers WindowModel::Query(size_t which, Digests digests) {
  WindowAnswers answers;
  for (const uint64_t digest : digests) {
    bool is_in = false;
    ForEachLive(which, [&](Bucket& bucket) { is_in |= bucket.filter.MayContain(digest); });
    answers.push_back(is_in ? 1 : 0);
  }
  return answers;
}

std::vector<uint64_t> WindowModel::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) {
    counts.push_back(0);
    ForEachLive(which, [&](Bucket& b) { counts.back() += b.filter.CountEstimate(digest); });
  }
  return counts;
}

uint64_t WindowModel::NumKeys(size_t which) {
  uint64_t num_keys = 0;
  ForEachLive(which, [&](Bucket& bucket) { num_keys += bucket.num_keys; });
  return num_keys;
}

}  // namespace trommel::tests
