// DigestPlaces: the blocks and fingerprints of a round whose keys are digests. A block of every
// four is reserved for keys raced for; the others are taken evenly, or by a crowd.
#ifndef TROMMEL_TOOLS_STRESS_PLANS_DIGEST_PLACES_H_
#define TROMMEL_TOOLS_STRESS_PLANS_DIGEST_PLACES_H_

#include <cstdint>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "tools/stress/plans/random.h"

namespace trommel::stress {

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

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_PLANS_DIGEST_PLACES_H_
