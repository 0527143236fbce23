// The specification of a shard of a filter that grows by doubling: bit strings with counts, none of
// which begins another one, one key at a time. Kernels and engine are right iff they hold and find
// what this does. Slow.
#ifndef TROMMEL_KERNELS_GROWING_REFERENCE_H_
#define TROMMEL_KERNELS_GROWING_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace trommel::kernels {

class GrowingReference {
 public:
  // Zeros and ones, first bit first.
  using Bits = std::string;
  using Strings = std::map<Bits, uint64_t>;  // no count is 0

  // A shard has 2^first_bits blocks at first; with 7, it keeps digests first.
  GrowingReference(uint32_t first_bits, uint32_t most_doublings);

  // Digests of one shard: their first 6 bits are not looked at.
  void Insert(uint64_t digest);
  bool InsertIfAbsent(uint64_t digest);
  // Takes from the string that begins the digest's bits. Returns whether there was one.
  bool Erase(uint64_t digest);
  // Adds the strings of another one. Requires the same depths, of both and of their sum.
  void Merge(const GrowingReference& other);
  bool MayContain(uint64_t digest) const { return CountEstimate(digest) > 0; }
  uint64_t CountEstimate(uint64_t digest) const;

  // The number of segments that have split beyond `depth`, of 2^(depth - 12), or of one; depth 0:
  // the shard keeps digests.
  uint32_t depth() const { return depth_; }
  uint64_t num_split() const { return num_split_; }
  // The number of distinct strings.
  uint64_t num_entries() const { return strings_.size(); }
  const Strings& strings() const { return strings_; }

 private:
  uint64_t NumSegments(uint32_t depth) const;
  // Of the block that these bits lead to.
  uint32_t DepthOf(const Bits& bits) const;
  // The length of the string that begins these bits; 0: there is none.
  size_t MatchOf(const Bits& bits) const;
  // All strings get the length that they have when they come in, at most.
  void Truncate();
  void TakeSteps();
  double SplitsAt(uint32_t depth, uint64_t num_split) const;
  double FoldsAt(uint32_t depth, uint64_t num_split) const;

  uint32_t first_bits_;
  uint32_t most_doublings_;
  uint32_t depth_;
  uint64_t num_split_ = 0;
  Strings strings_;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_GROWING_REFERENCE_H_
