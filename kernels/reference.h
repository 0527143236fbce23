// The specification: a filter as a plain table of counters, one key and one position at a time,
// with no planes, no runs and no vectors. A kernel is right iff it leaves what this leaves.
//
// Written from the definition (layout.h), in another style than the kernels on purpose. Slow.
#ifndef TROMMEL_KERNELS_REFERENCE_H_
#define TROMMEL_KERNELS_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trommel::kernels {

// What a block looks like.
struct Shape {
  Shape(size_t slices, bool runs = false) : num_slices(slices), has_runs(runs) {}

  size_t num_slices;
  bool has_runs;  // else planes

  size_t positions() const { return num_slices == 8 ? 32 : 64; }
  size_t num_counters() const { return num_slices * positions(); }
};

class ReferenceFilter {
 public:
  ReferenceFilter(uint64_t num_blocks, Shape shape);

  // Increments the digest's counter in each slice.
  void Insert(uint64_t digest);
  // As Insert if some counter is zero; returns whether one was.
  bool InsertIfAbsent(uint64_t digest);
  // Decrements the digest's counters, unless one of them is zero: then returns false.
  bool Erase(uint64_t digest);
  // True if no counter is zero.
  bool MayContain(uint64_t digest) const;
  // The least of the counters.
  uint64_t CountEstimate(uint64_t digest) const;

  void Merge(const ReferenceFilter& other);
  bool CanSubtract(const ReferenceFilter& other) const;
  void Subtract(const ReferenceFilter& other);
  ReferenceFilter Folded() const;

  uint64_t num_blocks() const { return num_blocks_; }
  const Shape& shape() const { return shape_; }
  size_t num_slices() const { return shape_.num_slices; }
  // counters()[(block * num_slices + slice) * positions + position]
  const std::vector<uint64_t>& counters() const { return counters_; }

  // The filter in its canonical memory form (layout.h, run_block.h): presence words, the words of
  // counts with the marker in blocks whose counters do not fit, and which blocks those are.
  std::vector<uint32_t> PresenceWords() const;
  std::vector<uint32_t> CountWords() const;
  std::vector<uint64_t> PromotedBlocks() const;
  // Words of counts per block.
  size_t CountWordsPerBlock() const;

 private:
  uint64_t* CounterOf(uint64_t digest, size_t slice_idx);
  bool BlockFits(uint64_t block_idx) const;
  bool PlanesFit(uint64_t block_idx) const;
  std::vector<uint32_t> PlanesOfBlock(uint64_t block_idx) const;
  std::vector<uint32_t> RunsOfBlock(uint64_t block_idx) const;

  uint64_t num_blocks_;
  Shape shape_;
  std::vector<uint64_t> counters_;
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_REFERENCE_H_
