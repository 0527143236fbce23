#include "engine/src/blocks/exact_counters.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace trommel {

size_t ExactCounters::DigitsOf(std::span<const uint64_t> counters) noexcept {
  uint64_t all_bits = 1;
  for (const uint64_t count : counters) all_bits |= count;
  return (static_cast<size_t>(std::bit_width(all_bits)) + 7) / 8;
}

// --- Arrays.

uint32_t ExactCounters::Take() noexcept {
  uint32_t array_idx = first_free_;
  try {
    if (array_idx == kNone) {
      if (max_arrays_ != 0) return kNone;
      const size_t num_spare = arrays_.size() / 4 + 1;
      if (arrays_.size() == arrays_.capacity()) arrays_.reserve(arrays_.size() + num_spare);
      if (next_.size() == next_.capacity()) next_.reserve(next_.size() + num_spare);
      auto array = std::make_unique<uint8_t[]>(num_counters_);
      array_idx = static_cast<uint32_t>(arrays_.size());
      arrays_.push_back(std::move(array));
      next_.push_back(kNone);
      num_allocated_ += 1;
    } else {
      if (arrays_[array_idx] == nullptr) {
        arrays_[array_idx] = std::make_unique<uint8_t[]>(num_counters_);
        num_allocated_ += 1;
      }
      first_free_ = next_[array_idx];
    }
  } catch (const std::bad_alloc&) {
    return kNone;
  }
  std::fill_n(ArrayOf(array_idx), num_counters_, uint8_t{0});
  next_[array_idx] = kNone;
  num_used_ += 1;
  return array_idx;
}

void ExactCounters::Return(uint32_t array_idx) noexcept {
  num_used_ -= 1;
  if (max_arrays_ == 0 && num_used_ == 0) return Clear();
  if (max_arrays_ == 0) {
    arrays_[array_idx].reset();
    num_allocated_ -= 1;
  }
  next_[array_idx] = first_free_;
  first_free_ = array_idx;
}

void ExactCounters::ReturnChain(uint32_t array_idx) noexcept {
  while (array_idx != kNone) {
    // Return may free next_ with the last array.
    const uint32_t next = next_[array_idx];
    Return(array_idx);
    array_idx = next;
  }
}

void ExactCounters::Clear() noexcept {
  num_used_ = 0;
  first_free_ = kNone;
  if (max_arrays_ == 0) {
    // Assigning {} would keep the memory.
    arrays_ = std::vector<std::unique_ptr<uint8_t[]>>();
    next_ = std::vector<uint32_t>();
    num_allocated_ = 0;
    return;
  }
  for (size_t i = next_.size(); i > 0; --i) {
    next_[i - 1] = first_free_;
    first_free_ = static_cast<uint32_t>(i - 1);
  }
}

void ExactCounters::Reserve(size_t max_arrays) {
  std::vector<std::unique_ptr<uint8_t[]>> arrays(max_arrays);
  for (std::unique_ptr<uint8_t[]>& array : arrays) {
    array = std::make_unique<uint8_t[]>(num_counters_);
  }
  std::vector<uint32_t> next(max_arrays);
  arrays_.swap(arrays);
  next_.swap(next);
  num_allocated_ = max_arrays_ = max_arrays;
  Clear();
}

uint64_t ExactCounters::BytesPerArray() const noexcept {
  return num_counters_ + sizeof(arrays_[0]) + sizeof(next_[0]);
}

uint64_t ExactCounters::num_bytes() const noexcept {
  return num_allocated_ * num_counters_ + arrays_.capacity() * sizeof(arrays_[0]) +
         next_.capacity() * sizeof(next_[0]);
}

uint64_t ExactCounters::CountBytes() const noexcept {
  const auto num_allocated = static_cast<uint64_t>(
      std::ranges::count_if(arrays_, [](const auto& array) { return array != nullptr; }));
  return num_bytes() - num_allocated_ * num_counters_ + num_allocated * num_counters_;
}

// --- Blocks.

bool ExactCounters::Resize(Id id, size_t num_digits) noexcept {
  uint32_t last = id;
  for (size_t d = 1; d < num_digits; ++d) {
    if (next_[last] == kNone) {
      const uint32_t first_new = Take();
      uint32_t last_new = first_new;
      for (size_t e = d + 1; e < num_digits && last_new != kNone; ++e) {
        const uint32_t taken = Take();
        next_[last_new] = taken;
        last_new = taken;
      }
      if (last_new == kNone) {
        ReturnChain(first_new);
        return false;
      }
      next_[last] = first_new;
      return true;
    }
    last = next_[last];
  }
  ReturnChain(std::exchange(next_[last], kNone));
  return true;
}

void ExactCounters::Write(Id id, std::span<const uint64_t> counters) noexcept {
  size_t shift = 0;
  for (uint32_t a = id; a != kNone; a = next_[a], shift += 8) {
    std::ranges::transform(counters.first(num_counters_), ArrayOf(a), [shift](uint64_t count) {
      return static_cast<uint8_t>(count >> shift);
    });
  }
}

std::optional<ExactCounters::Id> ExactCounters::Make(std::span<const uint64_t> counters) noexcept {
  const uint32_t id = Take();
  if (id == kNone) return std::nullopt;
  if (!Replace(id, counters)) {
    ReturnChain(id);
    return std::nullopt;
  }
  return id;
}

std::optional<ExactCounters::Id> ExactCounters::MakeCopy(const ExactCounters& from,
                                                         Id id) noexcept {
  const uint32_t copy = Take();
  if (copy == kNone) return std::nullopt;
  if (!Resize(copy, from.ArraysNeeded(id))) {
    ReturnChain(copy);
    return std::nullopt;
  }
  for (uint32_t a = copy; a != kNone; a = next_[a], id = from.next_[id]) {
    std::copy_n(from.ArrayOf(id), num_counters_, ArrayOf(a));
  }
  return copy;
}

bool ExactCounters::Replace(Id id, std::span<const uint64_t> counters) noexcept {
  if (!Resize(id, DigitsOf(counters))) return false;
  Write(id, counters);
  return true;
}

void ExactCounters::Remove(Id id) noexcept { ReturnChain(id); }

uint64_t ExactCounters::At(Id id, size_t counter_idx) const noexcept {
  uint64_t count = 0;
  size_t shift = 0;
  for (uint32_t a = id; a != kNone; a = next_[a], shift += 8) {
    count |= uint64_t{ArrayOf(a)[counter_idx]} << shift;
  }
  return count;
}

void ExactCounters::CopyTo(Id id, std::span<uint64_t> counters) const noexcept {
  for (size_t i = 0; i < num_counters_; ++i) counters[i] = At(id, i);
}

size_t ExactCounters::ArraysNeeded(Id id) const noexcept {
  size_t needed = 1;
  size_t num_digits = 0;
  for (uint32_t a = id; a != kNone; a = next_[a]) {
    num_digits += 1;
    const std::span<const uint8_t> digits(ArrayOf(a), num_counters_);
    if (!std::ranges::all_of(digits, [](uint8_t digit) { return digit == 0; })) needed = num_digits;
  }
  return needed;
}

// A counter whose digits are all 255 needs one more. (2^64 insertions are out of reach.)
bool ExactCounters::Increment(Id id, std::span<const uint16_t> counter_idxs) noexcept {
  bool is_at_limit = false;
  for (const uint16_t i : counter_idxs) {
    uint32_t a = id;
    while (a != kNone && ArrayOf(a)[i] == 0xff) a = next_[a];
    is_at_limit |= a == kNone;
  }
  if (is_at_limit) {
    size_t num_digits = 0;
    for (uint32_t a = id; a != kNone; a = next_[a]) num_digits += 1;
    if (!Resize(id, num_digits + 1)) return false;
  }
  for (const uint16_t i : counter_idxs) {
    for (uint32_t a = id; ++ArrayOf(a)[i] == 0;) a = next_[a];  // carry
  }
  return true;
}

bool ExactCounters::Decrement(Id id, size_t counter_idx) noexcept {
  for (uint32_t a = id; ArrayOf(a)[counter_idx]-- == 0;) a = next_[a];  // borrow
  for (uint32_t a = id; a != kNone; a = next_[a]) {
    if (ArrayOf(a)[counter_idx] != 0) return false;
  }
  return true;
}

}  // namespace trommel
