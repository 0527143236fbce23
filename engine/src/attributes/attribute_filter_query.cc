// Queries of attribute filters: part after part, each for those tuples that all before it show; and
// of one tuple, whose parts are all fetched before the first is looked at.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <numeric>

#include "engine/src/attributes/attribute_filter_impl.h"
#include "engine/src/base/check.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/tuples/tuple_batch.h"

namespace trommel {
namespace {

// Enough to be worth starting a task, and a multiple of 64.
constexpr size_t kQueryTask = size_t{1} << 14;
constexpr size_t kCountChunk = 256;
// Of one tuple, so many cache lines are fetched at a time; queries seldom have more parts.
constexpr size_t kPartsFetched = 16;

void SetAll(size_t num_tuples, std::span<uint64_t> bitmap) {
  std::ranges::fill(bitmap, ~uint64_t{0});
  if (num_tuples % 64 != 0) bitmap.back() >>= 64 - num_tuples % 64;
}

}  // namespace

size_t AttributeFilter::Impl::QueryChunk(std::span<const uint32_t> parts, const Tuples& chunk,
                                         std::span<uint64_t> maybe_present) const {
  std::array<uint64_t, kernels::kMaxChunkKeys> buffer;
  const auto look_up = [&](uint32_t set_idx, std::span<const uint32_t> places,
                           std::span<uint64_t> answers) {
    const auto digests = DigestsOf(set_idx, chunk, places, buffer);
    return engines[set_idx]->Query({.policy = callers_digests}, Keys::Digests(digests), answers);
  };
  std::array<uint32_t, kernels::kMaxChunkKeys> place_room;
  const std::span<uint32_t> all = std::span(place_room).first(chunk.size);
  size_t num_shown = look_up(parts.front(), all, maybe_present);
  if (parts.size() == 1 || num_shown == 0) return num_shown;

  // All tuples' places need not be written: the chunk is looked up as it is.
  if (num_shown != chunk.size) PlacesOf(maybe_present, chunk.size, all.data());
  std::span<uint32_t> places = all.first(num_shown);
  std::array<uint64_t, BlockStore::kBitmapWords> bits;
  for (const uint32_t set_idx : parts.subspan(1)) {
    const auto answers = std::span(bits).first(BitmapWords(places.size()));
    num_shown = look_up(set_idx, places, answers);
    if (num_shown == places.size()) continue;
    if (places.size() == chunk.size) {
      PlacesOf(answers, chunk.size, all.data());
    } else {
      KeepPlaces(answers, places);
    }
    places = all.first(num_shown);
    SetOnly(places, maybe_present);
    if (places.empty()) break;
  }
  return places.size();
}

bool AttributeFilter::Impl::MayContain(std::span<const uint32_t> parts,
                                       std::span<const uint64_t> tuple,
                                       const GracePeriods::Reader& /*inside*/) const noexcept {
  struct Lookup {
    const GrowingStore* store;
    uint64_t digest;
  };
  std::array<Lookup, kPartsFetched> lookups;
  for (size_t first = 0; first < parts.size(); first += kPartsFetched) {
    const auto fetched = parts.subspan(first, std::min(kPartsFetched, parts.size() - first));
    for (size_t k = 0; k < fetched.size(); ++k) {
      const uint32_t set_idx = fetched[k];
      lookups[k] = {&engines[set_idx]->store(), DigestOf(set_idx, tuple)};
      lookups[k].store->PrefetchInside(lookups[k].digest);
    }
    for (size_t k = 0; k < fetched.size(); ++k) {
      if (!lookups[k].store->MayContainInside(lookups[k].digest)) return false;
    }
  }
  return true;
}

bool AttributeFilter::MayContain(AttributeMask asked,
                                 std::span<const uint64_t> tuple) const noexcept {
  TROMMEL_CHECK(CanAnswer(asked), "a query for attributes that the filter does not have");
  TROMMEL_CHECK(tuple.size() == sets().num_attributes(), "a tuple without a digest per attribute");
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const GracePeriods::Reader inside = impl_->memory->Enter();
  QueryPlans::Plan own;
  return impl_->MayContain(impl_->plans.Of(asked, inside, own), tuple, inside);
}

size_t AttributeFilter::Query(AttributeMask asked, const Tuples& tuples,
                              std::span<uint64_t> maybe_present) const noexcept {
  TROMMEL_CHECK(CanAnswer(asked), "a query for attributes that the filter does not have");
  CheckBitmap(tuples, asked, maybe_present);
  CheckColumns(tuples, asked);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  const PlanOfBatch plan(impl_->plans, asked, impl_->memory->periods());
  const std::span<const uint32_t> parts = plan.parts();
  if (parts.empty()) {
    SetAll(tuples.size, maybe_present);
    return tuples.size;
  }
  std::atomic<size_t> num_present{0};
  const auto work = [&](size_t begin, const Tuples& part) {
    size_t num_here = 0;
    ForEachTupleChunk(part, kernels::kMaxChunkKeys, [&](size_t first, const Tuples& chunk) {
      num_here +=
          impl_->QueryChunk(parts, chunk, WordsOf(maybe_present, begin + first, chunk.size));
    });
    num_present.fetch_add(num_here, std::memory_order_relaxed);
  };
  Executor* executor = impl_->frame.executor.get();
  if (executor == nullptr || tuples.size <= kQueryTask) {
    work(0, tuples);
  } else {
    const auto task = [&](size_t t) {
      const size_t begin = t * kQueryTask;
      work(begin, tuples.From(begin, std::min(kQueryTask, tuples.size - begin)));
    };
    executor->ForEach((tuples.size + kQueryTask - 1) / kQueryTask, std::cref(task));
  }
  return num_present.load(std::memory_order_relaxed);
}

void AttributeFilter::CountEstimates(AttributeMask asked, const Tuples& tuples,
                                     std::span<uint64_t> counts) const noexcept {
  TROMMEL_CHECK(CanAnswer(asked), "a query for attributes that the filter does not have");
  CheckCounts(tuples, asked, counts);
  CheckColumns(tuples, asked);
  [[maybe_unused]] const auto access = impl_->access_check.Enter();
  std::ranges::fill(counts, num_tuples());
  std::array<uint64_t, kCountChunk> digests;
  std::array<uint64_t, kCountChunk> counts_here;
  const PlanOfBatch plan(impl_->plans, asked, impl_->memory->periods());
  for (const uint32_t set_idx : plan.parts()) {
    ForEachTupleChunk(tuples, kCountChunk, [&](size_t first, const Tuples& chunk) {
      const auto keys = std::span(digests).first(chunk.size);
      impl_->WriteDigests(set_idx, chunk, keys);
      impl_->engines[set_idx]->CountEstimates(impl_->context(), Keys::Digests(keys),
                                              std::span(counts_here).first(chunk.size));
      for (size_t i = 0; i < chunk.size; ++i) {
        counts[first + i] = std::min(counts[first + i], counts_here[i]);
      }
    });
  }
}

}  // namespace trommel
