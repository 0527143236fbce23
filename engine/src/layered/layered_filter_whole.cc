// Whole layered filters: made of layers, merge, subtract, clear, statistics.
#include <algorithm>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "engine/src/base/check.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/keys/merge_compatibility.h"
#include "engine/src/layered/layered_filter_impl.h"
#include "engine/src/layered/layered_sizing.h"
#include "trommel/layered_filter.h"

namespace trommel {
namespace {

Error Mismatch(std::string message) { return {ErrorCode::kMismatch, std::move(message)}; }

// The first layer's block whose presence bits are not those of the large layer's blocks in it put
// together, or its number of blocks.
uint64_t FirstStrangeBlock(const BlockStore& first, const BlockStore& large) {
  const uint64_t num_parts = large.geometry().num_blocks / first.geometry().num_blocks;
  for (uint64_t b = 0; b < first.geometry().num_blocks; ++b) {
    for (size_t w = 0; w < first.presence_words(); ++w) {
      uint32_t together = 0;
      for (uint64_t p = 0; p < num_parts; ++p) together |= large.PresenceOf(b * num_parts + p)[w];
      if (together != first.PresenceOf(b)[w]) return b;
    }
  }
  return first.geometry().num_blocks;
}

// The first block whose counters in the first layer are not the sums of the large layer's in it, or
// the number of blocks. Erasing by such counts would bring the layers apart, and hide keys that are
// in.
uint64_t FirstUnequalBlock(const BlockStore& first, const BlockStore& large) {
  const uint64_t num_blocks = first.geometry().num_blocks;
  const uint64_t num_parts = large.geometry().num_blocks / num_blocks;
  BlockStore::Counters counters;
  BlockStore::Counters part;
  const auto of_first = std::span(counters).first(first.num_counters());
  for (uint64_t b = 0; b < num_blocks; ++b) {
    first.ReadCounters(b, of_first);
    for (uint64_t p = 0; p < num_parts; ++p) {
      large.ReadCounters(b * num_parts + p, std::span(part).first(large.num_counters()));
      for (size_t i = 0; i < of_first.size(); ++i) {
        if (of_first[i] < part[i]) return b;
        of_first[i] -= part[i];
      }
    }
    for (const uint64_t left : of_first) {
      if (left != 0) return b;
    }
  }
  return num_blocks;
}

}  // namespace

Result<LayeredFilter> LayeredFilter::FromLayers(CountingFilter first, CountingFilter large) try {
  if (std::string fault = NestingFault(first.geometry(), large.geometry()); !fault.empty()) {
    return Mismatch("layers do not nest: " + fault);
  }
  if (std::string difference = PolicyDifference(first.digest_policy(), large.digest_policy());
      !difference.empty()) {
    return Mismatch(difference + " between the layers");
  }
  if (first.num_keys() != large.num_keys()) {
    return Mismatch("num_keys differs between the layers: " + std::to_string(first.num_keys()) +
                    " and " + std::to_string(large.num_keys()));
  }
  const uint64_t strange = FirstStrangeBlock(first.impl_->store, large.impl_->store);
  if (strange != first.geometry().num_blocks) {
    return Mismatch("the layers hold other keys: block " + std::to_string(strange) +
                    " of the first one is not what the large one's keys make it");
  }
  const uint64_t unequal = FirstUnequalBlock(first.impl_->store, large.impl_->store);
  if (unequal != first.geometry().num_blocks) {
    return Mismatch("the layers hold keys in other numbers: counters of block " +
                    std::to_string(unequal) +
                    " of the first one are not the sums of the large one's");
  }
  // A digest key that one layer has is both's.
  if (large.digest_policy().digest_key.is_given()) {
    first.impl_->policy = large.impl_->policy;
  } else {
    large.impl_->policy = first.impl_->policy;
  }
  return LayeredFilter(std::make_unique<Impl>(std::move(first), std::move(large)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the layers"};
}

Status LayeredFilter::Merge(const LayeredFilter& other) {
  if (auto difference = DifferenceOf(impl_->first, other.impl_->first); !difference.empty()) {
    return Mismatch("cannot merge: first layer: " + difference);
  }
  if (Status merged = impl_->large.Merge(other.impl_->large); !merged) return merged;
  const Status merged = impl_->first.Merge(other.impl_->first);
  TROMMEL_CHECK(merged.ok(), "layers have as many keys");
  return Ok();
}

Status LayeredFilter::Subtract(const LayeredFilter& other) {
  if (auto difference = DifferenceOf(impl_->first, other.impl_->first); !difference.empty()) {
    return Mismatch("cannot subtract: first layer: " + difference);
  }
  if (Status subtracted = impl_->first.Subtract(other.impl_->first); !subtracted) {
    return subtracted;
  }
  Status subtracted = impl_->large.Subtract(other.impl_->large);
  if (!subtracted) {  // a sum of counters may be enough where one of them is not
    const Status restored = impl_->first.Merge(other.impl_->first);
    TROMMEL_CHECK(restored.ok(), "what was subtracted can be added");
  }
  return subtracted;
}

void LayeredFilter::Clear() noexcept {
  impl_->first.Clear();
  impl_->large.Clear();
}

LayeredStats LayeredFilter::GetStats() const noexcept {
  LayeredStats stats;
  stats.first = impl_->first.GetStats();
  stats.large = impl_->large.GetStats();
  stats.num_keys = stats.large.num_keys;
  stats.num_bytes = stats.first.num_bytes + stats.large.num_bytes;
  stats.first_query_bytes = QueryBytes(impl_->first.geometry());
  stats.num_refused_erases = stats.large.num_refused_erases;
  stats.current_fpr = stats.large.current_fpr;
  stats.predicted_fpr = stats.large.predicted_fpr;
  stats.pass_rate = stats.first.current_fpr;
  return stats;
}

}  // namespace trommel
