// Random programs over a scalable filter.
#ifndef TROMMEL_TESTS_SUPPORT_SCALABLE_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_SCALABLE_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trommel/scalable_filter.h"

namespace trommel::tests {

enum class ScalableOp { kInsert, kInsertIfAbsent, kErase, kSaveAndLoad, kClear };

struct ScalableStep {
  ScalableOp op = ScalableOp::kInsert;
  std::vector<uint64_t> digests;  // of the first three operations
};

struct ScalableProgram {
  ScalableConfig config;
  // All digests that occur, and some non-members: queried after each step.
  std::vector<uint64_t> pool;
  std::vector<ScalableStep> steps;
};

// Generations of some tens of keys, all of them in very few blocks: so they show many keys that are
// not in them, which is where a rule of erasing can go wrong.
ScalableProgram RandomScalableProgram(uint64_t seed, size_t num_steps = 30);

// Thousands of keys, and small chunks of them: of kAutomatic, generations of several encodings
// (CreateScalable). Few of their blocks have keys in the side table.
ScalableProgram RandomMixedProgram(uint64_t seed, size_t num_steps = 30);

// As ScalableFilter::Create, but that kAutomatic means an encoding for each generation, as in the
// sets of an AttributeFilter.
ScalableFilter CreateScalable(const ScalableConfig& config);

std::string ToText(const ScalableProgram& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SCALABLE_PROGRAM_H_
