// How time advances, and what it promises.
#include "tools/stress/threads/ticker.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

namespace trommel::stress {

Ticker::Ticker(Board& board)
    : ThreadRecord(board, kTickerThread),
      board_(board),
      random_(board.plan.RandomOf(board.plan.num_threads())),
      most_calls_(1u << random_.Below(6)) {}

void Ticker::Run() {
  const auto is_alone = [&] { return board_.num_finished.load() == board_.plan.num_threads(); };
  while (!is_alone() && !is_over()) {
    // Paced by calls, so that the speed of the machine does not decide what is within a window.
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
  const bool has_moved = board_.subject.Advance(target);
  const uint64_t then = board_.subject.now();
  const bool has_gone_back = target > 0 && random_.OneIn(16) && board_.subject.Advance(target - 1);
  if (!has_moved || then != target || has_gone_back || board_.subject.now() != target) {
    Report(Invariant::kTimeAsTold, std::nullopt,
           fmt::format("after Advance from {} to {} the time is {}{}", now_, target, then,
                       has_gone_back ? ", and it went back" : ""));
  }
  ++totals.num_checked;
  now_ = target;
}

}  // namespace trommel::stress
