// What the paper does not time: the computation of indices alone, and updates of an
// AttributeFilter.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/cbfm/cbfm.h"
#include "bench/sides/demand.h"
#include "engine/src/matrix/literal_matrix.h"
#include "trommel/matrix/matrix.h"

namespace trommel::paper {
namespace {

constexpr size_t kIndexBatch = 1024;  // cells of a batch stay in the first-level cache
constexpr uint64_t kMostUpdated = 20'000;

}  // namespace

// Of nearly empty matrices, so that no part of a query is left out for being full.
Table CbfmIndices(const Options& options, const CbfmExperiment& experiment) {
  Table table{.title = "Fig. 10: ns per query, the computation of indices alone"};
  table.text =
      "CBFM of two cuts, the cells of members: walked as Algorithms 1 to 3 do, and by a plan per "
      "set. "
      "Medians over rounds; ratios are taken in each round. Our target is 10.";
  table.axis = Axis::kLinear;
  const Structure planned =
      MakeMatrix("CBFM, two cuts", PublishedRequests(experiment.num_cells()).back().request);
  const auto& matrix = static_cast<const matrix::Matrix&>(*planned.index);
  const std::vector<uint64_t> positions(3, planned.geometry->blocks.front().positions.front());
  const matrix::LiteralMatrix literal =
      matrix::LiteralMatrix::Create(planned.sets, positions, kCbfmHashes).value();
  const size_t count = options.quick ? 2'000 : 200'000;
  for (const AttributeMask queried : {kWhole, kKeptPair}) {
    const bench::TupleQueries queries = experiment.workload().Members(queried, count, 506);
    const Tuples tuples = queries.digests.view();
    const std::vector<AttributeMask> parts = literal.PartsOf(queried);
    std::vector<uint64_t> cells;
    size_t num_literal = 0;
    size_t num_planned = 0;
    const std::function<void()> ways[] = {[&] {
                                            for (size_t i = 0; i < tuples.size; ++i) {
                                              literal.IndicesOf(parts, tuples, i, cells);
                                              num_literal += cells.size();
                                            }
                                          },
                                          [&] {
                                            for (size_t i = 0; i < tuples.size; i += kIndexBatch) {
                                              const size_t some =
                                                  std::min(kIndexBatch, tuples.size - i);
                                              matrix.CellsOf(queried, tuples.From(i, some), cells);
                                              num_planned += cells.size();
                                            }
                                          }};
    const auto ns = bench::TimeInRounds(ways, count, options.quick ? 1 : 7);
    bench::Demand(num_literal == num_planned, "the plan leaves out cells");
    const std::string of = std::to_string(parts.size() * kCbfmHashes) + " cells: ";
    table.rows.push_back(
        {.what = of + "literal", .unit = Unit::kNs, .measured = bench::Median(ns[0])});
    table.rows.push_back(
        {.what = of + "planned", .unit = Unit::kNs, .measured = bench::Median(ns[1])});
    table.rows.push_back(RatioRow(of + "literal / planned", ns[0], ns[1]));
  }
  return table;
}

Table CbfmUpdates(const Options& options) {
  Table table{.title = "Updates of an AttributeFilter, ns per tuple"};
  table.text =
      "Tuples that are not in, into a filter that holds as many others, in batches; every set is "
      "allowed. Our target is that an erasure takes at most 3 times an insertion.";
  table.axis = Axis::kLinear;
  const uint64_t num_tuples = options.quick ? 2'000 : kMostUpdated;
  const auto count = static_cast<size_t>(num_tuples);
  for (const uint32_t num_attributes : {3U, 8U}) {
    const bench::TupleWorkload workload(num_attributes, 2 * num_tuples, options.seed);
    AttributeConfig config;
    config.sets = AttributeSets::Create(num_attributes).value();
    config.capacity = 2 * num_tuples;
    AttributeFilter filter = bench::ValueOrExit(AttributeFilter::Create(config), "updates");
    filter.Insert(workload.TuplesAt(0, count).view());
    const TupleDigests digests = workload.TuplesAt(num_tuples, count);
    std::vector<bench::Figures> ns(2);
    for (uint32_t round = 0; round <= (options.quick ? 1U : 7U); ++round) {
      uint64_t num_refused = 0;
      const double inserted = bench::CpuNsPerKey(
          count, [&] { num_refused += filter.Insert(digests.view()).num_refused; });
      const double erased = bench::CpuNsPerKey(
          count, [&] { num_refused += filter.Erase(digests.view()).num_refused; });
      bench::Demand(num_refused == 0, "the filter refuses an update");
      if (round == 0) continue;
      ns[0].push_back(inserted);
      ns[1].push_back(erased);
    }
    const std::string of = std::to_string(num_attributes) + " attributes, " +
                           std::to_string(config.sets.allowed().size()) + " sets: ";
    table.rows.push_back(
        {.what = of + "insert", .unit = Unit::kNs, .measured = bench::Median(ns[0])});
    table.rows.push_back(
        {.what = of + "erase", .unit = Unit::kNs, .measured = bench::Median(ns[1])});
    table.rows.push_back(RatioRow(of + "erase / insert", ns[1], ns[0]));
  }
  return table;
}

}  // namespace trommel::paper
