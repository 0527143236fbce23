// The audit at the speed of words against an audit counter by counter.
#include "engine/src/block_audit.h"

#include <bit>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "kernels/plane_block.h"
#include "support/catch.h"
#include "support/digests.h"

namespace trommel {
namespace {

BlockStore StoreOf(size_t num_slices, uint64_t num_blocks) {
  return std::move(
             BlockStore::Create(
                 {.num_slices = static_cast<uint32_t>(num_slices), .num_blocks = num_blocks}, 0))
      .value();
}

// The keys of a block, from the definition; -1 if it is not valid.
int64_t KeysOf(const BlockStore& store, uint64_t block_idx) {
  const size_t num_slices = store.geometry().num_slices;
  std::vector<uint64_t> counters(store.num_counters());
  kernels::DecodePlanes(store.PresenceOf(block_idx), store.CountsOf(block_idx), num_slices,
                        counters);
  int64_t keys = -1;
  for (size_t s = 0; s < num_slices; ++s) {
    const auto slice = std::span(counters).subspan(s * kernels::kPositions, kernels::kPositions);
    const auto in_slice = std::accumulate(slice.begin(), slice.end(), int64_t{0});
    if (s > 0 && in_slice != keys) return -1;
    keys = in_slice;
  }
  // A stray count is one that encoding the counters again does not leave.
  std::vector<uint32_t> presence(num_slices);
  std::vector<uint32_t> planes(num_slices * kernels::kNumPlanes);
  kernels::EncodePlanes(counters, num_slices, presence.data(), planes.data());
  const bool same = std::equal(planes.begin(), planes.end(), store.CountsOf(block_idx));
  return same ? keys : -1;
}

TEST_CASE("the audit counts keys and promoted blocks", "[engine][snapshot]") {
  const auto num_slices = GENERATE(size_t{8}, 16);
  BlockStore store = StoreOf(num_slices, 7);
  CHECK(AuditBlocks(store).num_keys == 0);
  const std::vector<uint64_t> digests = tests::DrawnDigests(500, 400, Catch::rngSeed());
  store.Insert(digests);
  const uint64_t promoted = 3;
  const uint64_t before = AuditBlocks(store).num_promoted;
  store.Insert(std::vector<uint64_t>(20, (promoted << 61) + (promoted << 58)));
  const BlockAudit audit = AuditBlocks(store);
  REQUIRE_FALSE(audit.bad_block.has_value());
  CHECK(audit.num_promoted >= before);
  CHECK(audit.num_promoted == store.side_table().num_blocks());
  uint64_t keys = audit.num_keys;
  std::vector<uint64_t> counters(store.num_counters());
  for (const uint64_t b : store.side_table().SortedBlocks()) {
    store.ReadCounters(b, counters);
    keys += std::accumulate(counters.begin(), counters.begin() + kernels::kPositions, uint64_t{0});
  }
  CHECK(keys == 520);
}

TEST_CASE("any flipped bit is judged as counter by counter", "[engine][snapshot]") {
  const auto num_slices = GENERATE(size_t{8}, 16);
  BlockStore store = StoreOf(num_slices, 4);
  // 8 keys a block, some of them equal: counts that always fit.
  for (uint64_t b = 0; b < 4; ++b) {
    std::vector<uint64_t> digests = tests::DrawnDigests(8, 4, Catch::rngSeed() + b);
    for (uint64_t& digest : digests) digest = b << 62 | digest >> 2;
    store.Insert(digests);
  }
  REQUIRE(store.side_table().num_blocks() == 0);
  std::mt19937_64 random(Catch::rngSeed());
  for (int i = 0; i < 3000; ++i) {
    const auto words = random() % 4 == 0
                           ? std::span(store.presence().data(), store.presence().num_words())
                           : std::span(store.counts().data(), store.counts().num_words());
    uint32_t& word = words[random() % words.size()];
    const uint32_t old = word;
    // One bit, two, or a turn: the last keeps the number of bits.
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

TEST_CASE("a promoted block has its marker and nothing else", "[engine][snapshot]") {
  const auto num_slices = GENERATE(size_t{8}, 16);
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
