#include "engine/src/classic/filter.h"

#include <algorithm>

#include "engine/src/base/check.h"
#include "engine/src/keys/key_batches.h"

namespace trommel::classic {

std::span<const uint64_t> DigestsOf(Keys digests) {
  TROMMEL_CHECK(digests.kind() == KeyKind::kDigests, "the keys of a classic filter are digests");
  return {static_cast<const uint64_t*>(digests.data()), digests.size()};
}

Filter::Filter(const ArrayGeometry& geometry) : geometry_(geometry) {
  TROMMEL_CHECK(geometry.is_valid(), "the geometry of a classic filter is out of range");
  counters_.resize(geometry.total_positions());
}

void Filter::Insert(uint64_t digest) {
  for (uint32_t i = 0; i < geometry_.num_hashes; ++i) {
    uint8_t& counter = CounterOf(digest, i);
    if (counter != geometry_.max_count()) ++counter;
  }
  ++num_keys_;
}

void Filter::Insert(Keys digests) {
  for (const uint64_t digest : DigestsOf(digests)) Insert(digest);
}

bool Filter::Erase(uint64_t digest) {
  TROMMEL_CHECK(geometry_.kind != Kind::kBloom, "a filter of plain bits has no counters");
  // Taking one after the other also finds the counter of one that two hashes fall on.
  for (uint32_t i = 0; i < geometry_.num_hashes; ++i) {
    uint8_t& counter = CounterOf(digest, i);
    if (counter == 0) {
      while (i-- > 0) {
        uint8_t& taken = CounterOf(digest, i);
        if (taken != geometry_.max_count()) ++taken;  // one that is stuck now was stuck then
      }
      return false;
    }
    if (counter != geometry_.max_count()) --counter;
  }
  if (num_keys_ != 0) --num_keys_;
  return true;
}

bool Filter::ShowsFirst(uint64_t digest, uint32_t num_probes) const {
  for (uint32_t i = 0; i < num_probes; ++i) {
    if (counters_[PositionOf(geometry_, digest, i)] == 0) return false;
  }
  return true;
}

size_t Filter::Query(Keys digests, std::span<uint64_t> maybe_present) const {
  return QueryFirst(digests, geometry_.num_hashes, maybe_present);
}

size_t Filter::QueryFirst(Keys digests, uint32_t num_probes,
                          std::span<uint64_t> maybe_present) const {
  TROMMEL_CHECK(num_probes >= 1 && num_probes <= geometry_.num_hashes,
                "num_probes must be between 1 and num_hashes");
  CheckBitmap(digests, maybe_present);
  return AnswerEach(digests, maybe_present,
                    [&](uint64_t digest) { return ShowsFirst(digest, num_probes); });
}

uint32_t Filter::ProbesFor(double target_fpr) const {
  double product = 1;
  for (uint32_t probes = 1; probes < geometry_.num_hashes; ++probes) {
    product *= Fill(probes - 1);
    if (product <= target_fpr) return probes;
  }
  return geometry_.num_hashes;
}

void Filter::DropSlices(uint32_t num_slices) {
  TROMMEL_CHECK(geometry_.kind == Kind::kSplitCounting, "only split filters have slices");
  TROMMEL_CHECK(num_slices >= 1 && num_slices <= geometry_.num_hashes,
                "num_slices must be between 1 and num_hashes");
  geometry_.num_hashes = num_slices;
  counters_.resize(geometry_.total_positions());
  counters_.shrink_to_fit();
}

void Filter::Clear() {
  std::ranges::fill(counters_, uint8_t{0});
  num_keys_ = 0;
}

double Filter::Fill(uint32_t hash_idx) const {
  const uint64_t m = geometry_.num_positions;
  const auto slice = counters().subspan(geometry_.num_slices() == 1 ? 0 : hash_idx * m, m);
  const auto num_absent = static_cast<uint64_t>(std::ranges::count(slice, uint8_t{0}));
  return static_cast<double>(m - num_absent) / static_cast<double>(m);
}

}  // namespace trommel::classic
