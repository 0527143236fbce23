#include "bench/sides/tuple_workload.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "bench/sides/workload.h"
#include "trommel/keys.h"

namespace trommel::bench {
namespace {

// MurmurHash3's finalizer: a bijection of 32 bits.
constexpr uint32_t Scrambled(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

}  // namespace

TupleWorkload::TupleWorkload(uint32_t num_attributes, uint64_t num_tuples, uint64_t seed)
    : num_attributes_(num_attributes), num_tuples_(num_tuples), seed_(seed) {
  if (num_tuples >= uint64_t{1} << 31) {
    std::fputs("TupleWorkload: num_tuples must be below 2^31\n", stderr);
    std::abort();
  }
}

uint32_t TupleWorkload::ValueAt(uint32_t attribute, uint32_t number) const noexcept {
  const uint64_t key = KeyAt(KeyAt(seed_) + attribute);
  return Scrambled(Scrambled(number ^ static_cast<uint32_t>(key)) +
                   static_cast<uint32_t>(key >> 32));
}

TupleQueries TupleWorkload::Hashed(AttributeMask queried,
                                   std::vector<std::vector<uint32_t>> numbers) const {
  TupleQueries queries{queried, std::move(numbers), TupleDigests(num_attributes_)};
  std::vector<uint32_t> values;
  for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
    if ((queried >> attribute & 1) == 0) continue;
    values.clear();
    for (const uint32_t number : queries.numbers[attribute]) {
      values.push_back(ValueAt(attribute, number));
    }
    queries.digests.Set(attribute, Keys::Int32(std::span<const uint32_t>(values)));
  }
  return queries;
}

TupleDigests TupleWorkload::TuplesAt(uint64_t first, size_t count) const {
  std::vector<uint32_t> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<uint32_t>(first + i);
  const auto all = static_cast<AttributeMask>((uint64_t{1} << num_attributes_) - 1);
  return Hashed(all, std::vector(num_attributes_, numbers)).digests;
}

void TupleWorkload::InsertInto(std::span<TupleIndex* const> indices) const {
  constexpr uint64_t kMost = uint64_t{1} << 17;
  for (uint64_t done = 0; done < num_tuples_; done += kMost) {
    const TupleDigests part =
        TuplesAt(done, static_cast<size_t>(std::min(kMost, num_tuples_ - done)));
    for (TupleIndex* index : indices) {
      if (index->Insert(part.view()).num_refused == 0) continue;
      std::fputs("TupleWorkload: a tuple was refused\n", stderr);
      std::exit(3);
    }
  }
}

TupleQueries TupleWorkload::Members(AttributeMask queried, size_t count, uint64_t purpose) const {
  return Mixtures(queried, queried, count, purpose);
}

TupleQueries TupleWorkload::NonMembers(AttributeMask queried, double alpha, size_t count,
                                       uint64_t purpose) const {
  Draws draws(seed_, purpose);
  std::vector<std::vector<uint32_t>> numbers(num_attributes_);
  const uint64_t num_others = (uint64_t{1} << 32) - num_tuples_;
  for (size_t i = 0; i < count; ++i) {
    uint32_t first = 0;
    for (bool is_in = true; is_in;) {
      is_in = true;
      bool is_first = true;
      for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
        if ((queried >> attribute & 1) == 0) continue;
        const bool taken = num_tuples_ > 0 && draws.Chance(alpha);
        const uint32_t number = taken
                                    ? draws.Below(num_tuples_)
                                    : static_cast<uint32_t>(num_tuples_) + draws.Below(num_others);
        if (numbers[attribute].size() == i) numbers[attribute].push_back(0);
        numbers[attribute][i] = number;
        if (is_first) first = number;
        is_first = false;
        is_in &= number == first && number < num_tuples_;
      }
      // With one attribute whose values are all of tuples there are no non-members.
      if (is_in && std::has_single_bit(queried) && alpha >= 1) std::abort();
    }
  }
  return Hashed(queried, std::move(numbers));
}

TupleQueries TupleWorkload::Mixtures(AttributeMask queried, AttributeMask first, size_t count,
                                     uint64_t purpose) const {
  Draws draws(seed_, purpose);
  std::vector<std::vector<uint32_t>> numbers(num_attributes_);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t one = draws.Below(num_tuples_);
    uint32_t other = draws.Below(num_tuples_ - 1);
    other += other >= one;
    for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
      if ((queried >> attribute & 1) == 0) continue;
      numbers[attribute].push_back((first >> attribute & 1) != 0 ? one : other);
    }
  }
  return Hashed(queried, std::move(numbers));
}

bool TupleWorkload::IsIn(const TupleQueries& queries, AttributeMask set, size_t i) const noexcept {
  bool is_in = true;
  uint32_t first = 0;
  bool is_first = true;
  for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
    if ((set >> attribute & 1) == 0) continue;
    const uint32_t number = queries.numbers[attribute][i];
    if (is_first) first = number;
    is_first = false;
    is_in &= number == first && number < num_tuples_;
  }
  return is_in;
}

NonMemberAnswers QueryNonMembers(const TupleIndex& index, const TupleWorkload& workload,
                                 const TupleQueries& non_members,
                                 std::span<const AttributeMask> parts) {
  const Tuples tuples = non_members.digests.view();
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
  NonMemberAnswers answers{.num_queried = tuples.size};
  answers.num_maybe = index.Query(non_members.set, tuples, maybe);
  for (size_t i = 0; i < tuples.size; ++i) {
    bool all = true;
    for (const AttributeMask part : parts) all &= workload.IsIn(non_members, part, i);
    if (!all) continue;
    ++answers.num_combination;
    if ((maybe[i / 64] >> (i % 64) & 1) != 0) continue;
    std::fputs("QueryNonMembers: a part that is in was answered \"absent\"\n", stderr);
    std::exit(1);
  }
  return answers;
}

}  // namespace trommel::bench
