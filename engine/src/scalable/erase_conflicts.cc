#include "engine/src/scalable/erase_conflicts.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <tuple>

#include "engine/src/base/check.h"
#include "engine/src/blocks/block_store.h"
#include "engine/src/scalable/exact_homes.h"
#include "engine/src/scalable/generation_store.h"
#include "engine/src/scalable/scalable_parts.h"
#include "engine/src/sizing/geometry_checks.h"
#include "kernels/fingerprint_layout.h"

namespace trommel {
namespace {

// That a key may be erased from this generation.
struct Claim {
  uint64_t digest;
  uint16_t key_idx;
  uint8_t generation;
};

// Of keys, and of those in conflict once more for each generation after their home that shows them:
// few. Where there are more, all keys count as conflicting.
constexpr size_t kMaxClaims = 2 * kMaxConflictKeys;

class EraseClaims {
 public:
  // Requires that all digests are shown. Both must outlive this.
  EraseClaims(const GenerationList& list, std::span<const uint64_t> digests)
      : list_(list), digests_(digests) {
    if (list.size() == 1) {
      std::fill_n(homes_.begin(), digests.size(), uint8_t{0});
    } else {
      FindExactHomes(list.stores(), digests, nullptr, Shown::kIsTrusted, homes_.data());
    }
  }

  // Claims the homes of all keys that share a counter with another one.
  void ClaimForMeeting() {
    // A list of keys for each of some hashes of home and block. A digest is in it once.
    std::array<uint16_t, 4 * kMaxConflictKeys> first;  // index plus 1; 0: none
    const size_t num_hashes = std::bit_ceil(4 * digests_.size());
    std::fill_n(first.begin(), num_hashes, uint16_t{0});
    std::array<uint16_t, kMaxConflictKeys> next;
    std::array<bool, kMaxConflictKeys> meets;
    num_claims_ = 0;
    const auto add = [&](size_t idx) {
      if (!meets[idx]) Add(idx, homes_[idx]);
      meets[idx] = true;
    };
    for (size_t i = 0; i < digests_.size(); ++i) {
      meets[i] = false;
      const uint64_t block_idx = BlockOf(digests_[i], homes_[i]);
      uint16_t& begin = first[(block_idx + homes_[i] * kHashStep) & (num_hashes - 1)];
      bool is_known = false;
      for (uint16_t link = begin; link != 0 && !is_known; link = next[link - 1]) {
        const size_t j = link - size_t{1};
        is_known = digests_[i] == digests_[j];
        if (homes_[i] != homes_[j] || BlockOf(digests_[j], homes_[j]) != block_idx) continue;
        if (!ShareCounter(digests_[i], digests_[j], homes_[i])) continue;
        add(j);
        add(i);
      }
      if (is_known) continue;
      next[i] = begin;
      begin = static_cast<uint16_t>(i + 1);
    }
  }

  // Claims the homes of all keys.
  void ClaimForAll() {
    num_claims_ = 0;
    for (size_t i = 0; i < digests_.size(); ++i) Add(i, homes_[i]);
  }

  // Claims, for a key, what shows it after its home. Returns false if there is no space.
  bool ClaimLater(size_t key_idx) {
    for (size_t g = homes_[key_idx] + size_t{1}; g < list_.size(); ++g) {
      if (!IsIn(list_.at(g).store(), digests_[key_idx])) continue;
      if (num_claims_ == kMaxClaims) return false;
      Add(key_idx, static_cast<uint8_t>(g));
    }
    return true;
  }

  // Sets in_conflict[i] for all keys with a counter that has more claims than counts. Returns
  // whether there are any.
  bool FindConflicts(std::span<bool> in_conflict) {
    const auto claims = std::span(claims_).first(num_claims_);
    std::ranges::sort(claims, {}, [](const Claim& claim) {
      return std::tuple(claim.generation, claim.digest, claim.key_idx);
    });
    bool has_any = false;
    for (size_t begin = 0; begin < claims.size();) {
      const auto block_of = [this](const Claim& claim) {
        return BlockOf(claim.digest, claim.generation);
      };
      size_t end = begin + 1;  // of the claims on one block
      while (end < claims.size() && claims[end].generation == claims[begin].generation &&
             block_of(claims[end]) == block_of(claims[begin])) {
        ++end;
      }
      if (end - begin > 1) has_any |= FindInBlock(claims.subspan(begin, end - begin), in_conflict);
      begin = end;
    }
    return has_any;
  }

 private:
  static constexpr size_t kHashStep = 1021;  // so that a block's homes have different lists

  uint64_t BlockOf(uint64_t digest, uint8_t generation) const {
    const Geometry& geometry = list_.at(generation).store().geometry();
    return HasFingerprints(geometry.encoding)
               ? kernels::FingerprintPlaceOf(digest, geometry.num_blocks).block_idx
               : kernels::BlockIndex(digest, geometry.num_blocks);
  }

  // Of two digests of one block.
  bool ShareCounter(uint64_t a, uint64_t b, uint8_t generation) const {
    const Store& store = list_.at(generation).store();
    if (HasFingerprints(store)) {
      return KeyInBlock(store.geometry(), a) == KeyInBlock(store.geometry(), b);
    }
    const size_t num_slices = store.geometry().num_slices;
    for (size_t s = 0; s < num_slices; ++s) {
      if (kernels::Position(a, s, num_slices) == kernels::Position(b, s, num_slices)) return true;
    }
    return false;
  }

  void Add(size_t key_idx, uint8_t generation) {
    claims_[num_claims_++] = {digests_[key_idx], static_cast<uint16_t>(key_idx), generation};
  }

  bool FindInBlock(std::span<const Claim> claims, std::span<bool> in_conflict) const {
    const Store& store = list_.at(claims.front().generation).store();
    return HasFingerprints(store) ? FindAmongFingerprints(store, claims, in_conflict)
                                  : FindInSlices(BlockStoreOf(store), claims, in_conflict);
  }

  // Digests ascend, and so do their fingerprints.
  static bool FindAmongFingerprints(const Store& store, std::span<const Claim> claims,
                                    std::span<bool> in_conflict) {
    const auto fingerprint_of = [&](size_t claim_idx) {
      return KeyInBlock(store.geometry(), claims[claim_idx].digest);
    };
    bool has_any = false;
    for (size_t begin = 0; begin < claims.size();) {
      const uint64_t digest = claims[begin].digest;
      const uint32_t fingerprint = fingerprint_of(begin);
      size_t end = begin + 1;
      while (end < claims.size() && fingerprint_of(end) == fingerprint) ++end;
      if (end - begin > 1 && store.CountEstimate(digest) < end - begin) {
        for (size_t c = begin; c < end; ++c) in_conflict[claims[c].key_idx] = true;
        has_any = true;
      }
      begin = end;
    }
    return has_any;
  }

  static bool FindInSlices(const BlockStore& store, std::span<const Claim> claims,
                           std::span<bool> in_conflict) {
    const size_t num_slices = store.geometry().num_slices;
    std::array<uint16_t, kernels::kMaxCounters> wanted;
    std::fill_n(wanted.begin(), store.num_counters(), uint16_t{0});
    for (const Claim& claim : claims) {
      for (size_t s = 0; s < num_slices; ++s) {
        ++wanted[kernels::CounterIndex(claim.digest, s, num_slices)];
      }
    }
    bool has_any = false;
    bool is_conflict = false;
    for (size_t c = 0; c < claims.size(); ++c) {
      const uint64_t digest = claims[c].digest;
      if (c == 0 || digest != claims[c - 1].digest) {
        is_conflict = false;
        for (size_t s = 0; s < num_slices && !is_conflict; ++s) {
          // What is claimed is shown: each counter withstands one.
          const uint64_t num_wanted = wanted[kernels::CounterIndex(digest, s, num_slices)];
          is_conflict = num_wanted > 1 && store.CountAt(digest, s) < num_wanted;
        }
      }
      if (is_conflict) in_conflict[claims[c].key_idx] = true;
      has_any |= is_conflict;
    }
    return has_any;
  }

  const GenerationList& list_;
  const std::span<const uint64_t> digests_;
  std::array<uint8_t, kMaxConflictKeys> homes_;
  std::array<Claim, kMaxClaims> claims_;
  size_t num_claims_ = 0;
};

}  // namespace

void MarkEraseConflicts(const ScalableFilter& filter, std::span<const uint64_t> digests,
                        std::span<bool> conflicts) {
  TROMMEL_CHECK(digests.size() <= kMaxConflictKeys, "more keys than there is room for");
  if (digests.empty()) return;
  const auto list = ScalableParts::GenerationsOf(filter).Read();
  EraseClaims claims(*list, digests);
  std::array<bool, kMaxConflictKeys> room;
  const auto found = std::span(room).first(digests.size());
  std::ranges::fill(found, false);
  claims.ClaimForMeeting();
  if (!claims.FindConflicts(found)) return;  // the usual case

  if (list->size() > 1) {
    claims.ClaimForAll();
    std::array<bool, kMaxConflictKeys> has_claimed{};
    for (bool has_new = true; has_new;) {
      has_new = false;
      for (size_t i = 0; i < digests.size(); ++i) {
        if (!found[i] || has_claimed[i]) continue;
        has_claimed[i] = true;
        has_new = true;
        if (!claims.ClaimLater(i)) {
          std::ranges::fill(conflicts, true);
          return;
        }
      }
      if (has_new) claims.FindConflicts(found);
    }
  }
  for (size_t i = 0; i < digests.size(); ++i) {
    if (found[i]) conflicts[i] = true;
  }
}

}  // namespace trommel
