/// @file
/// OneKey, the short way of one key to the blocks of a filter. Filters have one each; programs do
/// not use it by themselves.
#ifndef TROMMEL_ONE_KEY_H_
#define TROMMEL_ONE_KEY_H_

#include <bit>
#include <cstdint>

#include "trommel/digest.h"
#include "trommel/export.h"
#include "trommel/keys.h"

namespace trommel {

namespace kernels {
enum class OneFate : uint8_t;  // kernels/kernels.h
}

/// What a filter does with one key, chosen when the filter is made: how keys become digests, and
/// the kernels of its encoding and of the target in use. A call is then a digest, which for
/// integers under DigestKind::kXxh3 is computed by the caller, and one call by pointer.
///
/// Programs contain what is inline here and in the filters' members of one key: the digest, the
/// order of these data and their place in ImplPtr, the kernels' signature and first two outcomes,
/// how calls are counted, and the layout of Key. A library that a program may run with without
/// being compiled again, which is a patch version, keeps all of that.
class TROMMEL_API OneKey {
 public:
  /// Updates or queries one digest. `blocks` is what the kernel works on.
  using Kernel = kernels::OneFate (*)(uint64_t digest, const void* blocks);

  /// Outcomes of a kernel: the key was inserted, erased or found; nothing was changed, or the key
  /// is absent. Others are for the filter, out of line.
  /// @{
  static constexpr kernels::OneFate kDone{0};
  static constexpr kernels::OneFate kUnchanged{1};
  /// @}

  /// Returns the one that filters have that were moved from: any use ends the program with a
  /// message.
  static OneKey* OfMovedFrom() noexcept;

  /// From now on digests are those of this policy, which must outlive this object.
  void HashBy(const DigestPolicy& policy) noexcept;

  /// Returns whether DigestOf hashes integers without a call.
  bool HashesIntegersHere() const noexcept { return hashes_integers_here_; }

  /// Returns policy(key).
  // By reference: g++ 12 copies a Key as one vector out of the two words it has just stored, which
  // cannot be forwarded, so that each call waits for the cache misses of the one before.
  uint64_t DigestOf(const Key& key) const noexcept {
    if (key.kind() == KeyKind::kDigests) return key.integer();
    if (key.kind() == KeyKind::kInt64 && hashes_integers_here_) [[likely]]
      return Xxh3OfInteger(key.integer(), flip_);
    return hash_(policy_, key);
  }

  /// Returns whether a digest may be in; finish(digest) answers what the kernel leaves.
  template <class Finish>
  bool MayContain(uint64_t digest, const Finish& finish) const noexcept {
    const kernels::OneFate fate = query(digest, blocks);
    if (fate > kUnchanged) [[unlikely]]
      return finish(digest);
    return fate == kDone;
  }

  /// Returns XXH3 (64 bits) of the integer's 8 little-endian bytes. `flip` is FlipOf(seed).
  static constexpr uint64_t Xxh3OfInteger(uint64_t integer, uint64_t flip) noexcept {
    constexpr uint64_t kPrime = 0x9fb21c651e98df25;
    uint64_t mixed = std::rotl(integer, 32) ^ flip;
    mixed ^= std::rotl(mixed, 49) ^ std::rotl(mixed, 24);
    mixed *= kPrime;
    mixed = (mixed ^ ((mixed >> 35) + sizeof(integer))) * kPrime;
    return mixed ^ mixed >> 28;
  }
  /// Returns what XXH3 combines 8 bytes with under this seed: two words of its secret, less the
  /// seed, whose high half is first combined (by exclusive or) with its low half's bytes in reverse
  /// order.
  static constexpr uint64_t FlipOf(uint64_t seed) noexcept {
    constexpr uint64_t kSecret = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;
    const uint64_t low = seed & 0xffffffff;
    const uint64_t reversed =
        low >> 24 | (low >> 8 & 0xff00) | (low & 0xff00) << 8 | (low & 0xff) << 24;
    return kSecret - (seed ^ reversed << 32);
  }

  /// What the kernels work on, and kernels. They end the program until a filter sets them.
  /// @{
  const void* blocks = nullptr;
  Kernel query = &AbortUnset;
  Kernel insert = &AbortUnset;
  Kernel erase = &AbortUnset;
  Kernel insert_if_absent = &AbortUnset;
  /// @}
  uint64_t num_keys = 0;            ///< Insertions less erasures.
  uint64_t num_refused_erases = 0;  ///< Of keys that are certainly absent.

 private:
  using Hash = uint64_t (*)(const DigestPolicy* policy, Key key);

  static kernels::OneFate AbortUnset(uint64_t digest, const void* blocks);
  static uint64_t AbortHash(const DigestPolicy* policy, Key key);

  const DigestPolicy* policy_ = nullptr;
  Hash hash_ = &AbortHash;
  uint64_t flip_ = 0;
  bool hashes_integers_here_ = false;
};

}  // namespace trommel

#endif  // TROMMEL_ONE_KEY_H_
