// The memory figure: bits per key against false-positive rate, ours by the model that sizes
// filters, the others' by their published formulas. Nothing is allocated or measured.
#ifndef TROMMEL_BENCH_MEMORY_MEMORY_FIGURE_H_
#define TROMMEL_BENCH_MEMORY_MEMORY_FIGURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trommel::bench {

struct MemoryCurve {
  std::string name;
  std::string source;  // the formula and where it comes from
  bool counts;         // erases, and takes duplicates
  std::function<double(double target_fpr)> bits_per_key;
};

// All that the figure shows, ours first.
std::vector<MemoryCurve> MemoryCurves();

// Fingerprint blocks that are as full as sizing fills them, with the rate that they have then for
// queries that look into the side table.
struct FullBlocks {
  std::string name;
  double keys_per_block;
  double fpr;
  double bits_per_key;
};

// Of slots of 16 bits, then of dense blocks.
std::vector<FullBlocks> FullFingerprints();

// The slices that sizing chooses for runs at this rate.
uint32_t RunSlicesFor(double target_fpr);

// A shape that runs could have: num_slices slices of `positions` positions and string_bits bits of
// run string each, in blocks of block_bytes.
struct RunShape {
  uint32_t num_slices;
  uint32_t positions;
  uint32_t string_bits;
  uint32_t block_bytes;
};

// Bits per key, promoted blocks included, by a simpler model that knows any shape: loads are
// Poisson distributed, at most 3 % of the blocks are promoted, and each of these takes (8 k +
// 8) 1.2 + 8 bytes for k slices.
double ShapeBitsPerKey(const RunShape& shape, double target_fpr);

// The four that were built and those that were considered.
const std::vector<RunShape>& RunShapes();

// An SVG file: a linear axis for bits, powers of ten for rates. Ours are drawn thick, structures
// that cannot count in dashes; lines end at the right edge.
std::string MemorySvg(const std::vector<MemoryCurve>& curves);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_MEMORY_MEMORY_FIGURE_H_
