// One round with a window, and what must hold when its threads have joined.
#include "tools/stress/window_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "tools/stress/window_reader.h"
#include "tools/stress/window_writer.h"
#include "trommel/executor.h"

namespace trommel::stress {
namespace {

constexpr size_t kPart = 4096;

// Checks the window against the exact contents of its buckets, until the last one has gone.
class WindowAftermath : public WindowCaller {
 public:
  explicit WindowAftermath(WindowBoard& board)
      : WindowCaller(board, kMainThread), now_(board.filter.now()) {}

  void Add(uint64_t tick, const std::vector<uint32_t>& ids) {
    std::vector<uint32_t>& bucket = buckets_[board_.span.Bucket(tick)];
    bucket.insert(bucket.end(), ids.begin(), ids.end());
  }

  // `other` is empty, as the round's filter was. One thread makes it what that must be.
  void Run(WindowFilter other) {
    // The last bucket has keys, so that it is seen to live and to go.
    for (const auto& race : board_.races) {
      ids_.push_back(board_.plan.first_race() + static_cast<uint32_t>(&race - &board_.races[0]));
    }
    ids_.push_back(0);
    Add(Insert(ids_), ids_);
    DropGone();
    CheckBytes(other);
    for (CheckKeys(); !buckets_.empty() && !violation(); CheckKeys()) {
      AdvanceTo(board_.span.FirstTick(board_.span.Bucket(now_) + 1));
    }
    if (!violation()) CheckEmpty(other);
  }

 private:
  void AdvanceTo(uint64_t target) {
    now_ = target;
    board_.begun.store(target);
    if (!board_.filter.Advance(target)) Blame(Law::kTimeAsTold, std::nullopt, "it stands still");
    DropGone();
  }

  void DropGone() {
    std::erase_if(buckets_,
                  [&](const auto& entry) { return !board_.span.IsLive(entry.first, now_); });
  }

  void CheckKeys() {
    uint64_t num_in = 0;
    for (const auto& [bucket, ids] : buckets_) {
      num_in += ids.size();
      for (size_t first = 0; first < ids.size(); first += kPart) {
        const Ids part = Ids(ids).subspan(first, std::min(kPart, ids.size() - first));
        const Bits present = Query(part);
        totals.num_checked += part.size();
        for (size_t i = 0; i < part.size(); ++i) {
          if (Bit(present, i)) continue;
          Blame(Law::kWithinWindow, part[i],
                fmt::format("absent at {}, in bucket {}, after all had joined", now_, bucket));
        }
      }
    }
    const uint64_t num_keys = board_.filter.num_keys();
    ++totals.num_checked;
    if (num_keys == num_in) return;
    const uint64_t oldest = buckets_.empty() ? board_.span.Bucket(now_) : buckets_.begin()->first;
    const WindowStats stats = board_.filter.GetStats();
    const bool has_gone_bucket =
        !stats.buckets.empty() && board_.span.Bucket(stats.buckets.front().first_tick) < oldest &&
        !board_.span.IsLive(board_.span.Bucket(stats.buckets.front().first_tick), now_);
    Blame(has_gone_bucket ? Law::kExpiredIsGone : Law::kNumKeysExact, std::nullopt,
          fmt::format("num_keys is {} at {}, {} are in", num_keys, now_, num_in));
  }

  void CheckBytes(WindowFilter& other) {
    for (const auto& [bucket, ids] : buckets_) {
      other.Advance(board_.span.FirstTick(bucket));
      for (size_t first = 0; first < ids.size(); first += kPart) {
        other.Insert(batch_.Gather(Ids(ids).subspan(first, std::min(kPart, ids.size() - first))));
      }
    }
    other.Advance(now_);
    ++totals.num_checked;
    if (other.Serialize() == board_.filter.Serialize()) return;
    Blame(Law::kBytesAsSequential, std::nullopt,
          fmt::format("other bytes at {} than a filter that one thread made of the same keys: {} "
                      "keys, not {}",
                      now_, board_.filter.num_keys(), other.num_keys()));
  }

  void CheckEmpty(WindowFilter& other) {
    AdvanceTo(now_ + board_.span.window + board_.filter.bucket_ticks());
    ids_.resize(board_.plan.num_ids());
    std::iota(ids_.begin(), ids_.end(), 0);
    const Bits present = Query(ids_);
    totals.num_checked += ids_.size();
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (Bit(present, i)) Blame(Law::kExpiredIsGone, ids_[i], "shown by a filter without keys");
    }
    other.Clear();
    other.Advance(now_);
    if (board_.filter.num_keys() != 0 || other.Serialize() != board_.filter.Serialize()) {
      Blame(Law::kEmptyAfterDraining, std::nullopt,
            fmt::format("num_keys is {}, or bytes are left", board_.filter.num_keys()));
    }
  }

  uint64_t now_;
  std::map<uint64_t, std::vector<uint32_t>> buckets_;  // live ones, and the copies in them
  std::vector<uint32_t> ids_;
};

}  // namespace

WindowConfig DrawWindow(const RoundPlan& plan) {
  constexpr std::array<uint32_t, 6> kNumBuckets = {1, 2, 3, 5, 8, 30};
  constexpr std::array<uint32_t, 4> kTicks = {1, 4, 50, 1000};  // of a bucket
  Random random = plan.RandomOf(kTickerThread - 1);
  WindowConfig config;
  config.num_buckets = kNumBuckets[random.Below(kNumBuckets.size())];
  config.window = uint64_t{config.num_buckets} * kTicks[random.Below(kTicks.size())];
  // Where it is no multiple, buckets differ by a tick.
  if (random.OneIn(2)) config.window += random.Below(config.num_buckets);
  config.capacity = plan.config.capacity;
  config.target_fpr = plan.config.target_fpr;
  config.num_slices = plan.config.num_slices;
  config.encoding = plan.config.encoding;
  return config;
}

Result<RoundResult> RunWindowRound(const RoundPlan& plan, const MakeWindow& make,
                                   const Watch& watch) {
  WindowConfig config = DrawWindow(plan);
  Result<WindowFilter> other = make(config);
  if (!other.ok()) return other.error();
  if (plan.executor_threads > 0) {
    Result<std::shared_ptr<Executor>> executor = Executor::Create(plan.executor_threads);
    if (!executor.ok()) return executor.error();
    config.executor = std::move(*executor);
  }
  Result<WindowFilter> filter = make(config);
  if (!filter.ok()) return filter.error();
  WindowBoard board(plan, config, *filter);
  std::vector<std::unique_ptr<WindowWriter>> writers;
  std::vector<std::unique_ptr<WindowReader>> readers;
  Ticker ticker(board);
  std::vector<const Witness*> witnesses = {&ticker};
  std::vector<std::function<void()>> jobs = {[&ticker] { ticker.Run(); }};
  for (uint32_t thread = 0; thread < plan.num_writers; ++thread) {
    writers.push_back(std::make_unique<WindowWriter>(board, thread));
    witnesses.push_back(writers.back().get());
    jobs.emplace_back([&worker = *writers.back()] { worker.Run(); });
  }
  for (uint32_t thread = plan.num_writers; thread < plan.num_threads(); ++thread) {
    readers.push_back(std::make_unique<WindowReader>(board, thread));
    witnesses.push_back(readers.back().get());
    jobs.emplace_back([&worker = *readers.back()] { worker.Run(); });
  }

  RoundResult result;
  const Result<bool> was_told = RunCrew(board, jobs, watch);
  if (!was_told.ok()) return was_told.error();
  result.is_cut_short = *was_told;
  for (const WindowBucket& bucket : filter->GetStats().buckets) {
    result.num_promoted += bucket.stats.num_promoted;
  }
  // A filter that broke a law does not hold what the model says.
  WindowAftermath aftermath(board);
  if (!FirstViolation(witnesses, board.keys)) {
    for (const auto& writer : writers) {
      for (const WindowBatch& batch : writer->batches()) aftermath.Add(batch.tick, batch.ids);
    }
    for (uint32_t race = 0; race < plan.mix.num_races; ++race) {
      for (const WindowNew& one : board.races[race].news) {
        aftermath.Add(one.tick, {plan.first_race() + race});
      }
    }
    aftermath.Run(std::move(*other));
    witnesses.push_back(&aftermath);
  }
  result.violation = FirstViolation(witnesses, board.keys);
  for (const Witness* witness : witnesses) result.totals += witness->totals;
  return result;
}

}  // namespace trommel::stress
