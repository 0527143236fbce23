// A writer's part in the races: which of the writers that insert one absent key is told "new"?
#include <fmt/format.h>

#include <thread>
#include <vector>

#include "tools/stress/threads/writer.h"

namespace trommel::stress {

// Takes part once in the current epoch of some races, in one call, with each key once or twice.
void Writer::RunRaces(uint32_t size) {
  const uint32_t num_races = plan_.mix.num_races;
  racers_.clear();
  const uint32_t first = num_races == 0 ? 0 : random_.Below(num_races);
  for (uint32_t i = 0; i < num_races && racers_.size() < size; ++i) {
    const uint32_t race = (first + i) % num_races;
    const uint32_t epoch = board_.races[race].epoch.load(std::memory_order_acquire);
    if (race_epochs_[race] > epoch) continue;  // other writers have not arrived yet
    race_epochs_[race] = epoch + 1;
    racers_.push_back(race);
  }
  if (racers_.empty()) return std::this_thread::yield();
  ids_.clear();
  for (const uint32_t race : racers_) ids_.push_back(plan_.first_race() + race);
  if (size > racers_.size() && random_.OneIn(2)) {
    ids_.insert(ids_.end(), ids_.begin(), ids_.begin() + static_cast<ptrdiff_t>(ids_.size() / 2));
  }

  num_told_.assign(racers_.size(), 0);
  const Caller::Bits inserted = caller_.InsertIfAbsent(ids_);
  // Of the copy that was told "new", if one was; else of the first.
  std::vector<uint64_t> buckets;
  for (size_t i = 0; i < racers_.size(); ++i) buckets.push_back(caller_.BucketOfKey(i));
  const uint64_t begun = board_.Begun();
  const bool is_lone = board_.keys.has_lone_races();
  for (size_t i = 0; i < ids_.size(); ++i) {
    const size_t racer = i % racers_.size();
    if (!Caller::Bit(inserted, i)) continue;
    ++num_told_[racer];
    buckets[racer] = caller_.BucketOfKey(i);
    // Where other keys share its bits, they may hide the first copy, and be erased before the
    // second.
    if (i >= racers_.size() && (is_lone || Caller::Bit(inserted, racer))) {
      caller_.Report(Invariant::kNewToldOnce, ids_[i],
                     "told \"new\" of the second of two copies in one batch");
    }
  }
  ids_.resize(racers_.size());
  for (size_t i = 0; i < racers_.size(); ++i) {
    if (num_told_[i] > 0) NoteTold(racers_[i], {buckets[i], begun});
  }
  // No key is of an earlier one than the first.
  CheckRacers(buckets.front());

  closing_.clear();
  for (const uint32_t racer : racers_) {
    Race& race = board_.races[racer];
    if (race.num_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == plan_.num_writers) {
      closing_.push_back(racer);
    }
  }
  CloseRaces();
}

// Two may be told "new" only if the key of one had expired when the other was told.
void Writer::NoteTold(uint32_t racer, const ToldNew& told) {
  Race& race = board_.races[racer];
  const std::lock_guard<std::mutex> lock(race.mutex);
  for (const ToldNew& other : race.told) {
    if (board_.span.IsLive(other.bucket, told.begun) &&
        board_.span.IsLive(told.bucket, other.begun)) {
      caller_.Report(Invariant::kNewToldOnce, plan_.first_race() + racer,
                     fmt::format("{} of {} racing writers were told \"new\"", race.told.size() + 1,
                                 plan_.num_writers));
    }
  }
  race.told.push_back(told);
  ++caller_.totals.num_checked;
}

// After InsertIfAbsent the key is in, whatever the answer was, or other keys that share its bits
// are and may be erased. No writer erases the key before all have arrived.
void Writer::CheckRacers(uint64_t bucket) {
  const bool is_lone = board_.keys.has_lone_races();
  const bool is_count = is_lone && random_.OneIn(2);
  const Caller::Bits answers = is_count ? caller_.Counts(ids_) : caller_.Query(ids_);
  const bool is_live = board_.span.IsLive(bucket, board_.Begun());
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!is_lone && (num_told_[i] == 0 || !is_live)) continue;
    ++caller_.totals.num_checked;
    if (is_count && answers[i] != 1) {
      caller_.Report(Invariant::kLoneKeyExact, ids_[i],
                     fmt::format("counted {}, not 1", answers[i]));
    } else if (!is_count && !Caller::Bit(answers, i)) {
      caller_.Report(board_.presence(), ids_[i], "absent after InsertIfAbsent of it returned");
    }
  }
}

void Writer::CloseRaces() {
  if (closing_.empty()) return;
  const bool is_lone = board_.keys.has_lone_races();
  ids_.clear();
  for (const uint32_t closed : closing_) {
    const uint32_t id = plan_.first_race() + closed;
    const size_t num_told = board_.races[closed].told.size();
    if (num_told == 0 && is_lone) {
      caller_.Report(Invariant::kNewToldOnce, id,
                     fmt::format("none of {} racing writers was told \"new\"", plan_.num_writers));
    }
    if (num_told > 0 && !board_.expires) ids_.push_back(id);
  }
  caller_.Erase(ids_, 0);
  caller_.totals.num_checked += ids_.size();
  caller_.totals.num_races += closing_.size();
  if (is_lone && random_.OneIn(4)) {
    // Beside writers, queries of fingerprints may answer "maybe present"; counts are exact.
    const bool is_count = HasFingerprints(plan_.config.encoding);
    const Caller::Bits answers = is_count ? caller_.Counts(ids_) : caller_.Query(ids_);
    for (size_t i = 0; i < ids_.size(); ++i) {
      if (is_count ? answers[i] != 0 : Caller::Bit(answers, i)) {
        caller_.Report(Invariant::kLoneKeyExact, ids_[i],
                       "still present after its only copy was erased");
      }
    }
  }
  if (is_lone && random_.OneIn(4)) caller_.EraseAbsent(ids_);
  const uint64_t now = board_.subject.now();
  for (const uint32_t closed : closing_) {
    Race& race = board_.races[closed];
    std::erase_if(race.told, [&](const ToldNew& told) {
      return !board_.expires || !board_.span.IsLive(told.bucket, now);
    });
    race.num_arrived.store(0, std::memory_order_relaxed);
    race.epoch.fetch_add(1, std::memory_order_release);
  }
}

}  // namespace trommel::stress
