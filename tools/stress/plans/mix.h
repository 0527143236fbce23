// Mixes: the kinds of rounds, and the plan of one round.
#ifndef TROMMEL_TOOLS_STRESS_PLANS_MIX_H_
#define TROMMEL_TOOLS_STRESS_PLANS_MIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/keys.h"

namespace trommel::stress {

// Random: a generator that gives the same numbers on every machine, so that a seed repeats a round.

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators").
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // A different generator for each combination of these.
  Random(uint64_t seed, uint64_t a, uint64_t b)
      : state_(Mixed(Mixed(Mixed(seed) ^ (a + 1)) ^ ((b + 1) << 32))) {}

  uint64_t Next() { return Mixed(state_ += 0x9e3779b97f4a7c15u); }

  // In [0, bound); bound at least 1.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>((Next() >> 32) * bound >> 32); }

  bool OneIn(uint32_t n) { return Below(n) == 0; }

  // In [0, bound), half of the numbers in the first sixteenth.
  uint32_t SkewedBelow(uint32_t bound) {
    const double u = static_cast<double>(Next() >> 11) * 0x1p-53;
    return static_cast<uint32_t>(u * u * u * u * bound);
  }

 private:
  static uint64_t Mixed(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  uint64_t state_;
};

// The types that threads may share.
inline constexpr std::array<FilterType, 3> kFilterTypes = {
    FilterType::kConcurrent, FilterType::kScalable, FilterType::kWindow};

// What a writer does in one step. Hot keys are shared by all writers; races are for keys that all
// writers insert if absent.
enum class Move : uint8_t {
  kInsert,
  kInsertIfAbsent,
  kErase,
  kQuery,
  kInsertHot,
  kEraseHot,
  kRace,
  kPulse  // inserts some of its own keys and erases them, several times
};
inline constexpr size_t kNumMoves = 8;

struct Mix {
  std::string_view name;
  std::string_view what;
  // The filter. Mixes that insert many more keys than this promote blocks.
  uint64_t capacity = 0;  // with one or two writers; in proportion with more
  double target_fpr = 0.01;
  std::optional<KeyKind> kind = {};  // without one, each round draws its own
  // The keys: those that each writer owns, hot ones, and those raced for.
  uint32_t keys_per_writer = 0;
  uint32_t num_hot = 0;
  uint32_t num_races = 0;
  // The work of one thread in one round, and the keys per call.
  uint64_t keys_per_thread = 0;
  uint32_t min_batch = 1;
  uint32_t max_batch = 1;
  uint32_t max_hot_batch = 0;                   // copies of hot keys that one call inserts
  std::array<uint8_t, kNumMoves> weights = {};  // relative frequency of each move
  uint32_t audit_one_in = 0;  // one in so many of a reader's steps audits the whole filter
  // Own and hot keys are on few blocks, about as many on each as a full block holds. Needs keys
  // that are digests.
  bool is_crowded = false;
  uint32_t keep_one_in = 0;      // one in so many of its own keys a writer never erases
  uint32_t max_query_batch = 0;  // of a reader; 0: max_batch
};

std::span<const Mix> AllMixes();
const Mix* FindMix(std::string_view name);  // null if there is no such mix

// One round, drawn from the seed. Only the interleaving of the threads differs between runs.
struct RoundPlan {
  FilterType type = FilterType::kConcurrent;
  Mix mix;
  uint64_t seed = 0;
  uint64_t round = 0;
  uint32_t num_writers = 1;
  uint32_t num_readers = 1;
  uint64_t keys_per_thread = 0;
  CountingConfig config;
  uint32_t executor_threads = 0;
  KeyKind kind = KeyKind::kInt64;
  bool is_skewed = false;
  std::optional<Geometry> geometry;     // of a small filter, instead of the config's
  uint32_t keys_per_crowded_block = 0;  // of crowded mixes
  uint32_t side_records = 0;  // limit of side memory: so many blocks of each part; 0: no limit
  uint32_t yield_one_in = 0;  // one in so many calls begins with a yield; 0: none
  uint32_t preempt_us = 0;    // a signal interrupts some thread so often; 0: never

  uint32_t num_threads() const { return num_writers + num_readers; }
  uint32_t num_private() const { return num_writers * mix.keys_per_writer; }
  uint32_t num_ids() const { return num_private() + mix.num_hot + mix.num_races; }
  // Key ids: every writer's own keys, then the hot ones, then those raced for.
  uint32_t first_hot() const { return num_private(); }
  uint32_t first_race() const { return num_private() + mix.num_hot; }
  // Inserted first by its owner, and never erased while threads run.
  bool is_kept(uint32_t id) const {
    return mix.keep_one_in > 0 && id < num_private() &&
           id % mix.keys_per_writer % mix.keep_one_in == 0;
  }

  // A generator for this thread, or for one of the streams below.
  Random RandomOf(uint32_t thread) const { return {seed, round, thread}; }
};

// Streams of random numbers that belong to no thread.
inline constexpr uint32_t kPlanStream = UINT32_MAX;
inline constexpr uint32_t kKeyStream = UINT32_MAX - 1;
inline constexpr uint32_t kWindowStream = UINT32_MAX - 2;
inline constexpr uint32_t kDrainStream = UINT32_MAX - 3;

RoundPlan DrawPlan(const Mix& mix, uint64_t seed, uint64_t round, uint32_t num_writers,
                   uint32_t num_readers, Encoding encoding = CountingConfig{}.encoding);

std::string_view KindName(KeyKind kind);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_PLANS_MIX_H_
