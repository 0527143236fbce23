// Random programs over two filters, and how a failing one is cut down to the part that fails.
#ifndef TROMMEL_TESTS_SUPPORT_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
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
  std::vector<uint64_t>
      pool;  // all digests that occur, and some non-members: asked after each step
  std::vector<Step> steps;

  Geometry geometry() const;
};

// A program of about `num_steps` steps on a few blocks. Some keys are hot, so that blocks are
// promoted and drained; some batches are longer than the engine's chunks.
enum class Shapes { kPlanes, kRuns, kAny };
Program RandomProgram(uint64_t seed, size_t num_steps = 25, Shapes shapes = Shapes::kAny);

// The program without the erases and subtractions that a caller who keeps the contract would not
// do: each key is erased at most as often as it came in.
Program Honest(const Program& program);

// A smallest program it finds for which `fails` still holds: no step and no digest of it can be
// left out. `fails` must hold for the program given.
Program Shrunk(Program program, const std::function<bool(const Program&)>& fails);

// For the message of a failing test: one line a step.
std::string ToText(const Program& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_PROGRAM_H_
