// Random keys for tests: a bijection of counters.
#include "support/random_keys.h"

namespace trommel::tests {
namespace {

// SplitMix64's finalizer (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
// A bijection of 64-bit words: distinct counters give distinct keys.
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15U;  // keeps seed 0 and counter 0 away from key 0

std::vector<uint64_t> KeysOf(KeySpace space, size_t num_keys, uint64_t seed, uint64_t first) {
  std::vector<uint64_t> keys(num_keys);
  for (size_t i = 0; i < num_keys; ++i) keys[i] = RandomKey(space, seed, first + i);
  return keys;
}

}  // namespace

uint64_t RandomKey(KeySpace space, uint64_t seed, uint64_t idx) {
  // Bit 0 of the counter is the space; the seed never touches it.
  const uint64_t scatter = Mix(seed + kGolden) & ~uint64_t{1};
  return Mix(((idx << 1) | static_cast<uint64_t>(space)) ^ scatter);
}

std::vector<uint64_t> MemberKeys(size_t num_keys, uint64_t seed, uint64_t first) {
  return KeysOf(KeySpace::kMembers, num_keys, seed, first);
}

std::vector<uint64_t> NonMemberKeys(size_t num_keys, uint64_t seed, uint64_t first) {
  return KeysOf(KeySpace::kNonMembers, num_keys, seed, first);
}

}  // namespace trommel::tests
