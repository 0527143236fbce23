#include "bench/sweep/sweep_row.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <limits>

#include "bench/machine/clock.h"

namespace trommel::bench {

using enum Operation;

std::vector<Operation> CeilingsOf(const SweepRow& row) {
  switch (row.operation) {
    case kInsert:
    case kErase:
    case kInsertIfAbsent:
      return {kUpdateCeiling, kShardCeiling, kStreamCeiling};
    case kQueryMiss:
    case kQueryHalf:
    case kQueryHit:
      return {kReadCeiling};
    default:  // ceilings, hashing; and skewed keys, whose lines are in a cache
      return {};
  }
}

Operation TextbookOf(Operation op) {
  return op == kInsert      ? kTextbookInsert
         : op == kErase     ? kTextbookErase
         : op == kQueryMiss ? kTextbookQueryMiss
                            : kTextbookQueryHit;
}

CountingConfig SweepConfig(uint64_t num_keys, Encoding encoding) {
  CountingConfig config;
  config.capacity = num_keys;
  config.target_fpr = kSweepTargetFpr;
  config.encoding = encoding;
  if (encoding == Encoding::kRuns) config.num_slices = kSweepRunSlices;
  return config;
}

std::string_view OperationName(Operation op) {
  constexpr std::array<std::string_view, 17> kNames = {
      // in the order of Operation
      "ceiling_read", "ceiling_update",  "ceiling_shard",    "ceiling_stream", "hash_int",
      "hash_string",  "textbook_insert", "textbook_erase",   "textbook_miss",  "textbook_hit",
      "insert",       "insert_zipf",     "insert_if_absent", "erase",          "query_miss",
      "query_half",   "query_hit"};
  static_assert(kNames.size() == static_cast<size_t>(kQueryHit) + 1);
  return kNames.at(static_cast<size_t>(op));
}

std::string EncodingPart(Encoding encoding) {
  if (encoding == Encoding::kPlanes) return "";
  const std::string part = "/" + std::string(EncodingName(encoding));
  return encoding == Encoding::kRuns ? part + ":" + std::to_string(kSweepRunSlices) : part;
}

std::string BatchName(uint64_t batch) {
  if (batch >= (1U << 20) && batch % (1U << 20) == 0) return std::to_string(batch >> 20) + "Mi";
  if (batch >= (1U << 12) && batch % (1U << 10) == 0) return std::to_string(batch >> 10) + "Ki";
  return std::to_string(batch);
}

namespace {

constexpr double kLeastSeconds = 1e-9;

double Seconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The time between two consecutive readings.
double Overhead() {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 1000; ++i) {
    const double start = CpuSeconds();
    least = std::min(least, CpuSeconds() - start);
  }
  return least;
}

}  // namespace

StepClock::StepClock(uint32_t num_threads) : num_threads_(num_threads) {
  if (num_threads_ == 1) {
    cpu_ = CpuSeconds();
  } else {
    cpu_ = Seconds(CLOCK_PROCESS_CPUTIME_ID);
    wall_ = Seconds(CLOCK_MONOTONIC);
  }
}

StepTime StepClock::Stop(uint64_t num_keys) const {
  static const double overhead = Overhead();
  if (num_threads_ == 1) {
    const double seconds = std::max(kLeastSeconds, CpuSeconds() - cpu_ - overhead);
    return {seconds, seconds, num_keys};
  }
  const double wall = Seconds(CLOCK_MONOTONIC) - wall_;
  const double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_;
  return {std::max(kLeastSeconds, wall), std::max(kLeastSeconds, cpu), num_keys};
}

}  // namespace trommel::bench
