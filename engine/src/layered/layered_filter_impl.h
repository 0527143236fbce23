// What a LayeredFilter is made of, shared by its sources.
#ifndef TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_

#include <memory>
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

  CountingFilter first;
  CountingFilter large;  // has the capacity, the rate and the executor of both
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_LAYERED_LAYERED_FILTER_IMPL_H_
