// Random programs over two filters.
#ifndef TROMMEL_TESTS_SUPPORT_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/reference.h"
#include "trommel/sizing.h"

namespace trommel::tests {

enum class Op { kInsert, kInsertIfAbsent, kErase, kMerge, kSubtract, kFold, kClear };

struct Step {
  Op op = Op::kInsert;
  size_t which = 0;               // filter 0 or 1; merges and subtractions take the other one's
  std::vector<uint64_t> digests;  // of the first three operations
};

struct Program {
  uint64_t num_blocks = 1;
  kernels::Shape shape = 8;
  // All digests that occur, and some non-members: queried after each step.
  std::vector<uint64_t> pool;
  std::vector<Step> steps;

  Geometry geometry() const;
};

// A program of 25 steps on a few blocks. Some keys are hot, so that blocks are
// promoted and drained; some batches are longer than the engine's chunks.
Program RandomProgram(uint64_t seed);

// For the message of a failing test: one line per step.
std::string ToText(const Program& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_PROGRAM_H_
