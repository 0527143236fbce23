// Versions of groups: what a change does to them, and that queries take an answer "absent" from no
// group that is being changed.
#include "kernels/group_versions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/kernels.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

// Blocks of zeros, and versions that the test sets.
struct VersionedBlocks {
  VersionedBlocks(uint64_t num_blocks, uint32_t bits)
      : words(num_blocks * kFingerprintBlockWords),
        versions((num_blocks + kGroupBlocks - 1) / kGroupBlocks),
        view{words.data(), num_blocks, bits, versions.data()} {}

  size_t GroupOf(uint64_t digest) const {
    return FingerprintPlaceOf(digest, view.num_blocks).block_idx / kGroupBlocks;
  }
  const uint32_t* BlockAt(uint64_t block_idx) const { return FingerprintBlockAt(view, block_idx); }

  tests::Guarded<uint32_t> words;
  std::vector<uint64_t> versions;
  FingerprintBlocks view;
};

TEST_CASE("a group's version is odd while the group is changed, and then has not been before",
          "[kernels][fingerprints]") {
  VersionedBlocks blocks(3 * kGroupBlocks + 5, 16);
  for (const uint64_t block_idx : {0, 63, 64, 127, 128, 191, 192, 196}) {
    const std::vector<uint64_t> before = blocks.versions;
    std::vector<uint64_t> want = before;
    uint64_t& version = want[block_idx / 64];
    {
      const GroupChange change(blocks.view, VersionOf(0, block_idx, blocks.view));
      version += 1;
      CHECK(blocks.versions == want);
      CHECK(version % 2 == 1);
    }
    version += 1;
    CHECK(blocks.versions == want);
  }
}

TEST_CASE("blocks share a version only within a group and a range that has a lock of its own",
          "[kernels][fingerprints]") {
  __extension__ using Wide = unsigned __int128;
  constexpr uint32_t kRangeBits = 3;
  const uint64_t blocks_per_range = GENERATE(uint64_t{1}, 63, 64, 65, 100, 200);
  const FingerprintBlocks view{.words = nullptr,
                               .num_blocks = blocks_per_range << kRangeBits,
                               .fingerprint_bits = 14,
                               .range_bits = kRangeBits};
  uint64_t last_version = 0;
  for (uint64_t b = 0; b < view.num_blocks; ++b) {
    // The least of the block's.
    const auto digest = static_cast<uint64_t>(((static_cast<Wide>(b) << 64) + view.num_blocks - 1) /
                                              view.num_blocks);
    REQUIRE(FingerprintPlaceOf(digest, view.num_blocks).block_idx == b);
    const uint64_t version = VersionOf(digest, b, view);
    const bool begins = b % blocks_per_range == 0 || b % kGroupBlocks == 0;
    if (b > 0) CHECK((version != last_version) == begins);
    CHECK(version >= last_version);  // so none comes again
    CHECK(version < (view.num_blocks + kGroupBlocks - 1) / kGroupBlocks + (1U << kRangeBits));
    last_version = version;
  }
}

TEST_CASE("reads of a group count only if its version is even and stays what it was",
          "[kernels][fingerprints]") {
  VersionedBlocks blocks(8 * kGroupBlocks, 16);
  // Before and after the reads.
  constexpr std::array<std::array<uint64_t, 2>, 8> kVersions = {
      {{4, 4}, {5, 5}, {4, 5}, {5, 6}, {4, 6}, {6, 6}, {1ULL << 40, 0}, {0, 1ULL << 63}}};
  constexpr uint64_t kChanged = 0b11011110;
  for (size_t g = 0; g < 8; ++g) blocks.versions[g] = kVersions[g][0];
  GroupReads<64> reads;
  for (size_t i = 0; i < 64; ++i) {  // reads of each group, by its first, last and other blocks
    reads.Add(i, blocks.view, VersionOf(0, i % 8 * kGroupBlocks + i / 8 * 9, blocks.view));
  }
  reads.Begin(0, 64);
  for (size_t g = 0; g < 8; ++g) blocks.versions[g] = kVersions[g][1];
  uint64_t want = 0;
  for (int i = 0; i < 8; ++i) want |= kChanged << 8 * i;
  CHECK(reads.Changed(0, 64) == want);
  CHECK(reads.Changed(0, 5) == (kChanged & 0b11111));
  CHECK(reads.Changed(3, 7) == (kChanged & 0b1111000));
}

// Some groups are being changed: keys that their blocks do not show are unsure, and all others are
// answered as they are without versions.
TEST_CASE("no key is absent from a group whose version is odd", "[kernels][fingerprints]") {
  const bool is_wide = GENERATE(true, false);
  // Batches of mostly members take a way of their own.
  const uint64_t members_in_100 = GENERATE(0, 50, 97);
  // And so may those that may look at all versions at once.
  const bool may_look_at_all = GENERATE(false, true);
  using FourVersions = std::array<uint64_t, 4>;
  const auto versions = GENERATE(FourVersions{1, 2, 1'000'001, 0}, FourVersions{4, 2, 1'000'000, 0},
                                 FourVersions{0, 2, 0, ~uint64_t{0}});
  constexpr uint64_t kBlocks = 4 * kGroupBlocks;
  std::mt19937_64 random(Catch::rngSeed());
  const std::vector<uint64_t> members = tests::DrawnDigests(2000, 2000, random());
  tests::ForEachRunnableTarget([&] {
    const KernelTable& table = ActiveKernels();
    const FingerprintKernels& plain = is_wide ? table.wide_fingerprints : table.dense[1];
    const FingerprintKernels& versioned =
        is_wide ? table.versioned_wide_fingerprints : table.versioned_dense[1];
    VersionedBlocks blocks(kBlocks, is_wide ? 16 : 8);
    std::vector<uint32_t> spilled(members.size());
    REQUIRE(plain.insert(members.data(), {0, members.size()}, blocks.view, spilled.data()).end ==
            members.size());
    blocks.view.num_versions = may_look_at_all ? blocks.versions.size() : 0;
    std::ranges::copy(versions, blocks.versions.begin());
    for (const size_t size : {1, 7, 8, 9, 63, 64, 65, 200, 1000}) {
      std::vector<uint64_t> digests(size);
      for (uint64_t& digest : digests) {
        const bool is_member = random() % 100 < members_in_100;
        digest = is_member ? members[random() % members.size()] : random();
      }
      std::vector<uint64_t> want_shown((size + 63) / 64);
      std::vector<uint64_t> shown(want_shown.size());
      std::vector<uint32_t> want_unsure;
      std::vector<uint32_t> unsure(size);
      REQUIRE(plain.query(digests.data(), size, blocks.view, want_shown.data(), unsure.data()) ==
              0);
      for (size_t i = 0; i < size; ++i) {
        const bool is_shown = (want_shown[i / 64] >> i % 64 & 1) != 0;
        const bool is_changing = blocks.versions[blocks.GroupOf(digests[i])] % 2 == 1;
        if (!is_shown && is_changing) want_unsure.push_back(static_cast<uint32_t>(i));
        REQUIRE(versioned.query_one(digests[i], &blocks.view) == (is_shown ? OneFate::kDone
                                                                  : is_changing
                                                                      ? OneFate::kSpill
                                                                      : OneFate::kUnchanged));
      }
      unsure.resize(
          versioned.query(digests.data(), size, blocks.view, shown.data(), unsure.data()));
      std::ranges::sort(unsure);
      INFO(size << " keys");
      REQUIRE(tests::FirstDifference(shown, want_shown) == "");
      REQUIRE(tests::FirstDifference(unsure, want_unsure) == "");
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
