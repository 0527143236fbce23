#include "bench/sweep/encoding_speed.h"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "bench/sweep/sweep_arena.h"
#include "bench/sweep/sweep_plan.h"
#include "bench/text/figures.h"

namespace trommel::bench {
namespace {

constexpr double kSecondsPerTurn = 0.01;
constexpr uint64_t kMaxStep = uint64_t{1} << 18;  // keys: the time of a turn of a large filter

// The figures of a side, in the order in which they are measured.
struct SpeedFigure {
  Operation operation;
  double SideSpeed::*median;
};
constexpr std::array<SpeedFigure, 4> kSpeedFigures = {{
    {Operation::kInsert, &SideSpeed::insert_ns},
    {Operation::kErase, &SideSpeed::erase_ns},
    {Operation::kQueryMiss, &SideSpeed::query_miss_ns},
    {Operation::kQueryHit, &SideSpeed::query_hit_ns},
}};

// The share of the filter that is measured.
double ShareOf(const Sizing& sizing) {
  const auto num_bytes =
      static_cast<double>(sizing.geometry.num_bytes() + sizing.predicted_side_table_bytes);
  return std::min({1.0, static_cast<double>(kMostSpeedBytes) / num_bytes,
                   static_cast<double>(kMostSpeedKeys) / static_cast<double>(sizing.capacity)});
}

class SpeedTrial {
 public:
  explicit SpeedTrial(const SpeedHooks& hooks) : hooks_(hooks) {}

  Result<SpeedResult> Run(std::span<const SpeedSide> sides) {
    for (const SpeedSide& side : sides) {
      if (ShouldStop()) return std::move(result_);
      Result<CountingFilter> filter =
          CountingFilter::CreateWithGeometry(side.geometry, DigestPolicy{});
      if (!filter.ok()) return filter.error();
      arenas_.push_back(std::make_unique<SweepArena>(side.num_keys, *std::move(filter), kMaxStep));
    }
    std::vector<std::array<Figures, kSpeedFigures.size()>> figures(sides.size());
    const size_t num_turns = kSpeedRounds * sides.size() * kSpeedFigures.size();
    size_t num_done = 0;
    for (size_t round = 0; round < kSpeedRounds; ++round) {
      for (size_t f = 0; f < kSpeedFigures.size(); ++f) {
        for (size_t s = 0; s < sides.size(); ++s) {
          if (hooks_.measuring) hooks_.measuring(num_done++, num_turns);
          figures[s][f].push_back(Turn(*arenas_[s], kSpeedFigures[f].operation));
          if (result_.stopped) return std::move(result_);
        }
      }
    }
    for (const auto& arena : arenas_) arena->Prove();
    for (size_t s = 0; s < sides.size(); ++s) {
      SideSpeed speed{.side = sides[s]};
      for (size_t f = 0; f < kSpeedFigures.size(); ++f) {
        speed.*kSpeedFigures[f].median = Median(figures[s][f]);
      }
      result_.sides.push_back(speed);
    }
    return std::move(result_);
  }

 private:
  bool ShouldStop() {
    if (!result_.stopped && hooks_.should_stop) result_.stopped = hooks_.should_stop();
    return result_.stopped;
  }

  // ns per key, after a step off the record: the other sides have used the caches.
  double Turn(SweepArena& arena, Operation operation) {
    SweepRow row;
    row.name = OperationName(operation);
    row.operation = operation;
    row.batch = kSpeedBatch;
    arena.Prepare(row, nullptr);
    StepTime sum;
    arena.Step();
    while (sum.seconds < kSecondsPerTurn && !ShouldStop()) {
      const StepTime time = arena.Step();
      sum.seconds += time.seconds;
      sum.num_keys += time.num_keys;
    }
    return sum.seconds * 1e9 / static_cast<double>(sum.num_keys);
  }

  const SpeedHooks& hooks_;
  SpeedResult result_;
  std::vector<std::unique_ptr<SweepArena>> arenas_;
};

}  // namespace

Result<SpeedSide> SpeedSideOf(const Sizing& sizing) {
  const auto refusal = [](std::string message) {
    return Error{ErrorCode::kInvalidArgument, std::move(message)};
  };
  if (sizing.capacity < kMinSweepKeys) {
    return refusal("filters of fewer than " + std::to_string(kMinSweepKeys) +
                   " keys are not measured; got " + std::to_string(sizing.capacity));
  }
  if (sizing.capacity / kMostSpeedKeysPerBlock > sizing.geometry.num_blocks) {
    return refusal("filters of more than " + std::to_string(kMostSpeedKeysPerBlock) +
                   " keys per block are not measured; got " + std::to_string(sizing.capacity) +
                   " keys in " + std::to_string(sizing.geometry.num_blocks) + " blocks");
  }
  SpeedSide side{.geometry = sizing.geometry, .num_keys = sizing.capacity};
  const double share = ShareOf(sizing);
  if (share == 1) return side;
  Geometry& geometry = side.geometry;
  const auto num_blocks =
      static_cast<uint64_t>(share * static_cast<double>(sizing.geometry.num_blocks));
  geometry.shard_bits = std::min(geometry.shard_bits, ShardBitsFor(num_blocks));
  constexpr uint64_t kBlocksOfGroup = 64;  // shards of slots of 16 bits are whole groups
  const uint64_t unit = kBlocksOfGroup << geometry.shard_bits;
  geometry.num_blocks = std::max(unit, num_blocks / unit * unit);
  side.num_keys = static_cast<uint64_t>(static_cast<double>(sizing.capacity) *
                                        static_cast<double>(geometry.num_blocks) /
                                        static_cast<double>(sizing.geometry.num_blocks));
  return side;
}

Result<SpeedResult> MeasureSpeeds(std::span<const SpeedSide> sides, const SpeedHooks& hooks) {
  try {
    return SpeedTrial(hooks).Run(sides);
  } catch (const WrongAnswer& wrong) {
    SpeedResult result;
    result.wrong = wrong.message;
    return result;
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "out of memory while filters were measured"};
  }
}

}  // namespace trommel::bench
