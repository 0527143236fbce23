// Random programs over two window filters of one configuration, and how a failing one is cut down.
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "trommel/window_filter.h"

namespace trommel::tests {

enum class WindowOp { kInsert, kInsertIfAbsent, kErase, kAdvance, kMerge, kReload, kClear };

struct WindowStep {
  WindowOp op = WindowOp::kInsert;
  size_t which = 0;               // filter 0 or 1; kMerge takes the other one's
  std::vector<uint64_t> digests;  // of the first three
  // kAdvance: by so many. kErase: of keys inserted so many ago; negative: that are to come.
  int64_t ticks = 0;
};

struct WindowProgram {
  WindowConfig config;
  uint64_t start = 0;          // the first time of both
  std::vector<uint64_t> pool;  // all digests that occur, and non-members: asked after each step
  std::vector<WindowStep> steps;
};

// A program of about num_steps steps on few blocks. Windows have one bucket or many, whole numbers
// of ticks a bucket or not, and begin at the beginning of time, in the midst of it or near its end.
WindowProgram RandomWindowProgram(uint64_t seed, size_t num_steps = 40);

// A smallest program it finds for which `fails` still holds.
WindowProgram Shrunk(WindowProgram program, const std::function<bool(const WindowProgram&)>& fails);

// For the message of a failing test: one line a step.
std::string ToText(const WindowProgram& program);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_PROGRAM_H_
