// A writer's moves on keys that it owns or holds tokens for. Races: writer_races.cc.
#include "tools/stress/threads/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <thread>
#include <vector>

namespace trommel::stress {
namespace {

constexpr int kPulses = 16;
constexpr size_t kManyBuckets = 4;  // from so many of a key on, expired ones are forgotten

}  // namespace

Writer::Writer(Board& board, uint32_t thread)
    : board_(board),
      plan_(board.plan),
      caller_(board, thread),
      random_(plan_.RandomOf(thread)),
      first_own_(thread * plan_.mix.keys_per_writer),
      total_weight_(std::accumulate(plan_.mix.weights.begin(), plan_.mix.weights.end(), 0u)),
      copies_(plan_.mix.keys_per_writer),
      race_epochs_(plan_.mix.num_races) {}

void Writer::Run() {
  InsertKept();
  // Limits the steps too: a step may find nothing to do.
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
    case Move::kQuery:
      return Query(size);
    case Move::kInsertHot:
      return InsertHot();
    case Move::kEraseHot:
      return EraseHot();
    case Move::kRace:
      return RunRaces(size);
    case Move::kPulse:
      return Pulse(size);
  }
}

// Between the mix's limits: all orders of magnitude equally often, and often a limit itself.
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

void Writer::PickUnkept(uint32_t size) {
  PickOwn(size);
  std::erase_if(ids_, [&](uint32_t id) { return plan_.is_kept(id); });
}

void Writer::InsertKept() {
  ids_.clear();
  for (uint32_t i = 0; i < plan_.mix.keys_per_writer; ++i) {
    if (plan_.is_kept(first_own_ + i)) ids_.push_back(first_own_ + i);
  }
  NoteInserted(caller_.Insert(ids_));
}

uint64_t Writer::NumIn(uint32_t id, uint64_t begun) {
  uint64_t num_in = 0;
  for (const Copies& some : CopiesOf(id)) {
    if (board_.span.IsLive(some.bucket, begun)) num_in += some.count;
  }
  return num_in;
}

void Writer::NoteInserted(uint32_t id, uint64_t bucket) {
  std::vector<Copies>& copies = CopiesOf(id);
  // The calls of one thread follow each other, and so do their times: this is the latest bucket.
  if (copies.empty() || copies.back().bucket != bucket) {
    if (copies.size() >= kManyBuckets) {
      const uint64_t now = board_.subject.now();
      std::erase_if(copies,
                    [&](const Copies& some) { return !board_.span.IsLive(some.bucket, now); });
    }
    copies.push_back({bucket, 0});
  }
  ++copies.back().count;
  board_.claims[id].Post(copies.back());
}

bool Writer::NoteErased(uint32_t id, uint64_t bucket) {
  std::vector<Copies>& copies = CopiesOf(id);
  const auto from = std::ranges::find(copies, bucket, &Copies::bucket);
  if (from == copies.end()) return false;
  if (--from->count == 0) copies.erase(from);
  board_.claims[id].Withdraw(copies.empty() ? Copies{} : copies.back());
  return true;
}

void Writer::NoteInserted(uint64_t bucket) {
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (Caller::Bit(caller_.inserted(), i)) NoteInserted(ids_[i], bucket);
  }
}

void Writer::Insert(uint32_t size) {
  PickUnkept(size);
  NoteInserted(caller_.Insert(ids_));
}

void Writer::InsertIfAbsent(uint32_t size) {
  PickOwn(size);
  const Caller::Bits inserted = caller_.InsertIfAbsent(ids_);
  const uint64_t begun = board_.Begun();
  for (size_t i = 0; i < ids_.size(); ++i) {
    const uint64_t num_in = NumIn(ids_[i], begun);
    caller_.totals.num_checked += num_in > 0;
    if (num_in > 0 && !caller_.refused().empty() && Caller::Bit(caller_.refused(), i)) {
      caller_.Report(Invariant::kRefusalsAgree, ids_[i],
                     fmt::format("refused as absent with {} copies in", num_in));
    }
    if (!Caller::Bit(inserted, i)) continue;
    if (num_in > 0) {
      caller_.Report(Invariant::kNewOnlyIfAbsent, ids_[i],
                     fmt::format("told \"new\" with {} copies in", num_in));
    }
    NoteInserted(ids_[i], caller_.BucketOfKey(i));
  }
}

// Of one bucket: that of some copy of the first key picked that has any.
void Writer::Erase(uint32_t size) {
  PickUnkept(size);
  const auto first = std::ranges::find_if(ids_, [&](uint32_t id) { return !CopiesOf(id).empty(); });
  if (first == ids_.end()) return;
  const std::vector<Copies>& copies = CopiesOf(*first);
  const uint64_t bucket = copies[random_.Below(static_cast<uint32_t>(copies.size()))].bucket;
  std::erase_if(ids_, [&](uint32_t id) { return !NoteErased(id, bucket); });
  caller_.Erase(ids_, bucket);
}

// The model need not know of keys that are gone when it returns: calls follow each other quickly.
void Writer::Pulse(uint32_t size) {
  PickUnkept(size);
  for (int i = 0; i < kPulses && !caller_.is_over(); ++i) {
    const uint64_t bucket = caller_.Insert(ids_);
    // Those refused must not be erased.
    size_t num_in = 0;
    for (size_t k = 0; k < ids_.size(); ++k) {
      if (Caller::Bit(caller_.inserted(), k)) ids_[num_in++] = ids_[k];
    }
    ids_.resize(num_in);
    caller_.Erase(ids_, bucket);
  }
}

void Writer::Query(uint32_t size) {
  PickOwn(size);
  const bool is_count = random_.OneIn(2);
  const Caller::Bits answers = is_count ? caller_.Counts(ids_) : caller_.Query(ids_);
  const uint64_t begun = board_.Begun();
  for (size_t i = 0; i < ids_.size(); ++i) {
    const uint64_t num_in = NumIn(ids_[i], begun);
    caller_.totals.num_checked += num_in > 0;
    if (is_count && answers[i] < num_in) {
      caller_.Report(Invariant::kCountNotBelow, ids_[i],
                     fmt::format("counted {}, {} copies are in", answers[i], num_in));
    } else if (!is_count && num_in > 0 && !Caller::Bit(answers, i)) {
      caller_.Report(board_.presence(), ids_[i],
                     fmt::format("absent to its owner, with {} copies in", num_in));
    }
  }
}

// Many copies of one hot key, sometimes mixed with those of another.
void Writer::InsertHot() {
  const uint32_t num_hot = plan_.mix.num_hot;
  if (num_hot == 0) return;
  const uint32_t one = random_.Below(num_hot);
  const uint32_t other = random_.OneIn(4) ? random_.Below(num_hot) : one;
  if (board_.expires) board_.tokens[one].DropExpired(board_.span, board_.subject.now());
  if (board_.tokens[one].count() > uint64_t{4} * plan_.mix.max_hot_batch) return EraseHot();
  const uint32_t size = 1 + random_.SkewedBelow(plan_.mix.max_hot_batch);
  ids_.clear();
  for (uint32_t i = 0; i < size; ++i) {
    const bool is_other = other != one && random_.OneIn(3);
    ids_.push_back(plan_.first_hot() + (is_other ? other : one));
  }
  const uint64_t bucket = caller_.Insert(ids_);
  uint64_t num_one = 0;
  uint64_t num_other = 0;
  for (size_t i = 0; i < ids_.size(); ++i) {
    const bool is_other = ids_[i] != plan_.first_hot() + one;
    (is_other ? num_other : num_one) += Caller::Bit(caller_.inserted(), i);
  }
  board_.tokens[one].Put({bucket, num_one});
  board_.tokens[other].Put({bucket, num_other});
}

void Writer::EraseHot() {
  if (plan_.mix.num_hot == 0) return;
  const uint32_t hot = random_.Below(plan_.mix.num_hot);
  const Copies taken = board_.tokens[hot].Take(1 + random_.Below(2 * plan_.mix.max_hot_batch));
  ids_.assign(taken.count, plan_.first_hot() + hot);
  caller_.Erase(ids_, taken.bucket);
}

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
