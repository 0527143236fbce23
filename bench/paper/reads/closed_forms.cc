// What the simulated region must come to.
#include <cmath>

#include "bench/paper/reads/region.h"

namespace trommel::paper {

uint64_t ExpectedFiles(const RegionOptions& options, uint64_t num_flushes) {
  // The first merge takes files_to_merge flushes, each further one the merged file and one flush
  // less, until the file is large.
  const uint64_t k = options.files_to_merge;
  uint64_t flushes_of_large = k;
  while (flushes_of_large * options.flush_rows < options.largest_file_rows) {
    flushes_of_large += k - 1;
  }
  const uint64_t num_large = num_flushes / flushes_of_large;
  const uint64_t rest = num_flushes % flushes_of_large;
  return num_large + (rest < k ? rest : 1 + (rest - k) % (k - 1));
}

std::vector<BlockClass> ExpectedReads(const RegionOptions& options,
                                      std::span<const Region::FileShape> files, double fpr,
                                      bool are_members) {
  double num_rows = 0;
  for (const Region::FileShape& file : files) num_rows += static_cast<double>(file.num_rows);
  std::vector<BlockClass> classes;
  for (const Region::FileShape& file : files) {
    const auto rows = static_cast<double>(file.num_rows);
    const auto num_blocks = static_cast<double>(file.num_blocks);
    classes.push_back({.num_blocks = num_blocks,
                       .block_bytes = rows * options.row_bytes / num_blocks,
                       .reads = ExpectedBlocks(1, are_members ? rows / num_rows : 0, fpr)});
  }
  for (const Region::FileShape& file : files) {
    if (file.num_chunks == 0) continue;
    const auto num_chunks = static_cast<double>(file.num_chunks);
    classes.push_back({.num_blocks = num_chunks,
                       .block_bytes = static_cast<double>(file.num_filter_bytes) / num_chunks,
                       .reads = 1});
  }
  return classes;
}

double ExpectedBlocks(double num_files, double num_holding, double fpr) {
  return num_holding + (num_files - num_holding) * fpr;
}

std::vector<double> ExpectedMisses(std::span<const BlockClass> classes, double cache_bytes) {
  const auto is_out = [](const BlockClass& blocks, double time) {
    return std::exp(-blocks.reads / blocks.num_blocks * time);
  };
  double all_bytes = 0;
  for (const BlockClass& blocks : classes) all_bytes += blocks.num_blocks * blocks.block_bytes;
  if (all_bytes <= cache_bytes) return std::vector<double>(classes.size(), 0);
  double low = 0;
  double high = 1;
  const auto bytes_at = [&](double time) {
    double bytes = 0;
    for (const BlockClass& blocks : classes) {
      bytes += blocks.num_blocks * blocks.block_bytes * (1 - is_out(blocks, time));
    }
    return bytes;
  };
  while (bytes_at(high) < cache_bytes && high < 1e300) high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = (low + high) / 2;
    (bytes_at(middle) < cache_bytes ? low : high) = middle;
  }
  std::vector<double> misses;
  for (const BlockClass& blocks : classes) misses.push_back(is_out(blocks, low));
  return misses;
}

}  // namespace trommel::paper
