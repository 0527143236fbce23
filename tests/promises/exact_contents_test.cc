// Random operations on filters of every kind: beside an exact multiset of what is in, and beside a
// filter of the same kind that gets the same keys in other ways. TROMMEL_TEST_SCALE makes them
// longer.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "promises/specimen.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/sanitized.h"
#include "support/shrink.h"
#include "support/targets.h"

namespace trommel::tests {
namespace {

enum class Way : uint8_t { kWhole, kPieces, kOneByOne, kThreads };
constexpr Way kWays[] = {Way::kWhole, Way::kPieces, Way::kOneByOne, Way::kThreads};

// A specimen whose batches are given to it in one of the ways.
class Driven {
 public:
  Driven(std::unique_ptr<Specimen> filter, Way way, uint64_t seed)
      : way_(way), random_(seed), filter_(std::move(filter)) {
    Replace(std::move(filter_));
  }

  Specimen& filter() { return *filter_; }
  void Replace(std::unique_ptr<Specimen> other) {
    filter_ = std::move(other);
    if (way_ == Way::kThreads) filter_->UseExecutor(executor_);
  }

  // Bits of the keys that were done.
  KeyList Insert(KeySpan keys, uint64_t time = kNow) {
    return Do(
        keys, [&](KeySpan some, BitSpan bits) { filter_->Insert(some, bits, time); },
        [&](uint64_t key) { return filter_->InsertOne(key); }, time == kNow);
  }
  KeyList InsertIfAbsent(KeySpan keys) {
    return Do(
        keys, [&](KeySpan some, BitSpan bits) { filter_->InsertIfAbsent(some, bits); },
        [&](uint64_t key) { return filter_->InsertOneIfAbsent(key); });
  }
  KeyList Erase(KeySpan keys, uint64_t time = kNow) {
    return Do(
        keys, [&](KeySpan some, BitSpan bits) { filter_->Erase(some, bits, time); },
        [&](uint64_t key) { return filter_->EraseOne(key, time); });
  }
  KeyList Query(KeySpan keys) {
    return Do(
        keys, [&](KeySpan some, BitSpan bits) { filter_->Query(some, bits); },
        [&](uint64_t key) { return filter_->MayContain(key); });
  }
  KeyList Counts(KeySpan keys) {
    if (way_ != Way::kOneByOne) return filter_->Counts(keys);
    KeyList counts;
    for (const uint64_t key : keys) counts.push_back(filter_->Count(key));
    return counts;
  }

 private:
  template <class Batch, class One>
  KeyList Do(KeySpan keys, const Batch& batch, const One& one, bool may_be_single = true) {
    KeyList bits(BitmapWords(keys.size()));
    if (way_ == Way::kWhole || way_ == Way::kThreads ||
        (way_ == Way::kOneByOne && !may_be_single)) {
      batch(keys, bits);
      return bits;
    }
    for (size_t first = 0; first < keys.size();) {
      // Shorter and longer than the chunks that batches are cut into.
      const uint64_t most = random_() % 4 == 0 ? 3000 : 80;
      const size_t size =
          way_ == Way::kOneByOne ? 1 : std::min<size_t>(1 + random_() % most, keys.size() - first);
      KeyList of_piece = SetBits(size);
      if (size == 1 && may_be_single) {
        of_piece[0] = uint64_t{one(keys[first])};
      } else {
        batch(keys.subspan(first, size), of_piece);
      }
      for (size_t i = 0; i < size; ++i) {
        bits[(first + i) / 64] |= uint64_t{BitAt(of_piece, i)} << (first + i) % 64;
      }
      first += size;
    }
    return bits;
  }

  Way way_;
  std::mt19937_64 random_;
  std::shared_ptr<Executor> executor_ = Executor::Create(3).value();
  std::unique_ptr<Specimen> filter_;
};

std::unique_ptr<Specimen> Made(const FilterKind& kind, bool is_limited) {
  return is_limited ? kind.MakeLimited() : kind.make();
}

// The keys that are in, each with the times of its copies.
class TimedModel {
 public:
  void Insert(KeySpan keys, KeySpan bits, uint64_t time) {
    for (const uint64_t key : ChosenKeys(keys, bits)) in_[key].push_back(time);
  }
  // Of these keys those that are in at that time, as often as they are: they are taken out.
  KeyList Take(KeySpan keys, uint64_t time) {
    KeyList taken;
    for (const uint64_t key : keys) {
      const auto found = in_.find(key);
      if (found == in_.end()) continue;
      const auto at = std::ranges::find(found->second, time);
      if (at == found->second.end()) continue;
      found->second.erase(at);
      if (found->second.empty()) in_.erase(found);
      taken.push_back(key);
    }
    return taken;
  }
  void Expire(uint64_t now, uint64_t lifetime) {
    if (lifetime == kNow) return;
    for (auto& [key, times] : in_) {
      std::erase_if(times, [&](uint64_t time) { return time + lifetime <= now; });
    }
    std::erase_if(in_, [](const auto& entry) { return entry.second.empty(); });
  }
  void Clear() { in_.clear(); }
  // When the last of its copies came.
  uint64_t TimeOf(uint64_t key, uint64_t otherwise) const {
    const auto found = in_.find(key);
    return found == in_.end() ? otherwise : found->second.back();
  }
  uint64_t CountOf(uint64_t key) const {
    const auto found = in_.find(key);
    return found == in_.end() ? 0 : found->second.size();
  }
  uint64_t num_keys() const {
    uint64_t num_keys = 0;
    for (const auto& [key, times] : in_) num_keys += times.size();
    return num_keys;
  }
  // The times, and the keys of each.
  std::map<uint64_t, KeyList> ByTime() const {
    std::map<uint64_t, KeyList> keys;
    for (const auto& [key, times] : in_) {
      for (const uint64_t time : times) keys[time].push_back(key);
    }
    return keys;
  }

 private:
  std::map<uint64_t, std::vector<uint64_t>> in_;
};

// One step on both. Returns whether it went as it must.
bool DoStep(const FilterKind& kind, bool is_limited, uint64_t choice, const KeyList& keys,
            Driven& driven, TimedModel& model, std::mt19937_64& random) {
  Specimen& filter = driven.filter();
  if (filter.lifetime() != kNow && random() % 2 == 0) {
    filter.Advance(filter.now() + random() % 90);
    model.Expire(filter.now(), filter.lifetime());
  }
  const uint64_t now = filter.now();
  // Late, or to erase what was inserted then.
  const uint64_t time = random() % 3 == 0 ? now : model.TimeOf(keys.front(), now);
  if (choice < 6) {
    const bool is_late = time != now && random() % 2 == 0;
    const KeyList bits = driven.Insert(keys, is_late ? time : kNow);
    model.Insert(keys, bits, is_late ? time : now);
    return is_limited || ChosenKeys(keys, bits).size() == keys.size();
  }
  if (choice < 8 && kind.Keeps(Promise::kInsertIfAbsent)) {
    model.Insert(keys, driven.InsertIfAbsent(keys), now);
  } else if (choice < 12 && kind.Keeps(Promise::kErase)) {
    const KeyList taken = model.Take(keys, time);
    return ChosenKeys(taken, driven.Erase(taken, time)).size() == taken.size();
  } else if (choice == 12 && kind.Keeps(Promise::kErase)) {
    const KeyList taken = model.Take(keys, time);
    const KeyList times(taken.size(), time);
    KeyList missing = SetBits(taken.size());
    return filter.EraseAll(taken, missing, times).value() == Done{.num_done = taken.size()};
  } else if (choice == 13) {
    filter.Advance(now + random() % (random() % 8 == 0 ? 1500 : 150));
    model.Expire(filter.now(), filter.lifetime());
  } else if (choice == 14 && kind.Keeps(Promise::kMerge) && !is_limited) {
    const auto other = kind.make();
    other->Advance(now);
    KeyList bits = SetBits(keys.size());
    other->Insert(keys, bits);
    if (!filter.Merge(*other).ok()) return false;
    model.Insert(keys, bits, now);
  } else if (choice == 15 && !is_limited) {  // a copy may not find the space that it has here
    driven.Replace(filter.Clone().value());
  } else if (choice == 16 && !is_limited) {
    driven.Replace(filter.LoadFrom(SpanSource(filter.Serialize())).value());
  } else if (choice == 17 && random() % 3 == 0) {
    filter.Clear();
    model.Clear();
  }
  return true;
}

TEST_CASE("no key that is in is ever absent or counted too low, and what is emptied is as new",
          "[engine][invariants][scalable][window][attribute_filter][long]") {
  const FilterKind kind = GENERATE(from_range(AllKinds()));
  const bool is_limited = GENERATE(false, true);
  if (is_limited && !kind.Keeps(Promise::kSideLimit)) return;
  const Way way = GENERATE(from_range(std::vector<Way>(std::begin(kWays), std::end(kWays))));
  CAPTURE(kind, is_limited, static_cast<int>(way));
  std::mt19937_64 random(Catch::rngSeed());
  Driven driven(Made(kind, is_limited), way, random());
  TimedModel model;
  const KeyList pool = kind.Crowd(random);
  KeyList asked = pool;
  std::ranges::shuffle(asked, random);
  asked.resize(1000);
  const bool is_counted = kind.Keeps(Promise::kErase);  // else a key is in once
  const uint64_t least_bytes = driven.filter().Figures().num_bytes;
  uint64_t most_bytes = 0;
  uint64_t num_refused = 0;
  const uint64_t num_steps = Scaled(32);
  for (uint64_t step = 0; step < num_steps; ++step) {
    const uint64_t choice = step < 3 ? 0 : random() % 18;
    const bool is_large = step < 3 || random() % 8 == 0;
    const size_t num_keys = is_large ? pool.size() / 2 : 1 + random() % 200;
    CAPTURE(step, choice, num_keys);
    REQUIRE(DoStep(kind, is_limited, choice, DrawnOften(num_keys, pool, random), driven, model,
                   random));
    const Specimen& filter = driven.filter();
    const KeyList bits = driven.Query(asked);
    const KeyList counts = driven.Counts(asked);
    uint64_t num_wrong = 0;
    for (size_t i = 0; i < asked.size(); ++i) {
      const uint64_t count = model.CountOf(asked[i]);
      num_wrong += uint64_t{count > 0 && !BitAt(bits, i)};
      num_wrong += uint64_t{counts[i] < (is_counted ? count : std::min<uint64_t>(count, 1))};
    }
    REQUIRE(num_wrong == 0);
    const bool is_exact = filter.lifetime() == kNow;  // what expires goes with its bucket
    if (is_exact) REQUIRE(filter.num_keys() == model.num_keys());
    if (is_counted) REQUIRE(filter.num_keys() >= model.num_keys());
    const SpecimenFigures figures = filter.Figures();
    REQUIRE(figures.num_keys == filter.num_keys());
    most_bytes = std::max(most_bytes, figures.num_bytes);
    num_refused += figures.num_refused_inserts;
  }
  // Else nothing was tested.
  if (!is_limited) CHECK(most_bytes > least_bytes);
  if (is_limited) CHECK(num_refused > 0);
  Specimen& filter = driven.filter();
  if (kind.Keeps(Promise::kErase)) {
    for (auto& [time, keys] : model.ByTime()) {
      std::ranges::shuffle(keys, random);
      REQUIRE(ChosenKeys(keys, driven.Erase(keys, time)).size() == keys.size());
    }
  }
  const auto fresh = kind.make();
  const uint64_t end = filter.now() + 2 * std::min<uint64_t>(filter.lifetime(), 10'000);
  filter.Advance(end);
  fresh->Advance(end);
  CHECK(filter.num_keys() == 0);
  CHECK((filter.Serialize() == fresh->Serialize()));
}

TEST_CASE(
    "any cut of batches, calls of one key, threads and targets give the same answers and bytes",
    "[engine][invariants][one][scalable][window][side_limit][long]") {
  const FilterKind kind = GENERATE(from_range(AllKinds()));
  const bool is_limited = GENERATE(false, true);
  if (is_limited && !kind.Keeps(Promise::kSideLimit)) return;
  CAPTURE(kind, is_limited);
  const uint64_t seed = Catch::rngSeed();
  constexpr uint64_t kRounds = TROMMEL_TESTS_SANITIZED ? 1 : 3;
  const auto run = [&](Way way) {
    Driven driven(Made(kind, is_limited), way, seed + 1);
    std::mt19937_64 random(seed);
    const KeyList pool = kind.Crowd(random);
    KeyList said;
    const auto note = [&said](const KeyList& answers) {
      said.insert(said.end(), answers.begin(), answers.end());
    };
    for (uint64_t round = 0; round < kRounds; ++round) {
      note(driven.Insert(DrawnOften(8000, pool, random)));
      if (kind.Keeps(Promise::kInsertIfAbsent)) {
        note(driven.InsertIfAbsent(DrawnOften(3000, pool, random)));
      }
      note(driven.Erase(DrawnOften(4000, pool, random)));
      KeyList asked = DrawnOften(2000, pool, random);
      for (size_t i = 0; i < asked.size(); i += 2) asked[i] = random() >> kind.zero_bits;
      note(driven.Query(asked));
      note(driven.Counts(asked));
      driven.filter().Advance((round + 1) * 150);
    }
    const SpecimenFigures figures = driven.filter().Figures();
    note({figures.num_keys, figures.num_refused_inserts, figures.num_refused_erases});
    if (is_limited) CHECK(figures.num_refused_inserts > 0);
    return std::pair(std::move(said), driven.filter().Serialize());
  };
  const auto want = run(Way::kWhole);
  for (const Way way : {Way::kPieces, Way::kThreads}) {
    CAPTURE(static_cast<int>(way));
    CHECK((run(way) == want));
  }
  ForEachRunnableTarget([&] {
    for (const Way way : {Way::kWhole, Way::kOneByOne}) CHECK((run(way) == want));
  });
}

TEST_CASE("neither the order of keys nor what has come and gone shows in the bytes",
          "[engine][files][scalable][window][long]") {
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kAnyOrder})));
  const double share = GENERATE(0.05, 0.5, 1.0);  // of a crowd
  CAPTURE(kind, share);
  const bool has_guests = kind.Keeps(Promise::kNoTrace) && kind.Keeps(Promise::kErase);
  std::mt19937_64 random(Catch::rngSeed());
  const KeyList pool = kind.Crowd(random);
  const auto num_keys = static_cast<size_t>(share * static_cast<double>(pool.size()));
  Driven plain(kind.make(), Way::kWhole, 1);
  Driven other(kind.make(), Way::kPieces, 2);
  for (uint64_t phase = 0; phase < 3; ++phase) {
    KeyList keys = DrawnOften(num_keys, std::span(pool).first(num_keys), random);
    keys.insert(keys.end(), 3000, keys.front());
    plain.Insert(keys);
    const KeyList guests = has_guests ? DrawnOften(2 * num_keys, pool, random) : KeyList();
    other.Insert(guests);
    std::ranges::shuffle(keys, random);
    other.Insert(keys);
    CHECK(ChosenKeys(guests, other.Erase(guests)).size() == guests.size());
    CHECK((other.filter().Serialize() == plain.filter().Serialize()));
    for (Driven* one : {&plain, &other}) one->filter().Advance((phase + 1) * 170);
  }
  // What has gone does not show, nor what is not swept yet.
  CHECK((other.filter().Serialize() == plain.filter().Serialize()));
  for (Driven* one : {&plain, &other}) one->filter().Clear();
  other.Insert(pool);
  for (Driven* one : {&plain, &other}) one->filter().Advance(10'000);
  if (!has_guests) other.filter().Clear();
  if (has_guests && other.filter().lifetime() == kNow) other.Erase(pool);
  CHECK((other.filter().Serialize() == plain.filter().Serialize()));
}

}  // namespace
}  // namespace trommel::tests
