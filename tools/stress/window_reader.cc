// What a window's readers ask, and how its time goes on.
#include "tools/stress/window_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>

namespace trommel::stress {

void WindowReader::Run() {
  const uint32_t audit_one_in = board_.plan.mix.audit_one_in;
  while (totals.num_all_keys() < 2 * board_.plan.keys_per_thread && !is_over()) {
    if (audit_one_in > 0 && random_.OneIn(audit_one_in)) {
      Audit();
    } else {
      Ask();
    }
  }
}

void WindowReader::Look() {
  seen_.clear();
  for (const uint32_t id : ids_) seen_.push_back(board_.claims[id].Look());
}

void WindowReader::Ask() {
  const Mix& mix = board_.plan.mix;
  uint32_t size = mix.min_batch + random_.SkewedBelow(mix.max_batch - mix.min_batch + 1);
  ids_.clear();
  for (; size > 0; --size) {
    const uint32_t own = board_.plan.is_skewed ? random_.SkewedBelow(mix.keys_per_writer)
                                               : random_.Below(mix.keys_per_writer);
    ids_.push_back(random_.Below(board_.plan.num_writers) * mix.keys_per_writer + own);
  }
  Look();
  const bool is_count = random_.OneIn(4);
  const std::span<const uint64_t> answers = is_count ? Counts(ids_) : Query(ids_, random_.OneIn(3));
  const uint64_t begun = board_.Begun();
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (is_count ? answers[i] > 0 : Bit(answers, i)) {
      totals.num_checked +=
          WindowClaim::IsKnown(seen_[i]) && board_.IsDue(WindowClaim::Tick(seen_[i]), begun);
    } else if (IsDue(i, begun)) {
      Blame(Law::kWithinWindow, ids_[i],
            fmt::format("absent before {}: inserted at {}, the window is {}", begun,
                        WindowClaim::Tick(seen_[i]), board_.span.window));
    }
  }
}

void WindowReader::Audit() {
  ids_.resize(board_.plan.num_private());
  for (uint32_t id = 0; id < ids_.size(); ++id) ids_[id] = id;
  Look();
  const uint64_t num_keys = board_.filter.num_keys();
  const WindowStats stats = board_.filter.GetStats();
  const uint64_t before = board_.filter.now();
  std::vector<std::byte> bytes;
  try {
    bytes = board_.filter.Serialize();
  } catch (const std::bad_alloc&) {  // the machine's fault: there is nothing to look at
  }
  const uint64_t after = board_.Begun();
  uint64_t num_due = 0;
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!IsDue(i, after)) seen_[i] = 0;
    num_due += WindowClaim::IsKnown(seen_[i]);
  }
  ++totals.num_audits;
  if (num_keys < num_due || stats.num_keys < num_due) {
    Blame(Law::kWholeFilter, std::nullopt,
          fmt::format("num_keys {}, in the statistics {}, but {} were in all the while", num_keys,
                      stats.num_keys, num_due));
  }
  AuditStats(stats);
  if (!bytes.empty()) AuditSnapshot(bytes, before, after);
}

void WindowReader::AuditStats(const WindowStats& stats) {
  uint64_t sum = 0;
  bool is_sound = !stats.buckets.empty() && stats.buckets.size() <= board_.span.num_buckets + 1 &&
                  stats.current_fpr >= 0 && stats.current_fpr <= 1;
  uint64_t next = 0;  // tick that the next bucket may begin with
  for (const WindowBucket& bucket : stats.buckets) {
    is_sound = is_sound && bucket.first_tick >= next && bucket.last_tick >= bucket.first_tick &&
               bucket.stats.fill_ratio >= 0 && bucket.stats.fill_ratio <= 1;
    next = bucket.last_tick + 1;
    sum += bucket.stats.num_keys;
  }
  if (is_sound && sum == stats.num_keys) return;
  Blame(Law::kWholeFilter, std::nullopt,
        fmt::format("statistics of {} buckets at {}: {} keys, their sum is {}",
                    stats.buckets.size(), stats.now, stats.num_keys, sum));
}

void WindowReader::AuditSnapshot(const std::vector<std::byte>& bytes, uint64_t before,
                                 uint64_t after) {
  const Result<WindowFilter> loaded = WindowFilter::Deserialize(bytes);
  if (!loaded.ok()) {
    return Blame(Law::kWholeFilter, std::nullopt,
                 fmt::format("a snapshot does not load: {}", loaded.error().message));
  }
  if (loaded->now() < before || loaded->now() > after) {
    Blame(Law::kTimeAsTold, std::nullopt,
          fmt::format("a snapshot of {}, taken from {} to {}", loaded->now(), before, after));
  }
  std::vector<uint64_t> present(CountingFilter::BitmapWords(ids_.size()));
  loaded->Query(batch_.Gather(ids_), present);
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!WindowClaim::IsKnown(seen_[i])) continue;
    ++totals.num_checked;
    if (Bit(present, i)) continue;
    Blame(Law::kWholeFilter, ids_[i],
          fmt::format("not in a snapshot of {}: inserted at {}, the window is {}", loaded->now(),
                      WindowClaim::Tick(seen_[i]), board_.span.window));
  }
}

Ticker::Ticker(WindowBoard& board)
    : Witness(board, kTickerThread),
      board_(board),
      random_(board.plan.RandomOf(board.plan.num_threads())),
      most_calls_(1u << random_.Below(6)) {}

void Ticker::Run() {
  const auto is_alone = [&] { return board_.num_finished.load() == board_.plan.num_threads(); };
  while (!is_alone() && !is_over()) {
    // Paced by the calls: the machine's speed does not decide what is within a window.
    const uint64_t due = board_.clock.load(std::memory_order_relaxed) + random_.Below(most_calls_);
    while (board_.clock.load(std::memory_order_relaxed) < due && !is_alone() && !is_over()) {
      std::this_thread::yield();
    }
    Tick();
  }
}

void Ticker::Tick() {
  const uint64_t window = board_.span.window;
  const auto bucket =
      static_cast<uint32_t>(std::max<uint64_t>(1, window / board_.span.num_buckets));
  uint64_t step = random_.Below(1 + bucket / 8);
  if (random_.OneIn(16)) step = bucket + random_.Below(2);
  if (random_.OneIn(256)) step = window + random_.Below(2 * bucket);
  const uint64_t target = now_ + step;
  board_.begun.exchange(target, std::memory_order_acq_rel);
  const bool has_moved = board_.filter.Advance(target);
  const uint64_t then = board_.filter.now();
  const bool has_gone_back = target > 0 && random_.OneIn(16) && board_.filter.Advance(target - 1);
  if (!has_moved || then != target || has_gone_back || board_.filter.now() != target) {
    Blame(Law::kTimeAsTold, std::nullopt,
          fmt::format("after Advance from {} to {} it is {}{}", now_, target, then,
                      has_gone_back ? ", and it went back" : ""));
  }
  ++totals.num_checked;
  now_ = target;
}

}  // namespace trommel::stress
