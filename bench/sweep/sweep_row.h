// One row of a sweep: what is measured, under which conditions, and its name; and a step of it, the
// work that is timed at once.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_ROW_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_ROW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/counting_filter.h"

namespace trommel::bench {

enum class Operation : uint8_t {
  kReadCeiling,
  kUpdateCeiling,
  kShardCeiling,  // updates within the part of a filter that a split batch updates at a time
  kStreamCeiling,
  kHashInts,
  kHashStrings,
  kTextbookInsert,  // of the textbook's filter, beside ours in the same run
  kTextbookErase,
  kTextbookQueryMiss,
  kTextbookQueryHit,
  kInsert,
  kInsertSkewed,
  kInsertIfAbsent,
  kErase,
  kQueryMiss,
  kQueryHalf,  // every second key, on average and unpredictably, is in
  kQueryHit,
};

constexpr bool IsCeiling(Operation op) { return op <= Operation::kStreamCeiling; }
constexpr bool IsHashing(Operation op) {
  return op == Operation::kHashInts || op == Operation::kHashStrings;
}
constexpr bool IsOfTextbook(Operation op) {
  return op >= Operation::kTextbookInsert && op <= Operation::kTextbookQueryHit;
}
constexpr bool IsOfFilter(Operation op) { return op >= Operation::kInsert; }

struct SweepRow {
  std::string name;
  Operation operation = Operation::kInsert;
  uint64_t num_keys = 0;  // the filter's capacity; 0: a ceiling of the machine
  Encoding encoding = Encoding::kPlanes;
  uint64_t footprint_bytes = 0;  // of that ceiling
  std::string place;             // "L1", "L2", "L3", "memory", for that ceiling
  std::string target;
  uint32_t num_threads = 1;
  uint64_t batch = 0;  // keys per call at most
};

// Rows of one filter are adjacent, and need one arena.
constexpr bool HaveSameFilter(const SweepRow& a, const SweepRow& b) {
  return a.num_keys == b.num_keys && a.encoding == b.encoding;
}

// The filter that a sweep measures at this size: planes in the shape that sizing chooses, runs of
// kSweepRunSlices. Fingerprints are as full as sizing allows: their rate is below kSweepTargetFpr.
CountingConfig SweepConfig(uint64_t num_keys, Encoding encoding);
inline constexpr uint32_t kSweepRunSlices = 5;
inline constexpr double kSweepTargetFpr = 0.01;

// The ceilings that bound a row; none for what memory does not bound.
std::vector<Operation> CeilingsOf(const SweepRow& row);

// What the textbook's filter does of the same kind. Requires kInsert, kErase, kQueryMiss,
// kQueryHit.
Operation TextbookOf(Operation op);

std::string_view OperationName(Operation op);  // "insert"
std::string EncodingPart(Encoding encoding);   // "/runs:5", "/fingerprints16"; planes: none
std::string BatchName(uint64_t batch);         // 65536 is "64Ki"

// A step: the work that is timed at once, and the exception for a wrong answer.

struct StepTime {
  double seconds = 0;      // CPU time of one thread, wall time of several
  double cpu_seconds = 0;  // of all threads
  uint64_t num_keys = 0;
};

// Runs from its construction until Stop. The time of reading the clock is subtracted: steps in
// small filters take only about ten times as long. Never 0.
class StepClock {
 public:
  explicit StepClock(uint32_t num_threads);
  StepTime Stop(uint64_t num_keys) const;

 private:
  const uint32_t num_threads_;
  double wall_ = 0;
  double cpu_ = 0;
};

// Thrown by a step; ends the sweep, because its figures would be meaningless.
struct WrongAnswer {
  std::string message;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_ROW_H_
