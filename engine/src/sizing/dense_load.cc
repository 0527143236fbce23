#include "engine/src/sizing/dense_load.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "engine/src/sizing/geometry_checks.h"

namespace trommel {
namespace {

using kernels::DenseLayout;

// Of lines, on average: they become more from nine tenths on.
constexpr double kMeanFill = 0.85;

// P(N >= n) of a Poisson variable.
double Tail(double mean, uint32_t n) {
  double term = std::exp(-mean);
  double below = 0;
  for (uint32_t i = 0; i < n; ++i) {
    below += term;
    term *= mean / (i + 1);
  }
  return std::max(0.0, 1 - below);
}

struct Cut {
  double blocks = 0;
  double bins = 0;
  double entries = 0;
};

Cut CutOf(const DenseLayout& layout, double load, uint32_t slots) {
  const uint32_t num_bins = layout.shape.bins;
  const double of_bin = load / num_bins;
  Cut cut;
  for (uint32_t k = 1; k <= num_bins; ++k) {
    cut.blocks = Tail(of_bin * k, slots + 1);
    cut.bins += cut.blocks / num_bins;
    cut.entries += of_bin * Tail(of_bin * k, slots);
  }
  return cut;
}

}  // namespace

DenseLoad DenseLoadOf(const DenseLayout& layout, double keys_per_block, bool are_replaced) {
  const auto num_entries = static_cast<double>(layout.shape.line_entries());
  DenseLoad load;
  load.fpr = -std::expm1(-keys_per_block / layout.num_keys());
  const uint32_t num_terms = are_replaced ? kernels::kDensePullSlots : 1;
  const uint32_t num_of_entries = std::max(num_terms - 1, 1U);
  for (uint32_t i = 0; i < num_terms; ++i) {
    const Cut cut = CutOf(layout, keys_per_block, layout.shape.slots - i);
    load.cut_blocks += cut.blocks / num_terms;
    load.cut_bins += cut.bins / num_terms;
    if (i < num_of_entries) load.entries_per_block += cut.entries / num_of_entries;
  }
  load.lines_per_block = std::max(load.entries_per_block / (kMeanFill * num_entries),
                                  1.0 / kernels::kMaxBlocksPerLine);
  // Two equal keys of a block that is cut take a record of two words; a place among the records
  // takes 4 bytes, and 12 for 64 blocks.
  constexpr double kRecordBytes = 20;
  const double num_pairs = keys_per_block * keys_per_block / 2 / layout.num_keys();
  load.side_bytes_per_block = 12.0 / 64 + kRecordBytes * num_pairs * load.cut_blocks;
  return load;
}

DenseLoad DenseLoadOf(const Geometry& geometry, uint64_t num_keys) {
  const double load = static_cast<double>(num_keys) / static_cast<double>(geometry.num_blocks);
  return DenseLoadOf(DenseLayoutOf(geometry), std::min(load, 4.0 * geometry.slots), true);
}

double DenseBitsPerKey(const DenseLayout& layout, double keys_per_block, bool are_replaced) {
  const DenseLoad load = DenseLoadOf(layout, keys_per_block, are_replaced);
  return (kernels::kDenseBlockBits * (1 + load.lines_per_block) + 8 * load.side_bytes_per_block) /
         keys_per_block;
}

}  // namespace trommel
