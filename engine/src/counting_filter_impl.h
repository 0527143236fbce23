// What a CountingFilter is made of, shared by counting_filter.cc and its snapshots.
#ifndef TROMMEL_ENGINE_SRC_COUNTING_FILTER_IMPL_H_
#define TROMMEL_ENGINE_SRC_COUNTING_FILTER_IMPL_H_

#include <utility>

#include "engine/src/block_store.h"
#include "trommel/counting_filter.h"

namespace trommel {

struct CountingFilter::Impl {
  explicit Impl(BlockStore blocks) : store(std::move(blocks)) {}

  BlockStore store;
  DigestPolicy policy;
  uint64_t capacity = 0;
  double target_fpr = 0;
  uint64_t memory_limit_bytes = 0;
  uint64_t num_keys = 0;
  uint64_t num_refused_erases = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_COUNTING_FILTER_IMPL_H_
