// Figure 10 for queries that come one at a time, and for threads.
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/paper/cbfm/cbfm.h"
#include "trommel/executor.h"

namespace trommel::paper {
namespace {

constexpr const char* kMatrices[] = {"BFM", "MDBF", "CBF", "CBFM, one cut", "CBFM, two cuts"};

const TupleIndex& IndexOf(const CbfmExperiment& experiment, std::string_view name) {
  return *experiment.sides()[experiment.SideNamed(name)].index;
}

Row PairedRow(const std::string& what, const bench::Figures& over, const bench::Figures& under) {
  const bench::Ratio ratio = bench::PairedRatio(over, under);
  Row row{.what = what, .measured = ratio.median};
  row.note = FigureText(ratio.min, Unit::kNumber) + " to " + FigureText(ratio.max, Unit::kNumber) +
             " over the rounds.";
  return row;
}

// Queries tuple after tuple, each a batch of its own.
void QueryOneByOne(const TupleIndex& index, AttributeMask set, const Tuples& tuples) {
  uint64_t answer = 0;
  for (size_t i = 0; i < tuples.size; ++i) index.Query(set, tuples.From(i, 1), {&answer, 1});
}

}  // namespace

Table CbfmTimesAlone(const Options& options, const CbfmExperiment& experiment) {
  Table table{.title = "Fig. 10: ns per query, one query at a time"};
  table.text =
      "Whole tuples, one thread, a call per tuple, medians over rounds. The paper does not say "
      "whether its queries come in batches.";
  table.axis = Axis::kLinear;
  const size_t count = options.quick ? 500 : 50'000;
  const uint32_t num_rounds = options.quick ? 1 : 7;
  for (const bool positive : {false, true}) {
    const auto queries = positive ? experiment.workload().Members(kWhole, count, 503)
                                  : experiment.workload().NonMembers(kWhole, 0, count, 504);
    const Tuples tuples = queries.digests.view();
    std::vector<std::function<void()>> ways;
    for (const char* name : kMatrices) {
      ways.emplace_back([&, name] { QueryOneByOne(IndexOf(experiment, name), kWhole, tuples); });
    }
    const AttributeFilter& filter = *experiment.sides().back().filter();
    ways.emplace_back([&] { QueryOneByOne(filter, kWhole, tuples); });
    const auto ns = bench::TimeInRounds(ways, count, num_rounds);
    const std::string kind = positive ? "positives: " : "negatives: ";
    for (size_t side = 0; side < std::size(kMatrices); ++side) {
      Row row{.what = kind + kMatrices[side], .unit = Unit::kNs};
      row.measured = bench::Median(ns[side]);
      table.rows.push_back(row);
    }
    Row ours{.what = kind + "AttributeFilter", .unit = Unit::kNs};
    ours.measured = bench::Median(ns.back());
    table.rows.push_back(ours);
    for (size_t cuts = 3; cuts < std::size(kMatrices); ++cuts) {
      for (size_t other = 0; other < 3; ++other) {
        Row ratio =
            PairedRow(kind + kMatrices[cuts] + " / " + kMatrices[other], ns[cuts], ns[other]);
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
  constexpr const char* kSides[] = {"BFM", "CBFM, one cut", "CBFM, two cuts"};
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
    Row ratio = PairedRow(std::string(kSides[cuts]) + ", all threads / BFM, one thread",
                          ns[kNumSides + cuts], ns[0]);
    JudgeTwoToThree(ratio, true);
    table.rows.push_back(ratio);
    table.rows.push_back(PairedRow(std::string(kSides[cuts]) + ", all threads / one",
                                   ns[kNumSides + cuts], ns[cuts]));
  }
  return table;
}

}  // namespace trommel::paper
