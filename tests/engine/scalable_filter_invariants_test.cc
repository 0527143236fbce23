// Random programs over scalable filters: beside the definition, key by key, and beside the exact
// multiset.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/catch.h"
#include "support/exact_model.h"
#include "support/scalable_program.h"
#include "support/scalable_reference.h"
#include "support/shrink.h"
#include "trommel/executor.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

std::vector<uint64_t> Bitmap(size_t num_keys) {
  return std::vector<uint64_t>(BitmapWords(num_keys), ~uint64_t{0});
}

void SaveAndLoad(ScalableFilter& filter) {
  Result<ScalableFilter> loaded = ScalableFilter::Deserialize(filter.Serialize());
  if (!loaded.ok()) FAIL(loaded.error().message);
  filter = *std::move(loaded);
}

// Where the filter and the reference part; empty if nowhere.
std::string DifferenceOfStates(const ScalableFilter& filter, const ScalableReference& reference,
                               const std::vector<uint64_t>& pool) {
  const ScalableStats stats = filter.GetStats();
  if (stats.generations.size() != reference.generations().size()) {
    return "generations: " + std::to_string(stats.generations.size()) + ", not " +
           std::to_string(reference.generations().size());
  }
  for (size_t g = 0; g < stats.generations.size(); ++g) {
    const ScalableReference::Generation& want = reference.generations()[g];
    if (stats.generations[g].slot != want.slot) return "slot of generation " + std::to_string(g);
    if (stats.generations[g].stats.num_keys != want.num_keys) {
      return "keys of generation " + std::to_string(g);
    }
    if (stats.generations[g].load != want.load) return "load of generation " + std::to_string(g);
  }
  // What only the side table of a generation of fingerprints can tell is "maybe present".
  double num_undecided = 0;
  for (const GenerationStats& generation : stats.generations) {
    num_undecided += generation.stats.undecided_share;
  }
  std::vector<uint64_t> maybe_present = Bitmap(pool.size());
  filter.Query(Keys::Digests(pool), maybe_present);
  std::vector<uint64_t> counts(pool.size());
  filter.CountEstimates(Keys::Digests(pool), counts);
  for (size_t i = 0; i < pool.size(); ++i) {
    const std::string name = " of digest " + std::to_string(i);
    const bool may_be_undecided = num_undecided > 0 && BitAt(maybe_present, i);
    if (BitAt(maybe_present, i) != reference.MayContain(pool[i]) && !may_be_undecided) {
      return "answer" + name;
    }
    if (counts[i] != reference.CountEstimate(pool[i])) return "count" + name;
  }
  return "";
}

// Runs the step on both; what differs, if anything does.
std::string DifferenceOfStep(const ScalableStep& step, const ScalableConfig& config,
                             ScalableFilter& filter, ScalableReference& reference) {
  const Keys keys = Keys::Digests(step.digests);
  std::vector<uint64_t> got = Bitmap(keys.size());
  const auto differs = [&](size_t i, bool want) {
    return BitAt(got, i) == want ? "" : "answer of key " + std::to_string(i);
  };
  std::string difference;
  switch (step.op) {
    case ScalableOp::kInsert:
      filter.Insert(keys, got);
      for (size_t i = 0; i < keys.size() && difference.empty(); ++i) {
        difference = differs(i, reference.Insert(step.digests[i]));
      }
      break;
    case ScalableOp::kInsertIfAbsent: {
      const InsertOutcome outcome = filter.InsertIfAbsent(keys, got);
      uint64_t num_refused = 0;
      for (size_t i = 0; i < keys.size() && difference.empty(); ++i) {
        const auto want = reference.InsertIfAbsent(step.digests[i]);
        difference = differs(i, want == ScalableReference::IfAbsent::kInserted);
        num_refused += want == ScalableReference::IfAbsent::kRefused ? 1 : 0;
      }
      if (difference.empty() && outcome.num_refused != num_refused) return "refused insertions";
      break;
    }
    case ScalableOp::kErase:
      filter.Erase(keys, got);
      for (size_t i = 0; i < keys.size() && difference.empty(); ++i) {
        difference = differs(i, reference.Erase(step.digests[i]));
      }
      break;
    case ScalableOp::kSaveAndLoad:
      SaveAndLoad(filter);
      break;
    case ScalableOp::kClear: {
      filter.Clear();
      Result<GrowthPlan> plan = GrowthPlan::Make(config);
      reference = ScalableReference(*std::move(plan));
      break;
    }
  }
  return difference;
}

std::string FirstDifference(const ScalableProgram& program, std::shared_ptr<Executor> executor) {
  ScalableFilter filter = CreateScalable(program.config);
  filter.UseExecutor(executor);
  Result<GrowthPlan> plan = GrowthPlan::Make(program.config);
  ScalableReference reference(*std::move(plan));
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const ScalableStep& step = program.steps[i];
    std::string difference = DifferenceOfStep(step, program.config, filter, reference);
    if (step.op == ScalableOp::kSaveAndLoad) filter.UseExecutor(executor);
    if (difference.empty()) difference = DifferenceOfStates(filter, reference, program.pool);
    if (!difference.empty()) return "step " + std::to_string(i) + ": " + difference;
  }
  return "";
}

}  // namespace

TEST_CASE("a scalable filter does what its definition does, key by key",
          "[engine][scalable][long]") {
  const uint64_t seed = Catch::rngSeed();
  for (uint64_t i = 0; i < Scaled(40); ++i) {
    INFO("seed " << seed + i);
    const auto difference = [](const ScalableProgram& program) {
      return FirstDifference(program, nullptr);
    };
    if (!CheckInvariant(RandomScalableProgram(seed + i), difference)) return;
  }
}

TEST_CASE("a scalable filter of generations of several encodings does what its definition does",
          "[engine][scalable][long]") {
  const uint64_t seed = Catch::rngSeed();
  for (uint64_t i = 0; i < Scaled(6); ++i) {
    INFO("seed " << seed + i);
    const auto difference = [](const ScalableProgram& program) {
      return FirstDifference(program, nullptr);
    };
    if (!CheckInvariant(RandomMixedProgram(seed + i), difference)) return;
  }
}

}  // namespace trommel::tests
