// Counters of one block that count as far as anyone gets: the last level of the side table.
#ifndef TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
#define TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

namespace trommel {

// The counters of one block, in the narrowest integers that hold the largest of them: a crowded
// block costs a byte a position, and a key inserted a billion times still counts exactly.
class ExactCounters {
 public:
  explicit ExactCounters(std::span<const uint64_t> counters);

  uint64_t At(size_t idx) const;
  void Add(size_t idx);
  // The counter must not be zero. Returns what is left.
  uint64_t Take(size_t idx);
  void CopyTo(std::span<uint64_t> counters) const;
  uint64_t num_bytes() const;

 private:
  // Integers grow a step when one of them is about to wrap; they do not shrink.
  void Widen();

  std::variant<std::vector<uint8_t>, std::vector<uint16_t>, std::vector<uint32_t>,
               std::vector<uint64_t>>
      counters_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_BLOCKS_EXACT_COUNTERS_H_
