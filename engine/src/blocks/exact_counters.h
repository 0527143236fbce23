// Exact counters of one block, of any size: the last level of the side table.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace trommel {

// The counters are the narrowest integers that hold the largest of them: a crowded block costs a
// byte per position, and a key inserted a billion times still counts exactly.
class ExactCounters {
 public:
  explicit ExactCounters(std::span<const uint64_t> counters);

  uint64_t At(size_t idx) const;
  void Increment(size_t idx);
  // Requires a counter above zero. Returns its new value.
  uint64_t Decrement(size_t idx);
  void CopyTo(std::span<uint64_t> counters) const;
  uint64_t num_bytes() const;

 private:
  // To integers of twice the size; they never become narrower.
  void Widen();

  std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>,
               std::vector<uint64_t>>
      counters_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
