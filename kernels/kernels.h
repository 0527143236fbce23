// The interface of the kernels: a table of function pointers per target. A caller gets the table
// for a chunk or a key and calls through it; kernels do not dispatch again.
//
// Kernels know neither threads nor allocation. Keys whose counters are in the side table, or
// would have to move there, are left to the caller:
//   spill: the key's block is promoted. The kernel writes the key's index to `spilled` and goes on.
//   stop:  the key would overflow its block. The kernel returns with end = the key's index, and
//          nothing changed for it; the caller promotes the block and calls again from there.
// Insertions into a full block of runs are spilled, too: all later ones then are, and the caller
// promotes the block with the first of them. So the keys of one block are always applied in input
// order.
#ifndef TROMMEL_KERNELS_KERNELS_H_
#define TROMMEL_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/cells.h"
#include "kernels/dense_layout.h"
#include "kernels/fingerprint_layout.h"
#include "kernels/growing_layout.h"
#include "kernels/layout.h"
#include "kernels/map_layout.h"
#include "kernels/stamped_layout.h"

namespace trommel::kernels {

// Digests per kernel call, at most: few enough that digests, bitmap and spill list stay in the
// first-level cache, so many that refilling the pipeline costs nothing.
inline constexpr size_t kMaxChunkKeys = 2048;

// A key's lines are prefetched this many keys before they are used: far enough ahead that memory
// answers in time, and few enough that the lines (one or two per query, one to three per update)
// are still in the first-level cache. The times are flat beyond these values and steep below;
// figures in bench/README.md.
inline constexpr size_t kQueryDistance = 128;
inline constexpr size_t kUpdateDistance = 64;

// The digests of a chunk that a kernel applies: keys [begin, end), in order. The digest ranges of a
// split chunk are short, so a kernel prefetches beyond its own: over all ranges of a chunk, the
// pipeline is filled once.
//
//   digests  | .. | begin ... end | later digest ranges ... fetch_end | ..
//                      ^ key i is applied   ^ key i + kUpdateDistance is prefetched
struct DigestRange {
  size_t begin;
  size_t end;
  size_t fetched = 0;    // keys below this index are prefetched already
  size_t fetch_end = 0;  // keys below this index may be prefetched; end, if less
};

// How far an update came.
struct UpdateProgress {
  size_t end;          // keys [begin, end) are done or spilled
  size_t num_spilled;  // entries written to `spilled`, ascending
};

// The sum over blocks of the product of their slices' popcounts needs up to 91 bits.
__extension__ using Uint128 = unsigned __int128;

struct Tally {
  uint64_t num_present = 0;   // set presence bits
  uint64_t num_promoted = 0;  // blocks with the promoted marker
  Uint128 product_sum = 0;    // sum over blocks of prod over slices of popcount(slice)

  Tally& operator+=(const Tally& other) {
    num_present += other.num_present;
    num_promoted += other.num_promoted;
    product_sum += other.product_sum;
    return *this;
  }
  friend bool operator==(const Tally&, const Tally&) = default;
};

// The outcome of one key that is updated or queried by itself.
enum class OneFate : uint8_t {
  kDone,       // inserted, erased or found
  kUnchanged,  // not inserted because present, not erased because absent; absent
  kSpill,      // as above: the block is promoted
  kStop,       // as above: the block must be promoted first
};

// One key, by itself: the same as a batch of one, without its pipeline. `blocks` is the Blocks or
// FingerprintBlocks that the kernel's batches take. All kernels of one key have this type, because
// filters keep pointers to their own, and programs call through these (trommel/one_key.h).
using OneKeyKernel = OneFate (*)(uint64_t digest, const void* blocks);

// Operations on blocks of one shape and encoding. Updates apply the digests of a range; spilled
// indices and bitmap bits count from the chunk's start. Bitmaps of updates must be zero at the
// range's bits; the bits of spilled keys stay zero for the caller to set. `spilled` must have space
// for end - begin indices.
//
// Thread safety: updates of different blocks may run at the same time; query, select and
// query_one beside updates of any block (presence_words.h).
struct BlockKernels {
  UpdateProgress (*insert)(const uint64_t* digests, const DigestRange& range, const Blocks& blocks,
                           uint32_t* spilled);
  // Sets the bit of each key that was inserted.
  UpdateProgress (*insert_if_absent)(const uint64_t* digests, const DigestRange& range,
                                     const Blocks& blocks, uint64_t* inserted, uint32_t* spilled);
  // Sets the bit of each key that was erased; never stops.
  UpdateProgress (*erase)(const uint64_t* digests, const DigestRange& range, const Blocks& blocks,
                          uint64_t* erased, uint32_t* spilled);

  // Writes BitmapWords(num_digests) words; returns how many bits are set.
  size_t (*query)(const uint64_t* digests, size_t num_digests, const Blocks& blocks,
                  uint64_t* maybe_present);
  // Writes the ascending indices (plus first_idx) of the digests whose answer is `maybe_present`;
  // `selection` must have space for num_digests entries, all of which may be overwritten.
  size_t (*select)(const uint64_t* digests, size_t num_digests, const Blocks& blocks,
                   bool maybe_present, uint32_t first_idx, uint32_t* selection);
  OneKeyKernel query_one;
  OneKeyKernel insert_one;
  OneKeyKernel insert_if_absent_one;
  OneKeyKernel erase_one;

  Tally (*tally)(const Blocks& blocks, uint64_t begin, uint64_t end);

  // Whole blocks [begin, end). Returns `end`, or the first block that is promoted on either side or
  // would overflow or underflow; that block is unchanged.
  uint64_t (*merge)(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end);
  uint64_t (*subtract)(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end);
  // As subtract, without changing anything.
  uint64_t (*can_subtract)(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end);
  // into[b] = from[2b] + from[2b + 1]; begin and end count blocks of `into`.
  uint64_t (*fold)(const Blocks& into, const Blocks& from, uint64_t begin, uint64_t end);
};

// Operations on blocks of fingerprints of one shape. Updates as in BlockKernels. A block that is
// marked or promoted spills each key whose outcome the block alone cannot tell.
//
// There are two sets: for filters that one thread has to itself, and for those with versions, whose
// queries may run beside updates.
struct FingerprintKernels {
  UpdateProgress (*insert)(const uint64_t* digests, const DigestRange& range,
                           const FingerprintBlocks& blocks, uint32_t* spilled);
  // A key that the block shows is left alone, whether or not the block is promoted.
  UpdateProgress (*insert_if_absent)(const uint64_t* digests, const DigestRange& range,
                                     const FingerprintBlocks& blocks, uint64_t* inserted,
                                     uint32_t* spilled);
  UpdateProgress (*erase)(const uint64_t* digests, const DigestRange& range,
                          const FingerprintBlocks& blocks, uint64_t* erased, uint32_t* spilled);

  // Writes BitmapWords(num_digests) words: bit i is set if its block shows digest i. Writes to
  // `unsure`, which must have space for num_digests indices, those of digests that the block does
  // not show and may hold elsewhere, or did not show while its group was changed; returns their
  // number.
  size_t (*query)(const uint64_t* digests, size_t num_digests, const FingerprintBlocks& blocks,
                  uint64_t* shown, uint32_t* unsure);

  OneKeyKernel insert_one;
  OneKeyKernel insert_if_absent_one;
  OneKeyKernel erase_one;
  // kSpill if the digest is unsure.
  OneKeyKernel query_one;
};

// The overflow lines of a block's keys of one group (dense_layout.h), and the block's tags there.
struct DensePair {
  uint32_t* line[2];
  uint32_t tag[2];
};

// What stores do to one dense block of a shape, which has remainders of `bits` bits, and to its
// overflow lines. Pairs are those of the keys in question.
//
// Results are words: compilers put smaller ones together in memory, and wait for the stores.
struct DenseCutKernels {
  // Updates of one key, as FingerprintKernels' of one: kSpill if the block alone does not tell.
  OneFate (*insert)(uint32_t bin, uint32_t remainder, uint32_t* block);
  OneFate (*insert_if_absent)(uint32_t bin, uint32_t remainder, uint32_t* block);
  OneFate (*erase)(uint32_t bin, uint32_t remainder, uint32_t* block);
  // Of those of up to 64 places that `mask` says: returns which are shown, and sets the bits of
  // `cut` of those whose bin is cut. Each prefetches the block of its next place: all at once, they
  // would wait for each other.
  uint64_t (*query)(const GrowingPlace* places, uint64_t mask, const GrowingPlace* next,
                    uint64_t& cut);

  // How many bins a block shows, and which is next: the one that is cut next, the last with keys,
  // if the block is full; else the first that is cut.
  struct State {
    uint64_t num_bins;
    uint64_t next_bin;
  };
  State (*state)(const uint32_t* block);
  // Returns the first slot with a key; if there is none, or the bin is cut, kMaxDenseSlots or more.
  uint32_t (*slot)(uint32_t key, uint32_t bits, const uint32_t* block);
  // Returns the pair's entries whose keys are equal above their lowest bits, num_ignored of them,
  // at most 16; one bit each, of the second line from bit 32 on.
  uint64_t (*find)(const DensePair& pair, uint32_t key, uint32_t num_ignored);
  // Erases a key, also if the block is to pull then: kSpill if it is counted or the bin is cut. The
  // bin is the first that is cut if the block is to pull, else kNoBin.
  struct Closed {
    OneFate fate;
    uint64_t pull_bin;
  };
  static constexpr uint64_t kNoBin = ~uint64_t{0};
  Closed (*close)(uint32_t key, uint32_t bits, uint32_t* block);
  // Inserts a key into a full block, which is cut before the last bin that has keys, the new one
  // among them. Those that are not shown any more become entries, each in the line with fewer.
  // Returns how many there were, and how many of these, written to `left`, which has space for all
  // keys of a block and one, found no place. Returns 0 and changes nothing if the block is counted
  // or not full, the bin is cut, or copies are to be counted first: kDenseManyCopies, or some in
  // that last bin.
  struct Evicted {
    uint64_t num;
    uint64_t num_left;
  };
  Evicted (*evict)(uint32_t key, uint32_t bits, uint32_t* block, const DensePair& pair,
                   uint32_t* left);
  // Shows the next bins of a block that is cut, those of one group, as far as their entries, which
  // become slots, fit. Returns how many did, and a bin as close.
  struct Pulled {
    uint64_t num;
    uint64_t pull_bin;
  };
  Pulled (*pull)(uint32_t bits, uint32_t* block, const DensePair& pair);
};

// Operations on stamped blocks of one shape (stamped_layout.h), as in FingerprintKernels with
// versions. A key is spilled as well when its bucket needs a stamp beyond the largest, and when its
// fingerprint has a copy of another bucket that the caller may have to keep.
struct StampedKernels {
  // A fingerprint that is in has a further copy.
  UpdateProgress (*insert)(const uint64_t* digests, const DigestRange& range,
                           const StampedBlocks& blocks, uint32_t* spilled);
  // A fingerprint that is in gets the later of the two buckets.
  UpdateProgress (*refresh)(const uint64_t* digests, const DigestRange& range,
                            const StampedBlocks& blocks, uint32_t* spilled);
  UpdateProgress (*insert_if_absent)(const uint64_t* digests, const DigestRange& range,
                                     const StampedBlocks& blocks, uint64_t* inserted,
                                     uint32_t* spilled);
  UpdateProgress (*erase)(const uint64_t* digests, const DigestRange& range,
                          const StampedBlocks& blocks, uint64_t* erased, uint32_t* spilled);
  size_t (*query)(const uint64_t* digests, size_t num_digests, const StampedBlocks& blocks,
                  uint64_t* shown, uint32_t* unsure);
  // The same without versions of groups: "absent" counts only if nothing was changed meanwhile.
  size_t (*query_at_once)(const uint64_t* digests, size_t num_digests, const StampedBlocks& blocks,
                          uint64_t* shown, uint32_t* unsure);
  // Frees the slots of these blocks whose stamps are below `shift`, and lowers the other stamps by
  // it. Requires a change of their group.
  void (*sweep)(uint32_t* words, uint64_t num_blocks, uint64_t shift);

  OneFate (*insert_one)(uint64_t digest, const StampedBlocks& blocks);
  OneFate (*refresh_one)(uint64_t digest, const StampedBlocks& blocks);
  OneFate (*insert_if_absent_one)(uint64_t digest, const StampedBlocks& blocks);
  OneFate (*erase_one)(uint64_t digest, const StampedBlocks& blocks);
  OneFate (*query_one)(uint64_t digest, const StampedBlocks& blocks);
};

// Operations on growing blocks (growing_layout.h), beside queries (group_versions.h). Updates
// require digests of one shard, the segments of which may be changed; keys that need more than
// their block are left to the store: they are listed in `spilled`, by index. The directory stays
// while a kernel is called.
struct GrowingKernels {
  // `inserted` is not used.
  GrowingProgress (*insert)(const uint64_t* digests, const DigestRange& range,
                            const GrowingBlocks& blocks, uint64_t* inserted, uint32_t* spilled);
  // Sets the bit of each key that was inserted, or erased.
  GrowingProgress (*insert_if_absent)(const uint64_t* digests, const DigestRange& range,
                                      const GrowingBlocks& blocks, uint64_t* inserted,
                                      uint32_t* spilled);
  GrowingProgress (*erase)(const uint64_t* digests, const DigestRange& range,
                           const GrowingBlocks& blocks, uint64_t* erased, uint32_t* spilled);

  // As FingerprintKernels::query. A key whose bin is cut is unsure.
  size_t (*query)(const uint64_t* digests, size_t num_digests, const GrowingBlocks& blocks,
                  uint64_t* shown, uint32_t* unsure);
  // The same without versions of groups: "absent" counts only if nothing was changed meanwhile.
  size_t (*query_at_once)(const uint64_t* digests, size_t num_digests, const GrowingBlocks& blocks,
                          uint64_t* shown, uint32_t* unsure);
  // The same of shards that keep digests in these tables, one word per shard; unsure are digests of
  // shards that have segments.
  size_t (*query_tables_at_once)(const uint64_t* digests, size_t num_digests,
                                 const uint64_t* tables, uint64_t* shown, uint32_t* unsure);
  // Prefetches the digests' blocks.
  void (*fetch)(const uint64_t* digests, size_t num_digests, const GrowingBlocks& blocks);

  // One digest: kDone, kUnchanged, or kSpill where the store is to tell.
  OneFate (*query_one)(uint64_t digest, const GrowingBlocks& blocks);
};

// The bytes of a key.
struct ByteView {
  const unsigned char* bytes;
  size_t num_bytes;
};

// Of 8-byte and 4-byte little-endian keys, and of up to kMaxChunkKeys strings. `secret` is
// SipHash's key, two words.
struct HashKernels {
  void (*xxh64_int64)(const uint64_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests);
  void (*xxh64_int32)(const uint32_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests);
  void (*xxh3_int64)(const uint64_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests);
  void (*xxh3_int32)(const uint32_t* keys, size_t num_keys, uint64_t seed, uint64_t* digests);
  void (*siphash_int64)(const uint64_t* keys, size_t num_keys, const uint64_t* secret,
                        uint64_t* digests);
  void (*siphash_int32)(const uint32_t* keys, size_t num_keys, const uint64_t* secret,
                        uint64_t* digests);
  void (*siphash_views)(const ByteView* views, size_t num_keys, const uint64_t* secret,
                        uint64_t* digests);
  // Null where one key after the other is no slower. Keys that it leaves to the caller (of fewer
  // than 4 or more than 128 bytes, or alone of their length) are written to `left`, by index, and
  // their digests are not. Returns how many.
  size_t (*xxh3_views)(const ByteView* views, size_t num_keys, uint64_t seed, uint64_t* digests,
                       uint16_t* left);
};

// One key of a promoted block: `presence` are its presence words, `runs` its run strings of 64
// bits, one per slice, each with its closing 1 (alone if the block has no keys). `increment`
// requires fewer than 63 keys in the block, `decrement` that all positions of the key are present.
// Thread safety: beside queries (presence_words.h).
struct LongRunKernels {
  void (*increment)(uint64_t digest, uint32_t* presence, uint64_t* runs);
  void (*decrement)(uint64_t digest, uint32_t* presence, uint64_t* runs);
};

// Cells of tuples (cells.h). columns[c] points at num_tuples digests, at most kMaxCellTuples; only
// columns that rows name are read. Queries may run beside each other, not beside marking.
struct CellKernels {
  // Writes each tuple's cell of the block under hash `hash_idx`.
  void (*cells)(const uint64_t* const* columns, size_t num_tuples, const CellBlock& block,
                size_t hash_idx, uint64_t* cells);
  // Writes BitmapWords(num_tuples) words: bit i is set if tuple i's cells of all blocks under
  // hashes 0 .. num_hashes - 1 are marked. Returns how many bits are set.
  size_t (*query)(const uint64_t* const* columns, size_t num_tuples, const uint64_t* words,
                  const CellBlock* blocks, size_t num_blocks, size_t num_hashes,
                  uint64_t* maybe_present);
  // The same of one tuple, the columns' first.
  bool (*query_one)(const uint64_t* const* columns, const uint64_t* words, const CellBlock* blocks,
                    size_t num_blocks, size_t num_hashes);
};

// Blocks of pairs (map_layout.h). Thread safety: beside writers, whose changes are between two
// stores of the group's version (group_versions.h).
struct MapKernels {
  // Writes of each digest the version of its group, loaded before its block is read, and what its
  // block has: bit i is set if slot i has its fingerprint, kMapFlagsBit if the block has flags.
  void (*match)(const uint64_t* digests, size_t num_digests, const MapBlocks& blocks,
                uint64_t* versions, uint32_t* matches);
  // The slots of one block whose first 16 bits are `lane` under the mask, and kMapFlagsBit.
  uint32_t (*equal_slots)(const uint32_t* block, const MapBlocks& blocks, uint32_t lane,
                          uint32_t mask);
};

// All kernels of one target.
struct KernelTable {
  int64_t target;    // Highway's bit
  const char* name;  // Highway's name
  HashKernels hash;
  CellKernels cells;
  MapKernels map;
  BlockKernels planes;  // by encoding and slices of a block
  BlockKernels runs4;
  BlockKernels runs5;
  BlockKernels runs8;
  BlockKernels runs10;
  FingerprintKernels wide_fingerprints;  // slots of 16 bits
  FingerprintKernels versioned_wide_fingerprints;
  GrowingKernels growing;
  StampedKernels stamped16;   // slots of 16 bits
  StampedKernels stamped24;   // slots of 24 bits
  LongRunKernels long_runs4;  // by slices of a block, whatever its encoding
  LongRunKernels long_runs5;
  LongRunKernels long_runs8;
  LongRunKernels long_runs10;
  FingerprintKernels dense[kNumDenseShapes];  // by index in kDenseShapes; none stops
  FingerprintKernels versioned_dense[kNumDenseShapes];
  DenseCutKernels dense_cuts[kNumDenseShapes];

  const LongRunKernels& long_runs(size_t num_slices) const {
    switch (num_slices) {
      case 4:
        return long_runs4;
      case 5:
        return long_runs5;
      case 8:
        return long_runs8;
      default:
        return long_runs10;
    }
  }
};

}  // namespace trommel::kernels

#endif  // TROMMEL_KERNELS_KERNELS_H_
