// KeyUpdates: how commands insert and erase keys of a filter of any type. Keys may have times,
// which a filter whose keys expire follows: its batches are cut where the bucket changes, for all
// keys of one insertion or erasure are of one bucket.
#ifndef TROMMEL_TOOLS_KEY_UPDATES_H_
#define TROMMEL_TOOLS_KEY_UPDATES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tools/trommel/filters/applied.h"
#include "tools/trommel/filters/window_rate.h"
#include "trommel/any_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

class KeyUpdates {
 public:
  // Batches of digests, in input order. `times` says when each came, in ticks (number_text.h);
  // empty: now, by the wall clock, or by the filter's where that is later. Only a filter whose keys
  // expire uses them.
  using Digests = std::span<const uint64_t>;
  using Times = std::span<const uint64_t>;

  // The filter must outlive this. Requires that it takes keys.
  explicit KeyUpdates(AnyFilter& filter);

  // The filter's time advances with the keys. Keys that are late enter the bucket of their own
  // time, or none if it has expired; with InsertIfAbsent, which knows no other, the current one.
  Applied Insert(Digests digests, Times times);
  // Bit i of `inserted`: key i was absent, and is present now. Of the refused keys neither holds.
  Applied InsertIfAbsent(Digests digests, Times times, std::span<uint64_t> inserted);
  // Where keys expire, requires a time for each. Keys of a time past the clock count as refused,
  // where the library counts them as expired: they cannot be in, and their times are probably
  // wrong.
  Applied Erase(Digests digests, Times times);

  // For the keys that were inserted through this object; null where keys do not expire.
  const WindowRate* window_rate() const noexcept { return rate_ ? &*rate_ : nullptr; }

 private:
  Applied InsertAtTimes(Digests digests, Times times);
  Applied EraseAtTimes(Digests digests, Times times);
  void AdvanceToWallClock(size_t num_keys, Applied& applied);

  AnyFilter& filter_;
  std::optional<WindowRate> rate_;
};

// How many keys make a batch that spreads over threads, and is worth splitting by blocks.
size_t NumKeysToGather(const AnyFilter& filter);

// Fails with kInvalidArgument for a filter of tuples, which are no keys. `instead` is the
// subcommand of `trommel attr` to use.
Status CheckTakesKeys(const AnyFilter& filter, std::string_view instead);
// Fails with kInvalidArgument if the filter cannot erase, or needs times and there are none.
Status CheckCanErase(const AnyFilter& filter, bool has_times);
// Fails with kInvalidArgument if there are times and the type does not use them.
Status CheckTimes(const AnyFilter& filter, bool has_times);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_KEY_UPDATES_H_
