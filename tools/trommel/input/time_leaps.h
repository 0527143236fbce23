// TimeLeaps: watches the times of keys for one in another unit, which would move a clock that never
// goes back.
#ifndef TROMMEL_TOOLS_TIME_LEAPS_H_
#define TROMMEL_TOOLS_TIME_LEAPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tools/trommel/input/key_format.h"
#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe.
class TimeLeaps {
 public:
  explicit TimeLeaps(const LeapLimit& limit) : max_leap_(limit.max_leap), clock_(limit.clock) {}

  // Which of the next times, in the order of the input, leaps too far; the clock follows those
  // before it. A time too far before the clock leaps, too, while the clock is where the first one
  // set it: then one of the two is wrong.
  std::optional<size_t> Find(std::span<const uint64_t> times);

  // What is wrong with the time that Find found, which the input has as `text`.
  std::string MessageFor(uint64_t time, std::string_view text) const;

 private:
  const uint64_t max_leap_;
  std::optional<uint64_t> clock_;
  bool is_first_ = false;  // the clock is at the first time
};

// Fails with kInvalidArgument if the wall clock is too far past the limit's clock to be the time of
// keys that have none.
Status CheckWallClock(const LeapLimit& limit);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_TIME_LEAPS_H_
