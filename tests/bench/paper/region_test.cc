// The simulated region beside its closed forms.
#include "bench/paper/reads/region.h"

#include <bit>
#include <cmath>

#include "bench/paper/report/random.h"
#include "support/catch.h"

namespace trommel::paper {
namespace {

RegionOptions SmallRegion() {
  RegionOptions options;
  options.flush_rows = 2'000;
  options.largest_file_rows = 10'000;
  options.filter.chunk_bytes = 1024;  // 853 rows each
  return options;
}

std::vector<uint64_t> Fill(Region& region, uint64_t seed, uint64_t num_rows) {
  RandomStream random(seed, 1);
  const std::vector<uint64_t> rows = random.Take(num_rows);
  for (const uint64_t row : rows) region.Put(row);
  return rows;
}

double PerGet(uint64_t count, const Region& region) {
  return static_cast<double>(count) / static_cast<double>(region.counts().num_gets);
}

}  // namespace

TEST_CASE("a region has as many store files as partial compaction leaves", "[paper]") {
  for (const uint64_t files_to_merge : {2, 3, 5}) {
    RegionOptions options = SmallRegion();
    options.flush_rows = 100;
    options.largest_file_rows = 700;
    options.files_to_merge = files_to_merge;
    Region region(options);
    RandomStream random(Catch::rngSeed(), 2);
    for (uint64_t flush = 1; flush <= 60; ++flush) {
      for (int i = 0; i < 100; ++i) region.Put(random.Next());
      INFO(files_to_merge << " files are merged; flush " << flush);
      CHECK(region.num_files() == ExpectedFiles(options, flush));
      CHECK(region.num_rows() == flush * 100);
    }
  }
}

TEST_CASE("with filters a get reads the files that have the row, and others at their rate",
          "[paper]") {
  Region region(SmallRegion());
  const auto rows = Fill(region, Catch::rngSeed(), 46'000);
  const auto num_files = static_cast<double>(region.num_files());
  const double fpr = region.FilterFpr();
  CHECK(fpr > 0.004);
  CHECK(fpr < 0.0102);
  for (const uint64_t row : rows) region.Get(row);
  CHECK(region.counts().num_found == rows.size());
  const double members = PerGet(region.counts().num_data_blocks, region);
  const double expected = ExpectedBlocks(num_files, 1, fpr);
  const double sigma = std::sqrt(num_files * fpr / static_cast<double>(rows.size()));
  CHECK(std::abs(members - expected) < 6 * sigma + 0.002 * fpr * num_files);
  region.ResetCounts();
  RandomStream non_members(Catch::rngSeed(), 3);
  for (int i = 0; i < 46'000; ++i) region.Get(non_members.Next());
  CHECK(region.counts().num_found == 0);
  CHECK(std::abs(PerGet(region.counts().num_data_blocks, region) -
                 ExpectedBlocks(num_files, 0, fpr)) < 6 * sigma + 0.002 * fpr * num_files);
}

TEST_CASE("of equally frequent blocks an LRU cache has as many as fit", "[paper]") {
  BlockCache cache(10 * 100);
  RandomStream random(Catch::rngSeed(), 4);
  uint64_t num_hits = 0;
  constexpr uint64_t kReads = 100'000;
  for (uint64_t i = 0; i < kReads; ++i) {
    num_hits += cache.Read({0, BlockKind::kData, random.Below(40)}, 100);
  }
  // Each of 40 blocks is one of the 10 that were read last with probability 1/4.
  const double sigma = std::sqrt(0.25 * 0.75 / kReads);
  CHECK(std::abs(static_cast<double>(num_hits) / kReads - 0.25) < 6 * sigma + 1e-4);
  CHECK(cache.num_bytes(BlockKind::kData) == 1000);
}

TEST_CASE("the block used last is the last to leave the cache", "[paper]") {
  BlockCache cache(300);
  CHECK_FALSE(cache.Read({1, BlockKind::kData, 0}, 100));
  CHECK_FALSE(cache.Read({1, BlockKind::kMeta, 0}, 100));
  CHECK_FALSE(cache.Read({2, BlockKind::kData, 0}, 100));
  CHECK(cache.Read({1, BlockKind::kData, 0}, 100));
  CHECK_FALSE(cache.Read({2, BlockKind::kData, 1}, 100));  // the chunk leaves
  CHECK(cache.Read({1, BlockKind::kData, 0}, 100));
  CHECK_FALSE(cache.Read({1, BlockKind::kMeta, 0}, 100));
  CHECK_FALSE(cache.Read({9, BlockKind::kData, 0}, 301));  // larger than the cache
  CHECK_FALSE(cache.Read({9, BlockKind::kData, 0}, 301));
  cache.Drop(1);
  CHECK(cache.num_bytes(BlockKind::kMeta) == 0);
  CHECK_FALSE(cache.Read({1, BlockKind::kData, 0}, 100));
}

TEST_CASE("data blocks and chunks of filters share the cache as Che's model says", "[paper]") {
  RegionOptions options = SmallRegion();
  options.row_bytes = 1000;
  options.block_bytes = 8'000;
  options.filter.chunk_bytes = 4096;
  options.cache_bytes = 1'500'000;
  Region region(options);
  const auto rows = Fill(region, Catch::rngSeed(), 46'000);
  RandomStream random(Catch::rngSeed(), 5);
  for (int i = 0; i < 200'000; ++i) {
    if (i == 20'000) region.ResetCounts();  // the cache is full by now
    region.Get(rows[random.Below(static_cast<uint32_t>(rows.size()))]);
  }
  const ReadCounts& counts = region.counts();
  const auto shapes = region.Shapes();
  const auto classes = ExpectedReads(options, shapes, region.FilterFpr(), true);
  REQUIRE(classes.size() == 2 * shapes.size());
  const auto misses = ExpectedMisses(classes, 1'500'000);
  double data_loads = 0;
  double data_reads = 0;
  double meta_loads = 0;
  for (size_t c = 0; c < classes.size(); ++c) {
    (c < shapes.size() ? data_loads : meta_loads) += classes[c].reads * misses[c];
    if (c < shapes.size()) data_reads += classes[c].reads;
  }
  const double data =
      static_cast<double>(counts.num_data_loads) / static_cast<double>(counts.num_data_blocks);
  const double meta =
      static_cast<double>(counts.num_meta_loads) / static_cast<double>(counts.num_meta_blocks);
  CHECK(std::abs(data - data_loads / data_reads) < 0.01);
  CHECK(std::abs(meta - meta_loads / static_cast<double>(shapes.size())) < 0.01);
  CHECK(meta < data / 10);  // chunks are read more often, so they stay
}

}  // namespace trommel::paper
