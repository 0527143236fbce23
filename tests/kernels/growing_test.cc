// Growing blocks: where a digest belongs, and that every target leaves the bytes and the answers of
// kernels::DenseBlock there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/dense_block.h"
#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/targets.h"
#include "support/words.h"

namespace trommel::kernels {
namespace {

using tests::FirstDifference;

enum class GrowingOp { kInsert, kInsertIfAbsent, kErase, kQuery };

// Where the definition puts a digest: interval i of n x B has the values v with
// i = v x n x B / 2^p, rounded down.
struct DefinedPlace {
  uint64_t block_idx;
  uint32_t bin;
  uint32_t remainder;
};
DefinedPlace DefinedPlaceOf(uint64_t digest, uint32_t value_bits, const SegmentParts& parts) {
  uint64_t value = 0;
  for (uint32_t i = 6 + parts.prefix_bits; i < 6 + value_bits; ++i) {
    value = 2 * value + (digest >> (63 - i) & 1);
  }
  const uint64_t num_bins = kDenseShapes[parts.shape_idx].bins;
  const auto interval = static_cast<uint64_t>(DenseWord{value} * parts.num_blocks * num_bins >>
                                              (value_bits - parts.prefix_bits));
  return {interval / num_bins, static_cast<uint32_t>(interval % num_bins),
          static_cast<uint32_t>(value % (uint64_t{1} << parts.remainder_bits))};
}

// 64 shards with 1, 2 or 4 segments, of any shapes and sizes; of shard 63 no bin is shown.
class GrowingSegments {
 public:
  static constexpr uint32_t kDirectoryBits = kGrowingShardBits + 2;

  explicit GrowingSegments(uint32_t value_bits) : value_bits_(value_bits) {
    constexpr std::array<uint64_t, 5> kBlocks = {1, 3, 64, 65, 100};
    for (uint64_t shard = 0; shard < kGrowingShards; ++shard) {
      const auto prefix_bits = static_cast<uint32_t>(shard % 3);
      for (uint64_t prefix = 0; prefix < 1U << prefix_bits; ++prefix) {
        const auto shape_idx = static_cast<uint32_t>((shard + prefix) % kNumDenseShapes);
        const DenseShape& shape = kDenseShapes[shape_idx];
        const uint64_t num_blocks = kBlocks[(shard / 3 + prefix) % kBlocks.size()];
        const uint32_t p = value_bits - prefix_bits;
        memory_[shard].push_back(Memory(num_blocks));
        const SegmentParts parts{.address = AddressOf(memory_[shard].back()),
                                 .num_blocks = num_blocks,
                                 .prefix_bits = prefix_bits,
                                 .remainder_bits = std::min(
                                     shape.max_bits, RemainderBitsFor(p, num_blocks * shape.bins)),
                                 .shape_idx = shape_idx};
        for (uint64_t i = 0; i < 4U >> prefix_bits; ++i) {
          words_.data()[4 * shard + (prefix << (2 - prefix_bits)) + i] = SegmentWord(parts);
        }
        for (uint64_t b = 0; shard == 63 && b < num_blocks; ++b) {
          DenseBlock block(LayoutOf(parts), BlockAt(parts, b));
          block.CutAt(0);
          block.Store(BlockAt(parts, b));
        }
      }
    }
    root_ = DirectoryRoot(reinterpret_cast<uintptr_t>(words_.data()), kDirectoryBits);
  }

  GrowingBlocks view() const { return {&root_, value_bits_, ActiveKernels().dense_cuts}; }
  uint64_t WordOf(uint64_t digest) const { return LoadSegmentWord(root_, digest); }

  // All bytes of a shard's segments behind their addresses.
  std::vector<uint64_t> Words(uint64_t shard) const {
    std::vector<uint64_t> all;
    for (const auto& segment : memory_[shard]) {
      const auto* words = reinterpret_cast<const uint64_t*>(AddressOf(segment));
      const auto offset = static_cast<size_t>(words - segment.data());
      all.insert(all.end(), words, words + segment.size() - offset);
    }
    return all;
  }
  void SetWords(uint64_t shard, const std::vector<uint64_t>& all) {
    size_t at = 0;
    for (auto& segment : memory_[shard]) {
      auto* words = reinterpret_cast<uint64_t*>(AddressOf(segment));
      const size_t size = segment.size() - static_cast<size_t>(words - segment.data());
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(at), size, words);
      at += size;
    }
  }

  // As the kernels, from the definition.
  OneFate Apply(GrowingOp op, uint64_t digest) {
    const SegmentParts parts = PartsOf(WordOf(digest));
    const DenseLayout layout = LayoutOf(parts);
    const auto [block_idx, bin, remainder] = DefinedPlaceOf(digest, value_bits_, parts);
    const uint32_t key = bin << layout.bits | remainder;
    if (op != GrowingOp::kQuery) VersionAt(parts, block_idx) += 2;
    DenseBlock block(layout, BlockAt(parts, block_idx));
    if (!block.Shows(bin)) return OneFate::kSpill;
    const int slot = block.Find(key);
    if (op == GrowingOp::kQuery) return slot >= 0 ? OneFate::kDone : OneFate::kUnchanged;
    if (op == GrowingOp::kErase) {
      if (slot < 0) return OneFate::kUnchanged;
      const bool is_to_pull =
          block.is_cut() && block.num_keys() - 1 + kDensePullSlots <= layout.shape.slots;
      if (block.is_counted() || is_to_pull) return OneFate::kSpill;
      block.Close(static_cast<uint32_t>(slot), bin);
    } else {
      if (op == GrowingOp::kInsertIfAbsent && slot >= 0) return OneFate::kUnchanged;
      if (block.is_counted() || block.is_full()) return OneFate::kSpill;
      block.Open(key);
    }
    block.Store(BlockAt(parts, block_idx));
    return OneFate::kDone;
  }

  // Cuts the digest's block, or marks it, as the store may do.
  void Change(uint64_t digest, std::mt19937_64& random) {
    const SegmentParts parts = PartsOf(WordOf(digest));
    uint32_t* words = BlockAt(parts, DefinedPlaceOf(digest, value_bits_, parts).block_idx);
    DenseBlock block(LayoutOf(parts), words);
    const auto end = static_cast<uint32_t>(random() % (parts.num_blocks + 60));
    if (random() % 2 == 0 && end < block.num_bins()) block.CutAt(end);
    block.set_counted(random() % 4 == 0);
    block.set_spilled(block.is_cut() && random() % 2 == 0);
    block.Store(words);
  }
  uint64_t& VersionOf(uint64_t digest) {
    const SegmentParts parts = PartsOf(WordOf(digest));
    return VersionAt(parts, DefinedPlaceOf(digest, value_bits_, parts).block_idx);
  }

  static DenseLayout LayoutOf(const SegmentParts& parts) {
    return {kDenseShapes[parts.shape_idx], parts.remainder_bits};
  }
  static uint32_t* BlockAt(const SegmentParts& parts, uint64_t block_idx) {
    return reinterpret_cast<uint32_t*>(parts.address + kSegmentHeader + 64 * block_idx);
  }
  static uint64_t& VersionAt(const SegmentParts& parts, uint64_t block_idx) {
    return reinterpret_cast<uint64_t*>(parts.address + kSegmentHeader +
                                       64 * parts.num_blocks)[block_idx / 64];
  }

 private:
  static std::vector<uint64_t> Memory(uint64_t num_blocks) {
    return std::vector<uint64_t>((kSegmentAlignment + kSegmentHeader + 64 * num_blocks) / 8 + 3);
  }
  static uint64_t AddressOf(const std::vector<uint64_t>& segment) {
    const auto address = reinterpret_cast<uintptr_t>(segment.data());
    return (address + kSegmentAlignment - 1) / kSegmentAlignment * kSegmentAlignment;
  }

  uint32_t value_bits_;
  tests::Guarded<uint64_t> words_{size_t{1} << kDirectoryBits};
  std::array<std::vector<std::vector<uint64_t>>, kGrowingShards> memory_;
  uint64_t root_ = 0;
};

std::vector<uint64_t> DigestsOfShard(size_t size, uint64_t shard, std::mt19937_64& random) {
  std::vector<uint64_t> digests = tests::DrawnDigests(size, size / 2 + 1, random());
  for (uint64_t& digest : digests) digest = digest >> kGrowingShardBits | shard << 58;
  return digests;
}

// Some blocks are full, some cut or counted.
void Crowd(GrowingSegments& segments, const std::vector<uint64_t>& digests,
           std::mt19937_64& random) {
  for (size_t i = 0; i < digests.size(); i += 8) {
    const size_t num_keys = random() % 60;
    // Neighbours: of the same block, nearly always.
    for (size_t k = 0; k < num_keys; ++k) {
      segments.Apply(GrowingOp::kInsert, digests[i] ^ (random() >> (7 + random() % 30)));
    }
    if (i % 24 == 0) segments.Change(digests[i], random);
  }
}

// Of digests of this shard. Returns how many were left to the store.
size_t CheckUpdate(GrowingOp op, const std::vector<uint64_t>& digests, size_t begin, size_t end,
                   uint64_t shard, GrowingSegments& segments) {
  const GrowingKernels& kernels = ActiveKernels().growing;
  const std::vector<uint64_t> before = segments.Words(shard);
  std::vector<uint64_t> want_bits(digests.size() / 64 + 1);
  std::vector<uint32_t> want_spilled;
  size_t want_changed = 0;
  for (size_t i = begin; i < end; ++i) {
    const OneFate fate = segments.Apply(op, digests[i]);
    want_changed += fate == OneFate::kDone ? 1 : 0;
    if (fate == OneFate::kSpill) want_spilled.push_back(static_cast<uint32_t>(i));
    const bool has_bit = fate == OneFate::kDone && op != GrowingOp::kInsert;
    want_bits[i / 64] |= uint64_t{has_bit} << i % 64;
  }
  const std::vector<uint64_t> want = segments.Words(shard);
  segments.SetWords(shard, before);
  const auto kernel = op == GrowingOp::kInsert  ? kernels.insert
                      : op == GrowingOp::kErase ? kernels.erase
                                                : kernels.insert_if_absent;
  std::vector<uint64_t> bits(want_bits.size());
  tests::Guarded<uint32_t> spilled(end - begin);
  const DigestRange range{.begin = begin, .end = end, .fetched = 0, .fetch_end = digests.size()};
  const GrowingProgress progress =
      kernel(digests.data(), range, segments.view(), bits.data(), spilled.data());
  REQUIRE(progress.num_changed == want_changed);
  REQUIRE(FirstDifference(std::vector(spilled.data(), spilled.data() + progress.num_spilled),
                          want_spilled) == "");
  REQUIRE(spilled.GuardsIntact());
  REQUIRE(FirstDifference(bits, want_bits) == "");
  REQUIRE(FirstDifference(segments.Words(shard), want) == "");
  return want_spilled.size();
}

// With and without versions, one by one and together.
void CheckQueries(const std::vector<uint64_t>& digests, GrowingSegments& segments,
                  const std::vector<uint64_t*>& odd) {
  const GrowingKernels& kernels = ActiveKernels().growing;
  for (const bool has_versions : {false, true}) {
    std::vector<uint64_t> want_shown((digests.size() + 63) / 64);
    std::vector<uint32_t> want_unsure;
    for (size_t i = 0; i < digests.size(); ++i) {
      OneFate fate = segments.Apply(GrowingOp::kQuery, digests[i]);
      const bool is_changed = std::ranges::find(odd, &segments.VersionOf(digests[i])) != odd.end();
      if (has_versions && fate == OneFate::kUnchanged && is_changed) fate = OneFate::kSpill;
      if (fate == OneFate::kDone) want_shown[i / 64] |= uint64_t{1} << i % 64;
      if (fate == OneFate::kSpill) want_unsure.push_back(static_cast<uint32_t>(i));
      if (has_versions) REQUIRE(kernels.query_one(digests[i], segments.view()) == fate);
    }
    const auto query = has_versions ? kernels.query : kernels.query_at_once;
    std::vector<uint64_t> shown(want_shown.size(), ~uint64_t{0});
    std::vector<uint32_t> unsure(digests.size());
    unsure.resize(
        query(digests.data(), digests.size(), segments.view(), shown.data(), unsure.data()));
    REQUIRE(FirstDifference(shown, want_shown) == "");
    REQUIRE(FirstDifference(unsure, want_unsure) == "");
  }
}

}  // namespace

TEST_CASE("a digest belongs to the interval and has the remainder of the definition",
          "[kernels][growing]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const uint32_t value_bits : {2U, 9U, 20U, 31U, 38U, kMaxValueBits}) {
    for (int i = 0; i < 20'000; ++i) {
      const auto prefix_bits = static_cast<uint32_t>(random() % std::min(value_bits, 32U));
      const auto shape_idx = static_cast<uint32_t>(random() % kNumDenseShapes);
      const SegmentParts parts{.address = 4096 * (random() >> 30 & 0xffff),
                               .num_blocks = 1 + random() % kMaxSegmentBlocks,
                               .prefix_bits = prefix_bits,
                               .remainder_bits = static_cast<uint32_t>(3 + random() % 17),
                               .shape_idx = shape_idx};
      // Of random ones, and of values near the first of an interval.
      uint64_t digest = random();
      const uint32_t num_shown = 6 + prefix_bits;
      if (i % 2 == 0) {
        const uint64_t num_intervals = parts.num_blocks * kDenseShapes[shape_idx].bins;
        const uint64_t first = static_cast<uint64_t>(
            (DenseWord{random() % num_intervals} << (value_bits - prefix_bits)) / num_intervals);
        digest = (digest >> (64 - num_shown) << (64 - num_shown)) | (first + random() % 3)
                                                                        << (64 - 6 - value_bits);
      }
      const DefinedPlace want = DefinedPlaceOf(digest, value_bits, parts);
      const VersionedPlace place = PlaceInSegment(digest, SegmentWord(parts), value_bits);
      if (place.bin != want.bin || place.remainder != want.remainder ||
          place.shape_idx != shape_idx ||
          place.block != GrowingSegments::BlockAt(parts, want.block_idx) ||
          place.version != &GrowingSegments::VersionAt(parts, want.block_idx)) {
        FAIL("digest " << std::hex << digest << " of " << std::dec << value_bits << " bits");
      }
    }
  }
}

TEST_CASE("updates of growing blocks leave the bytes of the definition on every target",
          "[kernels][growing]") {
  const GrowingOp op = GENERATE(GrowingOp::kInsert, GrowingOp::kInsertIfAbsent, GrowingOp::kErase);
  const uint32_t value_bits = GENERATE(12U, 25U);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed());
    GrowingSegments segments(value_bits);
    size_t num_spilled = 0;
    for (uint64_t shard = 0; shard < kGrowingShards; shard += shard % 9 == 5 ? 5 : 1) {
      const size_t size = std::array<size_t, 6>{0, 1, 63, 64, 130, 300}[shard % 6];
      const std::vector<uint64_t> digests = DigestsOfShard(size, shard, random);
      CheckUpdate(GrowingOp::kInsert, digests, 0, size, shard, segments);
      Crowd(segments, digests, random);
      num_spilled += CheckUpdate(op, digests, size / 3, size - size / 5, shard, segments);
      num_spilled += CheckUpdate(op, digests, 0, size, shard, segments);
    }
    CHECK(num_spilled > 100);
  });
}

TEST_CASE("queries of growing blocks find what blocks show, and leave cut bins and changed groups",
          "[kernels][growing]") {
  const uint32_t value_bits = GENERATE(12U, 25U);
  tests::ForEachRunnableTarget([&] {
    std::mt19937_64 random(Catch::rngSeed());
    GrowingSegments segments(value_bits);
    for (const size_t size : tests::EdgeSizes()) {
      std::vector<uint64_t> digests = tests::DrawnDigests(size, size / 2 + 1, random());
      Crowd(segments, digests, random);
      for (size_t i = 0; i < size; i += 3) digests[i] ^= random() >> (7 + random() % 30);
      CheckQueries(digests, segments, {});
      std::vector<uint64_t*> odd;
      for (size_t i = 0; i < size; i += 20) {
        uint64_t& version = segments.VersionOf(digests[i]);
        if (version % 2 == 0) odd.push_back(&(version += 1));
      }
      CheckQueries(digests, segments, odd);
      for (uint64_t* version : odd) *version += 1;
    }
  });
}

}  // namespace trommel::kernels
