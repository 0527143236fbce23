#include "engine/src/column_map/record_arena.h"

#include <algorithm>
#include <bit>

#include "engine/src/base/check.h"

namespace trommel {

RecordArena::~RecordArena() {
  for (uint32_t i = 0; i < num_chunks_; ++i) {
    delete[] chunks_[i].load(std::memory_order_relaxed);
  }
}

uint32_t RecordArena::ClassFor(uint32_t num_units) const {
  if (num_units <= 1) return 0;
  const auto k = static_cast<uint32_t>(std::bit_width(num_units - 1));  // 2^(k-1) < units <= 2^k
  const bool fits_three = k >= 2 && num_units <= 3U << (k - 2);
  return fits_three ? 2 * k - 2 : 2 * k - 1;
}

void RecordArena::PutFirst(uint32_t reference, uint32_t size_class) {
  StoreWord(free_[size_class], At(reference));
  free_[size_class] = reference;
}

void RecordArena::Free(uint32_t reference, uint32_t size_class) { PutFirst(reference, size_class); }

// A quarter more than all before. What is left of the last chunk becomes records of its size.
void RecordArena::AddChunk(uint32_t num_units) {
  while (used_units_ < all_units_) {
    uint32_t size_class = std::min(ClassFor(all_units_ - used_units_), kBitmapClass - 1);
    if (UnitsOf(size_class) > all_units_ - used_units_) --size_class;
    PutFirst((num_chunks_ - 1) << kOffsetBits | used_units_, size_class);
    used_units_ += UnitsOf(size_class);
  }
  TROMMEL_CHECK(num_chunks_ < kMaxChunks, "a map has too many records");
  const uint64_t quarter = num_bytes() / (4 * kUnitWords * sizeof(uint64_t));
  const uint64_t wanted = std::max<uint64_t>({kLeastUnits, num_units + 1, quarter});
  all_units_ = static_cast<uint32_t>(std::min<uint64_t>(wanted, kMaxOffset));
  used_units_ = 1;
  auto* const chunk = new uint64_t[size_t{all_units_} * kUnitWords]();
  chunk[0] = all_units_;
  chunks_[num_chunks_].store(chunk, std::memory_order_release);
  ++num_chunks_;
  num_bytes_.Set(num_bytes() + size_t{all_units_} * kUnitWords * sizeof(uint64_t));
}

uint32_t RecordArena::Allocate(uint32_t size_class) {
  if (const uint32_t reference = free_[size_class]; reference != 0) {
    free_[size_class] = static_cast<uint32_t>(LoadWord(At(reference)));
    return reference;
  }
  const uint32_t num_units = UnitsOf(size_class);
  if (all_units_ - used_units_ < num_units) AddChunk(num_units);
  const uint32_t reference = (num_chunks_ - 1) << kOffsetBits | used_units_;
  used_units_ += num_units;
  return reference;
}

const uint64_t* RecordArena::Find(uint32_t reference, uint32_t num_units) const {
  const uint64_t* const chunk = chunks_[reference >> kOffsetBits].load(std::memory_order_acquire);
  const uint64_t offset = reference & kMaxOffset;
  if (chunk == nullptr || num_units == 0 || offset + num_units > chunk[0]) return nullptr;
  return chunk + offset * kUnitWords;
}

}  // namespace trommel
