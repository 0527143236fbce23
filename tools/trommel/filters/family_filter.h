// FamilyFilter: a filter of any type as the subcommands use it, so that they need not distinguish
// types. What a type cannot do fails with a Status.
#ifndef TROMMEL_TOOLS_FAMILY_FILTER_H_
#define TROMMEL_TOOLS_FAMILY_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "tools/trommel/filters/applied.h"
#include "tools/trommel/filters/window_keys.h"
#include "tools/trommel/output/report.h"
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
  // Of a window, for the keys that were inserted through this object; null for other types.
  const WindowRate* window_rate() const noexcept { return window_rate_ ? &*window_rate_ : nullptr; }
  // How many keys make a batch worth splitting.
  uint64_t num_keys_worth_splitting() const noexcept;

  void UseExecutor(std::shared_ptr<Executor> executor);

  // --- Batches of digests, in input order. `times` says when each came, in ticks (time_text.h);
  // empty: now. Only a window filter uses it: its time advances with the keys. Keys that are late
  // enter the bucket of their own time, or none if it has expired; with InsertIfAbsent, which knows
  // no other, the current one.
  Applied Insert(std::span<const uint64_t> digests, std::span<const uint64_t> times);
  // Bit i of `inserted`: key i was absent, and is present now. Of the refused keys neither holds.
  Applied InsertIfAbsent(std::span<const uint64_t> digests, std::span<const uint64_t> times,
                         std::span<uint64_t> inserted);
  // A window filter erases at the times of insertion; others ignore `times`.
  Applied Erase(std::span<const uint64_t> digests, std::span<const uint64_t> times);

  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const;

  // Advances a window's time. Fails with kInvalidArgument for other types, and for a time before
  // its own.
  Status Advance(uint64_t now);

  // Fails with kInvalidArgument for an attribute filter, whose tuples are no keys. `instead` is the
  // subcommand of `trommel attr` to use.
  Status CheckTakesKeys(std::string_view instead) const;
  // Fails with kInvalidArgument if the filter cannot erase, or needs times and there are none.
  Status CheckCanErase(bool has_times) const;
  // Fails with kInvalidArgument if there are times and the type does not use them.
  Status CheckTimes(bool has_times) const;

  // Adds what it is and holds.
  void Describe(Report& report) const;

 private:
  AnyFilter filter_;
  std::optional<WindowRate> window_rate_;
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_FAMILY_FILTER_H_
