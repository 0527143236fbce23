// Memory against rate, by models alone: a table of bits a key for both encodings and for what
// others have published, the shapes that runs could have, and the first of these as a drawing.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/memory_model.h"
#include "bench/memory_svg.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: memory_plot [--svg=FILE]\n"
    "  --svg  also write the drawing\n";
constexpr double kRates[] = {0.1, 0.03, 0.01, 0.0061, 0.004, 0.001, 0.0001, 0.00001};

void PrintHead(const char* what, int width) {
  std::printf("%-*s", width, what);
  for (const double rate : kRates) std::printf(" %7.4g%%", 100 * rate);
  std::printf("\n");
}

void PrintCurves(const std::vector<MemoryCurve>& curves) {
  PrintHead("bits a key at", 22);
  for (const MemoryCurve& curve : curves) {
    std::printf("%-22s", curve.name.c_str());
    for (const double rate : kRates) std::printf(" %8.2f", curve.bits_per_key(rate));
    std::printf("  %s%s\n", curve.counts ? "" : "cannot erase; ", curve.source.c_str());
  }
  std::printf("%-22s", "slices of runs");
  for (const double rate : kRates) std::printf(" %8u", RunSlicesFor(rate));
  std::printf("\n");
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
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    constexpr std::string_view kSvg = "--svg=";
    if (!argument.starts_with(kSvg) || argument.size() == kSvg.size()) {
      std::fputs(kUsage, stderr);
      return 2;
    }
    svg = argument.substr(kSvg.size());
  }
  const std::vector<MemoryCurve> curves = MemoryCurves();
  PrintCurves(curves);
  std::printf("\n");
  PrintShapes();
  if (svg.empty()) return 0;
  std::ofstream file(svg);
  file << MemorySvg(curves, {});
  if (file.flush()) return 0;
  std::fprintf(stderr, "memory_plot: cannot write %s\n", svg.c_str());
  return 3;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
