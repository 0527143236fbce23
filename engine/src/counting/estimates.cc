#include "trommel/estimates.h"

#include <bit>
#include <string>

#include "engine/src/counting/counting_filter_impl.h"
#include "engine/src/counting/fill_model.h"
#include "engine/src/keys/merge_compatibility.h"

namespace trommel {

// Counts presence bits, or with fingerprints the distinct keys of blocks, which only this friend of
// CountingFilter may read.
class PresencePair {
 public:
  static uint64_t CountPresent(const CountingFilter& filter) {
    if (!filter.impl_->has_fingerprints()) return filter.impl_->block_store().Tally().num_present;
    uint64_t num_distinct = 0;
    for (uint64_t b = 0; b < filter.geometry().num_blocks; ++b) {
      num_distinct += filter.impl_->store->ReadContents(b).size();
    }
    return num_distinct;
  }

  static uint64_t CountEither(const CountingFilter& a, const CountingFilter& b) {
    if (a.impl_->has_fingerprints()) {
      return CountEitherKeys(*a.impl_->store, *b.impl_->store);
    }
    const BlockStore& ours = a.impl_->block_store();
    const BlockStore& theirs = b.impl_->block_store();
    uint64_t num_present = 0;
    for (uint64_t block = 0; block < ours.geometry().num_blocks; ++block) {
      const uint32_t* here = ours.PresenceOf(block);
      const uint32_t* there = theirs.PresenceOf(block);
      for (size_t w = 0; w < ours.presence_words(); ++w) {
        num_present += static_cast<uint64_t>(std::popcount(here[w] | there[w]));
      }
    }
    return num_present;
  }

 private:
  static uint64_t CountEitherKeys(const Store& ours, const Store& theirs) {
    uint64_t num_distinct = 0;
    for (uint64_t block = 0; block < ours.geometry().num_blocks; ++block) {
      BlockContents either = ours.ReadContents(block);
      for (const BlockKey& entry : theirs.ReadContents(block)) AddTo(either, entry.key, 1);
      num_distinct += either.size();
    }
    return num_distinct;
  }
};

Estimate EstimateDistinctKeys(const CountingFilter& filter) noexcept {
  return KeysFromFill(filter.geometry(), PresencePair::CountPresent(filter));
}

Result<Overlap> EstimateOverlap(const CountingFilter& a, const CountingFilter& b) {
  if (std::string difference = DifferenceOf(a, b); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot compare: " + difference};
  }
  return OverlapFromFills(a.geometry(), PresencePair::CountPresent(a),
                          PresencePair::CountPresent(b), PresencePair::CountEither(a, b));
}

}  // namespace trommel
