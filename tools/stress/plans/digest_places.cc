// Digests by block and fingerprint.
#include "tools/stress/plans/digest_places.h"

#include <algorithm>

namespace trommel::stress {
namespace {

constexpr uint32_t kKeyBits = 16;  // the most of a fingerprint

}  // namespace

uint64_t DigestInBlock(uint64_t block, uint64_t num_blocks, Random& random) {
  // A block is (high * num_blocks) >> 32: the first of the high halves that give b.
  const auto first_high = [&](uint64_t b) { return ((b << 32) + num_blocks - 1) / num_blocks; };
  const uint64_t first = first_high(block);
  const auto width =
      static_cast<uint32_t>(std::min<uint64_t>(first_high(block + 1) - first, UINT32_MAX));
  return (first + random.Below(width)) << 32 | (random.Next() >> 32);
}

// digest x num_blocks  = block (64) | key (16), 0, random (47)   and less than num_blocks more,
// which the 0 keeps out of the key.
uint64_t DigestOfKey(uint64_t block, uint32_t key, uint64_t num_blocks, Random& random) {
  __extension__ using Uint128 = unsigned __int128;
  const uint64_t rest = uint64_t{key} << (64 - kKeyBits) | random.Next() >> (kKeyBits + 1);
  return static_cast<uint64_t>(((Uint128{block} << 64 | rest) + num_blocks - 1) / num_blocks);
}

DigestPlaces::DigestPlaces(const RoundPlan& plan, uint64_t num_blocks, Random& random)
    : num_blocks_(num_blocks),
      num_quads_(static_cast<uint32_t>(num_blocks / kBlocksPerRace)),
      quads_per_race_(plan.mix.num_races == 0 ? 0 : num_quads_ / plan.mix.num_races),
      has_fingerprints_(HasFingerprints(plan.config.encoding)),
      random_(random) {
  if (!plan.mix.is_crowded) return;
  const uint32_t num_crowded = plan.first_race() / std::max(1u, plan.keys_per_crowded_block);
  for (uint32_t i = 0; i <= num_crowded; ++i) crowded_.push_back(DrawBlock());
}

uint64_t DigestPlaces::DrawBlock() {
  const uint64_t quad = random_.Below(num_quads_);
  return quad * kBlocksPerRace + random_.Below(kBlocksPerRace - 1);
}

uint64_t DigestPlaces::DigestAt(const Place& place) {
  return has_fingerprints_ ? DigestOfKey(place.block, place.key, num_blocks_, random_)
                           : DigestInBlock(place.block, num_blocks_, random_);
}

uint64_t DigestPlaces::OfRace(uint32_t race) {
  const uint64_t quad = race * quads_per_race_;
  const auto key = static_cast<uint32_t>(random_.Next() >> (64 - kKeyBits));
  return DigestAt({quad * kBlocksPerRace + kBlocksPerRace - 1, key});
}

uint64_t DigestPlaces::Next() {
  if (!places_.empty() && random_.OneIn(3)) {
    return DigestAt(places_[random_.Below(static_cast<uint32_t>(places_.size()))]);
  }
  Place place;
  place.block = crowded_.empty() || random_.OneIn(16)
                    ? DrawBlock()
                    : crowded_[random_.Below(static_cast<uint32_t>(crowded_.size()))];
  place.key = static_cast<uint32_t>(random_.Next() >> (64 - kKeyBits));
  if (!crowded_.empty()) places_.push_back(place);
  return DigestAt(place);
}

}  // namespace trommel::stress
