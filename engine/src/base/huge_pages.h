// How much of an address range is on huge pages: what the kernel says, not what was asked for.
#ifndef TROMMEL_ENGINE_SRC_BASE_HUGE_PAGES_H_
#define TROMMEL_ENGINE_SRC_BASE_HUGE_PAGES_H_

#include <cstdint>
#include <istream>

namespace trommel {

// Of the bytes [begin, end) of this process. Reads /proc/self/smaps; 0 where there is none.
uint64_t HugePageBytesOf(uintptr_t begin, uintptr_t end);

// The same from any text in the format of smaps. The kernel tells huge pages by the mapping, and
// joins neighbouring mappings: a range that is a part of one gets the least that must be its own
// when all the rest of the mapping were on huge pages.
uint64_t HugePageBytesIn(std::istream& smaps, uintptr_t begin, uintptr_t end);

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BASE_HUGE_PAGES_H_
