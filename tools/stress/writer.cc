// A writer's moves on keys that it owns or holds a token for. Races: writer_races.cc.
#include "tools/stress/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace trommel::stress {

Writer::Writer(Board& board, uint32_t thread)
    : board_(board),
      plan_(board.plan),
      caller_(board, thread),
      random_(plan_.RandomOf(thread)),
      first_own_(thread * plan_.mix.keys_per_writer),
      total_weight_(std::accumulate(plan_.mix.weights.begin(), plan_.mix.weights.end(), 0u)),
      counts_(plan_.mix.keys_per_writer),
      race_epochs_(plan_.mix.num_races) {}

void Writer::Run() {
  // The second limit: a step may find nothing to do.
  const uint64_t max_steps = 2 * plan_.keys_per_thread;
  for (uint64_t step = 0; step < max_steps && !caller_.is_over(); ++step) {
    if (caller_.totals.num_all_keys() >= plan_.keys_per_thread) break;
    Step();
  }
}

void Writer::Step() {
  uint32_t ticket = random_.Below(total_weight_);
  size_t move = 0;
  for (; ticket >= plan_.mix.weights[move]; ++move) ticket -= plan_.mix.weights[move];
  const uint32_t size = BatchSize();
  switch (static_cast<Move>(move)) {
    case Move::kInsert:
      return Insert(size);
    case Move::kInsertIfAbsent:
      return InsertIfAbsent(size);
    case Move::kErase:
      return Erase(size);
    case Move::kAsk:
      return Ask(size);
    case Move::kHeat:
      return Heat();
    case Move::kCool:
      return Cool();
    case Move::kRace:
      return RunRaces(size);
  }
}

// Between the mix's limits with all orders of magnitude alike, and often a limit itself.
uint32_t Writer::BatchSize() {
  const uint32_t min = plan_.mix.min_batch;
  const uint32_t max = plan_.mix.max_batch;
  if (random_.OneIn(8)) return random_.OneIn(2) ? min : max;
  uint32_t size = min + random_.Below(max - min + 1);
  while (size / 2 >= min && random_.OneIn(2)) size /= 2;
  return size;
}

void Writer::PickOwn(uint32_t size) {
  const uint32_t num_own = plan_.mix.keys_per_writer;
  ids_.clear();
  for (uint32_t i = 0; i < size; ++i) {
    ids_.push_back(first_own_ +
                   (plan_.is_skewed ? random_.SkewedBelow(num_own) : random_.Below(num_own)));
  }
}

void Writer::Insert(uint32_t size) {
  PickOwn(size);
  caller_.Insert(ids_);
  for (const uint32_t id : ids_) {
    ++CountOf(id);
    board_.claims[id].Post();
  }
}

void Writer::InsertIfAbsent(uint32_t size) {
  PickOwn(size);
  const auto inserted = caller_.InsertIfAbsent(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    const uint32_t id = ids_[i];
    caller_.totals.num_checked += CountOf(id) > 0;
    if (!Caller::Bit(inserted, i)) continue;
    if (CountOf(id) > 0) {
      caller_.Blame(Law::kNewOnlyIfAbsent, id,
                    fmt::format("told \"new\" with {} copies in", CountOf(id)));
    }
    ++CountOf(id);
    board_.claims[id].Post();
  }
}

void Writer::Erase(uint32_t size) {
  PickOwn(size);
  std::erase_if(ids_, [&](uint32_t id) {
    if (CountOf(id) == 0) return true;
    --CountOf(id);
    board_.claims[id].Withdraw();
    return false;
  });
  const auto erased = caller_.Erase(ids_);
  caller_.totals.num_checked += ids_.size();
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!Caller::Bit(erased, i)) {
      caller_.Blame(Law::kEraseNotRefused, ids_[i],
                    fmt::format("refused, though {} copies remain", CountOf(ids_[i])));
    }
  }
}

void Writer::Ask(uint32_t size) {
  PickOwn(size);
  if (random_.OneIn(2)) {
    const auto present = caller_.Query(ids_);
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (CountOf(ids_[i]) == 0) continue;
      ++caller_.totals.num_checked;
      if (!Caller::Bit(present, i)) {
        caller_.Blame(Law::kNoFalseNegative, ids_[i],
                      fmt::format("absent to its owner, who has {} copies in", CountOf(ids_[i])));
      }
    }
    return;
  }
  const auto counts = caller_.Counts(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    ++caller_.totals.num_checked;
    if (counts[i] < CountOf(ids_[i])) {
      caller_.Blame(Law::kCountNotBelow, ids_[i],
                    fmt::format("counted {}, {} copies are in", counts[i], CountOf(ids_[i])));
    }
  }
}

// Many copies of one hot key, sometimes mixed with those of another.
void Writer::Heat() {
  const uint32_t num_hot = plan_.mix.num_hot;
  if (num_hot == 0) return;
  const uint32_t one = random_.Below(num_hot);
  const uint32_t other = random_.OneIn(4) ? random_.Below(num_hot) : one;
  if (board_.tokens[one].count() > uint64_t{4} * plan_.mix.max_heat) return Cool();
  const uint32_t size = 1 + random_.SkewedBelow(plan_.mix.max_heat);
  uint32_t num_other = 0;
  ids_.clear();
  for (uint32_t i = 0; i < size; ++i) {
    const bool is_other = other != one && random_.OneIn(3);
    num_other += is_other;
    ids_.push_back(plan_.first_hot() + (is_other ? other : one));
  }
  caller_.Insert(ids_);
  board_.tokens[one].Put(size - num_other);
  if (num_other > 0) board_.tokens[other].Put(num_other);
}

void Writer::Cool() {
  if (plan_.mix.num_hot == 0) return;
  const uint32_t hot = random_.Below(plan_.mix.num_hot);
  const uint32_t id = plan_.first_hot() + hot;
  const uint64_t wanted = 1 + random_.Below(2 * plan_.mix.max_heat);
  ids_.assign(board_.tokens[hot].Take(wanted), id);
  const auto erased = caller_.Erase(ids_);
  caller_.totals.num_checked += ids_.size();
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!Caller::Bit(erased, i)) {
      caller_.Blame(
          Law::kEraseNotRefused, id,
          fmt::format("refused the {}. of {} copies, all of them in", i + 1, ids_.size()));
      return;
    }
  }
}

}  // namespace trommel::stress
