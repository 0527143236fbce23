// Keys with times, for a window filter: batches are cut where the bucket changes, for all keys of
// one insertion enter the present bucket, and all of one erasure leave the same one.
#ifndef TROMMEL_TOOLS_WINDOW_KEYS_H_
#define TROMMEL_TOOLS_WINDOW_KEYS_H_

#include <cstdint>
#include <span>

#include "tools/trommel/applied.h"
#include "tools/trommel/window_rate.h"
#include "trommel/window_filter.h"

namespace trommel::tool {

// Which bucket the tick is in, as window_filter.h numbers them.
uint64_t BucketOf(const WindowFilter& filter, uint64_t tick);

// As FamilyFilter's. Without times: now, by the wall clock. What was inserted is added to `rate`.
Applied InsertAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                      std::span<const uint64_t> times, WindowRate& rate);
Applied InsertIfAbsentAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                              std::span<const uint64_t> times, std::span<uint64_t> inserted,
                              WindowRate& rate);
// Times there must be.
Applied EraseAtTimes(WindowFilter& filter, std::span<const uint64_t> digests,
                     std::span<const uint64_t> times);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_WINDOW_KEYS_H_
