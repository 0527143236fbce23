// The laws that a round holds the filter to, and what is known when one was broken.
#ifndef TROMMEL_TOOLS_STRESS_LAW_H_
#define TROMMEL_TOOLS_STRESS_LAW_H_

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

enum class Law : uint8_t {
  kNoFalseNegative,  // while threads run, from here on
  kCountNotBelow,
  kNewOnlyIfAbsent,
  kNewToldOnce,
  kEraseNotRefused,
  kLoneKeyExact,
  kSumsAgree,
  kRoomForAll,
  kWholeFilter,
  kWithinWindow,  // these three of windows alone; afterwards, too
  kExpiredIsGone,
  kTimeAsTold,
  kNumKeysExact,  // after all have joined, from here on
  kBytesAsSequential,
  kEmptyAfterDraining,
};
std::string_view LawName(Law law);      // short, for programs: "no-false-negative"
std::string_view LawSentence(Law law);  // what the contract says

// A call that one thread made, seen from one of its keys. Times are of a logical clock that counts
// calls: two calls overlapped if neither began after the other's end.
struct Event {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint32_t thread = 0;
  Op op = Op::kInsert;
  bool answer = false;    // new, erased, maybe present, counted above zero
  uint32_t batch = 0;     // keys of the call
  uint32_t position = 0;  // of the key among them
};

struct Violation {
  Law law = Law::kNoFalseNegative;
  std::optional<uint32_t> id;  // the key, when it concerns one
  uint32_t thread = 0;
  uint64_t time = 0;
  std::string detail;
  std::string key;            // as text
  std::vector<Event> events;  // the last ones of each thread that concern the key, by time
};

// Who checks and drains the filter after the round's threads have joined.
inline constexpr uint32_t kMainThread = UINT32_MAX;
// Who moves a window's time.
inline constexpr uint32_t kTickerThread = UINT32_MAX - 1;

// "writer 1", "reader 0", "ticker", "main".
std::string ThreadName(uint32_t thread, uint32_t num_writers);

// One line of a trace.
std::string EventText(const Event& event, uint32_t num_writers);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_LAW_H_
