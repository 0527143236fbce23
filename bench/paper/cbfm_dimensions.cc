#include "bench/paper/cbfm_dimensions.h"

#include "bench/paper/cbfm_structures.h"
#include "bench/paper/paired_time.h"
#include "bench/paper/random_stream.h"
#include "trommel/matrix/literal_matrix.h"

namespace trommel::paper {
namespace {

constexpr uint64_t kFig12Positions = 16;
constexpr uint32_t kFewestDimensions = 2;
constexpr uint32_t kMostFig12Dimensions = 8;
constexpr double kFig12FilterRate = 0.01;
enum Fig12Side : uint8_t { kLiteralSide, kMatrixSide, kFilterSide, kNumFig12Sides };

// Medians of ns a question, and of all sides together.
struct Fig12Times {
  double ns[kNumFig12Sides] = {};
};

Fig12Times TimeDimensions(const Options& options, uint32_t d, uint64_t num_tuples) {
  const AttributeMask cut[] = {0b11};
  const AttributeSets sets = AttributeSets::Create(d, cut).value();
  const std::vector<uint64_t> positions(d, kFig12Positions);
  matrix::Request request;
  request.sets = sets;
  request.num_hashes = kCbfmHashes;
  request.positions = positions;
  const Structure cells = MakeMatrix("CBFM", request);
  const Structure filter =
      MakeAttributeFilter("AttributeFilter", sets, num_tuples, TargetForRate(kFig12FilterRate));
  auto literal = matrix::LiteralMatrix::Create(sets, positions, kCbfmHashes).value();
  const bench::TupleWorkload workload(d, num_tuples, options.seed);
  TupleIndex* const indices[] = {&literal, cells.index.get(), filter.index.get()};
  workload.InsertInto(indices);

  const size_t count = options.quick ? 2'000 : 50'000;
  const auto strangers = workload.Strangers(sets.full(), 0.5, count, d);
  const Tuples tuples = strangers.digests.view();
  std::vector<AttributeMask> asked(count);
  RandomStream random(options.seed, 12);
  for (AttributeMask& mask : asked) mask = 1 + random.Below(sets.full());
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(count));
  std::vector<std::function<void()>> ways;
  for (const TupleIndex* index : indices) {
    ways.emplace_back([&, index] { index->QueryEach(asked, tuples, maybe); });
  }
  const auto times = TimeInTurns(ways, count, options.quick ? 1 : 5);
  Fig12Times medians;
  for (size_t side = 0; side < kNumFig12Sides; ++side) {
    medians.ns[side] = bench::Median(times[side]);
  }
  return medians;
}

}  // namespace

void CbfmDimensions(const Options& options, Report& report) {
  Table table{.title = "Fig. 12: ns a question against attributes and tuples"};
  table.text =
      "16 positions an attribute, k = 6, one cut ({0,1}); each question asks a random set. With "
      "so few positions most blocks are full, and most answers \"maybe present\": the literal walk "
      "computes every index all the same, ours leaves full blocks out. AttributeFilter has every "
      "allowed set at 1 %: its answers are worth something.";
  table.axis = Axis::kLinear;
  table.instead = "AttributeFilter";
  Chart chart{.title = "Fig. 12: ns a question", .x_name = "attributes", .y_name = "ns"};
  chart.unit = Unit::kNs;
  chart.least_y = 1;
  const std::vector<uint64_t> sizes =
      options.quick ? std::vector<uint64_t>{100, 1'000} : std::vector<uint64_t>{1'000, 10'000};
  for (const uint64_t size : sizes) {
    for (const char* side : {"literal CBFM", "CBFM", "AttributeFilter"}) {
      chart.lines.push_back({.name = std::string(side) + ", n = " + std::to_string(size)});
    }
  }
  const uint32_t most = options.quick ? 4 : kMostFig12Dimensions;
  for (uint32_t d = kFewestDimensions; d <= most; ++d) {
    chart.x.push_back(d);
    for (size_t size = 0; size < sizes.size(); ++size) {
      const Fig12Times times = TimeDimensions(options, d, sizes[size]);
      for (size_t side = 0; side < kNumFig12Sides; ++side) {
        chart.lines[size * kNumFig12Sides + side].y.push_back(times.ns[side]);
      }
      for (const Fig12Side side : {kLiteralSide, kMatrixSide}) {
        Row row{.what = "d = " + std::to_string(d) + ", " + std::to_string(sizes[size]) +
                        " tuples, " + (side == kLiteralSide ? "literal" : "ours"),
                .unit = Unit::kNs};
        row.measured = times.ns[side];
        row.instead = times.ns[kFilterSide];
        table.rows.push_back(row);
      }
    }
  }
  const auto& few = chart.lines.front().y;
  const auto& many = chart.lines[kNumFig12Sides].y;
  Row growth{.what = "literal, most attributes over 2, by their ratio"};
  growth.paper = 1;
  growth.measured = few.back() / few.front() / (static_cast<double>(most) / kFewestDimensions);
  growth.given = *growth.measured <= 1 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  growth.note =
      "\"Not linear\" is meant as less: at most 1. A set's index takes d 2^c steps, and a question "
      "that holds the cut has two parts: it grows as d does, or faster.";
  Row independent{.what = "literal, ten times the tuples, most attributes", .paper = 1};
  independent.measured = many.back() / few.back();
  independent.given =
      std::abs(*independent.measured - 1) < 0.25 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  independent.note = "Independent of the number of tuples, but for caches.";
  table.rows.push_back(growth);
  table.rows.push_back(independent);
  report.tables.push_back(std::move(table));
  report.charts.push_back(std::move(chart));
}

}  // namespace trommel::paper
