// The invariants that a round checks, and what is recorded when one is violated.
#ifndef TROMMEL_TOOLS_STRESS_RECORDS_INVARIANT_H_
#define TROMMEL_TOOLS_STRESS_RECORDS_INVARIANT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trommel::stress {

enum class Op : uint8_t { kInsert, kInsertIfAbsent, kErase, kQuery, kCount };
inline constexpr size_t kNumOps = 5;
std::string_view OpName(Op op);

enum class Invariant : uint8_t {
  kNoFalseNegative,  // from here on, checked while threads run
  kCountNotBelow,
  kNewOnlyIfAbsent,
  kNewToldOnce,
  kEraseNotRefused,
  kLoneKeyExact,
  kSumsAgree,
  kNoRefusedInsert,
  kRefusalsAgree,
  kWholeFilter,
  kWithinWindow,  // these three for windows only, also after the threads have joined
  kExpiredIsGone,
  kTimeAsTold,
  kNumKeysExact,  // from here on, checked after the threads have joined
  kBytesAsSequential,
  kEmptyAfterDraining,
};
inline constexpr size_t kNumInvariants = 16;
std::string_view InvariantName(Invariant invariant);      // short, for programs: "count-not-below"
std::string_view InvariantSentence(Invariant invariant);  // what the contract promises

// A call by one thread, as it concerns one of its keys. Times are of a logical clock that counts
// calls: two calls overlapped if neither began after the end of the other.
struct Event {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t thread = 0;
  Op op = Op::kInsert;
  bool answer = false;    // new, erased, maybe present, or counted above zero
  uint32_t batch = 0;     // keys of the call
  uint32_t position = 0;  // of the key among them
};

struct Violation {
  Invariant invariant = Invariant::kNoFalseNegative;
  std::optional<uint32_t> id;  // the key, if it concerns one
  uint32_t thread = 0;
  uint64_t time = 0;
  std::string detail;
  std::string key;            // as text
  std::vector<Event> events;  // the last ones of each thread that concern the key, by time
};

// The thread that checks and drains the filter after the threads of the round have joined.
inline constexpr uint32_t kMainThread = UINT32_MAX;
// The thread that advances the time of a window.
inline constexpr uint32_t kTickerThread = UINT32_MAX - 1;

// "writer 1", "reader 0", "ticker", "main".
std::string ThreadName(uint32_t thread, uint32_t num_writers);

// One line of a trace.
std::string EventText(const Event& event, uint32_t num_writers);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_RECORDS_INVARIANT_H_
