#include "engine/src/keys/radix_split.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "support/catch.h"

namespace trommel {
namespace {

std::vector<uint64_t> RandomDigests(size_t size, uint64_t num_distinct) {
  std::mt19937_64 random(Catch::rngSeed());
  std::vector<uint64_t> pool(num_distinct);
  for (uint64_t& digest : pool) digest = random();
  std::vector<uint64_t> digests(size);
  for (uint64_t& digest : digests) digest = pool[random() % pool.size()];
  return digests;
}

TEST_CASE("a split is the stable sort by range, and answers come back in input order",
          "[engine][radix_split]") {
  const size_t size = GENERATE(size_t{0}, 1, 63, 64, 65, 1000, kSplitChunk);
  const uint32_t range_bits = GENERATE(0U, 1U, 6U, 10U);
  const uint64_t num_distinct = GENERATE(uint64_t{1}, 50, 100'000);
  const std::vector<uint64_t> digests = RandomDigests(size, num_distinct);
  const size_t num_ranges = size_t{1} << range_bits;
  std::vector<uint16_t> ranges(size);
  std::vector<uint64_t> split(size);
  std::vector<uint32_t> starts(num_ranges + 1, 77);
  SplitByRange(digests, range_bits, ranges, split, starts);

  std::vector<uint64_t> want = digests;
  std::ranges::stable_sort(want, {}, [&](uint64_t digest) { return RangeOf(digest, range_bits); });
  CHECK(split == want);
  CHECK(starts.front() == 0);
  CHECK(starts.back() == size);
  CHECK(std::ranges::is_sorted(starts));
  for (size_t r = 0; r < num_ranges; ++r) {
    for (size_t i = starts[r]; i < starts[r + 1]; ++i) {
      if (RangeOf(split[i], range_bits) != r) FAIL("key " << i << " is in digest range " << r);
    }
  }

  // Answers that differ for duplicates: every second key, in split order.
  std::vector<uint64_t> split_answers((size + 63) / 64);
  for (size_t i = 0; i < size; i += 2) split_answers[i / 64] |= uint64_t{1} << (i % 64);
  std::vector<size_t> place(size);  // of key i in the split, found another way: by sorting indices
  std::vector<size_t> order(size);
  for (size_t i = 0; i < size; ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return RangeOf(digests[i], range_bits); });
  for (size_t i = 0; i < size; ++i) place[order[i]] = i;
  std::vector<uint32_t> cursors(num_ranges);
  std::vector<uint64_t> answers((size + 63) / 64, ~uint64_t{0});
  UnsplitAnswers(ranges, starts, split_answers, cursors, answers.data());
  for (size_t i = 0; i < size; ++i) {
    const bool answer = (answers[i / 64] >> (i % 64) & 1) != 0;
    if (answer != (place[i] % 2 == 0)) FAIL("key " << i << " got another key's answer");
  }
  if (size % 64 != 0) CHECK(answers.back() >> (size % 64) == 0);
}

}  // namespace
}  // namespace trommel
