// Creation, batches, single keys, and whole filters. Layers given or read:
// layered_filter_snapshot.cc.
#include "trommel/layered_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <string>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/base/check.h"
#include "engine/src/base/memory_limit.h"
#include "engine/src/keys/batch_output.h"
#include "engine/src/keys/key_chunks.h"
#include "engine/src/keys/parallel_batch.h"
#include "engine/src/layered/layered_filter_impl.h"
#include "engine/src/layered/layered_sizing.h"

namespace trommel {
namespace {

// Calls visit(digests) with the marked ones, in order: with all of them or, where the system
// refuses the memory, with some at a time.
template <class Visit>
void ForMarked(std::span<const uint64_t> digests, std::span<const uint64_t> bitmap,
               const Visit& visit) {
  std::array<uint64_t, 64> few;
  std::vector<uint64_t> many;
  std::span<uint64_t> marked = few;
  try {
    many.resize(CountBits(bitmap));
    marked = many;
  } catch (const std::bad_alloc&) {
    marked = few;
  }
  size_t num_marked = 0;
  const auto visit_marked = [&] {
    visit(Keys::Digests(marked.first(num_marked)));
    num_marked = 0;
  };
  for (size_t w = 0; w < bitmap.size(); ++w) {
    for (uint64_t word = bitmap[w]; word != 0; word &= word - 1) {
      marked[num_marked++] = digests[w * 64 + static_cast<size_t>(std::countr_zero(word))];
      if (num_marked == marked.size()) visit_marked();
    }
  }
  if (num_marked > 0) visit_marked();
}

}  // namespace

LayeredFilter::LayeredFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
LayeredFilter::LayeredFilter(LayeredFilter&&) noexcept = default;
LayeredFilter& LayeredFilter::operator=(LayeredFilter&&) noexcept = default;
LayeredFilter::~LayeredFilter() = default;

Result<LayeredFilter> LayeredFilter::Create(const LayeredConfig& config) try {
  const Result<LayerGeometries> layers = SizeLayers(config);
  if (!layers) return layers.error();
  const uint64_t num_bytes = layers->first.num_bytes() + layers->large.num_bytes();
  const uint64_t side_bytes = std::min(config.side_memory_limit_bytes, ~num_bytes);
  if (Status fits =
          CheckMemoryLimit("the layers need", num_bytes + side_bytes, config.memory_limit_bytes);
      !fits) {
    return fits.error();
  }
  const auto create = [&config](const Geometry& geometry) {
    Result<CountingFilter> layer =
        CountingFilter::CreateWithGeometry(geometry, config.digest, config.memory_limit_bytes);
    if (layer) {
      layer->UseExecutor(config.executor);
      layer->impl_->TouchOwnedRanges();
    }
    return layer;
  };
  Result<CountingFilter> first = create(layers->first);
  if (!first) return first.error();
  Result<CountingFilter> large = create(layers->large);
  if (!large) return large.error();
  if (side_bytes != 0) {
    const auto first_share = static_cast<uint64_t>(static_cast<double>(side_bytes) *
                                                   static_cast<double>(layers->first.num_bytes()) /
                                                   static_cast<double>(num_bytes));
    // At least a byte: less than suffices must be an error, and 0 would be no limit.
    Status limited = first->LimitSideMemory(std::max<uint64_t>(1, first_share));
    if (limited) limited = large->LimitSideMemory(std::max<uint64_t>(1, side_bytes - first_share));
    if (!limited) return limited.error();
  }
  large->impl_->capacity = config.capacity;
  large->impl_->target_fpr = config.target_fpr;
  return LayeredFilter(std::make_unique<Impl>(*std::move(first), *std::move(large)));
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "the system refused memory for the layers"};
}

void LayeredFilter::UseExecutor(std::shared_ptr<Executor> executor) noexcept {
  impl_->first.UseExecutor(executor);
  impl_->large.UseExecutor(std::move(executor));
}

// --- Batches. What the large layer did, the first one does after it.

InsertOutcome LayeredFilter::Insert(Keys keys) noexcept {
  Executor* executor = impl_->large.impl_->executor.get();
  uint64_t num_inserted = 0;
  ForEachDigestRound(digest_policy(), executor, keys,
                     [&](size_t, std::span<const uint64_t> digests) {
                       if (impl_->has_side_limit()) {
                         num_inserted += impl_->AddOneByOne(digests, false, {});
                         return;
                       }
                       impl_->first.Insert(Keys::Digests(digests));
                       impl_->large.Insert(Keys::Digests(digests));
                       num_inserted += digests.size();
                     });
  return SideMemoryOutcome(num_inserted, keys.size() - num_inserted);
}

InsertOutcome LayeredFilter::Insert(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  if (!impl_->has_side_limit()) {
    const InsertOutcome outcome = Insert(keys);
    SetAllBits(keys, inserted);
    return outcome;
  }
  uint64_t num_inserted = 0;
  ForEachDigestRound(digest_policy(), nullptr, keys,
                     [&](size_t first, std::span<const uint64_t> digests) {
                       const auto bits = inserted.subspan(first / 64, BitmapWords(digests.size()));
                       num_inserted += impl_->AddOneByOne(digests, false, bits);
                     });
  return SideMemoryOutcome(num_inserted, keys.size() - num_inserted);
}

size_t LayeredFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  CheckBitmap(keys, inserted);
  Executor* executor = impl_->large.impl_->executor.get();
  size_t num_inserted = 0;
  ForEachDigestRound(
      digest_policy(), executor, keys, [&](size_t first, std::span<const uint64_t> digests) {
        const auto bits = inserted.subspan(first / 64, BitmapWords(digests.size()));
        if (impl_->has_side_limit()) {
          num_inserted += impl_->AddOneByOne(digests, true, bits);
          return;
        }
        num_inserted += impl_->large.InsertIfAbsent(Keys::Digests(digests), bits);
        ForMarked(digests, bits, [this](Keys marked) { impl_->first.Insert(marked); });
      });
  return num_inserted;
}

EraseOutcome LayeredFilter::Erase(Keys keys) noexcept {
  // Which keys were erased is needed for the first layer.
  using kernels::kMaxChunkKeys;
  ScratchArray<uint64_t> scratch(keys.size() <= kMaxChunkKeys ? 0 : BitmapWords(keys.size()));
  if (scratch.size() > 0) return Erase(keys, scratch.span());
  std::array<uint64_t, BitmapWords(kMaxChunkKeys)> bits;
  EraseOutcome outcome;
  for (size_t first = 0; first < keys.size(); first += kMaxChunkKeys) {
    const Keys part = keys.Subspan(first, std::min(kMaxChunkKeys, keys.size() - first));
    const EraseOutcome here = Erase(part, std::span(bits).first(BitmapWords(part.size())));
    outcome.num_erased += here.num_erased;
    outcome.num_refused += here.num_refused;
  }
  return outcome;
}

EraseOutcome LayeredFilter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  CheckBitmap(keys, erased);
  Executor* executor = impl_->large.impl_->executor.get();
  EraseOutcome outcome;
  ForEachDigestRound(
      digest_policy(), executor, keys, [&](size_t first, std::span<const uint64_t> digests) {
        const auto bits = erased.subspan(first / 64, BitmapWords(digests.size()));
        const EraseOutcome part = impl_->large.Erase(Keys::Digests(digests), bits);
        outcome.num_erased += part.num_erased;
        outcome.num_refused += part.num_refused;
        ForMarked(digests, bits, [this](Keys marked) { impl_->first.Erase(marked); });
      });
  return outcome;
}

size_t LayeredFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  CheckBitmap(keys, maybe_present);
  return QueryBatch(impl_->ForQueries(), keys, maybe_present);
}

size_t LayeredFilter::Select(Keys keys, Answer answer,
                             std::span<uint32_t> selection) const noexcept {
  CheckSelection(keys, selection);
  return SelectBatch(impl_->ForQueries(), keys, answer == Answer::kMaybePresent, selection);
}

void LayeredFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  impl_->large.CountEstimates(keys, counts);
}

// --- One key.

bool LayeredFilter::Insert(Key key) noexcept { return impl_->AddOne(digest_policy()(key)); }

bool LayeredFilter::InsertIfAbsent(Key key) noexcept {
  const uint64_t digest = digest_policy()(key);
  return !impl_->large.MayContain(Key::Digest(digest)) && impl_->AddOne(digest);
}

bool LayeredFilter::Erase(Key key) noexcept {
  const Key digest = Key::Digest(digest_policy()(key));
  const bool was_in = impl_->large.Erase(digest);
  if (was_in) impl_->first.Erase(digest);
  return was_in;
}

bool LayeredFilter::MayContain(Key key) const noexcept {
  const Key digest = Key::Digest(digest_policy()(key));
  return impl_->first.MayContain(digest) && impl_->large.MayContain(digest);
}

Key LayeredFilter::Prefetch(Key key) const noexcept {
  return impl_->first.Prefetch(impl_->large.Prefetch(key));
}

uint64_t LayeredFilter::CountEstimate(Key key) const noexcept {
  return impl_->large.CountEstimate(key);
}

// --- What it is.

const CountingFilter& LayeredFilter::layer(size_t layer_idx) const noexcept {
  TROMMEL_CHECK(layer_idx < kNumLayers, "a layer that is neither 0 nor 1");
  return layer_idx == 0 ? impl_->first : impl_->large;
}

const DigestPolicy& LayeredFilter::digest_policy() const noexcept {
  return impl_->large.digest_policy();
}
uint64_t LayeredFilter::capacity() const noexcept { return impl_->large.capacity(); }
double LayeredFilter::target_fpr() const noexcept { return impl_->large.target_fpr(); }
uint64_t LayeredFilter::num_keys() const noexcept { return impl_->large.num_keys(); }

// --- Whole filters.

Status LayeredFilter::Merge(const LayeredFilter& other) {
  if (auto difference = DifferenceOf(impl_->first, other.impl_->first); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot merge: first layer: " + difference};
  }
  const uint64_t num_keys_before = impl_->large.num_keys();
  if (Status merged = impl_->large.Merge(other.impl_->large); !merged) return merged;
  Status merged = impl_->first.Merge(other.impl_->first);
  if (!merged) {  // for lack of memory: layers have as many keys
    CountingFilter::Impl& large = *impl_->large.impl_;
    large.block_store().TakeBack(other.impl_->large.impl_->block_store());
    large.num_keys = num_keys_before;
  }
  return merged;
}

Status LayeredFilter::Subtract(const LayeredFilter& other) {
  if (auto difference = DifferenceOf(impl_->first, other.impl_->first); !difference.empty()) {
    return Error{ErrorCode::kMismatch, "cannot subtract: first layer: " + difference};
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
  stats.num_refused_inserts = stats.first.num_refused_inserts + stats.large.num_refused_inserts;
  stats.predicted_fpr = stats.large.predicted_fpr;
  return stats;
}

LayeredFill LayeredFilter::MeasureFill() const noexcept {
  LayeredFill fill{.first = impl_->first.MeasureFill(), .large = impl_->large.MeasureFill()};
  fill.current_fpr = fill.large.current_fpr;
  fill.pass_rate = fill.first.current_fpr;
  return fill;
}

}  // namespace trommel
