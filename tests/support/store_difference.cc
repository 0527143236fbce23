#include "support/store_difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/layout.h"
#include "kernels/plane_block.h"
#include "support/words.h"

namespace trommel::tests {

std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference) {
  const uint64_t num_blocks = reference.num_blocks();
  const size_t num_slices = reference.num_slices();
  if (store.geometry().num_blocks != num_blocks || store.geometry().num_slices != num_slices) {
    return "geometry";
  }
  const uint32_t* presence = store.presence().data();
  std::string difference =
      FirstDifference({presence, presence + num_blocks * num_slices}, reference.PresenceWords());
  if (!difference.empty()) return "presence " + difference;

  const std::vector<uint64_t> must_be_promoted = reference.PromotedBlocks();
  const std::vector<uint32_t> want_planes = reference.CountWords();
  std::vector<uint32_t> marker(kernels::kNumPlanes * num_slices);
  kernels::MarkPromoted(marker.data(), num_slices);
  std::vector<uint64_t> promoted;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    const std::string block = "block " + std::to_string(b);
    std::vector<uint64_t> counters(store.num_counters());
    store.ReadCounters(b, counters);
    const uint64_t* want = reference.counters().data() + b * counters.size();
    difference = FirstDifference(counters, std::vector<uint64_t>(want, want + counters.size()));
    if (!difference.empty()) return block + ": counters " + difference;

    const uint32_t* planes = store.CountsOf(b);
    const std::vector<uint32_t> got_planes(planes, planes + marker.size());
    const uint32_t* canonical = want_planes.data() + b * marker.size();
    const bool must = std::ranges::binary_search(must_be_promoted, b);
    if (store.IsPromoted(b)) {
      promoted.push_back(b);
      if (got_planes != marker) return block + ": promoted without the whole marker";
      if (!must && kernels::HasDrainedForPlanes(counters, num_slices)) {
        return block + ": did not come back from the side table";
      }
    } else {
      if (must) return block + ": its counters do not fit but it is not promoted";
      difference =
          FirstDifference(got_planes, std::vector<uint32_t>(canonical, canonical + marker.size()));
      if (!difference.empty()) return block + ": planes " + difference;
    }
  }
  if (store.side_table().SortedBlocks() != promoted) return "the side table holds other blocks";
  if (store.Tally().num_promoted != promoted.size()) return "the tally of promoted blocks";
  return "";
}

}  // namespace trommel::tests
