// The audit by words against an audit counter by counter.
#include "engine/src/blocks/block_audit.h"

#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "kernels/plane_block.h"
#include "kernels/run_block.h"
#include "support/catch.h"
#include "support/digests.h"
#include "support/shapes.h"

namespace trommel {
namespace {

BlockStore StoreOf(const kernels::Shape& shape, uint64_t num_blocks) {
  return std::move(BlockStore::Create(tests::GeometryOf(shape, num_blocks), 0)).value();
}

// Digests of one block of four.
std::vector<uint64_t> KeysOfBlock(uint64_t block_idx, size_t num_keys, size_t num_distinct) {
  auto digests = tests::DrawnDigests(num_keys, num_distinct, Catch::rngSeed() + block_idx);
  for (uint64_t& digest : digests) digest = block_idx << 62 | digest >> 2;
  return digests;
}

// The counters that any words of runs encode: a present position has as many keys
// as there are bits from its 1 to the next, or none where a 1 is missing.
std::vector<uint64_t> CountersOfRuns(const BlockStore& store, uint64_t block_idx) {
  const size_t num_slices = store.geometry().num_slices;
  const size_t positions = store.geometry().slice_positions();
  std::vector<uint64_t> runs(num_slices);
  kernels::UnpackRuns(store.CountsOf(block_idx), num_slices, runs);
  std::vector<uint64_t> counters(store.num_counters());
  for (size_t s = 0; s < num_slices; ++s) {
    std::vector<size_t> ones;
    for (size_t bit = 0; bit < 64; ++bit) {
      if ((runs[s] >> bit & 1) != 0) ones.push_back(bit);
    }
    size_t rank = 0;
    for (size_t i = s * positions; i < (s + 1) * positions; ++i) {
      if ((store.PresenceOf(block_idx)[i / 32] >> (i % 32) & 1) == 0) continue;
      if (rank + 1 < ones.size()) counters[i] = ones[rank + 1] - ones[rank];
      ++rank;
    }
  }
  return counters;
}

// The keys of a block, from the definition: valid iff encoding its counters again leaves these very
// words and slices hold equal numbers. -1 if it is not, 0 if it is promoted.
int64_t KeysOf(const BlockStore& store, uint64_t block_idx) {
  const size_t num_slices = store.geometry().num_slices;
  const size_t positions = store.geometry().slice_positions();
  const uint32_t* presence = store.PresenceOf(block_idx);
  const uint32_t* counts = store.CountsOf(block_idx);
  std::vector<uint32_t> want_presence(store.presence_words());
  std::vector<uint32_t> want_counts(store.count_words());
  std::vector<uint64_t> counters(store.num_counters());
  const bool has_runs = store.geometry().encoding == Encoding::kRuns;
  if (has_runs) {
    counters = CountersOfRuns(store, block_idx);
  } else {
    kernels::DecodePlanes(presence, counts, counters);
  }
  const bool is_promoted = has_runs && store.IsPromoted(block_idx);
  int64_t keys = -1;
  for (size_t s = 0; s < num_slices; ++s) {
    const auto slice = std::span(counters).subspan(s * positions, positions);
    const auto in_slice = std::accumulate(slice.begin(), slice.end(), int64_t{0});
    if (s > 0 && in_slice != keys) return -1;
    keys = in_slice;
  }
  if (!is_promoted) {
    store.encoding().encode(counters, num_slices, want_presence.data(), want_counts.data());
  }
  if (!std::equal(want_counts.begin(), want_counts.end(), counts)) return -1;
  // The counters of planes follow from their presence bits; run strings may have bits without one.
  const bool same = is_promoted || std::equal(want_presence.begin(), want_presence.end(), presence);
  return same ? keys : -1;
}

TEST_CASE("the audit finds flipped bits as a check counter by counter does", "[engine][snapshot]") {
  const auto shape = GENERATE(from_range(tests::AllShapes()));
  BlockStore store = StoreOf(shape, 4);
  // 8 keys per block, some of them equal: counts that always fit. Runs: one to a full block of
  // them.
  for (uint64_t b = 0; b < 4; ++b) {
    const uint64_t most = shape.has_runs ? kernels::RunCapacity(shape.num_slices) : 8;
    const uint64_t num_keys = !shape.has_runs || b == 3 ? most : b == 0 ? 1 : most * b / 3;
    store.Insert(KeysOfBlock(b, num_keys, (num_keys + 1) / 2));
  }
  REQUIRE(store.side_table().num_blocks() == 0);
  std::mt19937_64 random(Catch::rngSeed());
  for (int i = 0; i < 3000; ++i) {
    const bool is_presence = !shape.has_runs && random() % 4 == 0;
    const BlockMemory& memory = is_presence ? store.presence() : store.counts();
    const auto words = std::span(memory.data(), memory.num_words());
    uint32_t& word = words[random() % words.size()];
    const uint32_t old = word;
    // One bit, or a rotation, which keeps the number of bits.
    word = random() % 2 == 0 ? word ^ 1U << (random() % 32)
                             : std::rotl(word, static_cast<int>(random() % 32));
    const BlockAudit audit = AuditBlocks(store);
    std::optional<uint64_t> bad_block;
    int64_t keys = 0;
    for (uint64_t b = 0; b < 4 && !bad_block; ++b) {
      const int64_t in_block = KeysOf(store, b);
      if (in_block < 0) {
        bad_block = b;
      } else {
        keys += in_block;
      }
    }
    REQUIRE(audit.bad_block == bad_block);
    CHECK((audit.reason.empty() == !bad_block));
    CHECK(audit.num_keys == static_cast<uint64_t>(keys));
    word = old;
  }
}

TEST_CASE("a promoted block of runs has no counts at all", "[engine][snapshot]") {
  const auto shape = GENERATE(from_range(tests::RunShapes()));
  BlockStore store = StoreOf(shape, 2);
  store.Insert(std::vector<uint64_t>(64, uint64_t{1} << 63));  // block 1
  REQUIRE(AuditBlocks(store).num_promoted == 1);
  CHECK(AuditBlocks(store).num_keys == 0);
  for (size_t bit = 0; bit < store.count_words() * 32; ++bit) {
    store.CountsOf(1)[bit / 32] ^= uint32_t{1} << (bit % 32);
    REQUIRE(AuditBlocks(store).bad_block == std::optional<uint64_t>(1));
    store.CountsOf(1)[bit / 32] ^= uint32_t{1} << (bit % 32);
  }
  // The audit does not check a promoted block's presence bits, but without those of the first slice
  // it is not promoted.
  const size_t slice_words = shape.positions() / 32;
  std::fill_n(store.PresenceOf(1), slice_words, 0U);
  CHECK(AuditBlocks(store).bad_block == std::optional<uint64_t>(1));
}

TEST_CASE("a promoted block has its marker and nothing else", "[engine][snapshot]") {
  constexpr size_t num_slices = 8;
  BlockStore store = StoreOf(num_slices, 2);
  store.Insert(std::vector<uint64_t>(9, uint64_t{1} << 63));  // block 1
  REQUIRE(AuditBlocks(store).num_promoted == 1);
  for (size_t word = 0; word < num_slices * kernels::kNumPlanes; ++word) {
    if (word % num_slices == 0) continue;  // the marker's words: a block that is not promoted
    store.CountsOf(1)[word] ^= 4;
    const BlockAudit audit = AuditBlocks(store);
    CHECK(audit.bad_block == std::optional<uint64_t>(1));
    CHECK(audit.reason.find("marker") != std::string_view::npos);
    store.CountsOf(1)[word] ^= 4;
  }
}

}  // namespace
}  // namespace trommel
