// One round.
#include "tools/stress/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "tools/stress/aftermath.h"
#include "tools/stress/board.h"
#include "tools/stress/reader.h"
#include "tools/stress/writer.h"

namespace trommel::stress {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks(1);
constexpr size_t kEventsOfAThread = 6;
constexpr uint64_t kMostForBytes = 2'000'000;  // keys that a second filter is made of

struct Workers {
  std::vector<std::unique_ptr<Writer>> writers;
  std::vector<std::unique_ptr<Reader>> readers;
  std::vector<Caller*> callers;
};

// Lets all threads begin together; returns when they have joined. True: it was told to stop. Fails
// when the system has no more threads.
Result<bool> RunThreads(Board& board, Workers& workers, const Watch& watch) {
  const uint32_t num_threads = board.plan.num_threads();
  std::latch start(num_threads);
  std::vector<std::thread> threads;
  threads.reserve(num_threads);
  const auto begin = [&](auto& worker) {
    threads.emplace_back([&board, &start, &worker] {
      start.arrive_and_wait();
      worker.Run();
      board.num_finished.fetch_add(1);
    });
  };
  try {
    for (const auto& writer : workers.writers) begin(*writer);
    for (const auto& reader : workers.readers) begin(*reader);
  } catch (const std::system_error& error) {
    board.stop = true;
    start.count_down(num_threads - static_cast<ptrdiff_t>(threads.size()));
    for (std::thread& thread : threads) thread.join();
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("cannot start {} threads: {}", num_threads, error.what())};
  }
  bool was_told = false;
  while (board.num_finished.load() < num_threads) {
    if (!was_told && watch.should_stop && watch.should_stop()) {
      was_told = true;
      board.stop = true;
    }
    if (watch.on_working) watch.on_working(board.num_keys.load(std::memory_order_relaxed));
    std::this_thread::sleep_for(kBetweenLooks);
  }
  for (std::thread& thread : threads) thread.join();
  return was_told;
}

std::vector<uint64_t> CopiesIn(const Board& board, const Workers& workers) {
  std::vector<uint64_t> copies;
  copies.reserve(board.plan.num_ids());
  for (const auto& writer : workers.writers) {
    copies.insert(copies.end(), writer->counts().begin(), writer->counts().end());
  }
  for (uint32_t i = 0; i < board.plan.mix.num_hot; ++i) copies.push_back(board.tokens[i].count());
  for (uint32_t i = 0; i < board.plan.mix.num_races; ++i) {
    copies.push_back(board.races[i].num_told_new.load());
  }
  return copies;
}

Status RunAftermath(Board& board, const std::vector<uint64_t>& copies, Caller& main) {
  Aftermath aftermath(board, copies, main);
  aftermath.CheckRaces();
  aftermath.CheckKeys();
  uint64_t num_in = 0;
  for (const uint64_t count : copies) num_in += count;
  if (num_in <= kMostForBytes && !main.violation()) {
    if (Status checked = aftermath.CheckBytes(); !checked.ok()) return checked;
  }
  return main.violation() ? Ok() : aftermath.Drain();
}

// The violation found first, with all that the threads remember of its key.
std::optional<Violation> FirstViolation(const Board& board, const std::vector<Caller*>& callers) {
  const Violation* first = nullptr;
  for (const Caller* caller : callers) {
    if (!caller->violation()) continue;
    if (first == nullptr || caller->violation()->time < first->time) first = &*caller->violation();
  }
  if (first == nullptr) return std::nullopt;
  Violation violation = *first;
  if (!violation.id) return violation;
  violation.key = board.keys.Text(*violation.id);
  for (const Caller* caller : callers) {
    const auto events = caller->log().Last(*violation.id, caller->thread(), kEventsOfAThread);
    violation.events.insert(violation.events.end(), events.begin(), events.end());
  }
  std::stable_sort(violation.events.begin(), violation.events.end(),
                   [](const Event& a, const Event& b) { return a.begin < b.begin; });
  return violation;
}

}  // namespace

Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make, const Watch& watch) {
  Result<std::unique_ptr<Subject>> subject = make(plan.config, plan.executor_threads);
  if (!subject.ok()) return subject.error();
  Board board(plan, **subject);
  Workers workers;
  for (uint32_t thread = 0; thread < plan.num_writers; ++thread) {
    workers.writers.push_back(std::make_unique<Writer>(board, thread));
    workers.callers.push_back(&workers.writers.back()->caller());
  }
  for (uint32_t thread = plan.num_writers; thread < plan.num_threads(); ++thread) {
    workers.readers.push_back(std::make_unique<Reader>(board, thread));
    workers.callers.push_back(&workers.readers.back()->caller());
  }
  Caller main(board, kMainThread);
  workers.callers.push_back(&main);

  RoundResult result;
  const Result<bool> was_told = RunThreads(board, workers, watch);
  if (!was_told.ok()) return was_told.error();
  result.is_cut_short = *was_told;
  result.num_promoted = (*subject)->GetStats().num_promoted;
  // A filter that broke a law does not hold what the model says.
  if (!FirstViolation(board, workers.callers)) {
    const Status checked = RunAftermath(board, CopiesIn(board, workers), main);
    if (!checked.ok()) return checked.error();
  }
  result.violation = FirstViolation(board, workers.callers);
  for (const Caller* caller : workers.callers) result.totals += caller->totals;
  return result;
}

}  // namespace trommel::stress
