// Fingerprint blocks with slots of 8 bits at their limits: full blocks and halves, copies, cut
// bins.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "support/catch.h"
#include "support/narrow_model.h"
#include "support/targets.h"

namespace trommel::kernels {
namespace {

using tests::DigestOf;
using tests::kNarrowOps;
using tests::NarrowModel;
using tests::NarrowOp;
using tests::NarrowSubject;

std::vector<uint64_t> EveryKeyOnce(uint32_t bits) {
  std::vector<uint64_t> digests;
  for (uint32_t key = 0; key < 1U << bits; ++key) digests.push_back(DigestOf(key, bits));
  return digests;
}

// Keys of a bin with the lowest slots.
std::vector<uint32_t> KeysOfBin(uint32_t bin, uint32_t count, uint32_t bits) {
  std::vector<uint32_t> keys;
  for (uint32_t slot = 0; slot < count; ++slot) keys.push_back(bin << (bits - kBinBits) | slot);
  return keys;
}

TEST_CASE("a narrow block stops the 49th key and takes one again after an erase",
          "[kernels][narrow]") {
  const uint32_t bits = GENERATE(kMinNarrowBits, kMaxNarrowBits);
  tests::ForEachRunnableTarget([&] {
    std::vector<uint64_t> digests;
    for (uint32_t i = 0; i < 48; ++i) {
      digests.push_back(DigestOf((i * 37 % 64) << (bits - kBinBits) | i % 4, bits));
    }
    NarrowSubject subject(NarrowModel(1, bits));
    subject.Apply(NarrowOp::kInsert, digests);
    NarrowModel model = subject.model();
    REQUIRE(model.Apply(NarrowOp::kInsert, digests[0]) == OneFate::kStop);
    for (const NarrowOp op : {NarrowOp::kInsert, NarrowOp::kInsertIfAbsent}) {
      subject.Apply(op, EveryKeyOnce(bits));
    }
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    subject.Apply(NarrowOp::kErase, {digests[20]});
    subject.Apply(NarrowOp::kInsert, {digests[7], digests[20]});
    subject.Apply(NarrowOp::kErase, EveryKeyOnce(bits));
  });
}

TEST_CASE("half of a narrow block's bins stop the 32nd key and the other half does not",
          "[kernels][narrow]") {
  const uint32_t bin = GENERATE(0U, 7U, 31U, 32U, 40U, 63U);
  const uint32_t bits = GENERATE(11U, kMaxNarrowBits);
  tests::ForEachRunnableTarget([&] {
    NarrowSubject subject(NarrowModel(1, bits));
    std::vector<uint64_t> digests;
    for (const uint32_t key : KeysOfBin(bin, 32, bits)) digests.push_back(DigestOf(key, bits));
    std::ranges::reverse(digests);
    subject.Apply(NarrowOp::kInsert, digests);
    NarrowModel model = subject.model();
    REQUIRE(model.Apply(NarrowOp::kInsert, digests[0]) == OneFate::kStop);
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    const uint32_t other_bin = bin ^ 32;
    for (const uint32_t key : KeysOfBin(other_bin, 18, bits)) {
      subject.Apply(NarrowOp::kInsertIfAbsent, {DigestOf(key, bits)});
    }
    subject.Apply(NarrowOp::kQuery, EveryKeyOnce(bits));
    subject.Apply(NarrowOp::kErase, digests);
    subject.Apply(NarrowOp::kErase, EveryKeyOnce(bits));
    CHECK(std::ranges::count(subject.model().Words(), 0U) == kFingerprintBlockWords);
  });
}

TEST_CASE("a narrow block counts 31 copies of a key", "[kernels][narrow]") {
  const uint32_t bin = GENERATE(0U, 31U, 32U, 63U);
  const uint32_t slot = GENERATE(0U, 1U, 255U);
  tests::ForEachRunnableTarget([&] {
    NarrowSubject subject(NarrowModel(1, 14));
    const std::vector<uint64_t> copies(33, DigestOf(bin << 8 | slot, 14));
    subject.Apply(NarrowOp::kInsert, copies);
    subject.Apply(NarrowOp::kInsertIfAbsent, copies);
    subject.Apply(NarrowOp::kErase, copies);
    subject.Apply(NarrowOp::kQuery, copies);
  });
}

TEST_CASE("a promoted narrow block spills what it cannot tell and refuses what it can",
          "[kernels][narrow]") {
  constexpr uint32_t kBits = 12;
  struct Crowd {
    uint32_t bin;
    uint32_t count;
  };
  // All bins shown; cut in the first word; in the second; in both; all of the first, or the second.
  const auto crowds = GENERATE(std::vector<Crowd>{}, std::vector<Crowd>{{3, 20}, {9, 12}},
                               std::vector<Crowd>{{35, 20}, {60, 12}},
                               std::vector<Crowd>{{3, 31}, {9, 1}, {40, 17}, {63, 1}},
                               std::vector<Crowd>{{0, 32}, {33, 5}},
                               std::vector<Crowd>{{2, 31}, {32, 18}, {33, 1}});
  tests::ForEachRunnableTarget([&] {
    std::vector<uint32_t> keys = {0x005, 0x006};
    if (!crowds.empty()) keys.clear();
    for (const Crowd& crowd : crowds) {
      const auto of_bin = KeysOfBin(crowd.bin, crowd.count, kBits);
      keys.insert(keys.end(), of_bin.begin(), of_bin.end());
    }
    NarrowModel model(1, kBits);
    model.Promote(0, keys);
    NarrowSubject subject(model);
    for (const NarrowOp op : kNarrowOps) subject.Apply(op, EveryKeyOnce(kBits));
  });
}

}  // namespace
}  // namespace trommel::kernels
