// One round.
#include "tools/stress/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>

#include "tools/stress/final_checks.h"
#include "tools/stress/threads/preemption.h"
#include "tools/stress/threads/reader.h"
#include "tools/stress/threads/ticker.h"
#include "tools/stress/threads/writer.h"

namespace trommel::stress {
namespace {

constexpr std::chrono::microseconds kBetweenLooks(1000);

FinalChecks::Contents ContentsOf(const Board& board,
                                 const std::vector<std::unique_ptr<Writer>>& writers) {
  FinalChecks::Contents contents;
  const auto add = [&](const Copies& copies, uint32_t id) {
    std::vector<uint32_t>& bucket = contents[copies.bucket];
    bucket.insert(bucket.end(), copies.count, id);
  };
  uint32_t id = 0;
  for (const auto& writer : writers) {
    for (const std::vector<Copies>& of_key : writer->copies()) {
      for (const Copies& copies : of_key) add(copies, id);
      ++id;
    }
  }
  for (uint32_t i = 0; i < board.plan.mix.num_hot; ++i) {
    for (const Copies& copies : board.tokens[i].all()) add(copies, board.plan.first_hot() + i);
  }
  for (uint32_t i = 0; i < board.plan.mix.num_races; ++i) {
    for (const ToldNew& told : board.races[i].told) {
      add({told.bucket, 1}, board.plan.first_race() + i);
    }
  }
  return contents;
}

}  // namespace

Result<bool> RunThreads(RoundState& state, const std::vector<std::function<void()>>& jobs,
                        const Watch& watch, const std::function<void()>& on_look,
                        uint32_t preempt_us) {
  std::latch start(static_cast<ptrdiff_t>(jobs.size()));
  std::vector<std::thread> threads;
  threads.reserve(jobs.size());
  try {
    for (const std::function<void()>& job : jobs) {
      threads.emplace_back([&state, &start, &job] {
        start.arrive_and_wait();
        job();
        state.num_finished.fetch_add(1);
      });
    }
  } catch (const std::system_error& error) {
    state.stop = true;
    start.count_down(static_cast<ptrdiff_t>(jobs.size() - threads.size()));
    for (std::thread& thread : threads) thread.join();
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot start {} threads: {}", jobs.size(), error.what())};
  }
  std::optional<Preemption> preemption;
  if (preempt_us > 0) preemption.emplace(threads);
  const std::chrono::microseconds between_looks =
      preempt_us > 0 ? std::chrono::microseconds(preempt_us) : kBetweenLooks;
  bool was_told = false;
  while (state.num_finished.load() < jobs.size()) {
    if (!was_told && watch.should_stop && watch.should_stop()) {
      was_told = true;
      state.stop = true;
    }
    if (watch.on_working) watch.on_working(state.num_keys.load(std::memory_order_relaxed));
    if (on_look) on_look();
    if (preemption) preemption->InterruptOne();
    std::this_thread::sleep_for(between_looks);
  }
  for (std::thread& thread : threads) thread.join();
  return was_told;
}

void GrowthSeen::Look(uint64_t num_sizes) {
  if (num_sizes > num_now) num_grown += num_sizes - num_now;
  if (num_sizes < num_now) num_shrunk += num_now - num_sizes;
  num_now = num_sizes;
  most_sizes = std::max(most_sizes, num_sizes);
}

GrowthSeen& GrowthSeen::operator+=(const GrowthSeen& other) {
  most_sizes = std::max(most_sizes, other.most_sizes);
  num_grown += other.num_grown;
  num_shrunk += other.num_shrunk;
  return *this;
}

Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make, const Watch& watch) {
  const Result<std::unique_ptr<Subject>> made = make(plan);
  if (!made.ok()) return made.error();
  Subject& subject = **made;
  Board board(plan, subject);
  std::vector<std::unique_ptr<Writer>> writers;
  std::vector<std::unique_ptr<Reader>> readers;
  std::unique_ptr<Ticker> ticker;
  Caller main(board, kMainThread);
  std::vector<const ThreadRecord*> records = {&main};
  std::vector<std::function<void()>> jobs;
  const auto add = [&](auto& worker, const ThreadRecord& record) {
    records.push_back(&record);
    jobs.emplace_back([&worker] { worker.Run(); });
  };
  for (uint32_t thread = 0; thread < plan.num_writers; ++thread) {
    writers.push_back(std::make_unique<Writer>(board, thread));
    add(*writers.back(), writers.back()->caller());
  }
  for (uint32_t thread = plan.num_writers; thread < plan.num_threads(); ++thread) {
    readers.push_back(std::make_unique<Reader>(board, thread));
    add(*readers.back(), readers.back()->caller());
  }
  if (board.expires) {
    ticker = std::make_unique<Ticker>(board);
    add(*ticker, *ticker);
  }

  RoundResult result;
  const auto look = [&] {
    if (subject.grows()) result.growth.Look(subject.num_sizes());
  };
  const Result<bool> was_told = RunThreads(board, jobs, watch, look, plan.preempt_us);
  if (!was_told.ok()) return was_told.error();
  result.is_cut_short = *was_told;
  look();
  result.num_promoted = subject.GetStats().num_promoted;
  // A filter that violated an invariant does not hold what the model says.
  for (const ThreadRecord* record : records) board.totals += record->totals;
  if (!FirstViolation(records, board.keys)) {
    const Status checked = FinalChecks(board, ContentsOf(board, writers), main).Run();
    if (!checked.ok()) return checked.error();
  }
  result.violation = FirstViolation(records, board.keys);
  for (const ThreadRecord* record : records) result.totals += record->totals;
  return result;
}

}  // namespace trommel::stress
