// One round.
#include "tools/stress/round.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "tools/stress/aftermath.h"
#include "tools/stress/board.h"
#include "tools/stress/reader.h"
#include "tools/stress/writer.h"

namespace trommel::stress {
namespace {

constexpr uint64_t kMostForBytes = 2'000'000;  // keys that a second filter is made of

struct Workers {
  std::vector<std::unique_ptr<Writer>> writers;
  std::vector<std::unique_ptr<Reader>> readers;
  std::vector<const Witness*> witnesses;
  std::vector<std::function<void()>> jobs;
};

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
  if (num_in <= kMostForBytes && !board.subject.grows() && !main.violation()) {
    if (Status checked = aftermath.CheckBytes(); !checked.ok()) return checked;
  }
  if (!main.violation()) aftermath.Drain();
  return Ok();
}

}  // namespace

void GrowthSeen::Look(uint64_t num_generations) {
  if (num_generations > num_now) num_added += num_generations - num_now;
  if (num_generations < num_now) num_dropped += num_now - num_generations;
  num_now = num_generations;
  most_generations = std::max(most_generations, num_generations);
}

GrowthSeen& GrowthSeen::operator+=(const GrowthSeen& other) {
  most_generations = std::max(most_generations, other.most_generations);
  num_added += other.num_added;
  num_dropped += other.num_dropped;
  return *this;
}

Result<RoundResult> RunRound(const RoundPlan& plan, const MakeSubject& make, const Watch& watch) {
  Result<std::unique_ptr<Subject>> subject = make(plan.config, plan.executor_threads);
  if (!subject.ok()) return subject.error();
  Board board(plan, **subject);
  Workers workers;
  for (uint32_t thread = 0; thread < plan.num_writers; ++thread) {
    workers.writers.push_back(std::make_unique<Writer>(board, thread));
    workers.witnesses.push_back(&workers.writers.back()->caller());
    workers.jobs.emplace_back([&worker = *workers.writers.back()] { worker.Run(); });
  }
  for (uint32_t thread = plan.num_writers; thread < plan.num_threads(); ++thread) {
    workers.readers.push_back(std::make_unique<Reader>(board, thread));
    workers.witnesses.push_back(&workers.readers.back()->caller());
    workers.jobs.emplace_back([&worker = *workers.readers.back()] { worker.Run(); });
  }
  Caller main(board, kMainThread);
  workers.witnesses.push_back(&main);

  RoundResult result;
  const auto look = [&] {
    if (board.subject.grows()) result.growth.Look(board.subject.num_generations());
  };
  const Result<bool> was_told = RunCrew(board, workers.jobs, watch, look);
  if (!was_told.ok()) return was_told.error();
  result.is_cut_short = *was_told;
  look();
  result.num_promoted = (*subject)->GetStats().num_promoted;
  // A filter that broke a law does not hold what the model says.
  if (!FirstViolation(workers.witnesses, board.keys)) {
    const Status checked = RunAftermath(board, CopiesIn(board, workers), main);
    if (!checked.ok()) return checked.error();
  }
  result.violation = FirstViolation(workers.witnesses, board.keys);
  for (const Witness* witness : workers.witnesses) result.totals += witness->totals;
  return result;
}

}  // namespace trommel::stress
