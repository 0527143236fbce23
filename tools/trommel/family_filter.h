// FamilyFilter: a filter of any type as the subcommands use it, so that they need not know types.
// What a type has no answer to is a Status that says so.
#ifndef TROMMEL_TOOLS_FAMILY_FILTER_H_
#define TROMMEL_TOOLS_FAMILY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tools/trommel/applied.h"
#include "tools/trommel/report.h"
#include "tools/trommel/window_rate.h"
#include "trommel/any_filter.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::tool {

// Not thread-safe, but for Query and CountEstimates.
class FamilyFilter {
 public:
  // Cost: of a window, its GetStats.
  explicit FamilyFilter(AnyFilter filter);

  const AnyFilter& any() const noexcept { return filter_; }
  AnyFilter& any() noexcept { return filter_; }
  FilterType type() const noexcept { return TypeOf(filter_); }

  const DigestPolicy& digest_policy() const noexcept;
  uint64_t num_keys() const noexcept;
  uint64_t capacity() const noexcept;  // distinct keys it was sized for; 0: not sized
  uint64_t num_bytes() const;          // one pass
  double current_fpr() const;          // one pass
  // Of a window, and of the keys that are inserted through this object; null for other types.
  const WindowRate* window_rate() const noexcept { return window_rate_ ? &*window_rate_ : nullptr; }
  // How many keys make a batch worth splitting.
  uint64_t num_keys_worth_splitting() const noexcept;

  void UseExecutor(std::shared_ptr<Executor> executor);

  // --- Batches of digests, in input order. `times` says when each came, in ticks (time_text.h);
  // empty: now. Only a window filter looks at it: time moves on with the keys, and keys that are
  // late enter the present.
  Applied Insert(std::span<const uint64_t> digests, std::span<const uint64_t> times);
  // Bit i of `inserted`: key i was not in, and is now. num_refused keys are neither in nor told.
  Applied InsertIfAbsent(std::span<const uint64_t> digests, std::span<const uint64_t> times,
                         std::span<uint64_t> inserted);
  // A window filter erases at the times of insertion (of a late key: the present it entered);
  // others ignore `times`.
  Applied Erase(std::span<const uint64_t> digests, std::span<const uint64_t> times);

  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const;

  // Moves a window's time on. kInvalidArgument for other types, and for a time in its past.
  Status Advance(uint64_t now);

  // kInvalidArgument for an attribute filter, whose tuples are no keys: asked for by `trommel attr`
  // and the words in `instead`.
  Status CheckTakesKeys(std::string_view instead) const;
  // kInvalidArgument if the type cannot erase, or wants times and there are none; if it has no
  // counts.
  Status CheckCanErase(bool has_times) const;
  Status CheckHasCounts() const;
  // kInvalidArgument if there are times, and the type has no use for them.
  Status CheckTimes(bool has_times) const;

  // Adds what it is and holds.
  void Describe(Report& report) const;

 private:
  AnyFilter filter_;
  std::optional<WindowRate> window_rate_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FAMILY_FILTER_H_
