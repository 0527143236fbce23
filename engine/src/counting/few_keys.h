// Small batches. Their keys are hashed, all their blocks fetched, and then the kernel of one key is
// called for each. The steps of larger batches cost as much as a dozen keys in cache, and so few
// keys do not fill their pipeline (bench/README.md, "One key per call").
#ifndef TROMMEL_ENGINE_SRC_COUNTING_FEW_KEYS_H_
#define TROMMEL_ENGINE_SRC_COUNTING_FEW_KEYS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "trommel/digest.h"
#include "trommel/keys.h"
#include "trommel/one_key.h"

namespace trommel {

// So many take 0.7 times as long beyond the caches, and as long in cache; fewer gain more.
constexpr size_t kSmallBatch = 16;
static_assert(kSmallBatch <= 64, "answers are one word");

// Calls fetch(digests), and then answer(digest) for each key in order. Bit i of `answers`, a word
// unless it is empty, says what it returned for key i. Returns how often that was true. Requires at
// most kSmallBatch keys. Digests of the caller's are copied: an update must read the same twice
// (key_chunks.h).
template <class Fetch, class Answer>
size_t AnswerFew(const OneKey& one, const DigestPolicy& policy, Keys keys,
                 std::span<uint64_t> answers, const Fetch& fetch, const Answer& answer) {
  if (keys.empty()) return 0;
  std::array<uint64_t, kSmallBatch> buffer;
  const std::span<uint64_t> digests = std::span(buffer).first(keys.size());
  if (keys.kind() == KeyKind::kInt64 && one.HashesIntegersHere()) {
    const auto* integers = static_cast<const std::byte*>(keys.data());
    for (size_t i = 0; i < digests.size(); ++i) {
      uint64_t integer;
      std::memcpy(&integer, integers + i * sizeof(integer), sizeof(integer));
      digests[i] = one.DigestOf(integer);
    }
  } else {
    policy.Digests(keys, digests);
  }
  fetch(std::span<const uint64_t>(digests));
  uint64_t bits = 0;
  for (size_t i = 0; i < digests.size(); ++i) bits |= uint64_t{answer(digests[i])} << i;
  if (!answers.empty()) answers.front() = bits;
  return static_cast<size_t>(std::popcount(bits));
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_FEW_KEYS_H_
