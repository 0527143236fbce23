#include "bench/memory/memory_figure.h"

#include <cmath>
#include <numbers>

#include "bench/text/figures.h"
#include "bench/text/svg.h"
#include "trommel/sizing.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kModelKeys = 30'000'000;
constexpr double kFullest = 0.95;  // cuckoo and quotient filters: the load that they are filled to
constexpr double kBloom = 1 / std::numbers::ln2;
// A block has 48 slots of r bits for 80 buckets and 128 bits that divide them, and a query compares
// the slots of a bucket in each of two blocks: p = 2 * 48 / 80 * 2^-r, r + 128 / 48 bits per slot.
const double kVectorQuotient = std::log2(2 * 48 / 80.0) + 128 / 48.0;

Sizing SizingFor(Encoding encoding, uint32_t num_slices, double target_fpr) {
  return SizeFor({.capacity = kModelKeys,
                  .target_fpr = target_fpr,
                  .num_slices = num_slices,
                  .encoding = encoding})
      .value();
}

struct ShapeLoad {
  double fpr = 0;
  double promoted_share = 0;
};

ShapeLoad AtLoad(const RunShape& shape, double keys_per_block) {
  const double end = keys_per_block + 12 * std::sqrt(keys_per_block) + 30;
  ShapeLoad load;
  for (double i = 0; i < end; ++i) {
    const double chance =
        std::exp(i * std::log(keys_per_block) - keys_per_block - std::lgamma(i + 1));
    const double fill = 1 - std::pow(1 - 1.0 / shape.positions, i);
    load.fpr += chance * std::pow(fill, shape.num_slices);
    if (i > shape.string_bits - 1) load.promoted_share += chance;  // a bit is the closing 1's
  }
  return load;
}

}  // namespace

std::vector<MemoryCurve> MemoryCurves() {
  const auto bits = [](double p) { return std::log2(1 / p); };
  return {
      {"planes", "sizing.h, 30 M keys", true,
       [](double p) { return SizingFor(Encoding::kPlanes, 0, p).bits_per_key; }},
      {"runs", "sizing.h, 30 M keys, side table included", true,
       [](double p) { return SizingFor(Encoding::kRuns, 0, p).bits_per_key; }},
      {"fingerprints16", "sizing.h, 30 M keys, side table included; at most 0.033 %", true,
       [](double p) { return SizingFor(Encoding::kFingerprints16, 0, p).bits_per_key; }},
      {"dense", "sizing.h, 30 M keys, side table included", true,
       [](double p) { return SizingFor(Encoding::kDense, 0, p).bits_per_key; }},
      {"counting Bloom", "4 * 1.44 log2(1/p): Fan, Cao, Almeida, Broder, Summary Cache, 2000", true,
       [bits](double p) { return 4 * kBloom * bits(p); }},
      {"cuckoo", "(log2(1/p) + 3) / 0.95: Fan, Andersen, Kaminsky, Mitzenmacher, 2014", true,
       [bits](double p) { return (bits(p) + 3) / kFullest; }},
      {"cuckoo, semi-sorted", "(log2(1/p) + 2) / 0.95: the same", true,
       [bits](double p) { return (bits(p) + 2) / kFullest; }},
      {"quotient", "(log2(1/p) + 3) / 0.95: Bender and others, Don't Thrash, 2012", true,
       [bits](double p) { return (bits(p) + 3) / kFullest; }},
      {"counting quotient", "(log2(1/p) + 2.125) / 0.95: Pandey, Bender, Johnson, Patro, 2017",
       true, [bits](double p) { return (bits(p) + 2.125) / kFullest; }},
      {"vector quotient", "(log2(1/p) + 2.93) / 0.95: Pandey and others, 2021", true,
       [bits](double p) { return (bits(p) + kVectorQuotient) / kFullest; }},
      {"split-block", "sizing.h, presence bits of 8 slices alone", false,
       [](double p) {
         const Geometry geometry = SizingFor(Encoding::kPlanes, 8, p).geometry;
         return 8 * static_cast<double>(geometry.presence_bytes()) /
                static_cast<double>(kModelKeys);
       }},
      {"Bloom", "1.44 log2(1/p): Bloom, 1970", false,
       [bits](double p) { return kBloom * bits(p); }},
  };
}

std::vector<FullBlocks> FullFingerprints() {
  // The lowest targets of one digit at which promoted blocks are the limit, and not the rate.
  constexpr struct {
    const char* name;
    Encoding encoding;
    double target_fpr;
  } kTargets[] = {{"fingerprints16", Encoding::kFingerprints16, 0.0004},
                  {"dense", Encoding::kDense, 0.004}};
  std::vector<FullBlocks> full;
  for (const auto& target : kTargets) {
    const Sizing sizing = SizingFor(target.encoding, 0, target.target_fpr);
    full.push_back(
        {target.name,
         static_cast<double>(kModelKeys) / static_cast<double>(sizing.geometry.num_blocks),
         sizing.predicted_fpr, sizing.bits_per_key});
  }
  return full;
}

uint32_t RunSlicesFor(double target_fpr) {
  return SizingFor(Encoding::kRuns, 0, target_fpr).geometry.num_slices;
}

double ShapeBitsPerKey(const RunShape& shape, double target_fpr) {
  double low = 0.1;  // keys per block: rate and promoted share rise with them
  double high = 500;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    const ShapeLoad load = AtLoad(shape, middle);
    const bool fits =
        load.fpr <= target_fpr && load.promoted_share <= MaxPromotedShare(Encoding::kRuns);
    (fits ? low : high) = middle;
  }
  const double promoted_bytes = (8.0 * shape.num_slices + 8) * 1.2 + 8;
  const double promoted_share = AtLoad(shape, low).promoted_share;
  return 8 * (shape.block_bytes + promoted_share * promoted_bytes) / low;
}

const std::vector<RunShape>& RunShapes() {
  static const std::vector<RunShape> shapes = {
      {5, 64, 38, 64},  {4, 64, 64, 64},  {8, 32, 32, 64},  {10, 64, 38, 128},
      {6, 48, 37, 64},  {7, 40, 33, 64},  {4, 80, 48, 64},  {3, 128, 42, 64},
      {8, 64, 64, 128}, {9, 64, 49, 128}, {16, 32, 32, 128}};
  return shapes;
}

std::string MemorySvg(const std::vector<MemoryCurve>& curves) {
  constexpr double kMostBits = 125;
  constexpr size_t kNumOurs = 4;
  constexpr int kStepsPerDecade = 24;
  SvgAxis bits{.name = "bits per key, everything included, all keys distinct",
               .least = 0,
               .most = kMostBits,
               .is_logarithmic = false,
               .ticks = {},
               .label = [](double tick) { return Printed("%.0f", tick); }};
  for (double tick = 0; tick <= kMostBits; tick += 10) bits.ticks.push_back(tick);
  const SvgAxis rates{.name = "false-positive rate",
                      .least = 1e-5,
                      .most = 1e-1,
                      .is_logarithmic = true,
                      .ticks = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5},
                      .label = [](double tick) { return Printed("%.4g %%", 100 * tick); }};
  std::vector<SvgCurve> lines;
  for (size_t c = 0; c < curves.size(); ++c) {
    SvgCurve& line = lines.emplace_back();
    line.name = curves[c].name + (curves[c].counts ? "" : " (cannot erase)");
    line.style =
        Printed("stroke=\"%s\" stroke-width=\"%s\"%s", kLineColours[c % std::size(kLineColours)],
                c < kNumOurs ? "4" : "2", curves[c].counts ? "" : " stroke-dasharray=\"6 4\"");
    for (int step = 0; step <= 4 * kStepsPerDecade; ++step) {
      const double rate = std::pow(10, -1 - static_cast<double>(step) / kStepsPerDecade);
      const double bits_per_key = curves[c].bits_per_key(rate);
      if (bits_per_key > kMostBits) break;  // lower rates take more
      line.points.emplace_back(bits_per_key, rate);
    }
  }
  return LineChartSvg(bits, rates, lines);
}

}  // namespace trommel::bench
