// Random keys for tests: seeded, distinct, and split into members (to insert) and non-members
// (never inserted) that cannot meet, whatever the seeds: no set is needed to know that a key is
// new.
#ifndef TROMMEL_TESTS_SUPPORT_RANDOM_KEYS_H_
#define TROMMEL_TESTS_SUPPORT_RANDOM_KEYS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel::tests {

enum class KeySpace : uint64_t { kMembers = 0, kNonMembers = 1 };

// Key number `idx` of a space. Distinct for distinct (space, idx) of one seed, idx < 2^63; a member
// of one seed is no non-member of another.
uint64_t RandomKey(KeySpace space, uint64_t seed, uint64_t idx);

// Keys [first, first + num_keys) of a space.
std::vector<uint64_t> MemberKeys(size_t num_keys, uint64_t seed, uint64_t first = 0);
std::vector<uint64_t> NonMemberKeys(size_t num_keys, uint64_t seed, uint64_t first = 0);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_RANDOM_KEYS_H_
