// An LRU cache of blocks, in which data blocks and the chunks of filters compete. (HBase's
// LruBlockCache also has priorities for blocks that were read once or more; the course text speaks
// of LRU alone.)
#ifndef TROMMEL_BENCH_PAPER_READS_BLOCK_CACHE_H_
#define TROMMEL_BENCH_PAPER_READS_BLOCK_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>

namespace trommel::paper {

enum class BlockKind : uint8_t { kData, kMeta };

struct BlockName {
  uint64_t file = 0;
  BlockKind kind = BlockKind::kData;
  uint64_t index = 0;  // within the file
  friend bool operator==(const BlockName&, const BlockName&) = default;
};

class BlockCache {
 public:
  explicit BlockCache(uint64_t num_bytes) : most_bytes_(num_bytes) {}

  // Reads a block: returns whether it was in the cache. It is afterwards, as the one used last,
  // unless it is larger than the cache.
  bool Read(const BlockName& name, uint64_t num_bytes);

  // Forgets the blocks of a file that is no more.
  void Drop(uint64_t file);

  uint64_t num_bytes(BlockKind kind) const { return num_bytes_[static_cast<size_t>(kind)]; }

 private:
  struct Block {
    BlockName name;
    uint64_t num_bytes;
  };
  struct HashOfName {
    size_t operator()(const BlockName& name) const;
  };
  using Blocks = std::list<Block>;  // the one used last comes first

  void Remove(Blocks::iterator block);

  uint64_t most_bytes_;
  std::array<uint64_t, 2> num_bytes_ = {};
  Blocks blocks_;
  std::unordered_map<BlockName, Blocks::iterator, HashOfName> by_name_;
};

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_READS_BLOCK_CACHE_H_
