// Memory against rate, by models alone: a table of bits per key for all encodings and for
// published structures, the shapes that runs could have, and the first of these as a drawing.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/memory/memory_figure.h"
#include "bench/sides/demand.h"
#include "bench/text/arguments.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: memory_plot [--svg=FILE]\n"
    "  --svg  also write the drawing\n";
constexpr double kRates[] = {0.1,    0.03,  0.01,    0.0061, 0.004,  0.003,
                             0.0021, 0.001, 0.00033, 0.0001, 0.00001};

void PrintHead(const char* what, int width) {
  std::printf("%-*s", width, what);
  for (const double rate : kRates) std::printf(" %7.4g%%", 100 * rate);
  std::printf("\n");
}

void PrintCurves(const std::vector<MemoryCurve>& curves) {
  PrintHead("bits per key at", 22);
  for (const MemoryCurve& curve : curves) {
    std::printf("%-22s", curve.name.c_str());
    for (const double rate : kRates) std::printf(" %8.2f", curve.bits_per_key(rate));
    std::printf("  %s%s\n", curve.counts ? "" : "cannot erase; ", curve.source.c_str());
  }
  std::printf("%-22s", "slices of runs");
  for (const double rate : kRates) std::printf(" %8u", RunSlicesFor(rate));
  std::printf("\n");
}

// Fingerprints have few rates: at these they are compared best.
void PrintFullFingerprints(const std::vector<MemoryCurve>& curves) {
  const std::vector<FullBlocks> full = FullFingerprints();
  std::printf("%-22s", "full blocks");
  for (const FullBlocks& blocks : full) std::printf(" %16s", blocks.name.c_str());
  std::printf("\n%-22s", "keys per block");
  for (const FullBlocks& blocks : full) std::printf(" %16.2f", blocks.keys_per_block);
  std::printf("\n%-22s", "rate, %");
  for (const FullBlocks& blocks : full) std::printf(" %16.4f", 100 * blocks.fpr);
  std::printf("\n%-22s", "bits per key");
  for (const FullBlocks& blocks : full) std::printf(" %16.2f", blocks.bits_per_key);
  std::printf("\nover, at this rate,\n");
  for (const MemoryCurve& curve : curves) {
    if (curve.name.starts_with("fingerprints")) continue;
    std::printf("%-22s", curve.name.c_str());
    for (const FullBlocks& blocks : full) {
      std::printf(" %16.2f", blocks.bits_per_key / curve.bits_per_key(blocks.fpr));
    }
    std::printf("\n");
  }
}

void PrintShapes() {
  PrintHead("shapes of runs", 34);
  for (const RunShape& shape : RunShapes()) {
    std::printf("%2u x %3u, strings of %2u, %3u bytes ", shape.num_slices, shape.positions,
                shape.string_bits, shape.block_bytes);
    for (const double rate : kRates) std::printf(" %8.2f", ShapeBitsPerKey(shape, rate));
    std::printf("\n");
  }
}

int Main(int argc, char** argv) {
  std::string svg;
  if (!ReadArguments(argc, argv, {TextArgument("--svg", svg)}, kUsage)) return 2;
  const std::vector<MemoryCurve> curves = MemoryCurves();
  PrintCurves(curves);
  std::printf("\n");
  PrintFullFingerprints(curves);
  std::printf("\n");
  PrintShapes();
  if (svg.empty()) return 0;
  std::ofstream file(svg);
  file << MemorySvg(curves);
  if (!file.flush()) Quit("memory_plot: cannot write " + svg, 3);
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
