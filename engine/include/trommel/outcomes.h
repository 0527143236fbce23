// What all filters share with their callers: the ways of a batch, what came of it, and statistics.
#ifndef TROMMEL_OUTCOMES_H_
#define TROMMEL_OUTCOMES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trommel {

// The words of a bitmap with an answer for each of so many keys or tuples: key i's answer is bit
// i % 64 of word i / 64.
constexpr size_t BitmapWords(size_t num_answers) noexcept { return (num_answers + 63) / 64; }

// How a large batch of updates reaches memory.
enum class Route : uint8_t {
  kAutomatic,  // whichever of the two is faster for this filter and batch
  kDirect,     // in input order, fetching ahead
  kSplit,  // first split by shard, so that every shard's part of memory is near while it is used
};

// Which answers Select lists.
enum class Answer : uint8_t { kAbsent, kMaybePresent };

struct EraseOutcome {
  uint64_t num_erased = 0;
  uint64_t num_refused = 0;  // certainly absent: nothing changed for them

  friend bool operator==(const EraseOutcome&, const EraseOutcome&) = default;
};

// Why a filter would not grow.
enum class GrowthRefusal : uint8_t {
  kNone,
  kLargestCapacity,  // no further budget, or max_capacity
  kMemoryLimit,      // memory_limit_bytes
  kOutOfMemory,      // the system refused
};

std::string_view GrowthRefusalText(GrowthRefusal refusal) noexcept;

struct InsertOutcome {
  uint64_t num_inserted = 0;
  // Keys that no generation showed and that there was no room for: nothing changed for them, and
  // nothing may be erased.
  uint64_t num_refused = 0;
  GrowthRefusal refusal = GrowthRefusal::kNone;  // why, if there are any

  friend bool operator==(const InsertOutcome&, const InsertOutcome&) = default;
};

struct Stats {
  uint64_t num_keys = 0;            // insertions less erasures: duplicates count
  uint64_t num_bytes = 0;           // presence bits, counters and side table
  uint64_t side_table_bytes = 0;    // of these, the counts of promoted blocks
  uint64_t num_promoted = 0;        // blocks in the side table
  uint64_t num_refused_erases = 0;  // since creation, load or clear
  uint64_t huge_page_bytes = 0;     // of presence bits and counters, on huge pages at this moment
  double fill_ratio = 0;            // share of positions present
  // The false-positive rate of these very bits for a random non-member: the mean over blocks of the
  // product of their slices' fills, whatever keys came in. (Two keys of a block whose low digest
  // halves are equal are not in it: load / 2^32, which the model counts.)
  double current_fpr = 0;
  double predicted_fpr = 0;  // the model's, if num_keys keys are in and all are distinct
};

}  // namespace trommel

#endif  // TROMMEL_OUTCOMES_H_
