// The keys of a benchmark: random 64-bit integers computed from their index, so that 30 M members
// need not be stored to be inserted twice or proved present, and members and non-members are
// disjoint.
#ifndef TROMMEL_BENCH_SIDES_WORKLOAD_H_
#define TROMMEL_BENCH_SIDES_WORKLOAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trommel::bench {

// The key with this index: a bijection (SplitMix64's finalizer), so different indices are different
// keys.
constexpr uint64_t KeyAt(uint64_t index) {
  uint64_t key = index + 0x9e3779b97f4a7c15U;
  key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9U;
  key = (key ^ (key >> 27)) * 0x94d049bb133111ebU;
  return key ^ (key >> 31);
}

// Random numbers for one purpose: those of different purposes are unrelated.
class Draws {
 public:
  Draws(uint64_t seed, uint64_t purpose) : next_(KeyAt(KeyAt(seed) ^ KeyAt(~purpose))) {}
  uint64_t Next() { return KeyAt(next_++); }
  uint32_t Below(uint64_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }
  bool Chance(double chance) { return static_cast<double>(Next() >> 11) * 0x1p-53 < chance; }

 private:
  uint64_t next_;
};

// The rank in [0, num_ranks) of a uniform number in [0, 1): small ranks are the frequent ones, each
// with the chance of [rank + 1, rank + 2) under 1 / x, nearly Zipf's distribution. Needs no table.
uint64_t ZipfRank(double uniform, uint64_t num_ranks);

// The first index of each population. They do not overlap for less than 2^40 members.
inline constexpr uint64_t kFirstMember = 0;
inline constexpr uint64_t kFirstGuest = uint64_t{1} << 40;      // inserted and erased again
inline constexpr uint64_t kFirstNonMember = uint64_t{1} << 41;  // never inserted

// Keys beside their digests under the default policy. Every side of a comparison gets the same.
struct Batch {
  std::span<const uint64_t> keys;
  std::span<const uint64_t> digests;

  size_t size() const { return keys.size(); }
  Batch Part(size_t first, size_t count) const {
    return {keys.subspan(first, count), digests.subspan(first, count)};
  }
};

// Owns the keys [first_index, first_index + num_keys) and their digests.
class Population {
 public:
  Population(uint64_t first_index, size_t num_keys);
  Batch batch() const { return {keys_, digests_}; }

 private:
  std::vector<uint64_t> keys_;
  std::vector<uint64_t> digests_;
};

// Calls visit(batch) for the keys [first_index, first_index + num_keys), a million at a time.
template <class Visit>
void ForEachBatch(uint64_t first_index, uint64_t num_keys, const Visit& visit) {
  constexpr uint64_t kMost = 1'000'000;
  for (uint64_t done = 0; done < num_keys; done += kMost) {
    const Population part(first_index + done, std::min(kMost, num_keys - done));
    visit(part.batch());
  }
}

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_WORKLOAD_H_
