#include "bench/trials/attribute_trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "bench/machine/clock.h"
#include "bench/machine/roofline.h"
#include "bench/sides/demand.h"
#include "bench/sides/tuple_workload.h"
#include "trommel/attribute_filter.h"

namespace trommel::bench {
namespace {

constexpr AttributeMask kWholeTuple = 0b111;
constexpr AttributeMask kPair = 0b110;
constexpr size_t kIndexBatch = 1024;  // cells of a batch stay in the first-level cache
constexpr double kSecondsPerCeiling = 0.1;
constexpr uint64_t kMostUpdated = 20'000;
constexpr size_t kThreadFactor = 10;  // larger batches for several threads

struct QueryKind {
  const char* name;
  TupleQueries queries;
  bool are_members;
};

std::vector<QueryKind> QueryKinds(const TupleWorkload& workload, size_t count) {
  std::vector<QueryKind> kinds;
  kinds.push_back({"whole, negatives", workload.NonMembers(kWholeTuple, 0, count, 1), false});
  kinds.push_back({"whole, positives", workload.Members(kWholeTuple, count, 2), true});
  kinds.push_back({"{1,2}, negatives", workload.NonMembers(kPair, 0, count, 3), false});
  kinds.push_back({"{1,2}, positives", workload.Members(kPair, count, 4), true});
  return kinds;
}

// Of nearly empty matrices, so that no part of a query is left out for being full.
void MeasureIndices(const AttributeTrialRequest& request, const std::vector<QueryKind>& kinds,
                    AttributeTrialOutcome& outcome) {
  const uint64_t num_cells = SideCellsFor(request.num_tuples);
  matrix::LiteralMatrix literal = MakeLiteralSide(num_cells);
  matrix::Matrix planned = MakeSideMatrix(kTwoCutsSide, num_cells);
  for (const QueryKind& kind : kinds) {
    if (!kind.are_members) continue;
    const AttributeMask set = kind.queries.set;
    const Tuples tuples = kind.queries.digests.view();
    const std::vector<AttributeMask> parts = literal.PartsOf(set);
    std::vector<uint64_t> indices;
    std::vector<uint64_t> cells;
    size_t num_literal = 0;
    size_t num_planned = 0;
    const std::function<void()> ways[] = {
        [&] {
          for (size_t i = 0; i < tuples.size; ++i) {
            literal.IndicesOf(parts, tuples, i, indices);
            num_literal += indices.size();
          }
        },
        [&] {
          for (size_t i = 0; i < tuples.size; i += kIndexBatch) {
            planned.CellsOf(set, tuples.From(i, std::min(kIndexBatch, tuples.size - i)), cells);
            num_planned += cells.size();
          }
        }};
    const TrialRow row{"indices of " + AttributeMaskText(set) + ", " +
                           std::to_string(parts.size() * kSideHashes) + " cells",
                       TimeInRounds(ways, tuples.size, request.rounds)};
    if (num_literal != num_planned) outcome.wrong = "the plan leaves out cells of " + row.label;
    outcome.indices.push_back(row);
  }
}

void MeasureQueries(const AttributeTrialRequest& request, const std::vector<QueryKind>& kinds,
                    const std::vector<std::unique_ptr<TupleIndex>>& sides,
                    AttributeTrialOutcome& outcome) {
  const std::vector<std::string> names = AttributeSideNames();
  for (const QueryKind& kind : kinds) {
    const Tuples tuples = kind.queries.digests.view();
    std::vector<std::vector<uint64_t>> maybe(
        kNumAttributeSides, std::vector<uint64_t>(TupleIndex::BitmapWords(tuples.size)));
    TrialRow row{kind.name, std::vector<Figures>(kNumAttributeSides)};
    InRounds(kNumAttributeSides, request.rounds, [&](size_t side, bool counts) {
      size_t num_maybe = 0;
      const double ns = CpuNsPerKey(tuples.size, [&] {
        num_maybe = sides[side]->Query(kind.queries.set, tuples, maybe[side]);
      });
      if (sides[side]->PartsOf(kind.queries.set).empty()) return;  // nothing was read
      if (kind.are_members && num_maybe != tuples.size) {
        outcome.wrong = names[side] + ": a member is answered \"absent\"";
      }
      if (counts) row.sides[side].push_back(ns);
    });
    if (maybe[kLiteralSide] != maybe[kTwoCutsSide]) {
      outcome.wrong = "the literal and the planned matrix answer differently";
    }
    outcome.queries.push_back(row);
  }
}

// The queries' digests row by row: those of attributes that are not queried are 0.
std::vector<uint64_t> RowsOf(const Tuples& tuples, size_t num_attributes) {
  std::vector<uint64_t> rows(tuples.size * num_attributes);
  for (size_t i = 0; i < tuples.size; ++i) {
    for (size_t a = 0; a < num_attributes; ++a) {
      if (tuples.columns[a] != nullptr) rows[i * num_attributes + a] = tuples.columns[a][i];
    }
  }
  return rows;
}

bool AskBatchOfOne(const TupleIndex& index, AttributeMask set, std::span<const uint64_t> digests) {
  Tuples tuple;
  tuple.size = 1;
  for (size_t a = 0; a < digests.size(); ++a) tuple.columns[a] = &digests[a];
  uint64_t bit = 0;
  return index.Query(set, tuple, std::span(&bit, 1)) == 1;
}

void MeasureSingles(const AttributeTrialRequest& request, const std::vector<QueryKind>& kinds,
                    const std::vector<std::unique_ptr<TupleIndex>>& sides,
                    AttributeTrialOutcome& outcome) {
  const TupleIndex& two_cuts = *sides[kTwoCutsSide];
  const auto& filter = static_cast<const AttributeFilter&>(*sides[kFilterSide]);
  for (const QueryKind& kind : kinds) {
    const Tuples tuples = kind.queries.digests.view();
    const size_t num_attributes = filter.sets().num_attributes();
    const std::vector<uint64_t> rows = RowsOf(tuples, num_attributes);
    std::array<size_t, 3> num_maybe{};
    const auto ask_each = [&](size_t way, const auto& ask) {
      num_maybe[way] = 0;
      for (size_t i = 0; i < tuples.size; ++i) {
        const auto digests = std::span(rows).subspan(i * num_attributes, num_attributes);
        num_maybe[way] += ask(digests) ? 1 : 0;
      }
    };
    const AttributeMask set = kind.queries.set;
    const auto batch_of_one = [set](const TupleIndex& index) {
      return [&index, set](std::span<const uint64_t> digests) {
        return AskBatchOfOne(index, set, digests);
      };
    };
    const std::function<void()> ways[] = {[&] { ask_each(kSingleMatrix, batch_of_one(two_cuts)); },
                                          [&] { ask_each(kSingleBatch, batch_of_one(filter)); },
                                          [&] {
                                            ask_each(kSingleFilter,
                                                     [&](std::span<const uint64_t> digests) {
                                                       return filter.MayContain(set, digests);
                                                     });
                                          }};
    outcome.singles.push_back({kind.name, TimeInRounds(ways, tuples.size, request.rounds)});
    if (kind.are_members && num_maybe[kSingleFilter] != tuples.size) {
      outcome.wrong = "the filter answers \"absent\" to a single query for a member";
    }
    if (num_maybe[kSingleBatch] != num_maybe[kSingleFilter]) {
      outcome.wrong = "the filter answers single queries differently from batches of one";
    }
  }
}

void MeasureThreads(const AttributeTrialRequest& request, const std::vector<QueryKind>& kinds,
                    const std::vector<std::unique_ptr<TupleIndex>>& sides,
                    AttributeTrialOutcome& outcome) {
  const std::array<std::shared_ptr<Executor>, 2> executors = {
      nullptr, ValueOrExit(Executor::Create(request.num_threads))};
  const std::vector<std::string> names = AttributeSideNames();
  for (const AttributeSide measured : {kTwoCutsSide, kFilterSide}) {
    TupleIndex& index = *sides[measured];
    for (const QueryKind& kind : kinds) {
      const Tuples tuples = kind.queries.digests.view();
      std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
      TrialRow row{names[measured] + ", " + kind.name, {{}, {}}};
      InRounds(2, request.rounds, [&](size_t side, bool counts) {
        index.UseExecutor(executors[side]);
        const double ns =
            WallNsPerKey(tuples.size, [&] { index.Query(kind.queries.set, tuples, maybe); });
        if (counts) row.sides[side].push_back(ns);
      });
      index.UseExecutor(nullptr);
      outcome.threads.push_back(row);
    }
    TrialRow ceiling{"ceiling: random line of " + names[measured], {{}, {}}};
    const std::array<Touch, 1> line = {Touch{index.num_bytes(), 1}};
    for (uint64_t round = 0; round < request.rounds; ++round) {
      ceiling.sides[0].push_back(RandomReadNs(line, kSecondsPerCeiling, 1));
      ceiling.sides[1].push_back(RandomReadNs(line, kSecondsPerCeiling, request.num_threads));
    }
    outcome.threads.push_back(ceiling);
  }
}

// Insertions and erasures of tuples that are not in, into filters that hold as many others.
void MeasureUpdates(const AttributeTrialRequest& request, AttributeTrialOutcome& outcome) {
  const uint64_t num_tuples = std::min(request.num_tuples, kMostUpdated);
  for (const uint32_t num_attributes : {3U, 8U}) {
    const TupleWorkload workload(num_attributes, 2 * num_tuples, request.seed);
    AttributeConfig config;
    config.sets = ValueOrExit(AttributeSets::Create(num_attributes));
    config.capacity = 2 * num_tuples;
    AttributeFilter filter = ValueOrExit(AttributeFilter::Create(config));
    const auto count = static_cast<size_t>(num_tuples);
    filter.Insert(workload.TuplesAt(0, count).view());
    const TupleDigests digests = workload.TuplesAt(num_tuples, count);
    TrialRow row{std::to_string(num_attributes) + " attributes, " +
                     std::to_string(config.sets.allowed().size()) + " sets",
                 {{}, {}}};
    InRounds(2, request.rounds, [&](size_t side, bool counts) {
      // Both sides once per round, whichever is first: what was not measured is done, too.
      const auto insert = [&] { return filter.Insert(digests.view()).num_refused; };
      const auto erase = [&] { return filter.Erase(digests.view()).num_refused; };
      uint64_t num_refused = 0;
      if (side == 1) num_refused += insert();
      const double ns = CpuNsPerKey(count, [&] { num_refused += side == 0 ? insert() : erase(); });
      if (side == 0) num_refused += erase();
      if (num_refused != 0) outcome.wrong = "the filter refuses an update";
      if (counts) row.sides[side].push_back(ns);
    });
    outcome.updates.push_back(row);
  }
}

// "" where a side has no figures.
std::string TargetLine(const std::string& what, const Ratio& ratio, double limit, bool at_least) {
  if (std::isnan(ratio.median)) return "";
  const bool is_met = at_least ? ratio.median >= limit : ratio.median <= limit;
  return Printed("target  %-58s %s %4.1f: %6.2f [%.2f..%.2f]  %s\n", what.c_str(),
                 at_least ? ">=" : "<=", limit, ratio.median, ratio.min, ratio.max,
                 is_met ? "met" : "NOT MET");
}

}  // namespace

AttributeTrialOutcome RunAttributeTrial(const AttributeTrialRequest& request) {
  const TupleWorkload workload(3, request.num_tuples, request.seed);
  const std::vector<QueryKind> kinds = QueryKinds(workload, request.num_queries);

  AttributeTrialOutcome outcome;
  MeasureIndices(request, kinds, outcome);
  std::vector<std::unique_ptr<TupleIndex>> sides;
  std::vector<TupleIndex*> indices;
  for (uint8_t side = 0; side < kNumAttributeSides; ++side) {
    sides.push_back(MakeAttributeSide(static_cast<AttributeSide>(side), request.num_tuples));
    indices.push_back(sides.back().get());
  }
  workload.InsertInto(indices);
  for (const auto& side : sides) outcome.bytes.push_back(side->num_bytes());
  MeasureQueries(request, kinds, sides, outcome);
  MeasureSingles(request, kinds, sides, outcome);
  MeasureUpdates(request, outcome);
  MeasureThreads(request, QueryKinds(workload, kThreadFactor * request.num_queries), sides,
                 outcome);
  return outcome;
}

std::string JudgeAttributes(const AttributeTrialOutcome& outcome) {
  std::string text;
  for (const TrialRow& row : outcome.indices) {
    text += TargetLine(row.label + ": literal / planned", PairedRatio(row.sides[0], row.sides[1]),
                       10, true);
  }
  const struct {
    size_t over, under;
    const char* text;
    double limit;
  } limits[] = {{kOneCutSide, kBfmSide, "CBFM, one cut / BFM", 1.2},
                {kTwoCutsSide, kBfmSide, "CBFM, two cuts / BFM", 1.2},
                {kOneCutSide, kMdbfSide, "CBFM, one cut / MDBF", 1},
                {kTwoCutsSide, kMdbfSide, "CBFM, two cuts / MDBF", 1},
                {kFilterSide, kLiteralSide, "AttributeFilter / literal CBFM", 0.5},
                {kFilterSide, kTwoCutsSide, "AttributeFilter / our CBFM, two cuts", 0.5}};
  for (const auto& limit : limits) {
    for (const TrialRow& row : outcome.queries) {
      text += TargetLine(row.label + ": " + limit.text,
                         PairedRatio(row.sides[limit.over], row.sides[limit.under]), limit.limit,
                         false);
    }
  }
  for (const TrialRow& row : outcome.singles) {
    text += TargetLine(row.label + ", one at a time: AttributeFilter / our CBFM",
                       PairedRatio(row.sides[kSingleFilter], row.sides[kSingleMatrix]), 1, false);
  }
  for (const TrialRow& row : outcome.updates) {
    text += TargetLine(row.label + ": erase / insert", PairedRatio(row.sides[1], row.sides[0]), 3,
                       false);
  }
  for (const TrialRow& row : outcome.threads) {
    if (row.label.starts_with("ceiling")) continue;
    text += TargetLine(row.label + ": one thread / several",
                       PairedRatio(row.sides[0], row.sides[1]), 1.7, true);
  }
  return text;
}

}  // namespace trommel::bench
