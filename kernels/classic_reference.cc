#include "kernels/classic_reference.h"

#include <algorithm>

namespace trommel::kernels {

ClassicReference::ClassicReference(const ClassicShape& shape)
    : shape_(shape),
      counters_(shape.has_slices ? shape.num_hashes : 1,
                std::vector<uint64_t>(shape.num_positions, 0)) {}

ClassicReference::Place ClassicReference::PlaceOf(uint64_t digest, uint32_t hash_idx) const {
  // In 64 bits, reduced by division: no wrap-around to rely on.
  constexpr uint64_t kRange = uint64_t{1} << 32;
  const uint64_t f1 = digest / kRange;
  uint64_t f2 = digest % kRange;
  if (f2 % 2 == 0) ++f2;
  uint64_t hash = (f1 + hash_idx * f2) % kRange;
  if (shape_.is_mixed) {
    hash ^= hash / 65536;
    hash = hash * 0x85ebca6b % kRange;
    hash ^= hash / 8192;
    hash = hash * 0xc2b2ae35 % kRange;
    hash ^= hash / 65536;
  }
  return {shape_.has_slices ? hash_idx : 0, hash * shape_.num_positions / kRange};
}

uint64_t ClassicReference::Limited(uint64_t count) {
  const uint64_t limited = std::min(count, max_count());
  num_lost_ += count - limited;
  return limited;
}

void ClassicReference::Insert(uint64_t digest) {
  for (uint32_t i = 0; i < shape_.num_hashes; ++i) {
    const Place place = PlaceOf(digest, i);
    counters_[place.slice_idx][place.position] = Limited(At(place) + 1);
  }
}

bool ClassicReference::InsertIfAbsent(uint64_t digest) {
  if (MayContain(digest)) return false;
  Insert(digest);
  return true;
}

bool ClassicReference::Erase(uint64_t digest) {
  std::vector<Place> places;
  for (uint32_t i = 0; i < shape_.num_hashes; ++i) places.push_back(PlaceOf(digest, i));
  for (const Place& place : places) {
    const auto num_hits = static_cast<uint64_t>(std::ranges::count(places, place));
    if (At(place) != max_count() && At(place) < num_hits) return false;
  }
  for (const Place& place : places) {
    uint64_t& counter = counters_[place.slice_idx][place.position];
    if (counter != max_count()) --counter;
  }
  return true;
}

bool ClassicReference::MayContain(uint64_t digest, uint32_t num_probes) const {
  for (uint32_t i = 0; i < num_probes; ++i) {
    if (At(PlaceOf(digest, i)) == 0) return false;
  }
  return true;
}

uint64_t ClassicReference::CountEstimate(uint64_t digest) const {
  uint64_t least = max_count();
  for (uint32_t i = 0; i < shape_.num_hashes; ++i) least = std::min(least, At(PlaceOf(digest, i)));
  return least;
}

void ClassicReference::Merge(const ClassicReference& other) {
  for (size_t s = 0; s < counters_.size(); ++s) {
    for (size_t p = 0; p < counters_[s].size(); ++p) {
      counters_[s][p] = Limited(counters_[s][p] + other.counters_[s][p]);
    }
  }
}

bool ClassicReference::Subtract(const ClassicReference& other) {
  std::vector<std::vector<uint64_t>> difference = counters_;
  for (size_t s = 0; s < counters_.size(); ++s) {
    for (size_t p = 0; p < counters_[s].size(); ++p) {
      if (counters_[s][p] == max_count()) continue;
      if (counters_[s][p] < other.counters_[s][p]) return false;
      difference[s][p] -= other.counters_[s][p];
    }
  }
  counters_ = difference;
  return true;
}

ClassicReference ClassicReference::Folded() const {
  ClassicShape half = shape_;
  half.num_positions /= 2;
  ClassicReference folded(half);
  folded.num_lost_ = num_lost_;
  for (size_t s = 0; s < counters_.size(); ++s) {
    for (size_t p = 0; p < half.num_positions; ++p) {
      folded.counters_[s][p] = folded.Limited(counters_[s][2 * p] + counters_[s][2 * p + 1]);
    }
  }
  return folded;
}

ClassicReference ClassicReference::FirstSlices(uint32_t num_slices) const {
  ClassicReference kept = *this;
  kept.shape_.num_hashes = num_slices;
  kept.counters_.resize(num_slices);
  return kept;
}

uint64_t ClassicReference::num_stuck() const {
  uint64_t num_stuck = 0;
  for (const auto& slice : counters_) {
    num_stuck += static_cast<uint64_t>(std::ranges::count(slice, max_count()));
  }
  return num_stuck;
}

uint64_t ClassicReference::num_present(size_t slice_idx) const {
  const auto& slice = counters_[slice_idx];
  return slice.size() - static_cast<uint64_t>(std::ranges::count(slice, uint64_t{0}));
}

std::vector<uint8_t> ClassicReference::Bytes() const {
  uint64_t field_bits = 8;
  for (const uint64_t width : {uint64_t{4}, uint64_t{2}, uint64_t{1}}) {
    if (shape_.counter_bits <= width) field_bits = width;
  }
  const uint64_t slice_bits = shape_.num_positions * field_bits;
  const uint64_t slice_bytes = (slice_bits + 511) / 512 * 64;
  std::vector<uint8_t> bytes(counters_.size() * slice_bytes, 0);
  for (size_t s = 0; s < counters_.size(); ++s) {
    for (size_t p = 0; p < counters_[s].size(); ++p) {
      const uint64_t bit = p * field_bits;
      uint8_t& byte = bytes[s * slice_bytes + bit / 8];
      byte = static_cast<uint8_t>(byte | counters_[s][p] << bit % 8);
    }
  }
  return bytes;
}

}  // namespace trommel::kernels
