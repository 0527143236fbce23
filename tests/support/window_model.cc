#include "support/window_model.h"

#include <algorithm>
#include <bit>

namespace trommel::tests {

WindowModel::WindowModel(const WindowProgram& program, const Geometry& geometry)
    : window_(program.config.window),
      num_buckets_(program.config.num_buckets),
      is_erasable_(program.config.is_erasable),
      geometry_(geometry) {
  for (Window& window : windows_) window.now = program.start;
}

uint64_t WindowModel::BucketAt(uint64_t tick) const {
  // Whole windows first, then the remainder: no product needs more than 64 bits here.
  return tick / window_ * num_buckets_ + tick % window_ * num_buckets_ / window_;
}

uint64_t WindowModel::FirstLive(const Window& window) const {
  const uint64_t current = BucketAt(window.now);
  return current > num_buckets_ ? current - num_buckets_ : 0;
}

bool WindowModel::IsLive(const Window& window, uint64_t time) const {
  return time <= window.now && BucketAt(time) >= FirstLive(window);
}

// The definition: the 128-bit product of digest and blocks, whose low half begins with the
// fingerprint.
WindowModel::Place WindowModel::PlaceOf(uint64_t digest) const {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{digest} * geometry_.num_blocks;
  const auto low = static_cast<uint64_t>(product);
  const uint64_t fingerprint = low >> (64 - geometry_.fingerprint_bits);
  return {static_cast<uint64_t>(product >> 64), fingerprint == 0 ? 1 : fingerprint};
}

void WindowModel::Add(Window& window, const Place& place, uint64_t bucket, uint64_t count) const {
  Copies& copies = window.copies[place];
  if (is_erasable_) {
    copies[bucket] += count;
    return;
  }
  const uint64_t youngest = copies.empty() ? bucket : std::max(bucket, copies.begin()->first);
  copies = {{youngest, 1}};
}

bool WindowModel::Advance(size_t which, uint64_t now) {
  if (now < windows_[which].now) return false;
  windows_[which].now = now;
  return true;
}

uint64_t WindowModel::Insert(size_t which, Digests digests) {
  Window& window = windows_[which];
  InsertAt(which, digests, window.now);
  return window.now;
}

WindowInsertOutcome WindowModel::InsertAt(size_t which, Digests digests, uint64_t time) {
  Window& window = windows_[which];
  if (!IsLive(window, time)) return {.num_refused = digests.size()};
  for (const uint64_t digest : digests) Add(window, PlaceOf(digest), BucketAt(time), 1);
  window.num_keys[BucketAt(time)] += digests.size();
  return {.num_inserted = digests.size()};
}

Answers WindowModel::InsertIfAbsent(size_t which, Digests digests) {
  Window& window = windows_[which];
  Answers inserted;
  for (const uint64_t digest : digests) {
    const bool is_in = CountOf(window, digest) > 0;
    if (!is_in) {
      Add(window, PlaceOf(digest), BucketAt(window.now), 1);
      window.num_keys[BucketAt(window.now)] += 1;
    }
    inserted.push_back(is_in ? 0 : 1);
  }
  return inserted;
}

EraseOutcome WindowModel::Erase(size_t which, Digests digests, uint64_t inserted_at,
                                Answers& erased) {
  Window& window = windows_[which];
  erased.assign(digests.size(), 0);
  if (!is_erasable_) return {.num_refused = digests.size()};
  if (!IsLive(window, inserted_at)) return {.num_expired = digests.size()};
  EraseOutcome outcome;
  const uint64_t bucket = BucketAt(inserted_at);
  for (size_t i = 0; i < digests.size(); ++i) {
    Copies& copies = window.copies[PlaceOf(digests[i])];
    const auto at = copies.find(bucket);
    if (at == copies.end()) continue;
    if (--at->second == 0) copies.erase(at);
    erased[i] = 1;
    outcome.num_erased += 1;
  }
  outcome.num_refused = digests.size() - outcome.num_erased;
  window.num_keys[bucket] -= outcome.num_erased;
  return outcome;
}

void WindowModel::Merge(size_t which) {
  Window& into = windows_[which];
  const Window& from = windows_[1 - which];
  for (const auto& [place, copies] : from.copies) {
    for (const auto& [bucket, count] : copies) Add(into, place, bucket, count);
  }
  for (const auto& [bucket, count] : from.num_keys) into.num_keys[bucket] += count;
}

void WindowModel::Clear(size_t which) {
  windows_[which].copies.clear();
  windows_[which].num_keys.clear();
}

uint64_t WindowModel::CountOf(const Window& window, uint64_t digest) const {
  const auto at = window.copies.find(PlaceOf(digest));
  if (at == window.copies.end()) return 0;
  uint64_t count = 0;
  for (const auto& [bucket, copies] : at->second) {
    if (bucket >= FirstLive(window)) count += copies;
  }
  return count;
}

Answers WindowModel::Query(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) {
    answers.push_back(CountOf(windows_[which], digest) > 0 ? 1 : 0);
  }
  return answers;
}

std::vector<uint64_t> WindowModel::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) counts.push_back(CountOf(windows_[which], digest));
  return counts;
}

uint64_t WindowModel::NumKeys(size_t which) {
  const Window& window = windows_[which];
  uint64_t num_keys = 0;
  for (const auto& [bucket, count] : window.num_keys) {
    if (bucket >= FirstLive(window)) num_keys += count;
  }
  return num_keys;
}

}  // namespace trommel::tests
