// The sections of one store of a filter: its numbers, its words as they lie in memory, and what has
// no place in them.
//
//   encoding                    words                          side: an entry is
//   planes                      presence, counts               a promoted block and its counters
//   runs                        blocks (presence and counts)   the same
//   slots of 16 bits            blocks, lines                  a block that hides keys, and these
//   dense                       blocks                         dense_sections.cc
//
// An entry of slices, and one of fingerprints, ascending by block:
//
//   0   u64  block                                     0   u64  block
//   8   u32  u, the width of a counter: the least of   8   u32  n, keys that it hides, ascending
//            1, 2, 4, 8 that holds the largest         12  u32  0
//   12  u32  0                                         16  n times: u32 key, u32 0, u64 copies
//   16  the counters, slice by slice
//
// Canonical: a block is promoted iff its counters do not fit its encoding, and slots, lines and
// hidden keys are those that WriteGroup (wide_store.h) makes of what a group holds, whatever
// they were in memory. Reading checks just that, so every file that is read is the one that would
// be written.
#ifndef TROMMEL_ENGINE_SRC_FILES_STORE_SECTIONS_H_
#define TROMMEL_ENGINE_SRC_FILES_STORE_SECTIONS_H_

#include <cstdint>
#include <memory>

#include "engine/src/blocks/block_store.h"
#include "engine/src/blocks/store.h"
#include "engine/src/files/file_reader.h"
#include "engine/src/files/file_writer.h"
#include "engine/src/fingerprints/dense_store.h"
#include "engine/src/fingerprints/wide_store.h"
#include "trommel/result.h"
#include "trommel/sizing.h"

namespace trommel {

// The store of a filter that has one.
inline constexpr uint32_t kOnlyStore = 1;

// The section `numbers`.
struct StoreNumbers {
  uint32_t encoding;          //  0  Encoding
  uint32_t shape;             //  4  num_slices, or slots of dense blocks
  uint32_t fingerprint_bits;  //  8  0 with slices
  uint32_t shard_bits;        // 12
  uint64_t num_blocks;        // 16
  uint64_t capacity;          // 24  0 together with target_fpr: not sized
  double target_fpr;          // 32
};
static_assert(sizeof(StoreNumbers) == 40);

StoreNumbers NumbersOf(const Geometry& geometry, uint64_t capacity, double target_fpr);
Geometry GeometryOf(const StoreNumbers& numbers);

// The store's numbers, which could be a filter's, and whose blocks the file has: memory for them is
// no more than the file's own. Fails with kCorrupt and kVersion, and as the source does.
Result<StoreNumbers> ReadNumbers(FileReader& file, uint32_t store_idx);

// About the size of the store's sections.
uint64_t SectionBytes(const Store& store);

// The sections of a store that is not changed meanwhile.
void WriteStore(const Store& store, uint32_t store_idx, uint64_t capacity, double target_fpr,
                FileWriter& file);

struct StoreContents {
  std::unique_ptr<Store> store;
  uint64_t num_keys = 0;
};

// A whole valid store with numbers that ReadNumbers returned. Fails with kOutOfMemory (over
// limit_bytes; 0: the machine's memory), kCorrupt, and as the source does. `used_bytes` is what
// other parts of the same filter take of the limit already.
Result<StoreContents> ReadStore(FileReader& file, uint32_t store_idx, const StoreNumbers& numbers,
                                uint64_t limit_bytes, uint64_t used_bytes = 0);

// The sections of one kind of store, behind its numbers. Reading returns the number of keys.
void WriteSlices(const BlockStore& store, uint32_t store_idx, FileWriter& file);
Result<uint64_t> ReadSlices(FileReader& file, uint32_t store_idx, BlockStore& store);
void WriteFingerprints(const WideStore& store, uint32_t store_idx, FileWriter& file);
Result<uint64_t> ReadFingerprints(FileReader& file, uint32_t store_idx, WideStore& store);
void WriteDense(const DenseStore& store, uint32_t store_idx, FileWriter& file);
// Also fails with kOutOfMemory where what the store needs at least and used_bytes exceed the limit.
Result<uint64_t> ReadDense(FileReader& file, uint32_t store_idx, DenseStore& store,
                           uint64_t limit_bytes, uint64_t used_bytes);

// The memory of a store's words.
inline std::span<std::byte> WritableBytes(const BlockMemory& memory) {
  return std::as_writable_bytes(std::span(memory.data(), memory.num_words()));
}

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_FILES_STORE_SECTIONS_H_
