// Whole position stores: merge, subtract, fold, fewer slices, and what the counters hold.
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/src/classic/position_store.h"

namespace trommel::classic {
namespace {

// Bytes of fields, lowest field first.
struct Packing {
  explicit Packing(const kernels::ClassicArray& array)
      : field_bits(1U << array.field_log2), mask((1U << field_bits) - 1), max(array.max_count) {}

  uint32_t FieldOf(uint32_t byte, uint32_t shift) const { return byte >> shift & mask; }

  // The byte whose fields are combine(field of a, field of b).
  template <class Combine>
  uint8_t Combined(uint32_t a, uint32_t b, const Combine& combine) const {
    uint32_t byte = 0;
    for (uint32_t shift = 0; shift < 8; shift += field_bits) {
      byte |= combine(FieldOf(a, shift), FieldOf(b, shift)) << shift;
    }
    return static_cast<uint8_t>(byte);
  }

  uint32_t field_bits;
  uint32_t mask;
  uint32_t max;
};

}  // namespace

void PositionStore::Merge(const PositionStore& other) {
  const Packing packing(array_);
  uint64_t num_lost = 0;
  const auto add = [&](uint32_t a, uint32_t b) {
    const uint32_t sum = std::min(a + b, packing.max);
    num_lost += a + b - sum;
    return sum;
  };
  for (uint64_t i = 0; i < memory_.num_bytes(); ++i) {
    if (other.array_.bytes[i] == 0) continue;
    array_.bytes[i] = packing.Combined(array_.bytes[i], other.array_.bytes[i], add);
  }
  num_lost_ += num_lost;
  Recount();
}

bool PositionStore::CanSubtract(const PositionStore& other) const {
  const Packing packing(array_);
  bool can = true;
  const auto look = [&](uint32_t a, uint32_t b) {
    can = can && (a == packing.max || a >= b);
    return a;
  };
  for (uint64_t i = 0; i < memory_.num_bytes() && can; ++i) {
    if (other.array_.bytes[i] != 0) {
      packing.Combined(array_.bytes[i], other.array_.bytes[i], look);
    }
  }
  return can;
}

void PositionStore::Subtract(const PositionStore& other) {
  const Packing packing(array_);
  const auto take = [&](uint32_t a, uint32_t b) { return a == packing.max ? a : a - b; };
  for (uint64_t i = 0; i < memory_.num_bytes(); ++i) {
    if (other.array_.bytes[i] == 0) continue;
    array_.bytes[i] = packing.Combined(array_.bytes[i], other.array_.bytes[i], take);
  }
  Recount();
}

Result<PositionStore> PositionStore::Folded(uint64_t limit_bytes) const {
  ArrayGeometry half = geometry_;
  half.num_positions /= 2;
  Result<PositionStore> folded = Create(half, limit_bytes);
  if (!folded) return folded;
  folded->num_lost_ = num_lost_;
  for (size_t s = 0; s < geometry_.num_slices(); ++s) {
    for (uint64_t p = 0; p < half.num_positions; ++p) {
      const auto at = [&](uint64_t position) {
        return kernels::ClassicField(array_, array_.slice(s), static_cast<uint32_t>(position))
            .Get();
      };
      const uint32_t both = at(2 * p) + at(2 * p + 1);
      const uint32_t sum = std::min(both, array_.max_count);
      folded->num_lost_ += both - sum;
      kernels::ClassicField(folded->array_, folded->array_.slice(s), static_cast<uint32_t>(p))
          .Add(sum);
    }
  }
  folded->Recount();
  return folded;
}

Result<PositionStore> PositionStore::FirstSlices(uint32_t num_slices, uint64_t limit_bytes) const {
  ArrayGeometry fewer = geometry_;
  fewer.num_hashes = num_slices;
  Result<PositionStore> kept = Create(fewer, limit_bytes);
  if (!kept) return kept;
  std::memcpy(kept->array_.bytes, array_.bytes, kept->memory_.num_bytes());
  std::copy_n(num_present_.begin(), num_slices, kept->num_present_.begin());
  kept->num_lost_ = num_lost_;
  return kept;
}

void PositionStore::Clear() {
  memory_.Clear();
  std::ranges::fill(num_present_, 0);
  num_lost_ = 0;
}

std::vector<uint64_t> PositionStore::Histogram(size_t slice_idx) const {
  const Packing packing(array_);
  const uint64_t num_bytes = geometry_.slice_bytes();
  const uint8_t* const slice = array_.slice(slice_idx);
  std::array<uint64_t, 256> of_bytes = {};
  for (uint64_t i = 0; i < num_bytes; ++i) ++of_bytes[slice[i]];
  // The mask, not the maximum, bounds what memory from outside may hold.
  std::vector<uint64_t> histogram(packing.mask + 1, 0);
  for (uint32_t byte = 0; byte < of_bytes.size(); ++byte) {
    for (uint32_t shift = 0; shift < 8; shift += packing.field_bits) {
      histogram[packing.FieldOf(byte, shift)] += of_bytes[byte];
    }
  }
  // The rest of the last cache line holds no positions.
  histogram[0] -= num_bytes * 8 / packing.field_bits - geometry_.num_positions;
  return histogram;
}

void PositionStore::Recount() {
  for (size_t s = 0; s < num_present_.size(); ++s) {
    num_present_[s] = geometry_.num_positions - Histogram(s)[0];
  }
}

}  // namespace trommel::classic
