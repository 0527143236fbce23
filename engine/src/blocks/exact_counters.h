// Exact counters of crowded blocks, of any size: the last level of the side table.
//
// A counter is a number in base 256. Digit d of all counters of a block lies in one array of bytes,
// and a block has as many arrays as its largest count has ever had digits:
//
//   counter       0     1     2     3   ..
//   array 0    |   5 |  44 |   0 |   1 | ..
//   array 1    |   0 |   1 |   0 |   0 | ..      counter 1 is 1 * 256 + 44 = 300
//
// So a crowded block costs a byte per position, and a key inserted a billion times still counts
// exactly. All arrays have one size: memory that is reserved for them has no fragments.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace trommel {

// The arrays of many blocks, each with the same number of counters. Nothing throws: where the
// system refuses memory, or a limit leaves none, a call says so and has changed nothing. Thread
// safety: exclusive.
class ExactCounters {
 public:
  using Id = uint32_t;  // of a block's counters: that of its first array

  explicit ExactCounters(size_t num_counters) : num_counters_(num_counters) {}
  ExactCounters(ExactCounters&&) = default;
  ExactCounters& operator=(ExactCounters&&) = default;
  ~ExactCounters() = default;

  // Requires num_counters counters. Returns nothing if there is no memory.
  std::optional<Id> Make(std::span<const uint64_t> counters) noexcept;
  // The same counters as those of another object; not of its spare arrays.
  std::optional<Id> MakeCopy(const ExactCounters& from, Id id) noexcept;
  // Returns false if there is no memory. Needs none if no more digits are needed than before.
  [[nodiscard]] bool Replace(Id id, std::span<const uint64_t> counters) noexcept;
  void Remove(Id id) noexcept;
  void Clear() noexcept;

  uint64_t At(Id id, size_t counter_idx) const noexcept;
  void CopyTo(Id id, std::span<uint64_t> counters) const noexcept;
  // Adds one to each of these counters, which differ. Returns false if there is no memory.
  [[nodiscard]] bool Increment(Id id, std::span<const uint16_t> counter_idxs) noexcept;
  // Requires a counter above zero. Returns whether it is zero now.
  bool Decrement(Id id, size_t counter_idx) noexcept;

  // Allocates so many arrays, at least one and as many as there are. From then on memory is neither
  // allocated nor freed, by no call. Requires that there are none. May throw std::bad_alloc.
  void Reserve(size_t max_arrays);
  // It may be allocated and freed again; what is reserved is freed with the last block, or now.
  void LiftLimit() noexcept {
    max_arrays_ = 0;
    if (num_used_ == 0) Clear();
  }
  // What Reserve takes for each array.
  uint64_t BytesPerArray() const noexcept;

  size_t num_arrays() const noexcept { return num_used_; }
  // How many arrays the block would have if it were made anew: as few as its counts need.
  size_t ArraysNeeded(Id id) const noexcept;
  // Of arrays and what names them, spare capacity included.
  uint64_t num_bytes() const noexcept;
  uint64_t CountBytes() const noexcept;  // the same by a pass, for tests

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr size_t kMaxDigits = sizeof(uint64_t);

  // How many digits the largest of them has: 1 to kMaxDigits.
  static size_t DigitsOf(std::span<const uint64_t> counters) noexcept;
  uint8_t* ArrayOf(uint32_t array_idx) const noexcept { return arrays_[array_idx].get(); }
  // An array of zeros without a successor; kNone if there is no memory.
  uint32_t Take() noexcept;
  void Return(uint32_t array_idx) noexcept;
  void ReturnChain(uint32_t array_idx) noexcept;
  // Appends zeros or cuts off digits, so that the block has so many arrays.
  bool Resize(Id id, size_t num_digits) noexcept;
  void Write(Id id, std::span<const uint64_t> counters) noexcept;

  size_t num_counters_;
  size_t max_arrays_ = 0;  // 0: as many as memory allows
  std::vector<std::unique_ptr<uint8_t[]>> arrays_;
  // Per array: the one of the next digit or, of those not in use, the next such one.
  std::vector<uint32_t> next_;
  uint32_t first_free_ = kNone;
  size_t num_used_ = 0;
  size_t num_allocated_ = 0;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
