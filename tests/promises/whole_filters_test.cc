// What whole filters of any kind promise: copies and files are what they are of, sums are sums, and
// what there is no memory for changes nothing.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "promises/specimen.h"
#include "support/allocation_peak.h"
#include "support/catch.h"
#include "support/targets.h"

namespace trommel::tests {
namespace {

FilterKind AnyKind() { return GENERATE(from_range(AllKinds())); }

// Inserts them at several times, erases some, and leaves some refused erasures behind.
void Fill(const FilterKind& kind, Specimen& filter, const KeyList& keys, std::mt19937_64& random) {
  KeyList bits = SetBits(keys.size());
  for (uint64_t now = 0; now < 300; now += 90) {
    filter.Advance(filter.now() + 90);
    const KeyList some = keys.empty() ? keys : DrawnOften(keys.size() / 2, keys, random);
    REQUIRE(filter.Insert(some, bits).num_refused == 0);
    if (kind.Keeps(Promise::kErase)) {
      filter.Erase(std::span(some).first(some.size() / 8), bits);
    }
  }
  filter.EraseOne(~uint64_t{0} >> kind.zero_bits);
}

std::unique_ptr<Specimen> Filled(const FilterKind& kind, double share_of_crowd,
                                 std::mt19937_64& random) {
  auto filter = kind.make();
  KeyList keys = kind.Crowd(random);
  keys.resize(static_cast<size_t>(share_of_crowd * static_cast<double>(keys.size())));
  Fill(kind, *filter, keys, random);
  return filter;
}

// All that is in can be erased and inserted.
void CheckUsable(const FilterKind& kind, Specimen& filter, const KeyList& keys) {
  const ByteList before = filter.Serialize();
  KeyList bits = SetBits(keys.size());
  CHECK(filter.Query(keys, bits) == keys.size());
  CHECK(filter.Insert(keys, bits).num_refused == 0);
  if (!kind.Keeps(Promise::kErase)) return;
  CHECK(filter.Erase(keys, bits).num_refused == 0);
  if (kind.Keeps(Promise::kNoTrace)) CHECK((filter.Serialize() == before));
}

TEST_CASE(
    "copies and files of a filter are equal to it, go on as it does, and change by themselves",
    "[engine][files][clone][scalable][window][attribute_filter][long]") {
  const FilterKind kind = AnyKind();
  const double share = GENERATE(0.0, 0.05, 1.0);
  CAPTURE(kind, share);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = Filled(kind, share, random);
  const ByteList bytes = filter->Serialize();
  ByteList askew(bytes.size() + 1);
  std::ranges::copy(bytes, askew.begin() + 1);
  ByteList saved(bytes.size());
  SpanSink sink(saved);
  REQUIRE(filter->SaveTo(sink).ok());
  CHECK((saved == bytes));
  std::vector<std::unique_ptr<Specimen>> copies;
  copies.push_back(filter->Clone().value());
  copies.push_back(filter->LoadFrom(SpanSource(bytes)).value());
  copies.push_back(copies.back()->LoadFrom(SpanSource(std::span(askew).subspan(1))).value());
  const KeyList pool = kind.Crowd(random);
  const SpecimenFigures figures = filter->Figures();
  for (const auto& copy : copies) {
    CHECK(copy->IsEqual(*filter));
    CHECK((copy->Serialize() == bytes));
    CHECK(copy->now() == filter->now());
    CHECK((copy->Counts(pool) == filter->Counts(pool)));
    CHECK(copy->num_keys() == filter->num_keys());
    CHECK(copy->Figures().num_keys == figures.num_keys);
    CHECK(copy->Figures().num_promoted <= figures.num_promoted);  // back, if it has drained
    CHECK(copy->Figures().num_bytes <= figures.num_bytes * 5 / 4);
    CHECK(copy->Figures().num_refused_erases == 0);  // wear stays behind
  }
  for (uint64_t round = 0; round < 3; ++round) {
    const KeyList keys = DrawnOften(pool.size() / 4 + 10, pool, random);
    KeyList bits(BitmapWords(keys.size()));
    KeyList copy_bits(bits.size());
    const uint64_t now = filter->now() + 170;
    for (const auto& copy : copies) {
      // The original waits for all of them.
      if (copy != copies.front()) {
        CHECK((copy->Counts(keys) == copies.front()->Counts(keys)));
      } else {
        CHECK(copy->InsertOne(~uint64_t{1} >> kind.zero_bits));
        CHECK_FALSE(copy->IsEqual(*filter));
        CHECK((filter->Serialize() == bytes || round > 0));
        filter->InsertOne(~uint64_t{1} >> kind.zero_bits);
        for (size_t i = 1; i < copies.size(); ++i) {
          copies[i]->InsertOne(~uint64_t{1} >> kind.zero_bits);
        }
      }
    }
    const Done inserted = filter->Insert(keys, bits);
    for (const auto& copy : copies) {
      CHECK(copy->Insert(keys, copy_bits) == inserted);
      CHECK((copy_bits == bits));
    }
    const Done erased = filter->Erase(std::span(keys).first(keys.size() / 2), bits);
    for (const auto& copy : copies) {
      CHECK(copy->Erase(std::span(keys).first(keys.size() / 2), copy_bits) == erased);
      CHECK((copy_bits == bits));
      copy->Advance(now);
    }
    filter->Advance(now);
    for (const auto& copy : copies) CHECK((copy->Serialize() == filter->Serialize()));
  }
}

TEST_CASE("a file is loaded within the memory that it takes, and not with a byte less",
          "[engine][files][scalable][window][attribute_filter][long]") {
  const FilterKind kind = AnyKind();
  const double share = GENERATE(0.05, 1.0);
  CAPTURE(kind, share);
  std::mt19937_64 random(Catch::rngSeed());
  const ByteList bytes = Filled(kind, share, random)->Serialize();
  const auto loader = kind.make();
  const auto loaded = loader->LoadFrom(SpanSource(bytes)).value();
  uint64_t refused = 1;
  uint64_t needed = 2 * loaded->Figures().num_bytes + 1'000'000;
  REQUIRE(loader->LoadFrom(SpanSource(bytes), needed).ok());
  while (refused + 1 < needed) {
    const uint64_t limit = refused + (needed - refused) / 2;
    (loader->LoadFrom(SpanSource(bytes), limit).ok() ? needed : refused) = limit;
  }
  // A set that grows has fewer blocks where there is no memory for its own.
  const uint64_t fewer = kind.type == "attributes" ? needed / 4 : 0;
  CHECK(needed + fewer >= loaded->Figures().num_bytes - loaded->Figures().side_bytes);
  CHECK((loader->LoadFrom(SpanSource(bytes), needed).value()->Serialize() == bytes));
  for (const uint64_t limit : {refused, uint64_t{1}, uint64_t{100}}) {
    const auto result = loader->LoadFrom(SpanSource(bytes), limit);
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().code == ErrorCode::kOutOfMemory);
    if (limit < refused) {
      CHECK_THAT(result.error().message, Catch::Matchers::ContainsSubstring("limit of "));
    }
  }
}

TEST_CASE("merge is the sum, subtract takes it away, and what was merged can be erased",
          "[engine][filter][scalable][window][long]") {
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kMerge})));
  const auto [share, other_share] =  // of a crowd
      GENERATE(table<double, double>({{0.05, 1.5}, {1.5, 0.05}, {1.0, 1.0}}));
  CAPTURE(kind, share, other_share);
  std::mt19937_64 random(Catch::rngSeed());
  const KeyList pool = kind.Crowd(random);
  const auto drawn = [&](double of_crowd) {
    return DrawnOften(static_cast<size_t>(of_crowd * static_cast<double>(kind.crowd)), pool,
                      random);
  };
  const KeyList ours = drawn(share);
  const KeyList theirs = drawn(other_share);
  KeyList bits = SetBits(2 * kind.crowd);
  ForEachRunnableTarget([&] {
    const auto filter = kind.make();
    const auto other = kind.make();
    const auto sum = kind.make();
    const ByteList as_new = filter->Serialize();
    filter->Insert(ours, bits);
    other->Insert(theirs, bits);
    for (const KeyList* keys : {&ours, &theirs}) sum->Insert(*keys, bits);
    const ByteList before = filter->Serialize();
    const ByteList other_before = other->Serialize();
    REQUIRE(filter->Merge(*other).ok());
    CHECK((other->Serialize() == other_before));
    CHECK(filter->num_keys() == sum->num_keys());
    for (const KeyList* keys : {&ours, &theirs}) CHECK(filter->Query(*keys, bits) == keys->size());
    if (kind.Keeps(Promise::kAnyOrder)) CHECK((filter->Serialize() == sum->Serialize()));
    if (kind.Keeps(Promise::kSubtract)) {
      REQUIRE(filter->Subtract(*other).ok());
      CHECK((filter->Serialize() == before));
      CHECK(filter->Subtract(*sum).error().code == ErrorCode::kInvalidArgument);
      CHECK((filter->Serialize() == before));
      REQUIRE(filter->Merge(*filter).ok());  // every key twice
      CHECK(filter->num_keys() == 2 * ours.size());
      CHECK(filter->Erase(ours, bits).num_refused == 0);
      CHECK((filter->Serialize() == before));
      REQUIRE(filter->Subtract(*filter).ok());
      CHECK((filter->Serialize() == as_new));
      REQUIRE(filter->Merge(*sum).ok());
    }
    if (!kind.Keeps(Promise::kErase)) return;
    CHECK(filter->Erase(theirs, bits).num_refused == 0);
    CHECK(filter->Query(ours, bits) == ours.size());
    CHECK(filter->Erase(ours, bits).num_refused == 0);
    CHECK((filter->Serialize() == as_new));
  });
}

TEST_CASE("a merge past 2^62 keys is refused and changes nothing, and files hold as many",
          "[engine][filter][scalable][window]") {
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kMerge})));
  const bool is_clone = GENERATE(false, true);
  CAPTURE(kind, is_clone);
  const auto filter = kind.make();
  const auto merge = [&] {
    const auto clone = filter->Clone().value();
    return filter->Merge(is_clone ? *clone : *filter);
  };
  filter->InsertOne(42);
  for (int i = 0; i < 62; ++i) REQUIRE(merge().ok());
  CHECK(filter->num_keys() == uint64_t{1} << 62);
  CHECK(filter->Count(42) == (kind.Keeps(Promise::kErase) ? uint64_t{1} << 62 : 1));
  const ByteList bytes = filter->Serialize();
  const Status refused = merge();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(refused.error().message, Catch::Matchers::ContainsSubstring("2^62"));
  CHECK((filter->Serialize() == bytes));
  // One key more fits, and files hold it.
  CHECK(filter->InsertOne(42));
  CHECK(filter->LoadFrom(SpanSource(filter->Serialize())).ok());
}

TEST_CASE("a cleared filter is as new", "[engine][filter][scalable][window][attribute_filter]") {
  const FilterKind kind = AnyKind();
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = Filled(kind, 1.5, random);
  const auto fresh = kind.make();
  fresh->Advance(filter->now());
  filter->Clear();
  CHECK((filter->Serialize() == fresh->Serialize()));
  const SpecimenFigures figures = filter->Figures();
  CHECK(figures.num_keys + figures.num_promoted + figures.num_refused_erases == 0);
  CHECK(figures.num_bytes == fresh->Figures().num_bytes);
  CHECK(figures.side_bytes == fresh->Figures().side_bytes);
  for (Specimen* one : {filter.get(), fresh.get()}) {
    std::mt19937_64 again(3);
    Fill(kind, *one, kind.Crowd(again), again);
  }
  CHECK((filter->Serialize() == fresh->Serialize()));
}

// Calls change(filter) with its n-th allocation refused, for each n, on a filter that holds the
// keys. Where it fails nothing has changed.
template <class Change>
void CheckWithRefusals(const FilterKind& kind, const KeyList& keys, const Change& change) {
  const auto filter = kind.make();
  KeyList bits = SetBits(keys.size());
  REQUIRE(filter->Insert(keys, bits).num_refused == 0);
  const ByteList before = filter->Serialize();
  uint64_t num_failed = 0;
  bool was_refused = true;
  for (uint64_t n = 1; was_refused; n += 1 + n / 8) {
    CAPTURE(n);
    const auto tried = filter->Clone().value();
    Status changed = Ok();
    was_refused = WasRefusedAt(n, [&] { changed = change(*tried); });
    if (!changed.ok()) {
      num_failed += 1;
      CHECK(changed.error().code == ErrorCode::kOutOfMemory);
      CHECK((tried->Serialize() == before));
      CHECK(tried->num_keys() == keys.size());
    }
    if (num_failed < 4) CheckUsable(kind, *tried, keys);
  }
  CHECK(num_failed > 0);
}

// Keys of a crowd, and a hot one of which more than 255 are in.
KeyList KeysWithHotOne(const FilterKind& kind, std::mt19937_64& random) {
  KeyList keys = DrawnOften(kind.crowd / 2, kind.Crowd(random), random);
  keys.insert(keys.end(), 300, keys.front());
  return keys;
}

TEST_CASE("a merge or fold that there is no memory for changes nothing, at any of its allocations",
          "[engine][refused_memory][long]") {
  if (!AllocationPeak::IsCounted()) return;
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kSafeMerge})));
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const KeyList keys = KeysWithHotOne(kind, random);
  const KeyList more = KeysWithHotOne(kind, random);
  const auto other = kind.make();
  KeyList bits = SetBits(more.size());
  other->Insert(more, bits);
  CheckWithRefusals(kind, keys, [&](Specimen& filter) {
    const Status merged = filter.Merge(*other);
    if (merged.ok() && filter.num_keys() != keys.size() + more.size()) return Status(Error{});
    return merged;
  });
  CheckWithRefusals(kind, keys, [](Specimen& filter) { return filter.Merge(filter); });
  if (!kind.Keeps(Promise::kFold)) return;
  CheckWithRefusals(kind, keys, [](Specimen& filter) { return filter.Fold(); });
}

TEST_CASE("an erasure as a whole that there is no memory for changes nothing",
          "[engine][erase_all][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const FilterKind kind =
      GENERATE(from_range(KindsThatKeep({Promise::kErase, Promise::kSafeMerge})));
  const bool is_refused = GENERATE(false, true);
  CAPTURE(kind, is_refused);
  std::mt19937_64 random(Catch::rngSeed());
  const KeyList keys = DrawnOften(kind.crowd / 2, kind.Crowd(random), random);
  KeyList batch(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(keys.size() / 3));
  if (is_refused) batch.insert(batch.end(), keys.size(), batch.front());
  const auto filter = kind.make();
  KeyList bits = SetBits(2 * keys.size());
  filter->Insert(keys, bits);
  const ByteList before = filter->Serialize();
  for (uint64_t n = 1;; n += 1 + n / 8) {
    CAPTURE(n);
    Result<Done> outcome = Done{};
    const bool was_refused = WasRefusedAt(n, [&] { outcome = filter->EraseAll(batch, bits, {}); });
    if (!outcome.ok()) CHECK(outcome.error().code == ErrorCode::kOutOfMemory);
    if (outcome.ok()) CHECK((outcome->num_refused > 0) == is_refused);
    if (outcome.ok() && !is_refused) return;  // it did without
    CHECK((filter->Serialize() == before));
    if (!was_refused) return;
  }
}

TEST_CASE("what is made of a filter is whole or an error, at any allocation that is refused",
          "[engine][refused_memory][files]") {
  if (!AllocationPeak::IsCounted()) return;
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kSafeMerge})));
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  const auto filter = Filled(kind, 0.5, random);
  const ByteList bytes = filter->Serialize();
  const SpanSource source(bytes);
  for (const bool is_clone : {true, false}) {
    bool was_refused = true;
    for (uint64_t n = 1; was_refused; n += 1 + n / 4) {
      CAPTURE(is_clone, n);
      std::unique_ptr<Specimen> made;
      ErrorCode code = ErrorCode::kOutOfMemory;
      was_refused = WasRefusedAt(n, [&] {
        auto result = is_clone ? filter->Clone() : filter->LoadFrom(source);
        if (result.ok()) made = *std::move(result);
        if (!result.ok()) code = result.error().code;
      });
      CHECK(code == ErrorCode::kOutOfMemory);
      CHECK((made != nullptr || was_refused));
      if (made != nullptr) CHECK((made->Serialize() == bytes));
    }
  }
  CHECK((filter->Serialize() == bytes));
}

TEST_CASE("no erasure needs memory", "[engine][refused_memory]") {
  if (!AllocationPeak::IsCounted()) return;
  const FilterKind kind = GENERATE(from_range(KindsThatKeep({Promise::kLeanErase})));
  CAPTURE(kind);
  std::mt19937_64 random(Catch::rngSeed());
  KeyList keys = KeysWithHotOne(kind, random);
  const auto filter = kind.make();
  const ByteList as_new = filter->Serialize();
  KeyList bits = SetBits(keys.size());
  REQUIRE(filter->Insert(keys, bits).num_refused == 0);
  std::ranges::shuffle(keys, random);
  const size_t half = keys.size() / 2;
  uint64_t num_refused = 0;
  {
    const RefusedAllocation refused(1, Refused::kAllFrom);
    num_refused = filter->Erase(std::span(keys).first(half), bits).num_refused;
    for (size_t i = half; i + 1 < keys.size(); ++i)
      num_refused += uint64_t{!filter->EraseOne(keys[i])};
  }
  CHECK(num_refused == 0);
  CHECK(filter->num_keys() == 1);
  // With memory, parts that are empty go.
  CHECK(filter->EraseOne(keys.back()));
  CHECK((filter->Serialize() == as_new));
}

}  // namespace
}  // namespace trommel::tests
