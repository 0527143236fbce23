// Random programs over filters that double, beside the exact multiset.
#ifndef TROMMEL_TESTS_SUPPORT_DOUBLING_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_DOUBLING_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trommel/executor.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {

enum class DoublingOp : uint8_t {
  kInsert,
  kInsertIfAbsent,
  kErase,  // of the digests, those that are in
  kSaveAndLoad,
  kMerge,  // the digests come in by a merge
  kClear,
};

struct DoublingStep {
  DoublingOp op;
  std::vector<uint64_t> digests;
};

struct DoublingProgram {
  ScalableConfig config;
  std::vector<uint64_t> pool;  // all digests that occur
  std::vector<DoublingStep> steps;
};

// All keys are in a few of the filter's 64 parts, which double and halve several times; many have
// digests that begin alike.
DoublingProgram RandomDoublingProgram(uint64_t seed, size_t num_steps = 60);

std::string ToText(const DoublingProgram& program);

// The first promise that is broken, and at which step; empty if none is: no key is missed or
// counted too low, the number of keys is exact, erasing what is in is never refused, and erasing
// all of it leaves the bytes of a new filter. Adds how often blocks doubled to num_grown.
std::string FirstFault(const DoublingProgram& program, std::shared_ptr<Executor> executor,
                       uint64_t& num_grown);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DOUBLING_PROGRAM_H_
