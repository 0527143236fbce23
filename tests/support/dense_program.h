// A range of dense blocks beside an exact model.
#ifndef TROMMEL_TESTS_SUPPORT_DENSE_PROGRAM_H_
#define TROMMEL_TESTS_SUPPORT_DENSE_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/block_memory.h"
#include "engine/src/fingerprints/dense_range.h"

namespace trommel::tests {

// A range with the memory of its blocks.
struct OwnedDenseRange {
  OwnedDenseRange(const DenseLayout& layout, uint64_t num_blocks, uint64_t least_lines,
                  const std::optional<DenseLimit>& limit = std::nullopt);

  bool IsZero() const;
  // The bytes of blocks and of what is beside them.
  uint64_t num_bytes() const;
  // The share of non-members that queries beside writers answer "maybe present" only because their
  // block has hidden keys.
  double UndecidedShare() const;
  double CutBins() const;  // the share

  DenseLayout layout;
  BlockMemory blocks;
  DenseRange range;
};

// Which keys a program inserts.
enum class DenseKeysOf : uint8_t {
  kAll,         // distinct, nearly
  kThirdAgain,  // a third are copies of keys that are in
  kHot,         // a half are of four keys in five blocks
  kThreeBlocks,
  kOneBlock,   // the upper half of one block's keys
  kFiveTimes,  // each about five times
};
inline constexpr DenseKeysOf kAllDenseKeys[] = {DenseKeysOf::kAll,      DenseKeysOf::kThirdAgain,
                                                DenseKeysOf::kHot,      DenseKeysOf::kThreeBlocks,
                                                DenseKeysOf::kOneBlock, DenseKeysOf::kFiveTimes};

// Random insertions, erasures and queries, compared one by one with a multiset; now and then all
// invariants, the contents, and that Build makes of the range what it makes of the multiset. At the
// end all keys are erased, and all bytes are 0. Sizes, loads up to 1.9, lengths of remainders,
// limits follow from the seed.
class DenseProgram {
 public:
  DenseProgram(const kernels::DenseShape& shape, DenseKeysOf keys, uint64_t seed);

  // Returns what was wrong, or "".
  std::string Run(uint64_t num_operations);
  std::string Name() const;  // what the seed chose

 private:
  using Place = std::pair<uint64_t, uint32_t>;

  uint64_t Below(uint64_t end) { return random_() % end; }
  Place SomePlace();
  void Step();
  void Erase(size_t i);
  void ChangeLimit();
  void Check(bool holds, const char* what);
  void CheckInvariants();
  void CheckBlock(uint64_t block_idx);
  void CheckContents();
  void CheckBuild();
  BlockContents ModelOf(uint64_t block_idx) const;

  std::mt19937_64 random_;
  DenseLayout layout_;
  DenseKeysOf keys_;
  uint64_t num_blocks_;
  uint64_t least_lines_;
  std::optional<DenseLimit> limit_;
  uint64_t capacity_;
  OwnedDenseRange subject_;
  std::map<Place, uint64_t> model_;
  std::vector<Place> members_;  // with copies
  std::string wrong_;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_DENSE_PROGRAM_H_
