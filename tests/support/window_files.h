// Windows that have every kind of block, line and side entry, for what is made of files.
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_FILES_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "support/every_type.h"
#include "support/random_keys.h"
#include "support/window_slots.h"
#include "trommel/window_filter.h"

namespace trommel::tests {

// Five live buckets, with copies, blocks that overflow, and others that spill.
inline WindowFilter CrowdedWindow(double target_fpr, bool is_erasable = true) {
  WindowFilter filter = WindowFilter::Create({.window = 50,
                                              .num_buckets = 5,
                                              .capacity = 600,
                                              .target_fpr = target_fpr,
                                              .digest = {DigestKind::kXxh3, 9},
                                              .is_erasable = is_erasable})
                            .value();
  for (const uint64_t now : {1U, 15U, 21U, 77U, 84U, 93U, 118U, 121U}) {
    filter.Advance(now);
    if (now != 84) filter.Insert(MemberKeys(500, now));
    if (now == 93) filter.Insert(std::vector<uint64_t>(200, 5));
    if (now == 118) filter.Insert(MemberKeys(100, 93));
    if (now == 121) filter.Insert(MemberKeys(100, 118), 90);
  }
  return filter;
}

// Of slots of both sizes, erasable and not.
inline std::vector<NamedFilter> CrowdedWindows() {
  std::vector<NamedFilter> windows;
  for (const double rate : {kRateOfSlots16, kRateOfSlots24}) {
    for (const bool is_erasable : {true, false}) {
      windows.push_back({"crowded window at " + std::to_string(rate),
                         HeldFilter(CrowdedWindow(rate, is_erasable))});
    }
  }
  return windows;
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_FILES_H_
