// Keys that kernels leave over: what they need lies in hash maps, each access of which may be a
// miss of caches and TLB that depends on the one before. So it is fetched ahead, in two steps.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_SPILLED_KEYS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_SPILLED_KEYS_H_

#include <cstddef>

namespace trommel {

// Calls find(i), fetch(i) and use(i) for i in 0 .. count - 1, each in this order: fetch(i) when the
// lines that find(i) has prefetched should be there, and use(i) when those of fetch(i) should.
template <class Find, class Fetch, class Use>
void UseInSteps(size_t count, const Find& find, const Fetch& fetch, const Use& use) {
  if (count == 0) return;       // as in most batches
  constexpr size_t kStep = 16;  // a few more than the misses that one core can wait for
  for (size_t i = 0; i < count + 2 * kStep; ++i) {
    if (i < count) find(i);
    if (i >= kStep && i - kStep < count) fetch(i - kStep);
    if (i >= 2 * kStep) use(i - 2 * kStep);
  }
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_SPILLED_KEYS_H_
