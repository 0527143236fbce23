// The side table: exact counters of promoted blocks, whose counts no longer fit their encoding.
#ifndef TROMMEL_ENGINE_SRC_SIDE_TABLE_H_
#define TROMMEL_ENGINE_SRC_SIDE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
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

// From block index to counters. Rare by sizing, so plain hash maps serve: one for each owner, that
// is for each of 2^owner_bits equal ranges of blocks. Calls for blocks of different owners may run
// at the same time.
class SideTable {
 public:
  SideTable() : SideTable(~uint64_t{0}, 0) {}  // one owner
  // num_blocks must be a multiple of 2^owner_bits.
  SideTable(uint64_t num_blocks, uint32_t owner_bits);

  // The block's counters; it must be in the table.
  ExactCounters& At(uint64_t block_idx) { return Of(block_idx).at(block_idx); }
  const ExactCounters& At(uint64_t block_idx) const { return Of(block_idx).at(block_idx); }
  void Put(uint64_t block_idx, std::span<const uint64_t> counters);
  void Remove(uint64_t block_idx) { Of(block_idx).erase(block_idx); }
  void Clear();
  // Makes the owner's part what it is in `from`, a table with the same ranges.
  void CopyOwner(const SideTable& from, uint64_t owner_idx);

  uint64_t num_blocks() const;
  uint64_t num_bytes() const;
  uint64_t num_bytes(uint64_t owner_idx) const;
  // Ascending.
  std::vector<uint64_t> SortedBlocks() const;

 private:
  using Map = std::unordered_map<uint64_t, ExactCounters>;

  Map& Of(uint64_t block_idx) { return owners_[block_idx / blocks_per_owner_]; }
  const Map& Of(uint64_t block_idx) const { return owners_[block_idx / blocks_per_owner_]; }

  uint64_t blocks_per_owner_;
  std::vector<Map> owners_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SIDE_TABLE_H_
