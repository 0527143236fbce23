// Fingerprint blocks with slots of 16 bits: every target leaves the bytes and the answers of a
// model that looks at one slot after the other, with versions and without.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/fingerprint_layout.h"
#include "kernels/fingerprint_reference.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "kernels/wide_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/kernel_versions.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::DrawnDigests;
using tests::FingerprintKernelSets;
using tests::FirstDifference;
using tests::Guarded;
using tests::KernelVersions;
using tests::UpdatedBlocks;

enum class WideUpdate { kInsert, kInsertIfAbsent, kErase };

// A filter as slots. Marks come from outside.
struct WideModel {
  WideModel(uint64_t blocks, uint32_t fingerprint_bits)
      : num_blocks(blocks), bits(fingerprint_bits), slots(blocks * kWideSlots) {}

  struct Found {
    uint16_t* block;
    uint16_t key;
    bool is_shown;
    bool is_marked;
  };
  Found Find(uint64_t digest) {
    const auto place = FingerprintPlaceOf(digest, num_blocks);
    uint16_t* block = slots.data() + place.block_idx * kWideSlots;
    const auto key = static_cast<uint16_t>(WideKey(place.rest, bits));
    return {block, key, std::find(block, block + kWideSlots, key) != block + kWideSlots,
            block[31] % 256 == 255};
  }

  static OneFate Replace(const Found& found, uint16_t old_value, uint16_t value, OneFate if_none) {
    if (found.is_marked) return OneFate::kSpill;
    uint16_t* slot = std::find(found.block, found.block + kWideSlots, old_value);
    if (slot == found.block + kWideSlots) return if_none;
    *slot = value;
    return OneFate::kDone;
  }

  OneFate Apply(WideUpdate update, uint64_t digest) {
    const Found found = Find(digest);
    if (update == WideUpdate::kErase) return Replace(found, found.key, 0, OneFate::kUnchanged);
    if (update == WideUpdate::kInsertIfAbsent && found.is_shown) return OneFate::kUnchanged;
    return Replace(found, 0, found.key, OneFate::kStop);
  }

  OneFate Query(uint64_t digest) {
    const Found found = Find(digest);
    if (found.is_shown) return OneFate::kDone;
    return found.is_marked ? OneFate::kSpill : OneFate::kUnchanged;
  }

  void Mark(uint64_t block_idx, uint32_t mark) {
    slots[block_idx * kWideSlots + 31] = static_cast<uint16_t>(mark);
  }

  std::vector<uint32_t> Words() const {
    std::vector<uint32_t> words(slots.size() / 2);
    for (size_t i = 0; i < words.size(); ++i) {
      words[i] = slots[2 * i] | static_cast<uint32_t>(slots[2 * i + 1]) << 16;
    }
    return words;
  }

  uint64_t num_blocks;
  uint32_t bits;
  std::vector<uint16_t> slots;
};

const FingerprintKernelSets kWideSets = {&KernelTable::wide_fingerprints,
                                         &KernelTable::versioned_wide_fingerprints};

// The same words for kernels.
struct WideFilter {
  explicit WideFilter(const WideModel& model)
      : words(model.slots.size() / 2),
        versions(model.num_blocks),
        view{words.data(), model.num_blocks, model.bits, versions.data()} {
    const auto filled = model.Words();
    std::copy(filled.begin(), filled.end(), words.data());
  }

  Guarded<uint32_t> words;
  KernelVersions versions;
  FingerprintBlocks view;
};

// A filter with full, half full and marked blocks.
WideModel MixedModel(const std::vector<uint64_t>& digests, uint64_t num_blocks, uint32_t bits) {
  WideModel model(num_blocks, bits);
  for (size_t i = 0; i < digests.size(); i += 2) model.Apply(WideUpdate::kInsert, digests[i]);
  for (size_t i = 0; i < digests.size(); i += 6) model.Apply(WideUpdate::kErase, digests[i]);
  for (uint64_t b = 0; b < num_blocks; b += 3) model.Mark(b, b % 2 == 0 ? kLineMark : kSpillMark);
  return model;
}

OneFate ApplyOneKernel(const FingerprintKernels& kernels, WideUpdate update, uint64_t digest,
                       const FingerprintBlocks& blocks) {
  if (update == WideUpdate::kInsert) return kernels.insert_one(digest, &blocks);
  if (update == WideUpdate::kErase) return kernels.erase_one(digest, &blocks);
  return kernels.insert_if_absent_one(digest, &blocks);
}

// Keys [begin, end) against the model's fates; keys at which the kernel stops are left out.
void CheckUpdateOf(const FingerprintKernels& kernels, bool has_versions, WideUpdate update,
                   const std::vector<uint64_t>& digests, size_t begin, size_t end,
                   WideModel model) {
  WideFilter filter(model);
  WideFilter one_by_one(model);
  std::vector<uint64_t> want_bits(digests.size() / 64 + 1);
  std::vector<uint64_t> bits(want_bits.size());
  const KernelVersions versions_before = filter.versions;
  UpdatedBlocks updated;
  while (begin <= end) {
    std::vector<uint32_t> want_spilled;
    size_t stop = begin;
    for (; stop < end; ++stop) {
      const OneFate fate = model.Apply(update, digests[stop]);
      const KernelVersions before = one_by_one.versions;
      REQUIRE(ApplyOneKernel(kernels, update, digests[stop], one_by_one.view) == fate);
      UpdatedBlocks of_key;
      of_key.Add(digests[stop], model.num_blocks, fate);
      REQUIRE(one_by_one.versions.HaveRisen(before, of_key, has_versions));
      updated.Add(digests[stop], model.num_blocks, fate);
      if (fate == OneFate::kStop) break;
      if (fate == OneFate::kSpill) want_spilled.push_back(static_cast<uint32_t>(stop));
      if (fate == OneFate::kDone && update != WideUpdate::kInsert) {
        want_bits[stop / 64] |= uint64_t{1} << stop % 64;
      }
    }
    Guarded<uint32_t> spilled(end - begin, 0, begin % 3);
    const DigestRange range{.begin = begin, .end = end, .fetch_end = digests.size()};
    UpdateProgress progress{};
    if (update == WideUpdate::kInsert) {
      progress = kernels.insert(digests.data(), range, filter.view, spilled.data());
    } else {
      const auto kernel = update == WideUpdate::kErase ? kernels.erase : kernels.insert_if_absent;
      progress = kernel(digests.data(), range, filter.view, bits.data(), spilled.data());
    }
    REQUIRE(progress.end == stop);
    REQUIRE(spilled.GuardsIntact());
    std::vector<uint32_t> got_spilled = spilled.Copy();
    got_spilled.resize(progress.num_spilled);
    REQUIRE(FirstDifference(got_spilled, want_spilled) == "");
    begin = stop + 1;
  }
  REQUIRE(FirstDifference(bits, want_bits) == "");
  REQUIRE(FirstDifference(filter.words.Copy(), model.Words()) == "");
  REQUIRE(FirstDifference(one_by_one.words.Copy(), model.Words()) == "");
  REQUIRE(filter.words.GuardsIntact());
  REQUIRE(filter.versions.HaveRisen(versions_before, updated, has_versions));
}

void CheckUpdate(WideUpdate update, const std::vector<uint64_t>& digests, size_t begin, size_t end,
                 const WideModel& model) {
  for (const bool has_versions : {false, true}) {
    CheckUpdateOf(kWideSets.Of(has_versions), has_versions, update, digests, begin, end, model);
  }
}

TEST_CASE("updates of wide blocks leave the bytes of the definition on every target",
          "[kernels][fingerprints]") {
  const auto update =
      GENERATE(WideUpdate::kInsert, WideUpdate::kInsertIfAbsent, WideUpdate::kErase);
  const uint32_t bits = GENERATE(8, 13, 16);
  for (const size_t size : tests::EdgeSizes()) {
    const auto digests = DrawnDigests(size, size / 2 + 1, Catch::rngSeed() + size);
    for (const uint64_t num_blocks : tests::EdgeBlocks()) {
      INFO(size << " keys, " << num_blocks << " blocks");
      const WideModel mixed = MixedModel(digests, num_blocks, bits);
      tests::ForEachRunnableTarget([&] {
        CheckUpdate(update, digests, 0, size, WideModel(num_blocks, bits));
        CheckUpdate(update, digests, size / 3, size, mixed);
      });
    }
  }
}

TEST_CASE("a thousand keys of one wide block of many are applied in order",
          "[kernels][fingerprints]") {
  auto digests = DrawnDigests(1000, 40, Catch::rngSeed());
  for (uint64_t& digest : digests) digest = digest % (uint64_t{1} << 32) | uint64_t{1} << 63;
  const WideModel mixed = MixedModel(digests, 9, 16);
  tests::ForEachRunnableTarget([&] {
    for (const auto update :
         {WideUpdate::kInsert, WideUpdate::kInsertIfAbsent, WideUpdate::kErase}) {
      CheckUpdate(update, digests, 0, digests.size(), mixed);
    }
  });
}

TEST_CASE("queries of wide blocks show, or list as unsure, what the definition does",
          "[kernels][fingerprints]") {
  const uint32_t bits = GENERATE(8, 16);
  const bool has_versions = GENERATE(false, true);
  for (const size_t size : tests::EdgeSizes()) {
    const auto digests = DrawnDigests(size, size + 1, Catch::rngSeed() + size);
    WideModel model = MixedModel(digests, size / 20 + 1, bits);
    std::vector<uint64_t> want((size + 63) / 64);
    std::vector<uint32_t> want_unsure;
    for (size_t i = 0; i < size; ++i) {
      const OneFate fate = model.Query(digests[i]);
      want[i / 64] |= static_cast<uint64_t>(fate == OneFate::kDone) << i % 64;
      if (fate == OneFate::kSpill) want_unsure.push_back(static_cast<uint32_t>(i));
    }
    tests::ForEachRunnableTarget([&] {
      const FingerprintKernels& kernels = kWideSets.Of(has_versions);
      const WideFilter filter(model);
      Guarded<uint64_t> shown(want.size(), ~uint64_t{0});
      Guarded<uint32_t> unsure(size, 0, size % 3);
      const size_t num_unsure =
          kernels.query(digests.data(), size, filter.view, shown.data(), unsure.data());
      REQUIRE(FirstDifference(shown.Copy(), want) == "");
      REQUIRE(shown.GuardsIntact());
      REQUIRE(unsure.GuardsIntact());
      std::vector<uint32_t> got_unsure = unsure.Copy();
      got_unsure.resize(num_unsure);
      REQUIRE(FirstDifference(got_unsure, want_unsure) == "");
      for (const uint64_t digest : digests) {
        REQUIRE(kernels.query_one(digest, &filter.view) == model.Query(digest));
      }
    });
  }
}

TEST_CASE("no key of a wide block is free or a mark", "[kernels][fingerprints]") {
  for (uint32_t bits = kMinWideBits; bits <= kMaxWideBits; ++bits) {
    for (uint64_t key = 0; key < uint64_t{1} << bits; ++key) {
      const uint32_t kept = WideKey(key << (64 - bits), bits);
      REQUIRE(kept % 256 != 0x00);
      REQUIRE(kept % 256 != 0xff);
      REQUIRE(kept / 2 == key / 2);
    }
  }
}

TEST_CASE("a wide block's keys survive encoding and decoding", "[kernels][fingerprints]") {
  const uint32_t mark = GENERATE(0U, kLineMark, kSpillMark);
  std::mt19937_64 random(Catch::rngSeed());
  for (size_t size = 0; size <= (mark == 0 ? 32U : 31U); ++size) {
    std::vector<uint32_t> keys(size);
    for (uint32_t& key : keys) key = UnreservedWideKey(static_cast<uint32_t>(random() % 65'536));
    std::array<uint32_t, kFingerprintBlockWords> block{};
    block.fill(0xa5a5a5a5);
    EncodeWide(keys, mark, block.data());
    REQUIRE(IsMarkedWide(block.data()) == (mark != 0));
    for (size_t i = 0; i < size; ++i) REQUIRE(WideSlot(block.data(), i) == keys[i]);
    std::array<uint32_t, kWideSlots> decoded{};
    const size_t num_keys = DecodeWide(block.data(), decoded);
    std::sort(keys.begin(), keys.end());
    REQUIRE(FirstDifference(std::vector<uint32_t>(decoded.begin(), decoded.begin() + num_keys),
                            keys) == "");
  }
}

TEST_CASE("wide blocks hold the reference's keys until they are full", "[kernels][fingerprints]") {
  const auto digests = DrawnDigests(500, 400, Catch::rngSeed());
  FingerprintReference reference(std::nullopt, 100, 12);
  for (const uint64_t digest : digests) reference.Insert(digest);
  tests::ForEachRunnableTarget([&] {
    const WideFilter filter(WideModel(100, 12));
    std::vector<uint32_t> spilled(digests.size());
    const auto progress = ActiveKernels().wide_fingerprints.insert(
        digests.data(), {0, digests.size()}, filter.view, spilled.data());
    REQUIRE(progress.end == digests.size());
    for (uint64_t b = 0; b < 100; ++b) {
      std::vector<uint32_t> want;
      for (const auto& [key, count] : reference.ContentsOf(b)) want.insert(want.end(), count, key);
      std::array<uint32_t, kWideSlots> keys{};
      const size_t num_keys = DecodeWide(FingerprintBlockAt(filter.view, b), keys);
      REQUIRE(FirstDifference(std::vector<uint32_t>(keys.begin(), keys.begin() + num_keys), want) ==
              "");
    }
  });
}

}  // namespace
}  // namespace trommel::kernels
