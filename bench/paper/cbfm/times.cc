// Figures 10 and 12.
#include <cmath>
#include <map>
#include <utility>

#include "bench/machine/clock.h"
#include "bench/paper/cbfm/cbfm.h"
#include "bench/paper/report/random.h"
#include "bench/sides/demand.h"
#include "engine/src/matrix/literal_matrix.h"

namespace trommel::paper {
namespace {

// A structure and what to call it.
struct TimedSide {
  std::string name;
  const TupleIndex* index;
};

// A literal matrix of as many cells, with the same tuples. Inserting takes some microseconds per
// tuple.
Structure MakeLiteral(const CbfmExperiment& experiment, std::string_view like,
                      const std::string& name) {
  const Structure& model = experiment.sides()[experiment.SideNamed(like)];
  const std::vector<uint64_t> positions(3, model.geometry->blocks.front().positions.front());
  Structure made{name, model.sets, std::nullopt, nullptr};
  made.index = std::make_unique<matrix::LiteralMatrix>(
      matrix::LiteralMatrix::Create(model.sets, positions, kCbfmHashes).value());
  experiment.workload().InsertInto(*made.index);
  return made;
}

struct Timing {
  std::vector<TimedSide> sides;
  std::vector<bench::Figures> ns;  // [side]

  const bench::Figures& Of(std::string_view name) const {
    size_t side = 0;
    while (sides[side].name != name) ++side;
    return ns[side];
  }
};

Timing TimeQueries(const std::vector<TimedSide>& sides, const bench::TupleQueries& queries,
                   uint32_t num_rounds, bool are_members) {
  const Tuples tuples = queries.digests.view();
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
  Timing timing;
  std::vector<std::function<void()>> ways;
  for (const TimedSide& side : sides) {
    if (!side.index->CanAnswer(queries.set)) continue;
    timing.sides.push_back(side);
    ways.emplace_back([&maybe, &tuples, &queries, index = side.index] {
      index->Query(queries.set, tuples, maybe);
    });
  }
  timing.ns = bench::TimeInRounds(ways, tuples.size, num_rounds);
  std::map<std::string, std::vector<uint64_t>> answers;
  for (const TimedSide& side : timing.sides) {
    const size_t num_maybe = side.index->Query(queries.set, tuples, maybe);
    bench::Demand(!are_members || num_maybe == tuples.size, "a member is answered \"absent\"");
    answers[side.name] = maybe;
  }
  bench::Demand(answers["CBFM, two cuts"] == answers["literal CBFM, two cuts"],
                "the literal and the planned matrix answer differently");
  return timing;
}

Row RatioRow(const Timing& timing, const std::string& over, const std::string& under,
             const std::string& kind) {
  return paper::RatioRow(kind + over + " / " + under, timing.Of(over), timing.Of(under));
}

}  // namespace

Row RatioRow(std::string what, const bench::Figures& over, const bench::Figures& under) {
  const bench::Ratio ratio = bench::PairedRatio(over, under);
  Row row{.what = std::move(what), .measured = ratio.median};
  row.note = FigureText(ratio.min, Unit::kNumber) + " to " + FigureText(ratio.max, Unit::kNumber) +
             " over the rounds.";
  return row;
}

void JudgeTwoToThree(Row& row, bool is_ours) {
  row.paper = 2.5;
  if (*row.measured >= 2 && *row.measured <= 3) {
    row.given = Verdict::kAgrees;
  } else {
    row.given = is_ours && *row.measured < 2 ? Verdict::kSoundForm : Verdict::kDoesNotReproduce;
  }
}

Table CbfmTimes(const Options& options, const CbfmExperiment& experiment) {
  Table table{.title = "Fig. 10: ns per query"};
  table.text =
      "One thread, batches, medians over rounds; ratios are taken in each round. Paper: CBFM takes "
      "2 to 3 times as long as BFM, MDBF and CBF (shown as 2.5). \"Literal\" walks as Algorithms 1 "
      "to 3 do. Positives are tuples that are in, negatives are non-members of new values.";
  table.axis = Axis::kLinear;
  table.instead = "AttributeFilter";
  const Structure literal_bfm = MakeLiteral(experiment, "BFM", "literal BFM");
  const Structure literal_one = MakeLiteral(experiment, "CBFM, one cut", "literal CBFM, one cut");
  const Structure literal_two = MakeLiteral(experiment, "CBFM, two cuts", "literal CBFM, two cuts");
  std::vector<TimedSide> sides;
  for (const Structure& side : experiment.sides()) sides.push_back({side.name, side.index.get()});
  for (const Structure* side : {&literal_bfm, &literal_one, &literal_two}) {
    sides.push_back({side->name, side->index.get()});
  }
  const size_t count = options.quick ? 2'000 : 200'000;
  const uint32_t num_rounds = options.quick ? 1 : 7;
  for (const AttributeMask queried : {kWhole, kKeptPair}) {
    for (const bool positive : {false, true}) {
      const auto queries = positive ? experiment.workload().Members(queried, count, 501)
                                    : experiment.workload().NonMembers(queried, 0, count, 502);
      const Timing timing = TimeQueries(sides, queries, num_rounds, positive);
      const std::string kind = std::string(queried == kWhole ? "whole, " : "{1,2}, ") +
                               (positive ? "positives: " : "negatives: ");
      const double filter = bench::Median(timing.Of("AttributeFilter"));
      for (size_t side = 0; side < timing.sides.size(); ++side) {
        Row row{.what = kind + timing.sides[side].name, .unit = Unit::kNs};
        row.measured = bench::Median(timing.ns[side]);
        row.instead = filter;
        if (*row.measured < 0.1)
          row.note = "Every block is full: \"maybe present\" without reading.";
        table.rows.push_back(row);
      }
      if (queried == kWhole) {
        for (const std::string cuts : {", one cut", ", two cuts"}) {
          Row literal = RatioRow(timing, "literal CBFM" + cuts, "literal BFM", kind);
          JudgeTwoToThree(literal, false);
          table.rows.push_back(literal);
        }
        for (const char* cuts : {"CBFM, one cut", "CBFM, two cuts"}) {
          for (const char* other : {"BFM", "MDBF", "CBF"}) {
            Row ours = RatioRow(timing, cuts, other, kind);
            JudgeTwoToThree(ours, true);
            table.rows.push_back(ours);
          }
        }
      }
      table.rows.push_back(RatioRow(timing, "AttributeFilter", "CBFM, two cuts", kind));
      table.rows.push_back(RatioRow(timing, "AttributeFilter", "literal CBFM, two cuts", kind));
    }
  }
  return table;
}

namespace {

constexpr uint64_t kFig12Positions = 16;
constexpr uint32_t kFewestDimensions = 2;
constexpr uint32_t kMostFig12Dimensions = 8;
constexpr double kFig12FilterRate = 0.01;
enum Fig12Side : uint8_t { kLiteralSide, kMatrixSide, kFilterSide, kNumFig12Sides };

// The structures with the same tuples.
struct Fig12Indices {
  Structure cells;
  Structure filter;
  matrix::LiteralMatrix literal;
  TupleIndex& At(size_t side) {
    if (side == kLiteralSide) return literal;
    return side == kMatrixSide ? *cells.index : *filter.index;
  }
};

Fig12Indices MakeFig12(const AttributeSets& sets, uint64_t num_tuples, uint64_t seed) {
  matrix::Request request;
  request.sets = sets;
  request.num_hashes = kCbfmHashes;
  request.positions.assign(sets.num_attributes(), kFig12Positions);
  Fig12Indices made{
      MakeMatrix("CBFM", request),
      MakeAttributeFilter("AttributeFilter", sets, num_tuples, TargetForRate(kFig12FilterRate)),
      matrix::LiteralMatrix::Create(sets, request.positions, kCbfmHashes).value()};
  TupleIndex* const indices[] = {&made.At(0), &made.At(1), &made.At(2)};
  bench::TupleWorkload(sets.num_attributes(), num_tuples, seed).InsertInto(indices);
  return made;
}

// ns per query in each round: [size][side].
std::vector<std::vector<bench::Figures>> TimeDimensions(const Options& options, uint32_t d,
                                                        const std::vector<uint64_t>& sizes) {
  const AttributeMask cut[] = {0b11};
  const AttributeSets sets = AttributeSets::Create(d, cut).value();
  const size_t count = options.quick ? 2'000 : 20'000;
  std::vector<AttributeMask> queried(count);
  RandomStream random(options.seed, 12);
  for (AttributeMask& mask : queried) {
    mask = 1 + random.Below(static_cast<uint32_t>(sets.full()));
  }
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(count));

  std::vector<Fig12Indices> made;
  std::vector<bench::TupleQueries> non_members;
  for (const uint64_t size : sizes) {
    made.push_back(MakeFig12(sets, size, options.seed));
    non_members.push_back(
        bench::TupleWorkload(d, size, options.seed).NonMembers(sets.full(), 0.5, count, d));
  }
  std::vector<std::function<void()>> ways;
  for (size_t size = 0; size < sizes.size(); ++size) {
    for (size_t side = 0; side < kNumFig12Sides; ++side) {
      ways.emplace_back([&, size, side] {
        made[size].At(side).QueryEach(queried, non_members[size].digests.view(), maybe);
      });
    }
  }
  const auto times = bench::TimeInRounds(ways, count, options.quick ? 1 : 7);
  std::vector<std::vector<bench::Figures>> by_size;
  for (size_t size = 0; size < sizes.size(); ++size) {
    const auto first = times.begin() + static_cast<ptrdiff_t>(size * kNumFig12Sides);
    by_size.emplace_back(first, first + kNumFig12Sides);
  }
  return by_size;
}

}  // namespace

void CbfmDimensions(const Options& options, Report& report) {
  Table table{.title = "Fig. 12: ns per query against attributes and tuples"};
  table.text =
      "16 positions per attribute, k = 6, one cut ({0,1}); each query has a random set. Blocks of "
      "few attributes are full: ours leaves them out, the literal walk still computes every index. "
      "AttributeFilter has every allowed set at 1 %.";
  table.axis = Axis::kLinear;
  table.instead = "AttributeFilter";
  Chart chart{.title = table.title, .x_name = "attributes", .y_name = "ns"};
  chart.unit = Unit::kNs;
  chart.least_y = 1;
  const std::vector<uint64_t> sizes = options.quick ? std::vector<uint64_t>{100, 1'000}
                                                    : std::vector<uint64_t>{1'000, 10'000, 100'000};
  for (const uint64_t size : sizes) {
    for (const char* side : {"literal CBFM", "CBFM", "AttributeFilter"}) {
      chart.lines.push_back({.name = std::string(side) + ", n = " + std::to_string(size)});
    }
  }
  const uint32_t most = options.quick ? 4 : kMostFig12Dimensions;
  double independence = 0;
  for (uint32_t d = kFewestDimensions; d <= most; ++d) {
    chart.x.push_back(d);
    const auto times = TimeDimensions(options, d, sizes);
    for (size_t size = 0; size < sizes.size(); ++size) {
      double medians[kNumFig12Sides];
      for (size_t side = 0; side < kNumFig12Sides; ++side) {
        medians[side] = bench::Median(times[size][side]);
        chart.lines[size * kNumFig12Sides + side].y.push_back(medians[side]);
      }
      for (const Fig12Side side : {kLiteralSide, kMatrixSide}) {
        Row row{.what = "d = " + std::to_string(d) + ", " + std::to_string(sizes[size]) +
                        " tuples, " + (side == kLiteralSide ? "literal" : "ours"),
                .unit = Unit::kNs};
        row.measured = medians[side];
        row.instead = medians[kFilterSide];
        table.rows.push_back(row);
      }
    }
    independence =
        bench::PairedRatio(times.back()[kLiteralSide], times.front()[kLiteralSide]).median;
  }
  const auto& few = chart.lines.front().y;
  Row growth{.what = "literal: time over attributes, d = " + std::to_string(most) + " over 2"};
  growth.paper = 1;
  growth.measured = few.back() / few.front() / (static_cast<double>(most) / kFewestDimensions);
  growth.given = *growth.measured <= 1 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  growth.note =
      "\"Not linear\" means less: at most 1. A set's index takes d 2^c steps, and a query that "
      "contains the cut has two parts: the time grows as d does, or faster.";
  Row independent{.what = "literal: most tuples over fewest, d = " + std::to_string(most)};
  independent.paper = 1;
  independent.measured = independence;
  independent.given =
      std::abs(independence - 1) < 0.25 ? Verdict::kAgrees : Verdict::kDoesNotReproduce;
  independent.note =
      "Independent of the number of tuples, except for caches. Measured in the same rounds.";
  table.rows.push_back(growth);
  table.rows.push_back(independent);
  report.tables.push_back(std::move(table));
  report.charts.push_back(std::move(chart));
}

}  // namespace trommel::paper
