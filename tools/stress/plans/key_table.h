// KeyTable: the keys of a round by their ids. KeyBatch: some of them as a batch for the filter.
#ifndef TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_
#define TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "trommel/keys.h"

namespace trommel::stress {

// DigestPlaces: the blocks and fingerprints of a round whose keys are digests. A block of every
// four is reserved for keys raced for; the others are taken evenly, or by a crowd.

inline constexpr uint64_t kBlocksPerRace = 4;  // the last one of them is reserved for the race

// A random digest of this block, of presence bits.
uint64_t DigestInBlock(uint64_t block, uint64_t num_blocks, Random& random);
// One of this block of fingerprints, whose key begins with the 16 bits of `key`. Digests of one key
// and block have equal fingerprints and differ.
uint64_t DigestOfKey(uint64_t block, uint32_t key, uint64_t num_blocks, Random& random);

class DigestPlaces {
 public:
  // Requires kBlocksPerRace blocks.
  DigestPlaces(const RoundPlan& plan, uint64_t num_blocks, Random& random);

  uint64_t OfRace(uint32_t race);  // requires enough blocks for all races
  // In a crowd a third of the digests have block and fingerprint of an earlier one.
  uint64_t Next();

 private:
  struct Place {
    uint64_t block = 0;
    uint32_t key = 0;
  };
  uint64_t DrawBlock();  // that is not reserved
  uint64_t DigestAt(const Place& place);

  const uint64_t num_blocks_;
  const uint32_t num_quads_;
  const uint64_t quads_per_race_;
  const bool has_fingerprints_;
  Random& random_;
  std::vector<uint64_t> crowded_;  // blocks; empty: all of them
  std::vector<Place> places_;      // taken so far by the crowd
};

class KeyTable {
 public:
  // Keys that are digests determine their blocks: every fourth block is reserved for the keys raced
  // for, at most one key per block, so that no other key can change anything there. With num_blocks
  // 0, no block is reserved, and none is crowded.
  KeyTable(const RoundPlan& plan, uint64_t num_blocks);

  KeyKind kind() const { return kind_; }
  // Every key raced for has a block of its own: a query finds it if and only if it is in the
  // filter.
  bool has_lone_races() const { return has_lone_races_; }

  Key One(uint32_t id) const;
  std::string Text(uint32_t id) const;

 private:
  friend class KeyBatch;

  KeyKind kind_;
  bool has_lone_races_ = false;
  std::vector<uint64_t> words_;       // integers, digests
  std::vector<std::string> strings_;  // for both kinds of strings
};

class KeyBatch {
 public:
  explicit KeyBatch(const KeyTable& table) : table_(table) {}

  // The result is valid until the next call.
  Keys Gather(std::span<const uint32_t> ids);

 private:
  const KeyTable& table_;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> halves_;
  std::vector<std::string> strings_;
  std::vector<std::string_view> views_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_
