// Mixes: what kinds of rounds there are, and the plan of one round.
#ifndef TROMMEL_TOOLS_STRESS_MIX_H_
#define TROMMEL_TOOLS_STRESS_MIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tools/stress/filter_type.h"
#include "tools/stress/random.h"
#include "trommel/counting_filter.h"
#include "trommel/keys.h"

namespace trommel::stress {

// What a writer may do next.
enum class Move : uint8_t { kInsert, kInsertIfAbsent, kErase, kAsk, kHeat, kCool, kRace };
inline constexpr size_t kNumMoves = 7;

struct Mix {
  std::string_view name;
  std::string_view what;
  // The filter. It may get many more keys than it is sized for: that promotes blocks.
  uint64_t capacity = 0;  // with one or two writers; with more of them in proportion
  double target_fpr = 0.01;
  std::optional<KeyKind> kind = {};  // none: another one in each round
  // The keys: each writer's own, hot ones that all writers share, and such that they race for.
  uint32_t keys_per_writer = 0;
  uint32_t num_hot = 0;
  uint32_t num_races = 0;
  // The work of one thread and round in keys, and how many keys a call may have.
  uint64_t keys_per_thread = 0;
  uint32_t min_batch = 1;
  uint32_t max_batch = 1;
  uint32_t max_heat = 0;                        // copies of a hot key that one call inserts
  std::array<uint8_t, kNumMoves> weights = {};  // how often a writer makes each move
  uint32_t audit_one_in = 0;  // of a reader's calls, one in so many looks at the whole filter
};

std::span<const Mix> AllMixes();
const Mix* FindMix(std::string_view name);  // null: no such mix

// One round, all of it drawn from the seed. Only the interleaving of the threads is the machine's.
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

  uint32_t num_threads() const { return num_writers + num_readers; }
  uint32_t num_private() const { return num_writers * mix.keys_per_writer; }
  uint32_t num_ids() const { return num_private() + mix.num_hot + mix.num_races; }
  // Key ids: every writer's own keys, then the hot ones, then those raced for.
  uint32_t first_hot() const { return num_private(); }
  uint32_t first_race() const { return num_private() + mix.num_hot; }

  Random RandomOf(uint32_t thread) const { return {seed, round, thread}; }
};

RoundPlan DrawPlan(const Mix& mix, uint64_t seed, uint64_t round, uint32_t num_writers,
                   uint32_t num_readers, Encoding encoding = CountingConfig{}.encoding);

std::string_view KindName(KeyKind kind);
std::string_view RouteName(Route route);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_MIX_H_
