// Figure 10 for queries that come one at a time, for threads, and on filters of our own.
#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/cbfm/cbfm.h"
#include "bench/sides/demand.h"
#include "engine/src/matrix/literal_matrix.h"
#include "trommel/executor.h"
#include "trommel/matrix/matrix.h"

namespace trommel::paper {
namespace {

constexpr const char* kMatrices[] = {"BFM", "MDBF", "CBF", "CBFM, one cut", "CBFM, two cuts"};

const TupleIndex& IndexOf(const CbfmExperiment& experiment, std::string_view name) {
  return *experiment.sides()[experiment.SideNamed(name)].index;
}

// Queries tuple after tuple, each a batch of its own; returns how many may be in.
size_t QueryOneByOne(const TupleIndex& index, AttributeMask set, const Tuples& tuples) {
  size_t num_maybe = 0;
  for (size_t i = 0; i < tuples.size; ++i) {
    uint64_t answer = 0;
    num_maybe += index.Query(set, tuples.From(i, 1), {&answer, 1});
  }
  return num_maybe;
}

// The queries' digests tuple by tuple; 0 for attributes that are not queried.
std::vector<uint64_t> TupleByTuple(const Tuples& tuples) {
  std::vector<uint64_t> digests(3 * tuples.size);
  for (size_t i = 0; i < digests.size(); ++i) {
    const uint64_t* const column = tuples.columns[i % 3];
    if (column != nullptr) digests[i] = column[i / 3];
  }
  return digests;
}

}  // namespace

Table CbfmTimesAlone(const Options& options, const CbfmExperiment& experiment) {
  Table table{.title = "Fig. 10: ns per query, one query at a time"};
  table.text =
      "Whole tuples, and the pair {1,2} of CBFM with two cuts; one thread, a call per tuple, "
      "medians "
      "over rounds. The paper does not say whether its queries come in batches. AttributeFilter "
      "takes a batch of one, too, or MayContain.";
  table.axis = Axis::kLinear;
  const size_t count = options.quick ? 500 : 50'000;
  const uint32_t num_rounds = options.quick ? 1 : 7;
  const AttributeFilter& filter = *experiment.sides().back().filter();
  for (const auto& [set, positive] : {std::pair(kWhole, false), std::pair(kWhole, true),
                                      std::pair(kKeptPair, false), std::pair(kKeptPair, true)}) {
    const auto queries = positive ? experiment.workload().Members(set, count, 503)
                                  : experiment.workload().NonMembers(set, 0, count, 504);
    const Tuples tuples = queries.digests.view();
    const std::vector<uint64_t> digests = TupleByTuple(tuples);
    const auto matrices =
        set == kWhole ? std::span(kMatrices) : std::span(kMatrices).last(1);  // of two cuts
    std::vector<std::string> names(matrices.begin(), matrices.end());
    std::vector<std::function<void()>> ways;
    for (const std::string& name : names) {
      ways.emplace_back([&] { QueryOneByOne(IndexOf(experiment, name), set, tuples); });
    }
    size_t num_in_batches = 0;
    size_t num_maybe = 0;
    ways.emplace_back([&] { num_in_batches = QueryOneByOne(filter, set, tuples); });
    ways.emplace_back([&] {
      num_maybe = 0;
      for (size_t i = 0; i < count; ++i) {
        num_maybe += filter.MayContain(set, std::span(digests).subspan(3 * i, 3)) ? 1 : 0;
      }
    });
    const auto ns = bench::TimeInRounds(ways, count, num_rounds);
    bench::Demand(num_maybe == num_in_batches, "calls and batches of one answer differently");
    bench::Demand(!positive || num_maybe == count, "a member is answered \"absent\"");
    const std::string kind =
        std::string(set == kWhole ? "" : "{1,2}, ") + (positive ? "positives: " : "negatives: ");
    const size_t two_cuts = names.size() - 1;
    names.insert(names.end(), {"AttributeFilter", "AttributeFilter, MayContain"});
    for (size_t side = 0; side < names.size(); ++side) {
      table.rows.push_back(
          {.what = kind + names[side], .unit = Unit::kNs, .measured = bench::Median(ns[side])});
    }
    for (size_t side = two_cuts + 1; side < names.size(); ++side) {
      table.rows.push_back(
          RatioRow(kind + names[side] + " / CBFM, two cuts", ns[side], ns[two_cuts]));
    }
    for (size_t cuts = 3; set == kWhole && cuts < matrices.size(); ++cuts) {
      for (size_t other = 0; other < 3; ++other) {
        Row ratio = RatioRow(kind + names[cuts] + " / " + names[other], ns[cuts], ns[other]);
        JudgeTwoToThree(ratio, true);
        table.rows.push_back(ratio);
      }
    }
  }
  return table;
}

Table CbfmTimesShared(const Options& options, const CbfmExperiment& experiment) {
  const std::shared_ptr<Executor> executor = Executor::Create().value();
  const size_t count = options.quick ? 20'000 : 400'000;
  const uint32_t num_rounds = options.quick ? 1 : 7;
  Table table{.title = "Fig. 10: ns per query, with threads"};
  table.text = "\"Parallelise\" is the paper's next step. Whole tuples, positives, batches of " +
               FigureText(static_cast<double>(count), Unit::kCount) +
               ", wall time: " + std::to_string(executor->num_threads()) +
               " threads beside one, in the same rounds.";
  table.axis = Axis::kLinear;
  const auto queries = experiment.workload().Members(kWhole, count, 505);
  const Tuples tuples = queries.digests.view();
  std::vector<uint64_t> maybe(TupleIndex::BitmapWords(count));
  constexpr const char* kSides[] = {"BFM", "CBFM, one cut", "CBFM, two cuts", "AttributeFilter"};
  constexpr size_t kNumSides = std::size(kSides);
  std::vector<bench::Figures> ns(2 * kNumSides);  // one thread, then all
  bench::InRounds(ns.size(), num_rounds, [&](size_t way, bool counts) {
    TupleIndex& index = *experiment.sides()[experiment.SideNamed(kSides[way % kNumSides])].index;
    index.UseExecutor(way < kNumSides ? nullptr : executor);
    const double taken = bench::WallNsPerKey(count, [&] { index.Query(kWhole, tuples, maybe); });
    index.UseExecutor(nullptr);
    if (counts) ns[way].push_back(taken);
  });
  for (size_t way = 0; way < ns.size(); ++way) {
    Row row{.what = std::string(kSides[way % kNumSides]) +
                    (way < kNumSides ? ", one thread" : ", all threads"),
            .unit = Unit::kNs};
    row.measured = bench::Median(ns[way]);
    table.rows.push_back(row);
  }
  for (size_t cuts = 1; cuts < kNumSides; ++cuts) {
    table.rows.push_back(RatioRow(std::string(kSides[cuts]) + ", all threads / one",
                                  ns[kNumSides + cuts], ns[cuts]));
    if (cuts + 1 == kNumSides) break;  // the claim is on matrices
    Row ratio = RatioRow(std::string(kSides[cuts]) + ", all threads / BFM, one thread",
                         ns[kNumSides + cuts], ns[0]);
    JudgeTwoToThree(ratio, true);
    table.rows.push_back(ratio);
  }
  return table;
}

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
