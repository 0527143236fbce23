// Fingerprint blocks with slots of 8 bits: the bytes and answers of a plain model on every
// target, with versions and without.
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/narrow_model.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::kNarrowOps;
using tests::NarrowModel;
using tests::NarrowOp;
using tests::NarrowSubject;

TEST_CASE("narrow blocks hold the model's bytes through inserts, erases and queries",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(range(kMinNarrowBits, kMaxNarrowBits + 1));
  const bool has_versions = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + bits);
    for (const uint64_t num_blocks : {1, 5, 64}) {
      NarrowModel start(num_blocks, bits);
      if (num_blocks > 1) {
        for (const uint64_t block_idx : {0, 1}) {
          std::vector<uint32_t> keys(block_idx == 0 ? 90 : 20);
          for (uint32_t& key : keys) key = static_cast<uint32_t>(random() >> (64 - bits));
          start.Promote(block_idx, keys);
        }
      }
      NarrowSubject subject(start, has_versions);
      // Enough digests to overflow every block, and enough erases to drain it.
      const auto pool = tests::DrawnDigests(num_blocks * 60, num_blocks * 50, random());
      for (int round = 0; round < 60; ++round) {
        const bool is_rising = round / 15 % 2 == 0;
        std::vector<uint64_t> digests(random() % 300);
        for (uint64_t& digest : digests) {
          digest = random() % 8 == 0 ? random() : pool[random() % pool.size()];
        }
        const NarrowOp op = random() % 3 == 0 ? kNarrowOps[random() % 4]
                            : is_rising       ? NarrowOp::kInsert
                                              : NarrowOp::kErase;
        const size_t end = random() % (digests.size() + 1);
        const size_t begin = op == NarrowOp::kQuery ? 0 : random() % (end + 1);
        subject.Apply(op, digests, begin, end);
      }
    }
  });
}

TEST_CASE("narrow kernels take batches of every size", "[kernels][narrow]") {
  const bool has_versions = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    for (const size_t size : tests::EdgeSizes()) {
      for (const NarrowOp op : kNarrowOps) {
        NarrowSubject subject(NarrowModel(3, 14), has_versions);
        subject.Apply(NarrowOp::kInsert, tests::DrawnDigests(90, 60, Catch::rngSeed()));
        subject.Apply(op, tests::DrawnDigests(size, size + 1, Catch::rngSeed()));
      }
    }
  });
}

// Queries take another way while nearly all keys are present.
TEST_CASE("narrow queries answer alike whether most keys are present, some or none",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(11U, kMinNarrowBits, kMaxNarrowBits);
  const bool has_versions = GENERATE(false, true);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + bits);
    NarrowModel model(40, bits);
    for (const uint64_t block_idx : {3, 4, 5}) {
      std::vector<uint32_t> keys(120);
      for (uint32_t& key : keys) key = static_cast<uint32_t>(random() >> (64 - bits));
      model.Promote(block_idx, keys);
    }
    NarrowSubject subject(model, has_versions);
    const auto members = tests::DrawnDigests(900, 900, random());
    subject.Apply(NarrowOp::kInsert, members);
    // Stretches of members, of others, and of both; words of 64 keys have some of each.
    for (int round = 0; round < 10; ++round) {
      std::vector<uint64_t> digests;
      while (digests.size() < 1'500) {
        const uint64_t length = 1 + random() % 300;
        const uint64_t most = random() % 3;
        for (uint64_t i = 0; i < length; ++i) {
          const bool is_member =
              most == 2 ? random() % 2 == 0 : (random() % 40 != 0) == (most == 0);
          digests.push_back(is_member ? members[random() % members.size()] : random());
        }
      }
      subject.Apply(NarrowOp::kQuery, digests);
    }
  });
}

// Of slots that are equal only those in the key's bin count, wherever the block has them.
TEST_CASE("narrow queries tell a key's bin from the other bins with its slot",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(10U, kMinNarrowBits, kMaxNarrowBits);
  const bool has_versions = GENERATE(false, true);
  const uint32_t slot_bits = bits - kBinBits;
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed() + bits);
    for (const uint32_t num_first : {0, 1, 16, 30, 31}) {  // keys in the first half of the bins
      for (const uint32_t num_second : {0, 1, 17}) {
        for (const uint32_t num_equal : {1, 2, 3, 8}) {
          const auto slot = static_cast<uint32_t>(random() % (1U << slot_bits));
          INFO(num_first << " and " << num_second << " keys, " << num_equal << " equal");
          NarrowSubject subject(NarrowModel(1, bits), has_versions);
          std::vector<uint64_t> members;
          for (const uint32_t half : {0, 1}) {
            for (uint32_t i = 0; i < (half == 0 ? num_first : num_second); ++i) {
              const auto bin = half * kBinsPerWord + static_cast<uint32_t>(random() % kBinsPerWord);
              const uint32_t other = slot ^ (1 + static_cast<uint32_t>(random() % 7));
              const uint32_t key = bin << slot_bits | (i < num_equal ? slot : other);
              members.push_back(tests::DigestOf(key, bits));
            }
          }
          subject.Apply(NarrowOp::kInsert, members);
          // A word of 64 keys, one in each bin, and a shorter one.
          std::vector<uint64_t> digests;
          for (uint32_t i = 0; i < 100; ++i) {
            digests.push_back(tests::DigestOf((i * 37 % kNarrowBins) << slot_bits | slot, bits));
          }
          subject.Apply(NarrowOp::kQuery, digests);
        }
      }
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
