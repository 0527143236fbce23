// Creation, batches and single keys. Whole filters: counting_filter_whole.cc.
#include "trommel/counting_filter.h"

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "engine/src/check.h"
#include "engine/src/counting_filter_impl.h"

namespace trommel {
namespace {

constexpr size_t kChunk = BlockStore::kMaxBatch;

// A part of a batch. Offsets are multiples of kChunk, so a chunk's answers are whole bitmap words.
Keys Slice(Keys keys, size_t first, size_t count) {
  switch (keys.kind()) {
    case KeyKind::kInt64:
      return std::span(static_cast<const uint64_t*>(keys.data()) + first, count);
    case KeyKind::kInt32:
      return Keys::Int32(std::span(static_cast<const uint32_t*>(keys.data()) + first, count));
    case KeyKind::kViews:
      return std::span(static_cast<const std::string_view*>(keys.data()) + first, count);
    case KeyKind::kStrings:
      return std::span(static_cast<const std::string*>(keys.data()) + first, count);
    case KeyKind::kDigests:
      break;
  }
  return Keys::Digests(std::span(static_cast<const uint64_t*>(keys.data()) + first, count));
}

// Calls visit(first, digests) for the batch's chunks in order; digests live until the next call.
template <class Visit>
void ForEachChunk(const DigestPolicy& policy, Keys keys, const Visit& visit) {
  std::array<uint64_t, kChunk> buffer;
  for (size_t first = 0; first < keys.size(); first += kChunk) {
    const size_t count = std::min(kChunk, keys.size() - first);
    if (keys.kind() == KeyKind::kDigests) {  // nothing to compute, nothing to copy
      visit(first, std::span(static_cast<const uint64_t*>(keys.data()) + first, count));
    } else {
      const std::span<uint64_t> digests = std::span(buffer).first(count);
      policy.Digests(Slice(keys, first, count), digests);
      visit(first, std::span<const uint64_t>(digests));
    }
  }
}

uint64_t CountBits(std::span<const uint64_t> bitmap) {
  uint64_t num_bits = 0;
  for (const uint64_t word : bitmap) num_bits += static_cast<uint64_t>(std::popcount(word));
  return num_bits;
}

}  // namespace

CountingFilter::CountingFilter(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
CountingFilter::CountingFilter(CountingFilter&&) noexcept = default;
CountingFilter& CountingFilter::operator=(CountingFilter&&) noexcept = default;
CountingFilter::~CountingFilter() = default;

Result<CountingFilter> CountingFilter::Create(const Config& config) {
  Result<Sizing> sizing = SizeFor({.capacity = config.capacity,
                                   .target_fpr = config.target_fpr,
                                   .num_slices = config.num_slices,
                                   .encoding = config.encoding,
                                   .power_of_two_blocks = config.power_of_two_blocks});
  if (!sizing) return sizing.error();
  Result<CountingFilter> filter =
      CreateWithGeometry(sizing->geometry, config.digest, config.memory_limit_bytes);
  if (filter) {
    filter->impl_->capacity = config.capacity;
    filter->impl_->target_fpr = config.target_fpr;
  }
  return filter;
}

Result<CountingFilter> CountingFilter::CreateWithGeometry(const Geometry& geometry,
                                                          const DigestPolicy& digest,
                                                          uint64_t memory_limit_bytes) {
  if (digest.kind > DigestKind::kCaller) {
    return Error{ErrorCode::kInvalidArgument,
                 "digest kind is " + std::to_string(static_cast<unsigned>(digest.kind)) +
                     "; it must be between 0 (xxh64) and 2 (caller)"};
  }
  Result<BlockStore> store = BlockStore::Create(geometry, memory_limit_bytes);
  if (!store) return store.error();
  auto impl = std::make_unique<Impl>(*std::move(store));
  impl->policy = digest;
  impl->memory_limit_bytes = memory_limit_bytes;
  return CountingFilter(std::move(impl));
}

// --- Batches.

void CountingFilter::Insert(Keys keys) noexcept {
  ForEachChunk(impl_->policy, keys,
               [this](size_t, std::span<const uint64_t> digests) { impl_->store.Insert(digests); });
  impl_->num_keys += keys.size();
}

size_t CountingFilter::InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept {
  TROMMEL_CHECK(inserted.size() == BitmapWords(keys.size()), "bitmap of another size");
  std::ranges::fill(inserted, 0);
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    impl_->store.InsertIfAbsent(digests, inserted.subspan(first / 64));
  });
  const uint64_t num_inserted = CountBits(inserted);
  impl_->num_keys += num_inserted;
  return num_inserted;
}

EraseOutcome CountingFilter::Erase(Keys keys) noexcept {
  EraseOutcome outcome;
  ForEachChunk(impl_->policy, keys, [&](size_t, std::span<const uint64_t> digests) {
    std::array<uint64_t, BlockStore::kBitmapWords> erased{};
    impl_->store.Erase(digests, erased);
    outcome.num_erased += CountBits(erased);
  });
  outcome.num_refused = keys.size() - outcome.num_erased;
  impl_->num_keys -= outcome.num_erased;
  impl_->num_refused_erases += outcome.num_refused;
  return outcome;
}

EraseOutcome CountingFilter::Erase(Keys keys, std::span<uint64_t> erased) noexcept {
  TROMMEL_CHECK(erased.size() == BitmapWords(keys.size()), "bitmap of another size");
  std::ranges::fill(erased, 0);
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    impl_->store.Erase(digests, erased.subspan(first / 64));
  });
  EraseOutcome outcome;
  outcome.num_erased = CountBits(erased);
  outcome.num_refused = keys.size() - outcome.num_erased;
  impl_->num_keys -= outcome.num_erased;
  impl_->num_refused_erases += outcome.num_refused;
  return outcome;
}

size_t CountingFilter::Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(maybe_present.size() == BitmapWords(keys.size()), "bitmap of another size");
  size_t num_present = 0;
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    num_present += impl_->store.Query(digests, maybe_present.data() + first / 64);
  });
  return num_present;
}

size_t CountingFilter::Select(Keys keys, Answer answer,
                              std::span<uint32_t> selection) const noexcept {
  TROMMEL_CHECK(selection.size() == keys.size(), "selection of another size");
  TROMMEL_CHECK(keys.size() < (uint64_t{1} << 32), "more keys than 32-bit indices can name");
  size_t num_selected = 0;
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    num_selected +=
        impl_->store.Select(digests, answer == Answer::kMaybePresent, static_cast<uint32_t>(first),
                            selection.data() + num_selected);
  });
  return num_selected;
}

void CountingFilter::CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept {
  TROMMEL_CHECK(counts.size() == keys.size(), "counts of another size");
  ForEachChunk(impl_->policy, keys, [&](size_t first, std::span<const uint64_t> digests) {
    std::ranges::transform(digests, counts.begin() + static_cast<std::ptrdiff_t>(first),
                           [this](uint64_t digest) { return impl_->store.CountEstimate(digest); });
  });
}

// --- One key.

void CountingFilter::Insert(Key key) noexcept {
  const uint64_t digest = impl_->policy(key);
  impl_->store.Insert(std::span(&digest, 1));
  impl_->num_keys += 1;
}

bool CountingFilter::InsertIfAbsent(Key key) noexcept {
  const uint64_t digest = impl_->policy(key);
  uint64_t inserted = 0;
  impl_->store.InsertIfAbsent(std::span(&digest, 1), std::span(&inserted, 1));
  impl_->num_keys += inserted;
  return inserted != 0;
}

bool CountingFilter::Erase(Key key) noexcept {
  const uint64_t digest = impl_->policy(key);
  uint64_t erased = 0;
  impl_->store.Erase(std::span(&digest, 1), std::span(&erased, 1));
  impl_->num_keys -= erased;
  impl_->num_refused_erases += 1 - erased;
  return erased != 0;
}

bool CountingFilter::MayContain(Key key) const noexcept {
  // Digests are asked for without the detour: instructions here are misses that cannot overlap.
  const uint64_t digest = key.kind() == KeyKind::kDigests ? key.integer() : impl_->policy(key);
  return impl_->store.MayContain(digest);
}

uint64_t CountingFilter::CountEstimate(Key key) const noexcept {
  return impl_->store.CountEstimate(impl_->policy(key));
}

// --- What it is.

const Geometry& CountingFilter::geometry() const noexcept { return impl_->store.geometry(); }
const DigestPolicy& CountingFilter::digest_policy() const noexcept { return impl_->policy; }
uint64_t CountingFilter::capacity() const noexcept { return impl_->capacity; }
double CountingFilter::target_fpr() const noexcept { return impl_->target_fpr; }
uint64_t CountingFilter::num_keys() const noexcept { return impl_->num_keys; }

}  // namespace trommel
