// Random programs over two window filters of one configuration.
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trommel/window_filter.h"

namespace trommel::tests {

enum class WindowOp {
  kInsert,
  kInsertIfAbsent,
  kErase,
  kInsertAt,
  kAdvance,
  kMerge,
  kReload,
  kClear
};

struct WindowStep {
  WindowOp op = WindowOp::kInsert;
  size_t which = 0;               // filter 0 or 1; kMerge takes the other one's
  std::vector<uint64_t> digests;  // of the first four
  // kAdvance: by so many. kErase and kInsertAt: of keys inserted so many ago; negative: that are to
  // come.
  int64_t ticks = 0;
};

struct WindowProgram {
  WindowConfig config;
  uint64_t start = 0;  // the first time of both
  // All digests that occur, and some non-members: queried after each step.
  std::vector<uint64_t> pool;
  std::vector<WindowStep> steps;
};

// A program of about num_steps steps on few blocks, with slots of either size, erasable or not.
// Windows have one bucket or many, with a whole number of ticks per bucket or not, and begin at
// time 0, later, or near the end of time. Some insertions are late, and some digests share block
// and fingerprint.
WindowProgram RandomWindowProgram(uint64_t seed, size_t num_steps = 40);

// For the message of a failing test: one line per step.
std::string ToText(const WindowProgram& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_
