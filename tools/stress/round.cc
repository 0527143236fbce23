// One round.
#include "tools/stress/round.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/select.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <utility>

#include "tools/stress/final_checks.h"
#include "tools/stress/plans/mix.h"
#include "tools/stress/records/thread_record.h"
#include "tools/stress/threads/board.h"
#include "tools/stress/threads/reader.h"
#include "tools/stress/threads/writer.h"

namespace trommel::stress {
namespace {

constexpr std::chrono::microseconds kBetweenLooks(1000);

// The thread that advances the time of a filter whose keys expire, and what time promises.
class Ticker : public ThreadRecord {
 public:
  explicit Ticker(Board& board);

  // Until all other threads have returned.
  void Run();

 private:
  void Tick();

  Board& board_;
  Random random_;
  const uint32_t most_calls_;  // of all threads, between two steps
  uint64_t now_ = 0;
};

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

constexpr uint32_t kYieldOneIn = 8;
constexpr long kSleepUs = 1;

std::atomic<uint32_t> num_interrupts = 0;
static_assert(std::atomic<uint32_t>::is_always_lock_free);  // or a handler must not use it

// System calls only: select is safe in handlers (POSIX), and sched_yield keeps nothing in memory.
extern "C" void LoseProcessor(int /*signal*/) {
  const int error_before = errno;
  if (num_interrupts.fetch_add(1, std::memory_order_relaxed) % kYieldOneIn == 0) {
    sched_yield();
  } else {
    timeval sleep = {.tv_sec = 0, .tv_usec = kSleepUs};
    select(0, nullptr, nullptr, nullptr, &sleep);
  }
  errno = error_before;
}

// Takes the processor from threads by signals, at any instruction: between the two stores of a
// version, too, where the scheduler alone stops a thread too rarely to be waited for.
// Only one at a time in a process: it takes SIGUSR1 for its lifetime.
class Preemption {
 public:
  // Requires that the threads are not joined before its end. Some may have returned.
  explicit Preemption(std::span<std::thread> threads);
  ~Preemption();
  Preemption(const Preemption&) = delete;
  Preemption& operator=(const Preemption&) = delete;

  // One thread after the other: it sleeps for the shortest time there is, or one time of eight it
  // yields, which on a busy machine takes many times as long.
  void InterruptOne();

 private:
  const std::span<std::thread> threads_;
  size_t next_ = 0;
  struct sigaction before_ = {};
};

Preemption::Preemption(std::span<std::thread> threads) : threads_(threads) {
  struct sigaction action = {};
  action.sa_handler = LoseProcessor;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, &before_);
}

Preemption::~Preemption() { sigaction(SIGUSR1, &before_, nullptr); }

void Preemption::InterruptOne() {
  pthread_kill(threads_[next_].native_handle(), SIGUSR1);
  next_ = (next_ + 1) % threads_.size();
}

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

RoundRunner RoundsWith(MakeSubject make) {
  return [make = std::move(make)](const RoundPlan& plan, const Watch& watch) {
    return RunRound(plan, make, watch);
  };
}

Result<CampaignResult> RunCampaign(const CampaignOptions& options, const RoundRunner& run,
                                   const CampaignWatch& watch) {
  CampaignResult result;
  result.mixes.resize(options.mixes.size());
  for (uint64_t i = 0; options.num_rounds == 0 || i < options.num_rounds; ++i) {
    if (watch.should_stop && watch.should_stop()) break;
    const uint64_t round = options.only_round.value_or(i);
    const size_t mix_idx = options.only_round ? 0 : i % options.mixes.size();
    RoundPlan plan = DrawPlan(options.mixes[mix_idx], options.seed, round, options.num_writers,
                              options.num_readers, options.encoding);
    plan.type = options.types[i / options.mixes.size() % options.types.size()];
    Watch round_watch;
    round_watch.should_stop = watch.should_stop;
    if (watch.on_working) {
      round_watch.on_working = [&](uint64_t num_keys) {
        watch.on_working(plan, result.totals.num_all_keys() + num_keys);
      };
    }
    const Result<RoundResult> one = run(plan, round_watch);
    if (!one.ok()) return one.error();
    MixTotals& mix = result.mixes[mix_idx];
    ++mix.num_rounds;
    mix.max_promoted = std::max(mix.max_promoted, one->num_promoted);
    mix.growth += one->growth;
    mix.totals += one->totals;
    ++result.num_rounds;
    result.growth += one->growth;
    result.totals += one->totals;
    if (one->violation) {
      result.violation = one->violation;
      result.broken_round = plan;
      break;
    }
    if (one->is_cut_short) break;
  }
  return result;
}

}  // namespace trommel::stress
