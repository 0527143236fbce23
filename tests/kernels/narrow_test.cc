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

}  // namespace
}  // namespace trommel::kernels
