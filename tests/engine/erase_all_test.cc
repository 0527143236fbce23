// EraseAll of all filters: a batch goes as a whole, or nothing changes. Batches are drawn from an
// exact multiset, with keys that are not in it, keys given too often, and keys that nothing tells
// apart from others.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/in_threads.h"
#include "support/shrink.h"
#include "support/tuple_rows.h"
#include "support/window_slots.h"
#include "trommel/attribute_filter.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"
#include "trommel/window_filter.h"

namespace trommel::tests {
namespace {

using DigestList = std::vector<uint64_t>;
using SavedBytes = std::vector<std::byte>;

const DigestPolicy kOwnDigests = {.kind = DigestKind::kCaller};

bool IsBitSet(std::span<const uint64_t> bits, size_t i) {
  return (bits[i / 64] >> (i % 64) & 1) != 0;
}

uint64_t NumMarked(std::span<const uint64_t> bits) {
  uint64_t num_set = 0;
  for (const uint64_t word : bits) num_set += static_cast<uint64_t>(std::popcount(word));
  return num_set;
}

// The keys without those that are marked.
template <class Key>
std::vector<Key> Unmarked(const std::vector<Key>& keys, std::span<const uint64_t> marks) {
  std::vector<Key> left;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!IsBitSet(marks, i)) left.push_back(keys[i]);
  }
  return left;
}

// DigestList, some of which share all but their last bits, so that fingerprints are equal. With
// `shard_bits` all of them begin with so many zeros.
DigestList TwinDigests(size_t size, uint32_t zero_bits, uint64_t seed) {
  std::mt19937_64 random(seed);
  DigestList digests;
  while (digests.size() < size) {
    const uint64_t digest = random() >> zero_bits;
    digests.push_back(digest);
    if (random() % 4 == 0) digests.push_back(digest ^ 1);
    if (random() % 8 == 0) digests.push_back(digest ^ 2);
  }
  return digests;
}

// A filter of digests, as the checks below use it.
template <class Filter>
struct WholeSubject {
  explicit WholeSubject(Filter made) : filter(std::move(made)) {}

  void Insert(const DigestList& digests) {
    CHECK(filter.Insert(Keys::Digests(digests)).num_refused == 0);
  }
  uint64_t NumRefusedByErase(const DigestList& digests) {
    return filter.Erase(Keys::Digests(digests)).num_refused;
  }
  Result<EraseOutcome> EraseAll(const DigestList& digests, std::span<uint64_t> missing = {}) {
    return filter.EraseAll(Keys::Digests(digests), missing);
  }
  WholeSubject Copy() const { return WholeSubject(filter.Clone().value()); }
  SavedBytes Serialize() const { return filter.Serialize(); }

  Filter filter;
};

// Draws a batch from `members`, which lose it if it has nothing else.
DigestList DrawnErasures(const DigestList& universe, std::map<uint64_t, uint64_t>& members,
                         bool is_clean, std::mt19937_64& random) {
  DigestList all;
  for (const auto& [digest, count] : members) all.insert(all.end(), count, digest);
  std::ranges::shuffle(all, random);
  all.resize(std::min<size_t>(all.size(), random() % (all.size() / 4 + 2)));
  if (is_clean) {
    for (const uint64_t digest : all) {
      if (--members[digest] == 0) members.erase(digest);
    }
    return all;
  }
  const size_t num_others = 1 + random() % 3;
  const uint64_t universe_mask =
      ~uint64_t{0} >> std::countl_zero(*std::ranges::max_element(universe));
  for (size_t i = 0; i < num_others; ++i) {
    const bool is_member = random() % 2 == 0;
    all.push_back(is_member ? universe[random() % universe.size()] : random() & universe_mask);
  }
  if (random() % 4 == 0) all.insert(all.end(), 20, all.front());
  std::ranges::shuffle(all, random);
  return all;
}

// What every batch promises. Returns whether it was erased.
template <class AnySubject>
bool CheckErasure(AnySubject& subject, const DigestList& batch, bool is_exact) {
  const SavedBytes before = subject.Serialize();
  AnySubject plain = subject.Copy();
  const uint64_t num_refused_by_erase = plain.NumRefusedByErase(batch);
  std::vector<uint64_t> missing(BitmapWords(batch.size()), ~uint64_t{0});
  const EraseOutcome outcome = subject.EraseAll(batch, missing).value();
  CHECK(NumMarked(missing) == outcome.num_refused);
  if (outcome.num_refused == 0) {
    CHECK(outcome.num_erased == batch.size());
    CHECK(num_refused_by_erase == 0);
    CHECK((subject.Serialize() == plain.Serialize()));
    return true;
  }
  CHECK(outcome.num_erased == 0);
  CHECK((subject.Serialize() == before));
  if (is_exact) CHECK(num_refused_by_erase > 0);
  // Without those that are missing it goes, and it goes with none of them.
  AnySubject rest = subject.Copy();
  CHECK(rest.EraseAll(Unmarked(batch, missing)).value().num_refused == 0);
  return false;
}

// is_exact: a batch is refused only if Erase would refuse one of its keys.
template <class AnySubject>
void CheckErasures(AnySubject subject, const DigestList& universe, size_t num_keys, bool is_exact,
                   uint64_t most_batches = 60) {
  const auto num_batches = static_cast<int>(Scaled(most_batches));
  std::mt19937_64 random(num_keys);
  std::map<uint64_t, uint64_t> members;
  const auto insert = [&](size_t count) {
    DigestList added;
    for (size_t i = 0; i < count; ++i) {
      added.push_back(universe[random() % universe.size()]);
      members[added.back()] += 1;
    }
    subject.Insert(added);
  };
  insert(num_keys);
  int num_whole = 0;
  int num_refused = 0;
  for (int i = 0; i < num_batches; ++i) {
    const bool is_clean = i % 3 == 0;
    std::map<uint64_t, uint64_t> members_left = members;
    const DigestList batch = DrawnErasures(universe, members_left, is_clean, random);
    // Of batches with others, what comes of them is taken back.
    AnySubject tried = subject.Copy();
    const bool was_erased = CheckErasure(is_clean ? subject : tried, batch, is_exact);
    (was_erased ? num_whole : num_refused) += 1;
    if (!is_clean) continue;
    CHECK(was_erased);
    members = members_left;
    if (members.size() < universe.size() / 8) insert(num_keys / 4);
  }
  CHECK(num_whole >= num_batches / 3);
  CHECK(num_refused > 0);
  // All of it goes, and then none is left.
  DigestList all;
  for (const auto& [digest, count] : members) all.insert(all.end(), count, digest);
  CHECK(CheckErasure(subject, all, is_exact));
  if (!all.empty()) CHECK(subject.EraseAll(all).value() == EraseOutcome{0, all.size()});
}

Geometry AnyWholeGeometry() {
  const auto [encoding, num_slices] =
      GENERATE(table<Encoding, uint32_t>({{Encoding::kPlanes, 8},
                                          {Encoding::kRuns, 4},
                                          {Encoding::kRuns, 5},
                                          {Encoding::kRuns, 8},
                                          {Encoding::kRuns, 10},
                                          {Encoding::kFingerprints16, 0},
                                          {Encoding::kFingerprints8, 0}}));
  const uint32_t bits = encoding == Encoding::kFingerprints16 ? 16 : 14;
  const uint64_t num_blocks = GENERATE(uint64_t{1}, uint64_t{64});
  return {.num_slices = num_slices,
          .encoding = encoding,
          .num_blocks = num_blocks,
          .fingerprint_bits = HasFingerprints(encoding) ? bits : 0};
}

CountingFilter WholeFilterOf(const Geometry& geometry) {
  return CountingFilter::CreateWithGeometry(geometry, kOwnDigests).value();
}

TEST_CASE("a counting filter erases a batch as a whole or changes nothing", "[engine][erase_all]") {
  const Geometry geometry = AnyWholeGeometry();
  // Up to many times what a block holds, so that blocks are promoted.
  const size_t per_block = GENERATE(size_t{6}, size_t{100});
  const size_t num_keys = per_block * geometry.num_blocks;
  CAPTURE(EncodingName(geometry.encoding), geometry.num_slices, num_keys);
  CheckErasures(WholeSubject(WholeFilterOf(geometry)), TwinDigests(num_keys, 0, 1), num_keys, true,
                30);
}

TEST_CASE("with a limit of side memory a filter erases a batch as a whole or changes nothing",
          "[engine][erase_all][side_limit]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kFingerprints8);
  CountingFilter filter = CountingFilter::Create({.capacity = 2000,
                                                  .digest = kOwnDigests,
                                                  .encoding = encoding,
                                                  .side_memory_limit_bytes = 1 << 20})
                              .value();
  CheckErasures(WholeSubject(std::move(filter)), TwinDigests(800, 0, 2), 900, true);
}

TEST_CASE("a concurrent filter erases a batch as a whole or changes nothing",
          "[engine][erase_all][concurrent]") {
  const auto encoding = GENERATE(Encoding::kPlanes, Encoding::kRuns, Encoding::kFingerprints16,
                                 Encoding::kFingerprints8);
  // Several lock ranges.
  ConcurrentFilter filter =
      ConcurrentFilter::Create({.capacity = 300'000, .digest = kOwnDigests, .encoding = encoding})
          .value();
  CheckErasures(WholeSubject(std::move(filter)), TwinDigests(20'000, 0, 3), 30'000, true, 9);
}

TEST_CASE("a filter that doubles erases a batch as a whole or changes nothing",
          "[engine][erase_all][doubling]") {
  // All in one of its 64 parts: a few digests in a table, or blocks that have doubled.
  const auto [num_distinct, num_keys] =
      GENERATE(table<size_t, size_t>({{300, 600}, {6000, 9000}, {500, 60'000}}));
  CAPTURE(num_distinct, num_keys);
  ScalableFilter filter =
      ScalableFilter::Create({.mode = GrowthMode::kDoubling, .digest = kOwnDigests}).value();
  CheckErasures(WholeSubject(std::move(filter)), TwinDigests(num_distinct, 6, 4), num_keys, true,
                30);
}

TEST_CASE("a filter of generations erases a batch as a whole or changes nothing",
          "[engine][erase_all][scalable]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kFingerprints16,
                                 Encoding::kFingerprints8);
  CAPTURE(EncodingName(encoding));
  ScalableFilter filter = ScalableFilter::Create({.first_capacity = 100,
                                                  .target_fpr = 0.03,
                                                  .mode = GrowthMode::kGenerations,
                                                  .digest = kOwnDigests,
                                                  .encoding = encoding})
                              .value();
  // Erase may take what is one too many from a generation that shows it by a false positive.
  CheckErasures(WholeSubject(std::move(filter)), TwinDigests(1000, 0, 5), 2000, false, 24);
}

// Keys go to the bucket of their time, which their digest tells: some of a bucket that has expired,
// and some of one that has not come.
constexpr uint64_t kWindowNow = 1000;
uint64_t TimeOfDigest(uint64_t digest) { return digest >> 32 & 1 ? kWindowNow : kWindowNow - 150; }

template <>
struct WholeSubject<WindowFilter> {
  explicit WholeSubject(WindowFilter made) : filter(std::move(made)) {}
  void Insert(const DigestList& digests) {
    for (const uint64_t digest : digests) filter.Insert(Key::Digest(digest), TimeOfDigest(digest));
  }
  uint64_t NumRefusedByErase(const DigestList& digests) {
    uint64_t num_refused = 0;
    for (const uint64_t digest : digests) {
      num_refused += uint64_t{!filter.Erase(Key::Digest(digest), TimeOfDigest(digest))};
    }
    return num_refused;
  }
  Result<EraseOutcome> EraseAll(const DigestList& digests, std::span<uint64_t> missing = {}) {
    DigestList times;
    for (const uint64_t digest : digests) times.push_back(TimeOfDigest(digest));
    const Result<WindowEraseOutcome> outcome =
        filter.EraseAll(Keys::Digests(digests), times, missing);
    if (!outcome.ok()) return outcome.error();
    CHECK(outcome->num_expired == 0);
    return EraseOutcome{outcome->num_erased, outcome->num_refused};
  }
  WholeSubject Copy() const { return WholeSubject(filter.Clone().value()); }
  SavedBytes Serialize() const { return filter.Serialize(); }
  WindowFilter filter;
};

WindowFilter WindowOfAnySlots(uint64_t capacity) {
  const double rate = GENERATE(tests::kRateOfSlots16, tests::kRateOfSlots24);
  WindowFilter filter = WindowFilter::Create({.window = 400,
                                              .num_buckets = 4,
                                              .capacity = capacity,
                                              .target_fpr = rate,
                                              .digest = kOwnDigests})
                            .value();
  REQUIRE(filter.Advance(kWindowNow));
  return filter;
}

TEST_CASE("a window erases a batch as a whole, each key from the bucket of its time, or nothing",
          "[engine][erase_all][window]") {
  // At its capacity, and at many times that.
  const size_t num_keys = GENERATE(size_t{1000}, size_t{20'000});
  CheckErasures(WholeSubject(WindowOfAnySlots(1000)), TwinDigests(num_keys / 2, 0, 6), num_keys,
                true, 15);
}

TEST_CASE("keys of a window that have expired are counted, and keep nothing from being erased",
          "[engine][erase_all][window]") {
  WindowFilter filter = WindowOfAnySlots(1000);
  const DigestList keys = {11, 12, 13, 14};
  filter.Insert(Keys::Digests(keys), kWindowNow);
  const SavedBytes before = filter.Serialize();
  std::vector<uint64_t> missing(1);
  // 11 is in; 12 is of a time that has gone, 13 of one that is to come, 14 of another bucket.
  const DigestList times = {kWindowNow, 100, kWindowNow + 1, kWindowNow - 150};
  CHECK(filter.EraseAll(Keys::Digests(keys), times, missing).value() ==
        WindowEraseOutcome{.num_erased = 0, .num_refused = 1, .num_expired = 2});
  CHECK(missing == std::vector<uint64_t>{0b1000});
  CHECK((filter.Serialize() == before));
  CHECK(filter.EraseAll(Keys::Digests(keys).Subspan(0, 3), std::span(times).first(3)).value() ==
        WindowEraseOutcome{.num_erased = 1, .num_refused = 0, .num_expired = 2});
  // One time for all.
  CHECK(filter.EraseAll(Keys::Digests(keys).Subspan(1, 3), std::span(times).first(1)).value() ==
        WindowEraseOutcome{.num_erased = 3});
  CHECK(filter.num_keys() == 0);
  const WindowStats stats = filter.GetStats();
  CHECK(stats.num_refused_erases == 1);
  CHECK(stats.num_expired_erases == 4);
}

TEST_CASE("a window that is not erasable refuses all keys of a batch",
          "[engine][erase_all][window]") {
  WindowFilter filter =
      WindowFilter::Create(
          {.window = 400, .capacity = 1000, .digest = kOwnDigests, .is_erasable = false})
          .value();
  const DigestList keys = {11, 12};
  filter.Insert(Keys::Digests(keys));
  const uint64_t time = 0;
  std::vector<uint64_t> missing(1);
  CHECK(filter.EraseAll(Keys::Digests(keys), std::span(&time, 1), missing).value() ==
        WindowEraseOutcome{.num_refused = 2});
  CHECK(missing == std::vector<uint64_t>{0b11});
  CHECK(filter.num_keys() == 2);
}

TEST_CASE("tuples are erased as a batch from all sets, or from none",
          "[engine][erase_all][attributes]") {
  const auto encoding = GENERATE(Encoding::kRuns, Encoding::kPlanes, Encoding::kAutomatic);
  AttributeConfig config{.sets = AttributeSets::Create(3).value(),
                         .capacity = 100,
                         .target_fpr = 0.05,
                         .digest = kOwnDigests,
                         .encoding = encoding};
  if (GENERATE(false, true)) config.executor = Executor::Create(3).value();
  AttributeFilter filter = AttributeFilter::Create(config).value();
  std::mt19937_64 random(7);
  // Few values, so that projections are shared, and several times what the filter is sized for.
  const std::vector<TupleRow> universe = DrawnTuples(3000, 3, 12, 8);
  std::map<TupleRow, uint64_t> members;
  std::vector<TupleRow> rows;
  for (int i = 0; i < 2500; ++i) {
    rows.push_back(universe[random() % (universe.size() / 2)]);
    members[rows.back()] += 1;
  }
  REQUIRE(filter.Insert(TupleColumns(rows).view()).num_refused == 0);
  int num_refused = 0;
  for (uint64_t i = 0; i < Scaled(24); ++i) {
    std::ranges::shuffle(rows, random);
    const bool is_clean = i % 3 == 0;
    const size_t size = std::min<size_t>(rows.size(), random() % 400);
    std::vector<TupleRow> batch(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(size));
    for (int k = 0; k < 2 && !is_clean; ++k) batch.push_back(universe[random() % universe.size()]);
    std::ranges::shuffle(batch, random);
    const TupleColumns columns(batch);

    const SavedBytes before = filter.Serialize();
    AttributeFilter plain = filter.Clone().value();
    AttributeFilter tried = filter.Clone().value();
    const uint64_t num_refused_by_erase = plain.Erase(columns.view()).num_refused;
    std::vector<uint64_t> missing(BitmapWords(batch.size()), ~uint64_t{0});
    AttributeFilter& target = is_clean ? filter : tried;
    const EraseOutcome outcome = target.EraseAll(columns.view(), missing).value();
    CHECK(NumMarked(missing) == outcome.num_refused);
    if (outcome.num_refused == 0) {
      CHECK(num_refused_by_erase == 0);
      CHECK((target.Serialize() == plain.Serialize()));
      CHECK(target.num_tuples() == plain.num_tuples());
    } else {
      ++num_refused;
      CHECK(outcome.num_erased == 0);
      CHECK((target.Serialize() == before));
      CHECK(target.GetStats().num_refused_erases >= outcome.num_refused);
      const std::vector<TupleRow> rest = Unmarked(batch, missing);
      CHECK(target.EraseAll(TupleColumns(rest).view()).value().num_refused == 0);
    }
    if (num_refused_by_erase > 0) CHECK(outcome.num_refused > 0);
    if (is_clean) {
      CHECK(outcome.num_refused == 0);
      rows.erase(rows.begin(), rows.begin() + static_cast<ptrdiff_t>(size));
    }
  }
  CHECK(num_refused > 0);
  CHECK(filter.EraseAll(TupleColumns(rows).view()).value() == EraseOutcome{rows.size(), 0});
  CHECK(filter.num_tuples() == 0);
  CHECK(filter.EraseAll(TupleColumns(rows).view()).value() == EraseOutcome{0, rows.size()});
}

TEST_CASE("a list that is erased a second time takes nothing from other keys",
          "[engine][erase_all]") {
  // What a job that is retried does.
  CountingFilter filter = CountingFilter::Create({.capacity = 20'000, .target_fpr = 0.05}).value();
  std::vector<uint64_t> keys(20'000);
  for (size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter.Insert(keys);
  const std::vector<uint64_t> list(keys.begin(), keys.begin() + 5000);
  const std::vector<uint64_t> others(keys.begin() + 5000, keys.end());
  CHECK(filter.EraseAll(list).value() == EraseOutcome{5000, 0});
  const SavedBytes once = filter.Serialize();
  CHECK(filter.EraseAll(list).value().num_erased == 0);
  CHECK((filter.Serialize() == once));
  std::vector<uint64_t> found(BitmapWords(others.size()));
  CHECK(filter.Query(others, found) == others.size());
  CHECK(filter.Erase(others).num_refused == 0);
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("of the copies of a key in a batch the last ones are missing", "[engine][erase_all]") {
  CountingFilter filter = CountingFilter::Create({.capacity = 1000}).value();
  const std::vector<std::string> in = {"a", "a", "b"};
  filter.Insert(in);
  const std::vector<std::string> batch = {"a", "c", "a", "b", "a", "b"};
  std::vector<uint64_t> missing(1);
  CHECK(filter.EraseAll(batch, missing).value() == EraseOutcome{0, 3});
  CHECK(missing == std::vector<uint64_t>{0b110010});
  CHECK(filter.GetStats().num_refused_erases == 3);
  CHECK(filter.EraseAll(std::vector<std::string>{}).value() == EraseOutcome{});
  CHECK(filter.num_keys() == 3);
}

TEST_CASE("an erasure as a whole that there is no memory for changes nothing",
          "[engine][erase_all]") {
  if (!AllocationPeak::IsCounted()) return;
  const DigestList keys = TwinDigests(3000, 0, 9);
  DigestList batch(keys.begin(), keys.begin() + 1000);
  const bool is_refused = GENERATE(false, true);
  if (is_refused) batch.insert(batch.end(), 50, batch.front());
  const auto check = [&](auto subject) {
    subject.Insert(keys);
    const SavedBytes before = subject.Serialize();
    std::vector<uint64_t> missing(BitmapWords(batch.size()));
    for (uint64_t n = 1;; ++n) {
      Result<EraseOutcome> outcome = EraseOutcome{};
      const bool was_refused = WasRefusedAt(n, [&] { outcome = subject.EraseAll(batch, missing); });
      if (!was_refused) {
        CHECK((outcome.value().num_refused > 0) == is_refused);
        CHECK(n > 1);
        return;
      }
      if (!outcome.ok()) CHECK(outcome.error().code == ErrorCode::kOutOfMemory);
      if (outcome.ok() && !is_refused) return;  // it did without
      CHECK((subject.Serialize() == before));
    }
  };
  check(WholeSubject(
      WholeFilterOf({.num_slices = 8, .encoding = Encoding::kRuns, .num_blocks = 64})));
  check(WholeSubject(
      ScalableFilter::Create({.mode = GrowthMode::kDoubling, .digest = kOwnDigests}).value()));
  check(WholeSubject(ScalableFilter::Create({.first_capacity = 500,
                                             .mode = GrowthMode::kGenerations,
                                             .digest = kOwnDigests,
                                             .encoding = Encoding::kFingerprints16})
                         .value()));
}

// Members of one half come and go in other threads while batches of the other half are erased as a
// whole, or refused for a key that is not in.
template <class Filter>
void CheckErasuresBesideWriters(Filter& filter) {
  constexpr size_t kKeys = 8192;
  const uint64_t num_rounds = Scaled(40);
  std::mt19937_64 random(10);
  DigestList keys(2 * kKeys);
  for (uint64_t& digest : keys) digest = random();
  const std::span<const uint64_t> ours = std::span(keys).first(kKeys);
  const std::span<const uint64_t> theirs = std::span(keys).last(kKeys);
  filter.Insert(Keys::Digests(ours));
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> num_wrong = 0;
  InThreads(3, [&](uint64_t thread) {
    std::vector<uint64_t> bits(BitmapWords(kKeys));
    if (thread == 1) {  // writes
      while (!is_over) {
        filter.Insert(Keys::Digests(theirs));
        num_wrong += filter.Erase(Keys::Digests(theirs)).num_refused;
      }
      return;
    }
    if (thread == 2) {  // queries what is never erased
      const std::span<const uint64_t> half = ours.first(kKeys / 2);
      std::vector<uint64_t> found(BitmapWords(half.size()));
      while (!is_over) num_wrong += half.size() - filter.Query(Keys::Digests(half), found);
      return;
    }
    DigestList too_many(ours.begin(), ours.end());
    too_many.insert(too_many.end(), 100, too_many.front());
    const DigestList rest(ours.begin() + kKeys / 2, ours.end());
    for (uint64_t i = 0; i < num_rounds; ++i) {
      num_wrong += filter.EraseAll(Keys::Digests(too_many)).value().num_erased;
      const EraseOutcome outcome = filter.EraseAll(Keys::Digests(rest)).value();
      num_wrong += outcome.num_refused + rest.size() - outcome.num_erased;
      filter.Insert(Keys::Digests(rest));
    }
    is_over = true;
  });
  CHECK(num_wrong == 0);
  CHECK(filter.EraseAll(Keys::Digests(ours)).value() == EraseOutcome{kKeys, 0});
  CHECK(filter.num_keys() == 0);
}

TEST_CASE("a batch goes as a whole beside other writers, and is never absent if it is refused",
          "[engine][erase_all][threads]") {
  SECTION("in a concurrent filter") {
    const auto encoding = GENERATE(Encoding::kRuns, Encoding::kFingerprints16);
    ConcurrentFilter filter =
        ConcurrentFilter::Create({.capacity = 20'000, .digest = kOwnDigests, .encoding = encoding})
            .value();
    CheckErasuresBesideWriters(filter);
  }
  SECTION("in a filter that grows") {
    const auto mode = GENERATE(GrowthMode::kDoubling, GrowthMode::kGenerations);
    ScalableConfig config{.mode = mode, .digest = kOwnDigests};
    if (mode == GrowthMode::kGenerations) config.first_capacity = 1000;
    ScalableFilter filter = ScalableFilter::Create(config).value();
    CheckErasuresBesideWriters(filter);
  }
}

}  // namespace
}  // namespace trommel::tests
