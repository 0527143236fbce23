#include "bench/trials/set_encoding_trial.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "bench/machine/clock.h"
#include "bench/sides/demand.h"
#include "bench/sides/tuple_workload.h"
#include "trommel/attribute_filter.h"
#include "trommel/attribute_plan.h"

namespace trommel::bench {
namespace {

constexpr AttributeMask kAskedSet = 0b110;
constexpr double kSetRate = 0.01;
constexpr uint64_t kTuplesUpdated = 20'000;
constexpr std::array<Encoding, kNumSetEncodings> kSetEncodings = {Encoding::kRuns,
                                                                  Encoding::kAutomatic};

AttributeConfig ConfigOfSide(size_t side, uint64_t capacity) {
  const std::vector<AttributeMask> cuts = {0b011, 0b101};
  AttributeConfig config;
  config.sets = ValueOrExit(AttributeSets::Create(3, cuts));
  config.capacity = capacity;
  config.target_fpr = kSetRate;
  config.encoding = kSetEncodings[side];
  return config;
}

double PredictedBits(const AttributeConfig& config) {
  AttributePlanRequest request;
  request.sets = config.sets;
  request.capacity = config.capacity;
  request.target_fpr = config.target_fpr;
  request.encoding = config.encoding;
  const AttributePlan plan = ValueOrExit(PlanAttributes(request));
  const auto num_values = static_cast<double>(plan.sets.size() * config.capacity);
  return 8 * static_cast<double>(plan.num_bytes) / num_values;
}

// Each side's filter in turn does the work for `count` keys.
using Sides = std::vector<AttributeFilter>;
template <class Work>
std::vector<Figures> TimeOfSides(Sides& sides, size_t count, uint64_t rounds, const Work& work) {
  std::vector<std::function<void()>> ways;
  for (AttributeFilter& filter : sides) ways.push_back([&] { work(filter); });
  return TimeInRounds(ways, count, rounds);
}

void MeasureSetQueries(const AttributeTrialRequest& request, const TupleWorkload& workload,
                       Sides& sides, SetEncodingOutcome& outcome) {
  const struct {
    std::string name;
    TupleQueries queries;
    bool are_members;
  } kinds[] = {
      {"negatives", workload.NonMembers(kAskedSet, 0, request.num_queries, 3), false},
      {"positives", workload.Members(kAskedSet, request.num_queries, 4), true},
  };
  for (const auto& kind : kinds) {
    const Tuples tuples = kind.queries.digests.view();
    std::vector<uint64_t> maybe(TupleIndex::BitmapWords(tuples.size));
    const auto ask_batch = [&](const AttributeFilter& filter) {
      return filter.Query(kAskedSet, tuples, maybe);
    };
    const auto ask_each = [&](const AttributeFilter& filter) {
      std::array<uint64_t, 3> tuple{};
      size_t num_maybe = 0;
      for (size_t i = 0; i < tuples.size; ++i) {
        for (const size_t a : {1U, 2U}) tuple[a] = tuples.columns[a][i];
        num_maybe += filter.MayContain(kAskedSet, tuple) ? 1 : 0;
      }
      return num_maybe;
    };
    for (size_t side = 0; side < sides.size(); ++side) {
      const size_t num_maybe = ask_batch(sides[side]);
      if (kind.are_members ? num_maybe != tuples.size : ask_each(sides[side]) != num_maybe) {
        outcome.wrong = kind.name + " are answered wrongly, or differently one at a time";
      }
      if (!kind.are_members) {
        outcome.measured_rates[side] =
            static_cast<double>(num_maybe) / static_cast<double>(tuples.size);
      }
    }
    outcome.times.push_back(
        {"batch of " + kind.name, TimeOfSides(sides, tuples.size, request.rounds, ask_batch)});
    outcome.times.push_back(
        {kind.name + ", one at a time", TimeOfSides(sides, tuples.size, request.rounds, ask_each)});
  }
}

// Of tuples that are not in.
void MeasureSetUpdates(const AttributeTrialRequest& request, const TupleDigests& digests,
                       Sides& sides, SetEncodingOutcome& outcome) {
  const size_t count = digests.view().size;
  TrialRow inserts{"insert", {{}, {}}};
  TrialRow erases{"erase", {{}, {}}};
  InRounds(sides.size(), request.rounds, [&](size_t side, bool counts) {
    uint64_t num_refused = 0;
    const double insert_ns =
        CpuNsPerKey(count, [&] { num_refused += sides[side].Insert(digests.view()).num_refused; });
    const double erase_ns =
        CpuNsPerKey(count, [&] { num_refused += sides[side].Erase(digests.view()).num_refused; });
    if (num_refused != 0) outcome.wrong = "a filter refuses an update";
    if (!counts) return;
    inserts.sides[side].push_back(insert_ns);
    erases.sides[side].push_back(erase_ns);
  });
  outcome.times.push_back(inserts);
  outcome.times.push_back(erases);
}

}  // namespace

SetEncodingOutcome RunSetEncodingTrial(const AttributeTrialRequest& request) {
  const uint64_t num_updated = std::min(request.num_tuples, kTuplesUpdated);
  const uint64_t capacity = request.num_tuples + num_updated;
  const TupleWorkload workload(3, request.num_tuples, request.seed);
  SetEncodingOutcome outcome;
  Sides sides;
  for (size_t side = 0; side < kNumSetEncodings; ++side) {
    const AttributeConfig config = ConfigOfSide(side, capacity);
    outcome.predicted_bits[side] = PredictedBits(config);
    sides.push_back(ValueOrExit(AttributeFilter::Create(config)));
  }
  const TupleDigests others =
      workload.TuplesAt(request.num_tuples, static_cast<size_t>(num_updated));
  for (size_t side = 0; side < kNumSetEncodings; ++side) {
    workload.InsertInto(sides[side]);
    sides[side].Insert(others.view());
    outcome.measured_bits[side] =
        8 * static_cast<double>(sides[side].num_bytes()) /
        static_cast<double>(sides[side].sets().allowed().size() * capacity);
    sides[side].Erase(others.view());
  }
  MeasureSetQueries(request, workload, sides, outcome);
  MeasureSetUpdates(request, others, sides, outcome);
  return outcome;
}

std::string FormatSetEncodings(const SetEncodingOutcome& outcome) {
  const std::vector<std::string> names = {"runs", "automatic"};
  std::string text = "Sets of an AttributeFilter at 1 %, runs or automatic encodings\n";
  for (size_t side = 0; side < names.size(); ++side) {
    text += Printed("%-10s %5.1f bits per value, %5.1f predicted; rate %.2f %%\n",
                    names[side].c_str(), outcome.measured_bits[side], outcome.predicted_bits[side],
                    100 * outcome.measured_rates[side]);
  }
  return text + FormatTrial("ns per query of one set, and per tuple", names,
                            {{"automatic / runs", kSetsAutomatic, kSetsOfRuns}}, outcome.times);
}

}  // namespace trommel::bench
