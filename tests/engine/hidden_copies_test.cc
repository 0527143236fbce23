// A block of 16-bit fingerprints that hides copies of shown keys, and no other key, can tell
// beside writers which keys are absent: kCopiesMark (kernels/fingerprint_layout.h).
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/line_entries.h"
#include "kernels/fingerprint_layout.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "trommel/concurrent_filter.h"
#include "trommel/counting_filter.h"

namespace trommel {
namespace {

constexpr size_t kShownKeys = kernels::kWideSlots - 1;
constexpr size_t kNumFingerprints = 0x10000;

// In filters of two blocks the top bit is the block, and the next 16 are the fingerprint.
uint64_t DigestInBlock(uint64_t block_idx, uint64_t fingerprint) {
  return block_idx << 63 | fingerprint << 47;
}

// Every fingerprint is queried: the members alone are found, or all if the block is undecided
// beside writers. The block's form is a function of its contents.
void CheckBlock(CountingFilter& filter, const std::vector<uint64_t>& members, bool is_decided) {
  std::vector<uint64_t> digests(kNumFingerprints);
  for (size_t i = 0; i < digests.size(); ++i) digests[i] = DigestInBlock(0, i);
  const auto key_of = [](uint64_t digest) {
    return kernels::WideKey(digest << 1, kernels::kMaxWideBits);
  };
  std::vector<uint8_t> is_in(kNumFingerprints);
  for (const uint64_t digest : members) is_in[key_of(digest)] = 1;
  std::vector<uint64_t> want(BitmapWords(digests.size()));
  for (size_t i = 0; i < digests.size(); ++i) {
    want[i / 64] |= uint64_t{is_in[key_of(digests[i])]} << (i % 64);
  }

  std::vector<uint64_t> answers(want.size());
  filter.Query(Keys::Digests(digests), answers);
  CHECK(answers == want);
  const double share = filter.GetStats().undecided_share;
  CHECK(share == (is_decided ? 0 : 0.5));
  CHECK(CountingFilter::Deserialize(filter.Serialize()).value().GetStats().undecided_share ==
        share);

  ConcurrentFilter shared(std::move(filter));
  if (!is_decided) std::ranges::fill(want, ~uint64_t{0});
  shared.Query(Keys::Digests(digests), answers);
  CHECK(answers == want);
  size_t num_wrong = 0;
  for (size_t i = 0; i < digests.size(); ++i) {
    const bool is_present = shared.MayContain(Key::Digest(digests[i]));
    num_wrong += is_present == tests::BitAt(want, i) ? 0 : 1;
  }
  CHECK(num_wrong == 0);
  filter = std::move(shared).TakeExclusive();
}

TEST_CASE("a block is undecided beside writers just while it hides a key that it does not show",
          "[engine][concurrent][fingerprints]") {
  CountingFilter filter =
      CountingFilter::CreateWithGeometry({.num_slices = 0,
                                          .encoding = Encoding::kFingerprints16,
                                          .shard_bits = 0,
                                          .num_blocks = 2,
                                          .fingerprint_bits = kernels::kMaxWideBits},
                                         {.kind = DigestKind::kCaller})
          .value();
  if (GENERATE(false, true)) REQUIRE(filter.LimitSideMemory(100'000).ok());
  // The other block has all entries of the overflow line.
  std::vector<uint64_t> others(kShownKeys + kLineEntries);
  for (size_t i = 0; i < others.size(); ++i) others[i] = DigestInBlock(1, i * 1000 + 1);
  filter.Insert(Keys::Digests(others));
  std::vector<uint64_t> members(kShownKeys);
  for (size_t i = 0; i < members.size(); ++i) members[i] = DigestInBlock(0, i * 2000 + 1);
  // More copies than the overflow line has entries.
  const std::vector<uint64_t> copies(kernels::kWideSlots + kLineEntries, members[7]);
  if (GENERATE(false, true)) {
    filter.Insert(Keys::Digests(copies));
    filter.Insert(Keys::Digests(members));
  } else {
    filter.Insert(Keys::Digests(members));
    filter.Insert(Keys::Digests(copies));
  }
  CheckBlock(filter, members, true);

  // One key more than slots 0 to 30 show comes and goes.
  const uint64_t one_more = DigestInBlock(0, 0xfff0);
  std::vector<uint64_t> all = members;
  all.push_back(one_more);
  REQUIRE(filter.Insert(Key::Digest(one_more)));
  CheckBlock(filter, all, false);
  REQUIRE(filter.Erase(Key::Digest(one_more)));
  CheckBlock(filter, members, true);

  // Of two keys more, one is hidden until both are out.
  const uint64_t second = DigestInBlock(0, 0xfff1);
  REQUIRE(filter.Insert(Key::Digest(one_more)));
  REQUIRE(filter.Insert(Key::Digest(second)));
  REQUIRE(filter.Erase(Key::Digest(one_more)));
  std::vector<uint64_t> with_second = members;
  with_second.push_back(second);
  CheckBlock(filter, with_second, false);
  REQUIRE(filter.Erase(Key::Digest(second)));
  CheckBlock(filter, members, true);

  // The key more stays, and another leaves a slot in which it is shown.
  REQUIRE(filter.InsertIfAbsent(Key::Digest(one_more)));
  REQUIRE_FALSE(filter.InsertIfAbsent(Key::Digest(one_more)));
  CheckBlock(filter, all, false);
  const uint64_t other = members[3];
  REQUIRE(filter.Erase(Key::Digest(other)));
  std::erase(all, other);
  CheckBlock(filter, all, true);
  CHECK(filter.CountEstimate(Key::Digest(copies[0])) == copies.size() + 1);

  REQUIRE(filter.Erase(Keys::Digests(all)).num_refused == 0);
  REQUIRE(filter.Erase(Keys::Digests(copies)).num_refused == 0);
  CheckBlock(filter, {}, true);
  CHECK(filter.GetStats().num_promoted == 1);
}

}  // namespace
}  // namespace trommel
