// The split-block baseline against Parquet's definition, bit by bit, and against our own filter,
// whose presence bits it must equal: otherwise the two would not do the same work.
#include "bench/sides/split_block_filter.h"

#include <vector>

#include "bench/sides/workload.h"
#include "support/catch.h"
#include "trommel/counting_filter.h"

namespace trommel::bench {
namespace {

constexpr uint32_t kSalts[8] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};

bool ShowsAll(const std::vector<uint32_t>& words, uint64_t num_blocks, uint64_t digest) {
  const uint64_t block_idx = (digest >> 32) * num_blocks >> 32;
  for (size_t w = 0; w < 8; ++w) {
    const uint32_t bit = static_cast<uint32_t>(digest) * kSalts[w] >> 27;
    if ((words[block_idx * 8 + w] >> bit & 1) == 0) return false;
  }
  return true;
}

void Mark(std::vector<uint32_t>& words, uint64_t num_blocks, uint64_t digest) {
  const uint64_t block_idx = (digest >> 32) * num_blocks >> 32;
  for (size_t w = 0; w < 8; ++w) {
    words[block_idx * 8 + w] |= 1U << (static_cast<uint32_t>(digest) * kSalts[w] >> 27);
  }
}

TEST_CASE("split-block filter is Parquet's, in batches and one by one", "[bench][split_block]") {
  const uint64_t num_blocks = GENERATE(uint64_t{1}, 2, 97, 1024);
  const auto num_digests = GENERATE(size_t{0}, 1, 63, 64, 65, 127, 128, 129, 1000);
  const Population population(kFirstMember, num_digests);
  const Batch in = population.batch();
  std::vector<uint32_t> want(num_blocks * 8);
  for (const uint64_t digest : in.digests) Mark(want, num_blocks, digest);

  SplitBlockFilter batched(num_blocks);
  SplitBlockFilter pointwise(num_blocks);
  batched.Insert(in.digests);
  for (const uint64_t digest : in.digests) pointwise.Insert(digest);
  CHECK(std::ranges::equal(batched.words(), want));
  CHECK(std::ranges::equal(pointwise.words(), want));

  const Population non_members(kFirstNonMember, num_digests);
  for (const Batch batch : {in, non_members.batch()}) {
    std::vector<uint64_t> bitmap(CountingFilter::BitmapWords(num_digests), ~uint64_t{0});
    const size_t num_present = batched.Query(batch.digests, bitmap);
    size_t want_present = 0;
    for (size_t i = 0; i < bitmap.size() * 64; ++i) {
      const bool answer = i < num_digests && ShowsAll(want, num_blocks, batch.digests[i]);
      want_present += answer ? 1 : 0;
      if ((bitmap[i / 64] >> (i % 64) & 1) != uint64_t{answer}) FAIL_CHECK("answer " << i);
      if (i < num_digests && batched.MayContain(batch.digests[i]) != answer)
        FAIL_CHECK("key " << i);
    }
    CHECK(num_present == want_present);
  }
}

TEST_CASE("split-block filter answers exactly like ours", "[bench][split_block]") {
  constexpr size_t kNumKeys = 20'000;
  auto ours = CountingFilter::Create(
      {.capacity = kNumKeys, .target_fpr = 0.02, .digest = {}, .num_slices = 8});
  REQUIRE(ours.ok());
  SplitBlockFilter split_block(ours->geometry().num_blocks);
  const Population members(kFirstMember, kNumKeys);
  ours->Insert(members.batch().keys);
  split_block.Insert(members.batch().digests);

  const Population non_members(kFirstNonMember, kNumKeys);
  std::vector<uint64_t> our_bitmap(CountingFilter::BitmapWords(kNumKeys));
  std::vector<uint64_t> its_bitmap = our_bitmap;
  CHECK(ours->Query(non_members.batch().keys, our_bitmap) ==
        split_block.Query(non_members.batch().digests, its_bitmap));
  CHECK(our_bitmap == its_bitmap);
}

}  // namespace
}  // namespace trommel::bench
