#include "support/scalable_program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <sstream>
#include <utility>

#include "engine/src/base/memory_budget.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/scalable/scalable_parts.h"
#include "support/shapes.h"
#include "support/shrink.h"

namespace trommel::tests {
namespace {

void AddSteps(ScalableProgram& program, size_t num_steps, std::mt19937_64& random) {
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  const size_t num_members = program.pool.size() * 4 / 5;
  const std::array<ScalableOp, 9> ops = {
      ScalableOp::kInsert, ScalableOp::kInsert, ScalableOp::kInsertIfAbsent,
      ScalableOp::kInsert, ScalableOp::kErase,  ScalableOp::kErase,
      ScalableOp::kErase,  ScalableOp::kClear,  ScalableOp::kSaveAndLoad};
  for (size_t i = 0; i < num_steps; ++i) {
    ScalableStep step;
    step.op = pick(ops);
    if (step.op == ScalableOp::kClear && random() % 4 != 0) step.op = ScalableOp::kErase;
    const bool has_keys = step.op != ScalableOp::kClear && step.op != ScalableOp::kSaveAndLoad;
    if (has_keys) {
      step.digests.resize(1 + random() % pick(std::array<size_t, 5>{1, 5, 60, 300, 3000}));
      for (uint64_t& digest : step.digests) {
        const bool is_hot = random() % 8 == 0;
        digest = program.pool[random() % (is_hot ? 3 : num_members)];
      }
    }
    program.steps.push_back(std::move(step));
  }
}

}  // namespace

ScalableProgram RandomScalableProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  const auto pick = [&random](const auto& choices) { return choices[random() % choices.size()]; };
  ScalableProgram program;
  ScalableConfig& config = program.config;
  config.first_capacity = pick(std::array<uint64_t, 4>{5, 20, 40, 70});
  config.target_fpr = 0.5;
  config.mode = GrowthMode::kGenerations;
  config.growth = pick(std::array<uint32_t, 3>{1, 1, 2});
  config.tightening = 0.9;
  const std::vector<kernels::Shape> shapes = AllShapes();
  const kernels::Shape shape = shapes[random() % shapes.size()];
  config.num_slices = static_cast<uint32_t>(shape.num_slices);
  config.encoding = shape.has_runs ? Encoding::kRuns : Encoding::kPlanes;
  const bool has_fingerprints = random() % 3 == 0;
  if (has_fingerprints) {
    config.num_slices = 0;
    config.encoding = pick(std::array{Encoding::kDense, Encoding::kFingerprints16});
  }
  // Some programs end at the largest capacity, where keys are refused.
  if (random() % 3 == 0) config.max_capacity = 3 * config.first_capacity;

  // The lowest blocks of every generation, of which each has 64 at least, with fingerprints of 16
  // bits 4,096. Fingerprints differ in 8 bits.
  const uint64_t num_blocks = pick(std::array<uint64_t, 2>{1, 3});
  const int block_shift = config.encoding == Encoding::kFingerprints16 ? 52 : 58;
  program.pool.resize(200 + random() % 400);
  for (uint64_t& digest : program.pool) {
    digest = (random() % num_blocks) << block_shift | random() % (uint64_t{1} << 32);
    if (has_fingerprints) digest |= random() % 256 << (block_shift - 8);
  }
  AddSteps(program, num_steps, random);
  return program;
}

ScalableProgram RandomMixedProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  ScalableProgram program;
  ScalableConfig& config = program.config;
  config.first_capacity = 2000 + random() % 1000;
  config.target_fpr = std::array{0.2, 0.02}[random() % 2];
  config.mode = GrowthMode::kGenerations;
  config.growth = 1;
  config.tightening = 0.5;
  config.encoding = Encoding::kAutomatic;
  program.pool.resize(20'000);
  for (uint64_t& digest : program.pool) digest = random();
  AddSteps(program, num_steps, random);
  return program;
}

ScalableFilter CreateScalable(const ScalableConfig& config) {
  if (config.encoding != Encoding::kAutomatic) return ScalableFilter::Create(config).value();
  const Result<GrowthPlan> plan = GrowthPlan::Make(config);
  return ScalableParts::Create(config, plan.value(), std::make_shared<MemoryBudget>(UINT64_MAX))
      .value();
}

std::string ToText(const ScalableProgram& program) {
  constexpr std::array<const char*, 5> kNames = {"Insert", "InsertIfAbsent", "Erase", "SaveAndLoad",
                                                 "Clear"};
  const ScalableConfig& config = program.config;
  std::ostringstream text;
  text << "first " << config.first_capacity << ", growth " << config.growth << ", most "
       << config.max_capacity << ", " << EncodingName(config.encoding) << " of "
       << config.num_slices << '\n';
  for (const ScalableStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << ':' << TextOf(step.digests, step.digests.size())
         << '\n';
  }
  return text.str();
}

}  // namespace trommel::tests
