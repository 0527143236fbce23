// The tables of trommel bench.
#include "tools/trommel/bench_print.h"

#include <string>

#include "bench/sweep/made_card.h"
#include "support/catch.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;

bench::SweepFigure Figure() {
  bench::SweepFigure figure;
  figure.row.operation = bench::Operation::kErase;
  figure.row.route = Route::kSplit;
  figure.row.num_keys = 30'000'000;
  figure.row.target = "AVX2";
  figure.row.num_threads = 2;
  figure.row.batch = 65536;
  figure.ns = {8, 4, 5};
  figure.bound = bench::Bound{2.5, bench::Operation::kStreamCeiling};
  return figure;
}

TEST_CASE("a row shows median, range, rate and share", "[tools][bench_print]") {
  const std::string line = FigureLine(Figure());
  for (const char* part : {"erase_split", "AVX2", " 2 ", "64Ki", "5.00 [4.00..8.00]", "200 M",
                           "50 %", "stream 2.50"}) {
    CHECK_THAT(line, ContainsSubstring(part));
  }
  CHECK_THAT(GroupTitle(Figure()), ContainsSubstring("30,000,000 keys\n"));
  bench::SweepFigure runs = Figure();
  runs.row.encoding = Encoding::kRuns;
  CHECK_THAT(GroupTitle(runs), ContainsSubstring("30,000,000 keys, runs of 5 slices\n"));
}

TEST_CASE("a row that memory does not bound shows no share", "[tools][bench_print]") {
  bench::SweepFigure figure = Figure();
  figure.bound.reset();
  CHECK_THAT(FigureLine(figure), !ContainsSubstring("%"));
  CHECK_THAT(FigureLine(figure), !ContainsSubstring(" \n"));
}

TEST_CASE("a ceiling shows its place, and a stream its bytes", "[tools][bench_print]") {
  bench::SweepFigure figure = Figure();
  figure.bound.reset();
  figure.row.operation = bench::Operation::kStreamCeiling;
  figure.row.num_keys = 0;
  figure.row.place = "L2";
  figure.footprint_bytes = 1'000'000;
  CHECK_THAT(FigureLine(figure), ContainsSubstring("L2 1.00 MB"));
  CHECK_THAT(FigureLine(figure), ContainsSubstring("12.8 GB/s"));
  CHECK_THAT(GroupTitle(figure), ContainsSubstring("cache line"));
}

TEST_CASE("the card names the machine, and says when it does not know", "[tools][bench_print]") {
  CHECK_THAT(CardText(bench::MadeCard()), ContainsSubstring("Abacus 9000: 3 cores, 6 threads"));
  CHECK_THAT(CardText({}), ContainsSubstring("unknown CPU"));
  bench::MachineCard card = bench::MadeCard();
  CHECK_THAT(CardText(card), !ContainsSubstring("busy"));
  card.load_average[0] = 5;
  CHECK_THAT(CardText(card), ContainsSubstring("busy"));
  CHECK(PagesText(0, 0).empty());
  CHECK_THAT(PagesText(1000, 500), ContainsSubstring("50 %"));
}

TEST_CASE("rates have three digits", "[tools][bench_print]") {
  CHECK(FormatPerSecond(1) == "1.00");
  CHECK(FormatPerSecond(999.4) == "999");
  CHECK(FormatPerSecond(999.6) == "1.00 k");
  CHECK(FormatPerSecond(161e6) == "161 M");
  CHECK(FormatPerSecond(2.5e15) == "2500 T");
}

TEST_CASE("a comparison shows ratios, differences and rows of one side", "[tools][bench_print]") {
  bench::Comparison comparison;
  comparison.rows = {{"insert/x", {10, 9, 11}, {5, 4, 6}, {0.5, 0.25, 0.75}}};
  comparison.only_a = {"old row"};
  comparison.only_b = {"new row"};
  comparison.card = {{"cpu_model", "", std::string(100, 'x')}};
  const std::string text = ComparisonText(comparison, "a.json", "b.json");
  for (const char* part :
       {"a.json", "b.json", "insert/x", "0.50 [0.25..0.75]", "old row", "new row", "xxx..."}) {
    CHECK_THAT(text, ContainsSubstring(part));
  }
}

}  // namespace
}  // namespace trommel::tool
