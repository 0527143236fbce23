// The speed of a few filters on this machine, quickly: what `trommel size --measure` shows. The
// filters are filled to capacity and take turns, so that other load affects them alike.
#ifndef TROMMEL_BENCH_SWEEP_ENCODING_SPEED_H_
#define TROMMEL_BENCH_SWEEP_ENCODING_SPEED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel::bench {

// What is measured of a filter with so many keys: one as full, in no more memory than this.
inline constexpr uint64_t kMostSpeedBytes = 64'000'000;  // side table included
inline constexpr uint64_t kMostSpeedKeys = 64'000'000;
inline constexpr uint64_t kMostSpeedKeysPerBlock = 256;  // side tables of fuller ones take minutes
inline constexpr uint64_t kSpeedBatch = 65'536;          // keys per call
inline constexpr size_t kSpeedRounds = 7;

struct SpeedSide {
  Geometry geometry;
  uint64_t num_keys = 0;
};

// The filter of this sizing, or a smaller one with as many keys per block. Fails with
// kInvalidArgument for fewer than kMinSweepKeys keys, which take too short for the clock, and for
// more than kMostSpeedKeysPerBlock.
Result<SpeedSide> SpeedSideOf(const Sizing& sizing);

// Medians over rounds, in ns per key: one thread, digests handed in, batches of kSpeedBatch keys.
struct SideSpeed {
  SpeedSide side;
  double insert_ns = 0;
  double erase_ns = 0;
  double query_miss_ns = 0;
  double query_hit_ns = 0;
};

struct SpeedHooks {
  std::function<bool()> should_stop;                         // called between steps
  std::function<void(size_t done, size_t total)> measuring;  // figures, of all sides and rounds
};

struct SpeedResult {
  std::vector<SideSpeed> sides;  // in the order given; empty if stopped or wrong
  bool stopped = false;
  std::string wrong;  // a wrong answer; empty: there was none
};

// Cost: kSpeedRounds rounds of at least 10 ms for each figure, and about 100 MB per side of
// kMostSpeedBytes. Fails as CountingFilter::CreateWithGeometry does, and with kOutOfMemory.
Result<SpeedResult> MeasureSpeeds(std::span<const SpeedSide> sides, const SpeedHooks& hooks);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_ENCODING_SPEED_H_
