// A key that is fetched ahead of its operation: what holds of every type that has one key per call.
#ifndef TROMMEL_TESTS_SUPPORT_FETCHED_KEY_H_
#define TROMMEL_TESTS_SUPPORT_FETCHED_KEY_H_

#include "support/catch.h"
#include "trommel/keys.h"

namespace trommel::tests {

template <class Filter>
Key FetchedDigest(const Filter& filter) {
  const Key ahead = filter.Prefetch("a key");
  CHECK(ahead.kind() == KeyKind::kDigests);
  CHECK(ahead.integer() == filter.digest_policy()("a key"));
  CHECK(filter.Prefetch(Key::Digest(5)).integer() == 5);
  return ahead;
}

// Erase(filter, key).
template <class Filter, class Erase>
void CheckFetchedKey(Filter& filter, const Erase& erase) {
  FetchedDigest(filter);  // of an empty filter
  filter.Insert("a key");
  const Key ahead = FetchedDigest(filter);
  CHECK(filter.CountEstimate(ahead) == 1);  // it is no insertion
  CHECK(filter.MayContain(ahead));
  CHECK(erase(ahead));
  CHECK_FALSE(filter.MayContain("a key"));
}

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_FETCHED_KEY_H_
