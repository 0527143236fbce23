// Tables of whole digests: what their kernel finds is what they hold.
#include "engine/src/growing/digest_table.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/growing_layout.h"
#include "kernels/kernels.h"
#include "kernels/targets.h"
#include "support/catch.h"
#include "support/targets.h"

namespace trommel {
namespace {

using kernels::BitsInShard;
using kernels::kGrowingShards;
using kernels::WholeString;

// Tables of all shards: some without keys, some with blocks instead, one full to its last word.
struct Tables {
  explicit Tables(const std::vector<uint64_t>& digests, std::mt19937_64& random) {
    std::array<std::vector<uint64_t>, kGrowingShards> strings;
    for (const uint64_t digest : digests) {
      strings[kernels::ShardOf(digest)].push_back(WholeString(BitsInShard(digest)));
    }
    for (size_t s = 0; s < kGrowingShards; ++s) {
      if (s % 8 == 5) continue;  // it has blocks
      words[s] = kernels::kTableBit;
      if (strings[s].empty() || s % 8 == 6) continue;
      // Few lines, so that strings stand behind full ones, also behind the last.
      const uint64_t least = strings[s].size() / DigestTable::kLineWords + 1;
      const uint64_t num_lines = s % 8 == 7 ? least : least + random() % least;
      memory[s].resize(DigestTable::BytesOf(num_lines) / sizeof(uint64_t) + 8);
      uint64_t* begin = memory[s].data();
      begin += (64 - reinterpret_cast<uintptr_t>(begin) % 64) % 64 / sizeof(uint64_t);
      DigestTable table = DigestTable::Make(begin, num_lines);
      for (const uint64_t string : strings[s]) table.Insert(string);
      words[s] |= reinterpret_cast<uintptr_t>(begin);
    }
  }

  std::array<std::vector<uint64_t>, kGrowingShards> memory;
  std::array<uint64_t, kGrowingShards> words{};
};

}  // namespace

TEST_CASE("queries of digest tables find the strings that are in on every target",
          "[engine][growing][digest_table]") {
  std::mt19937_64 random(Catch::rngSeed());
  for (const size_t size : {0, 1, 15, 16, 17, 63, 64, 65, 1000, 2048}) {
    std::vector<uint64_t> digests(size);
    // Some shards have many strings, whose homes are near each other.
    for (uint64_t& digest : digests) {
      digest = random();
      if (random() % 2 == 0) digest = (digest & ~(uint64_t{0xff} << 50)) >> 1;
    }
    const size_t num_in = size / 2;
    const Tables tables({digests.begin(), digests.begin() + static_cast<std::ptrdiff_t>(num_in)},
                        random);
    std::ranges::shuffle(digests, random);
    std::vector<uint64_t> want((size + 63) / 64);
    std::vector<uint32_t> want_unsure;
    for (size_t i = 0; i < size; ++i) {
      const uint64_t word = tables.words[kernels::ShardOf(digests[i])];
      if (word == 0) want_unsure.push_back(static_cast<uint32_t>(i));
      auto* memory =
          reinterpret_cast<uint64_t*>(static_cast<uintptr_t>(word & ~kernels::kTableBit));
      const bool is_in = DigestTable(memory).Has(WholeString(BitsInShard(digests[i])));
      want[i / 64] |= uint64_t{is_in} << (i % 64);
    }
    tests::ForEachRunnableTarget([&] {
      std::vector<uint64_t> shown(want.size(), ~uint64_t{0});
      std::vector<uint32_t> unsure(size);
      unsure.resize(kernels::ActiveKernels().growing.query_tables_at_once(
          digests.data(), size, tables.words.data(), shown.data(), unsure.data()));
      CHECK(shown == want);
      CHECK(unsure == want_unsure);
    });
  }
}

}  // namespace trommel
