#include "support/store_difference.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/shapes.h"
#include "support/words.h"

namespace trommel::tests {

std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference) {
  const uint64_t num_blocks = reference.num_blocks();
  const size_t num_slices = reference.num_slices();
  if (store.geometry().num_blocks != num_blocks || store.geometry().num_slices != num_slices ||
      ShapeOf(store.geometry()).has_runs != reference.shape().has_runs) {
    return "geometry";
  }
  const std::vector<uint64_t> must_be_promoted = reference.PromotedBlocks();
  const std::vector<uint32_t> want_presence = reference.PresenceWords();
  const std::vector<uint32_t> want_counts = reference.CountWords();
  const size_t presence_words = store.presence_words();
  const size_t count_words = store.count_words();
  std::vector<uint32_t> marker(count_words);
  store.encoding().mark_promoted(marker.data(), num_slices);
  const auto differs = [](const uint32_t* got, const uint32_t* want, size_t num_words) {
    return FirstDifference(std::vector<uint32_t>(got, got + num_words),
                           std::vector<uint32_t>(want, want + num_words));
  };
  std::vector<uint64_t> promoted;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    const std::string block = "block " + std::to_string(b);
    std::string difference =
        differs(store.PresenceOf(b), want_presence.data() + b * presence_words, presence_words);
    if (!difference.empty()) return block + ": presence " + difference;
    std::vector<uint64_t> counters(store.num_counters());
    store.ReadCounters(b, counters);
    const uint64_t* want = reference.counters().data() + b * counters.size();
    difference = FirstDifference(counters, std::vector<uint64_t>(want, want + counters.size()));
    if (!difference.empty()) return block + ": counters " + difference;

    const uint32_t* counts = store.CountsOf(b);
    const bool must = std::ranges::binary_search(must_be_promoted, b);
    if (store.IsPromoted(b)) {
      promoted.push_back(b);
      difference = differs(counts, marker.data(), count_words);
      if (!difference.empty()) return block + ": promoted without the whole marker";
      if (!must && store.encoding().has_drained(counters, num_slices)) {
        return block + ": did not come back from the side table";
      }
    } else {
      if (must) return block + ": its counters do not fit but it is not promoted";
      difference = differs(counts, want_counts.data() + b * count_words, count_words);
      if (!difference.empty()) return block + ": counts " + difference;
    }
  }
  if (store.side_table().SortedBlocks() != promoted) return "the side table holds other blocks";
  if (store.Tally().num_promoted != promoted.size()) return "the tally of promoted blocks";
  return "";
}

}  // namespace trommel::tests
