// Random keys for tests: a bijection of counters.
#include "support/random_keys.h"

#include <numeric>
#include <utility>

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

// The padding comes first and the key's 16 hex digits last, so distinct keys give distinct strings.
std::string StringOf(uint64_t key) {
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr uint64_t kMaxPadding = 64;
  uint64_t state = Mix(key + kGolden);
  std::string text(state % kMaxPadding, 'a');
  for (char& letter : text) {
    state = Mix(state + kGolden);
    letter = static_cast<char>('a' + state % 26);
  }
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[(key >> shift) & 15];
  return text;
}

std::vector<std::string> StringsOf(KeySpace space, size_t num_keys, uint64_t seed, uint64_t first) {
  std::vector<std::string> strings(num_keys);
  for (size_t i = 0; i < num_keys; ++i) strings[i] = StringOf(RandomKey(space, seed, first + i));
  return strings;
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

std::vector<std::string> MemberStrings(size_t num_keys, uint64_t seed, uint64_t first) {
  return StringsOf(KeySpace::kMembers, num_keys, seed, first);
}

std::vector<std::string> StrangerStrings(size_t num_keys, uint64_t seed, uint64_t first) {
  return StringsOf(KeySpace::kNonMembers, num_keys, seed, first);
}

std::vector<size_t> RandomOrder(size_t num_keys, uint64_t seed) {
  std::vector<size_t> order(num_keys);
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = num_keys; i > 1; --i) {
    std::swap(order[i - 1], order[RandomKey(KeySpace::kMembers, seed, i) % i]);
  }
  return order;
}

}  // namespace trommel::tests
