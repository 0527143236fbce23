// Blocks of pairs: the reference's answers on every target.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/kernels.h"
#include "kernels/map_layout.h"
#include "kernels/map_reference.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::Guarded;

// Blocks whose slots have few fingerprints, so that many are equal to those of the digests.
struct MapSubject {
  MapSubject(uint64_t num_blocks, uint32_t slot_bits, uint32_t fingerprint_bits)
      : words(num_blocks * kMapBlockWords), versions(num_blocks / kGroupBlocks + 1) {
    blocks = {{.words = words.data(),
               .num_blocks = num_blocks,
               .fingerprint_bits = fingerprint_bits,
               .versions = versions.data()},
              slot_bits};
    std::mt19937_64 random(Catch::rngSeed());
    digests = tests::DrawnDigests(1000, 300, random());
    for (uint64_t& version : versions.span()) version = random() & ~uint64_t{1};
    for (uint64_t b = 0; b < num_blocks; ++b) {
      for (uint32_t i = 0; i < blocks.num_slots(); ++i) {
        if (random() % 3 == 0) continue;
        const FingerprintPlace place = FingerprintPlaceOf(digests[random() % 300], num_blocks);
        const uint32_t fingerprint = MapFingerprint(place.rest, fingerprint_bits);
        const auto column = static_cast<uint32_t>(random()) & blocks.mark();
        SetReferenceMapSlot(blocks, b, i, fingerprint << blocks.column_bits() | column);
      }
      SetReferenceMapFlag(blocks, b, random() % 4 == 0);
    }
  }

  Guarded<uint32_t> words;
  Guarded<uint64_t> versions;
  MapBlocks blocks{};
  std::vector<uint64_t> digests;
};

TEST_CASE("what a block of pairs has of a key is the reference's on every target",
          "[kernels][map]") {
  struct Shape {
    uint32_t slot_bits;
    uint32_t fingerprint_bits;
  };
  const auto shape =
      GENERATE(Shape{16, 2}, Shape{16, 6}, Shape{16, 10}, Shape{16, 15}, Shape{20, 5},
               Shape{20, 15}, Shape{24, 2}, Shape{24, 8}, Shape{24, 14}, Shape{24, 16});
  const uint64_t num_blocks = GENERATE(1, 3, 64, 200);
  const MapSubject subject(num_blocks, shape.slot_bits, shape.fingerprint_bits);
  for (const size_t size : tests::EdgeSizes()) {
    std::vector<uint32_t> want;
    std::vector<uint64_t> want_versions;
    for (size_t i = 0; i < size; ++i) {
      want.push_back(ReferenceMapMatch(subject.blocks, subject.digests[i]));
      const uint64_t block = FingerprintPlaceOf(subject.digests[i], num_blocks).block_idx;
      want_versions.push_back(subject.blocks.lines.versions[block / 64]);
    }
    tests::ForEachRunnableTarget([&] {
      Guarded<uint64_t> versions(size, 0, size % 3);
      Guarded<uint32_t> matches(size, ~0U, size % 5);
      ActiveKernels().map.match(subject.digests.data(), size, subject.blocks, versions.data(),
                                matches.data());
      REQUIRE(tests::FirstDifference(matches.Copy(), want) == "");
      REQUIRE(tests::FirstDifference(versions.Copy(), want_versions) == "");
      REQUIRE((matches.GuardsIntact() && versions.GuardsIntact()));
    });
  }
}

TEST_CASE("the slots of one block are compared under any mask", "[kernels][map]") {
  const uint32_t slot_bits = GENERATE(16, 20, 24);
  const MapSubject subject(5, slot_bits, 6);
  std::mt19937_64 random(Catch::rngSeed());
  for (int i = 0; i < 200; ++i) {
    const uint64_t b = random() % 5;
    const uint32_t mask = i % 3 == 0 ? 0xffff : i % 3 == 1 ? 0xfc00 : 0;
    const auto slot_idx = static_cast<uint32_t>(random() % 21);
    const uint32_t drawn = ReferenceMapSlot(subject.blocks, b, slot_idx) >> (slot_bits - 16);
    const uint32_t lane = (i % 4 == 0 ? 0 : drawn) & mask;
    uint32_t want = 0;
    for (uint32_t s = 0; s < subject.blocks.num_slots(); ++s) {
      const uint32_t found = ReferenceMapSlot(subject.blocks, b, s) >> (slot_bits - 16);
      if ((found & mask) == lane) want |= 1U << s;
    }
    const uint32_t* const block = subject.words.data() + b * kMapBlockWords;
    if ((block[15] >> 24 | (slot_bits == 16 ? block[15] >> 16 : 0)) != 0) want |= kMapFlagsBit;
    tests::ForEachRunnableTarget([&] {
      REQUIRE(ActiveKernels().map.equal_slots(block, subject.blocks, lane, mask) == want);
    });
  }
}

}  // namespace
}  // namespace trommel::kernels
