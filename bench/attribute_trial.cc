#include "bench/attribute_trial.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "bench/cpu_clock.h"
#include "bench/roofline.h"
#include "bench/tuple_workload.h"

namespace trommel::bench {
namespace {

constexpr AttributeMask kWholeTuple = 0b111;
constexpr AttributeMask kPair = 0b110;
constexpr size_t kIndexBatch = 1024;  // cells of a batch stay in the first cache
constexpr double kSecondsACeiling = 0.1;
constexpr size_t kThreadFactor = 10;  // larger batches for several threads

struct Asked {
  const char* name;
  TupleQuestions questions;
  bool are_members;
};

std::vector<Asked> Questions(const TupleWorkload& workload, size_t count) {
  std::vector<Asked> asked;
  asked.push_back({"whole, negatives", workload.Strangers(kWholeTuple, 0, count, 1), false});
  asked.push_back({"whole, positives", workload.Members(kWholeTuple, count, 2), true});
  asked.push_back({"{1,2}, negatives", workload.Strangers(kPair, 0, count, 3), false});
  asked.push_back({"{1,2}, positives", workload.Members(kPair, count, 4), true});
  return asked;
}

double CpuNs(size_t num_questions, const std::function<void()>& work) {
  const double start = CpuSeconds();
  work();
  return 1e9 * (CpuSeconds() - start) / static_cast<double>(num_questions);
}

double WallNs(size_t num_questions, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::nano> elapsed = std::chrono::steady_clock::now() - start;
  return elapsed.count() / static_cast<double>(num_questions);
}

// Nearly empty, so that no part of a question is left out for being full.
void MeasureIndices(const AttributeTrialRequest& request, const std::vector<Asked>& asked,
                    AttributeTrialOutcome& outcome) {
  const uint64_t num_cells = SideCellsFor(request.num_tuples);
  matrix::LiteralMatrix literal = MakeLiteralSide(num_cells);
  matrix::Matrix planned = MakeSideMatrix(kTwoCutsSide, num_cells);
  for (const Asked& one : asked) {
    if (!one.are_members) continue;
    const AttributeMask set = one.questions.asked;
    const Tuples tuples = one.questions.digests.view();
    const std::vector<AttributeMask> parts = literal.PartsOf(set);
    std::vector<uint64_t> indices;
    std::vector<uint64_t> cells;
    size_t num_literal = 0;
    size_t num_planned = 0;
    TrialRow row{"indices of " + AttributeMaskText(set) + ", " +
                     std::to_string(parts.size() * kSideHashes) + " cells",
                 {{}, {}}};
    for (uint64_t round = 0; round <= request.rounds; ++round) {
      const double literal_ns = CpuNs(tuples.size, [&] {
        for (size_t i = 0; i < tuples.size; ++i) {
          literal.IndicesOf(parts, tuples, i, indices);
          num_literal += indices.size();
        }
      });
      const double planned_ns = CpuNs(tuples.size, [&] {
        for (size_t i = 0; i < tuples.size; i += kIndexBatch) {
          planned.CellsOf(set, tuples.From(i, std::min(kIndexBatch, tuples.size - i)), cells);
          num_planned += cells.size();
        }
      });
      if (round == 0) continue;  // warms up
      row.sides[0].push_back(literal_ns);
      row.sides[1].push_back(planned_ns);
    }
    if (num_literal != num_planned) outcome.wrong = "the plan leaves out cells of " + row.label;
    outcome.indices.push_back(row);
  }
}

void MeasureQueries(const AttributeTrialRequest& request, const std::vector<Asked>& asked,
                    const std::vector<std::unique_ptr<TupleIndex>>& sides,
                    AttributeTrialOutcome& outcome) {
  const std::vector<std::string> names = AttributeSideNames();
  for (const Asked& one : asked) {
    const Tuples tuples = one.questions.digests.view();
    std::vector<std::vector<uint64_t>> maybe(
        kNumAttributeSides, std::vector<uint64_t>(TupleIndex::BitmapWords(tuples.size)));
    TrialRow row{one.name, std::vector<Figures>(kNumAttributeSides)};
    for (uint64_t round = 0; round <= request.rounds; ++round) {
      for (size_t i = 0; i < kNumAttributeSides; ++i) {
        const size_t side = (i + round) % kNumAttributeSides;  // by turns first
        size_t num_maybe = 0;
        const double ns = CpuNs(tuples.size, [&] {
          num_maybe = sides[side]->Query(one.questions.asked, tuples, maybe[side]);
        });
        if (sides[side]->PartsOf(one.questions.asked).empty()) continue;  // nothing was asked
        if (one.are_members && num_maybe != tuples.size) {
          outcome.wrong = names[side] + ": misses a tuple that is in";
        }
        if (round > 0) row.sides[side].push_back(ns);
      }
    }
    if (maybe[kLiteralSide] != maybe[kTwoCutsSide]) {
      outcome.wrong = "the literal matrix answers otherwise than the planned one";
    }
    outcome.queries.push_back(row);
  }
}

void MeasureThreads(const AttributeTrialRequest& request, const std::vector<Asked>& asked,
                    const std::vector<std::unique_ptr<TupleIndex>>& sides,
                    AttributeTrialOutcome& outcome) {
  const std::array<std::shared_ptr<Executor>, 2> executors = {
      nullptr, std::move(Executor::Create(request.num_threads)).value()};
  const std::vector<std::string> names = AttributeSideNames();
  for (const AttributeSide measured : {kTwoCutsSide, kFilterSide}) {
    for (const Asked& one : asked) {
      const Tuples tuples = one.questions.digests.view();
      std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
      TrialRow row{names[measured] + ", " + one.name, {{}, {}}};
      for (uint64_t round = 0; round <= request.rounds; ++round) {
        for (size_t i = 0; i < 2; ++i) {
          const size_t side = (i + round) % 2;
          sides[measured]->UseExecutor(executors[side]);
          const double ns = WallNs(
              tuples.size, [&] { sides[measured]->Query(one.questions.asked, tuples, maybe); });
          if (round > 0) row.sides[side].push_back(ns);
        }
      }
      sides[measured]->UseExecutor(nullptr);
      outcome.threads.push_back(row);
    }
    TrialRow ceiling{"ceiling: random line of " + names[measured], {{}, {}}};
    const std::array<Touch, 1> line = {Touch{sides[measured]->num_bytes(), 1}};
    for (uint64_t round = 0; round < request.rounds; ++round) {
      ceiling.sides[0].push_back(RandomReadNs(line, kSecondsACeiling, 1));
      ceiling.sides[1].push_back(RandomReadNs(line, kSecondsACeiling, request.num_threads));
    }
    outcome.threads.push_back(ceiling);
  }
}

// Nothing where a side has no figures.
std::string TargetLine(const std::string& what, const Ratio& ratio, double limit, bool at_least) {
  if (std::isnan(ratio.median)) return "";
  const bool is_met = at_least ? ratio.median >= limit : ratio.median <= limit;
  char line[200];
  std::snprintf(line, sizeof(line), "target  %-58s %s %4.1f: %6.2f [%.2f..%.2f]  %s\n",
                what.c_str(), at_least ? ">=" : "<=", limit, ratio.median, ratio.min, ratio.max,
                is_met ? "met" : "NOT MET");
  return line;
}

}  // namespace

AttributeTrialOutcome RunAttributeTrial(const AttributeTrialRequest& request) {
  const TupleWorkload workload(3, request.num_tuples, request.seed);
  const std::vector<Asked> asked = Questions(workload, request.num_questions);

  AttributeTrialOutcome outcome;
  MeasureIndices(request, asked, outcome);
  std::vector<std::unique_ptr<TupleIndex>> sides;
  std::vector<TupleIndex*> indices;
  for (uint8_t side = 0; side < kNumAttributeSides; ++side) {
    sides.push_back(MakeAttributeSide(static_cast<AttributeSide>(side), request.num_tuples));
    indices.push_back(sides.back().get());
  }
  workload.InsertInto(indices);
  for (const auto& side : sides) outcome.bytes.push_back(side->num_bytes());
  MeasureQueries(request, asked, sides, outcome);
  MeasureThreads(request, Questions(workload, kThreadFactor * request.num_questions), sides,
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
  for (const TrialRow& row : outcome.threads) {
    if (row.label.starts_with("ceiling")) continue;
    text += TargetLine(row.label + ": one thread / several",
                       PairedRatio(row.sides[0], row.sides[1]), 1.7, true);
  }
  return text;
}

}  // namespace trommel::bench
