// What a LayeredFilter is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "engine/src/batches/query_batch.h"
#include "engine/src/counting/counting_filter_impl.h"
#include "trommel/layered_filter.h"

namespace trommel {

// The invariant that all rests on: both layers hold the same keys, each as often. Then every
// counter of the first layer is the sum of the counters of the large layer's blocks that are its
// block (layered_sizing.h), and stays so: whatever the large layer inserts or erases, the first one
// does, too.
struct LayeredFilter::Impl {
  Impl(CountingFilter first_layer, CountingFilter large_layer)
      : first(std::move(first_layer)), large(std::move(large_layer)) {}

  QueryTarget ForQueries() const {
    QueryTarget target = large.impl_->ForQueries();
    target.first_layer = first.impl_->store.get();
    return target;
  }

  bool has_side_limit() const {
    return first.impl_->has_side_limit() || large.impl_->has_side_limit();
  }
  // Into both layers, or into neither: false if one of them refuses it. What the large layer takes
  // back needs no memory, and leaves none taken.
  bool AddOne(uint64_t digest) {
    if (!large.Insert(Key::Digest(digest))) return false;
    if (first.Insert(Key::Digest(digest))) return true;
    large.impl_->block_store().TakeBack(digest);
    large.impl_->num_keys -= 1;
    return false;
  }
  // Adds the keys that are absent, or all; sets the bits of those that are in now.
  uint64_t AddOneByOne(std::span<const uint64_t> digests, bool only_if_absent,
                       std::span<uint64_t> inserted) {
    uint64_t num_inserted = 0;
    std::ranges::fill(inserted, 0);
    for (size_t i = 0; i < digests.size(); ++i) {
      if (only_if_absent && large.MayContain(Key::Digest(digests[i]))) continue;
      const uint64_t is_in{AddOne(digests[i])};
      if (!inserted.empty()) inserted[i / 64] |= is_in << (i % 64);
      num_inserted += is_in;
    }
    return num_inserted;
  }

  CountingFilter first;
  CountingFilter large;  // has the capacity, the rate and the executor of both
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_
