// DistinctDigests: how many different digests came, in bounded memory. Few are counted exactly; of
// many the number is estimated.
#ifndef TROMMEL_TOOLS_DISTINCT_DIGESTS_H_
#define TROMMEL_TOOLS_DISTINCT_DIGESTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace trommel::tool {

// The estimate is HyperLogLog's (Flajolet, Fusy, Gandouet and Meunier, 2007), with the formula of
// Ertl ("New cardinality estimation algorithms for HyperLogLog sketches", 2017), which needs no
// thresholds. Digests are mixed first, so that a caller's own, which may be any integers, do as
// well as a hash's. The result does not depend on the order of the digests. Not thread-safe.
class DistinctDigests {
 public:
  static constexpr size_t kMostExact = size_t{1} << 16;  // counted one by one: a few megabytes

  void Add(std::span<const uint64_t> digests);

  // Exact up to kMostExact; beyond, the estimate with two standard errors on top (0.8 %), so that
  // what is sized for it is rarely too small.
  uint64_t AtMost() const;

 private:
  static constexpr unsigned kRegisterBits = 16;
  static constexpr size_t kNumRegisters = size_t{1} << kRegisterBits;

  void AddToSketch(uint64_t digest);
  double Estimate() const;

  std::unordered_set<uint64_t> exact_;
  std::vector<uint8_t> registers_;  // none while the count is exact
};

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_DISTINCT_DIGESTS_H_
