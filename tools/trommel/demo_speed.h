// The demo's speed: ns a key of the batch operations, beside what memory gives at the same
// footprint.
#ifndef TROMMEL_TOOLS_DEMO_SPEED_H_
#define TROMMEL_TOOLS_DEMO_SPEED_H_

#include <span>
#include <string_view>

#include "trommel/counting_filter.h"
#include "trommel/result.h"

namespace trommel::tool {

// ns a key, one thread, medians over rounds.
struct OperationSpeed {
  double from_keys_ns = 0;     // hashing the strings included
  double from_digests_ns = 0;  // digests computed before
  double ceiling_ns = 0;       // memory: the same cache lines at random places; NaN if not measured

  double roofline_share() const { return ceiling_ns / from_digests_ns; }
};

struct Speed {
  OperationSpeed insert;
  OperationSpeed erase;
  OperationSpeed query_hit;
  OperationSpeed query_miss;
  double hash_ns = 0;  // one key's digest
};

// Inserts all members, queries members and strangers, erases all members, and again. Takes about
// two seconds more than three rounds. Fails as CountingFilter::Create does.
Result<Speed> MeasureSpeed(std::span<const std::string_view> members,
                           std::span<const std::string_view> strangers,
                           Encoding encoding = CountingConfig{}.encoding);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DEMO_SPEED_H_
