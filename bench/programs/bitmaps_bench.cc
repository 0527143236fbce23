// Queries for several attributes of a table's rows: an exact index of Roaring bitmaps beside an
// AttributeFilter, from columns with few values to columns whose values are all different. Built
// where CRoaring is installed. How to read it: README.md.
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/bitmaps/bitmap_trial.h"
#include "bench/bitmaps/value_table.h"
#include "bench/sides/demand.h"
#include "bench/text/arguments.h"
#include "trommel/targets.h"

namespace trommel::bench {
namespace {

constexpr uint64_t kMostRows = uint64_t{1} << 31;
constexpr uint64_t kMostAttributes = 16;

constexpr char kUsage[] =
    "usage: bitmaps_bench [--tsv=FILE --columns=NAMES] [--rows=1M] [--values=10,1k,100k,1M]\n"
    "                     [--attributes=3] [--questions=10k] [--rounds=5]\n"
    "  --tsv, --columns  a table with tabs between cells, and names of its columns, with commas\n"
    "  --rows            of made-up tables, without --tsv\n"
    "  --values          of each attribute of a made-up table, in turn\n"
    "  --attributes      of made-up tables, up to 16: 2^N - 1 sets are kept\n"
    "  --questions       of each kind\n"
    "  --rounds          paired measurements of each figure, after one that does not count\n";

bool Run(const ValueTable& table, const BitmapTrialRequest& request) {
  const BitmapTrialOutcome outcome = RunBitmapTrial(table, request);
  if (!outcome.wrong.empty()) {
    std::fprintf(stderr, "bitmaps_bench: %s\n", outcome.wrong.c_str());
    return false;
  }
  std::printf("\n%s", FormatBitmapTrial(table, outcome).c_str());
  std::fflush(stdout);
  return true;
}

int Main(int argc, char** argv) {
  std::string tsv;
  std::string columns;
  uint64_t num_rows = 1'000'000;
  std::vector<uint64_t> numbers_of_values = {10, 1'000, 100'000, 1'000'000};
  uint64_t num_attributes = 3;
  uint64_t num_queries = 10'000;
  BitmapTrialRequest request = {.rounds = 5};
  if (!ReadArguments(
          argc, argv,
          {TextArgument("--tsv", tsv), TextArgument("--columns", columns),
           CountArgument("--rows", num_rows, kMostRows),
           CountsArgument("--values", numbers_of_values, 1),
           CountArgument("--attributes", num_attributes, kMostAttributes),
           CountArgument("--questions", num_queries), CountArgument("--rounds", request.rounds)},
          kUsage)) {
    return 2;
  }
  if (tsv.empty() != columns.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  request.num_queries = static_cast<size_t>(num_queries);
  std::printf(
      "One thread, target %s, filter at %.1f %% per set. Medians of %d paired rounds; ratios are "
      "taken in each round: median [min..max].\n",
      std::string(ActiveTarget()).c_str(), 100 * request.target_fpr,
      static_cast<int>(request.rounds));
  if (!tsv.empty()) {
    std::ifstream file(tsv);
    if (!file) {
      std::fprintf(stderr, "bitmaps_bench: %s: cannot be opened\n", tsv.c_str());
      return 3;
    }
    return Run(ValueOrExit(ReadValueTable(file, tsv, columns), "bitmaps_bench"), request) ? 0 : 1;
  }
  for (const uint64_t num_values : numbers_of_values) {
    const ValueTable table =
        MakeValueTable(num_rows, num_values, static_cast<size_t>(num_attributes), request.seed);
    if (!Run(table, request)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
