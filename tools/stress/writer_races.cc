// A writer's part in the races: who is told "new"?
#include <fmt/format.h>

#include <thread>

#include "tools/stress/writer.h"

namespace trommel::stress {

// Takes part once in the present epoch of some keys, in one call, each key once or twice.
void Writer::RunRaces(uint32_t size) {
  const uint32_t num_races = plan_.mix.num_races;
  racers_.clear();
  const uint32_t first = num_races == 0 ? 0 : random_.Below(num_races);
  for (uint32_t i = 0; i < num_races && racers_.size() < size; ++i) {
    const uint32_t race = (first + i) % num_races;
    const uint32_t epoch = board_.races[race].epoch.load(std::memory_order_acquire);
    if (race_epochs_[race] > epoch) continue;  // not all others have been there
    race_epochs_[race] = epoch + 1;
    racers_.push_back(race);
  }
  if (racers_.empty()) return std::this_thread::yield();  // the others are to come by first
  ids_.clear();
  for (const uint32_t race : racers_) ids_.push_back(plan_.first_race() + race);
  if (size > racers_.size() && random_.OneIn(2)) {
    ids_.insert(ids_.end(), ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(ids_.size() / 2));
  }

  told_.assign(racers_.size(), 0);
  const auto inserted = caller_.InsertIfAbsent(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    told_[i % racers_.size()] += Caller::Bit(inserted, i);
    // Where strangers share its bits, the first copy may meet them and the second one not.
    const bool is_second = i >= racers_.size() && (board_.keys.has_lone_races() ||
                                                   Caller::Bit(inserted, i % racers_.size()));
    if (is_second && Caller::Bit(inserted, i)) {
      caller_.Blame(Law::kNewToldOnce, ids_[i],
                    "told \"new\" of the second of two copies in one batch");
    }
  }
  ids_.resize(racers_.size());
  CheckRacers();

  closing_.clear();
  for (size_t i = 0; i < racers_.size(); ++i) {
    Race& race = board_.races[racers_[i]];
    race.num_told_new.fetch_add(told_[i], std::memory_order_relaxed);
    if (race.num_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == plan_.num_writers) {
      closing_.push_back(racers_[i]);
    }
  }
  CloseRaces();
}

// After InsertIfAbsent, whatever it said, the key is in (or, where strangers may share its bits,
// answers as if it were, but strangers may leave). Nobody erases it before all have arrived.
void Writer::CheckRacers() {
  if (board_.keys.has_lone_races() && random_.OneIn(2)) {
    const auto counts = caller_.Counts(ids_);
    caller_.totals.num_checked += ids_.size();
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (counts[i] != 1) {
        caller_.Blame(Law::kLoneKeyExact, ids_[i], fmt::format("counted {}, not 1", counts[i]));
      }
    }
    return;
  }
  const auto present = caller_.Query(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (told_[i] == 0 && !board_.keys.has_lone_races()) continue;
    ++caller_.totals.num_checked;
    if (!Caller::Bit(present, i)) {
      caller_.Blame(Law::kNoFalseNegative, ids_[i], "absent after InsertIfAbsent of it returned");
    }
  }
}

void Writer::CloseRaces() {
  if (closing_.empty()) return;
  const bool is_lone = board_.keys.has_lone_races();
  ids_.clear();
  for (const uint32_t closed : closing_) {
    const uint32_t num_told = board_.races[closed].num_told_new.load(std::memory_order_relaxed);
    const uint32_t id = plan_.first_race() + closed;
    if (num_told > 1 || (num_told == 0 && is_lone)) {
      caller_.Blame(
          Law::kNewToldOnce, id,
          fmt::format("{} of {} racing writers were told \"new\"", num_told, plan_.num_writers));
    }
    if (num_told > 0) ids_.push_back(id);
  }
  const auto erased = caller_.Erase(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!Caller::Bit(erased, i)) {
      caller_.Blame(Law::kEraseNotRefused, ids_[i], "refused after a race for it");
    }
  }
  caller_.totals.num_checked += 2 * ids_.size();
  caller_.totals.num_races += closing_.size();
  if (is_lone && random_.OneIn(4)) {
    const auto present = caller_.Query(ids_);
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (Caller::Bit(present, i)) {
        caller_.Blame(Law::kLoneKeyExact, ids_[i], "still there after its only copy was erased");
      }
    }
  }
  for (const uint32_t closed : closing_) {
    Race& race = board_.races[closed];
    race.num_told_new.store(0, std::memory_order_relaxed);
    race.num_arrived.store(0, std::memory_order_relaxed);
    race.epoch.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace trommel::stress
