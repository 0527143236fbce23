// How a dense block (kernels/dense_layout.h) keeps its contents as far as these alone decide: what
// DenseRange::Build makes of them, and what files have.
//
//   bins below the cut   in slots: with all copies if they fit, or if there are only a few and none
//                        of them is of a bin that is cut; else each key once
//   the rest             keys of bins that are cut, and further copies of those that are shown
//
// Which of the rest are entries of lines, and which are hidden, depends on other blocks: it is not
// known here, and nothing of it is in the words.
#ifndef TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_CONTENTS_H_
#define TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/src/blocks/block_contents.h"
#include "kernels/dense_block.h"

namespace trommel {

// Writes the words of a block with these contents; returns the rest.
BlockContents EncodeDense(const kernels::DenseLayout& layout, const BlockContents& contents,
                          uint32_t* words);
// The number of keys of bins that are cut.
size_t NumAboveDenseCut(const kernels::DenseLayout& layout, const BlockContents& contents);
// The contents of a block with these words and this rest. Requires EncodeDense's.
BlockContents DecodeDense(const kernels::DenseLayout& layout, const uint32_t* words,
                          std::span<const BlockKey> rest);
// Are any words and any ascending keys what EncodeDense makes of some contents?
bool IsEncodedDense(const kernels::DenseLayout& layout, const uint32_t* words,
                    std::span<const BlockKey> rest);

// The rests of blocks, most of which have none.
class DenseRests {
 public:
  // Requires a block behind those that were added.
  void Add(uint64_t block_idx, std::span<const BlockKey> rest) {
    blocks_.push_back({block_idx, keys_.size()});
    keys_.insert(keys_.end(), rest.begin(), rest.end());
  }
  std::span<const BlockKey> RestOf(uint64_t block_idx) const;
  // How many keys find no place in slots and lines, at least: a block has two lines for each group.
  uint64_t LeastHidden(const kernels::DenseLayout& layout) const;

 private:
  struct OfBlock {
    uint64_t block_idx;
    size_t first;  // of its keys
  };

  std::vector<OfBlock> blocks_;
  std::vector<BlockKey> keys_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FINGERPRINTS_DENSE_CONTENTS_H_
