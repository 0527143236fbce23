// Digests of keys, in batches and one by one (OneKey). (The other files that use xxHash are
// checksum.cc and projection.cc.)
#include "trommel/digest.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory_resource>
#include <string>

#include "engine/src/base/check.h"
#include "engine/src/keys/key_batches.h"
#include "kernels/kernels.h"
#include "kernels/siphash.h"
#include "kernels/targets.h"
#include "trommel/impl_ptr.h"
#include "trommel/one_key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trommel {
namespace {

void RefuseToHash() {
  TROMMEL_CHECK(false, "this filter takes only the caller's digests (Keys::Digests)");
}

void CheckHasKey(const DigestPolicy& policy) {
  TROMMEL_CHECK(policy.digest_key.is_given(),
                "this filter hashes under a key, and was loaded without it (can_hash tells)");
}

// Requires that the policy is of this kind.
template <DigestKind kKind>
uint64_t HashBytesBy(const DigestPolicy& policy, const void* bytes, size_t num_bytes) {
  if constexpr (kKind == DigestKind::kXxh64) return XXH64(bytes, num_bytes, policy.seed);
  if constexpr (kKind == DigestKind::kXxh3) {
    return XXH3_64bits_withSeed(bytes, num_bytes, policy.seed);
  }
  if constexpr (kKind == DigestKind::kCaller) RefuseToHash();
  CheckHasKey(policy);
  return kernels::SipHash13(policy.digest_key.words(), bytes, num_bytes);
}

// A Key that is not a digest.
template <DigestKind kKind>
uint64_t HashKeyBy(const DigestPolicy* policy, Key key) {
  if (key.kind() == KeyKind::kViews) [[likely]] {
    const std::string_view text = key.bytes();
    return HashBytesBy<kKind>(*policy, text.data() == nullptr ? "" : text.data(), text.size());
  }
  const uint64_t integer = key.integer();  // little-endian, as all machines that we know
  return key.kind() == KeyKind::kInt64 ? HashBytesBy<kKind>(*policy, &integer, sizeof(integer))
                                       : HashBytesBy<kKind>(*policy, &integer, sizeof(uint32_t));
}

using HashKey = uint64_t (*)(const DigestPolicy* policy, Key key);

HashKey HashOf(DigestKind kind) {
  switch (kind) {
    case DigestKind::kXxh64:
      return &HashKeyBy<DigestKind::kXxh64>;
    case DigestKind::kXxh3:
      return &HashKeyBy<DigestKind::kXxh3>;
    case DigestKind::kSipHash:
      return &HashKeyBy<DigestKind::kSipHash>;
    case DigestKind::kCaller:
      break;
  }
  return &HashKeyBy<DigestKind::kCaller>;
}

uint64_t HashBytes(const DigestPolicy& policy, const void* bytes, size_t num_bytes) {
  return HashOf(policy.kind)(&policy,
                             Key(std::string_view(static_cast<const char*>(bytes), num_bytes)));
}

// Calls hash(views, digests) for one chunk of the strings after the other.
template <class T, class Hash>
void HashViews(const T* keys, std::span<uint64_t> digests, const Hash& hash) {
  std::array<kernels::ByteView, kernels::kMaxChunkKeys> views;
  for (size_t first = 0; first < digests.size(); first += views.size()) {
    const size_t num_keys = std::min(views.size(), digests.size() - first);
    for (size_t i = 0; i < num_keys; ++i) {
      const T& key = keys[first + i];
      views[i] = {reinterpret_cast<const unsigned char*>(key.data()), key.size()};
    }
    hash(std::span(views).first(num_keys), digests.subspan(first, num_keys));
  }
}

// Fewer are hashed one after the other: most lanes would be empty. (Lengths of 4 to 40: with 16
// keys lanes take 1.1 times as long, with 32 they take 0.8.)
constexpr size_t kMinKeysForLanes = 32;

template <class T>
void HashStrings(const DigestPolicy& policy, const T* keys, std::span<uint64_t> digests) {
  const kernels::HashKernels& hash = kernels::ActiveKernels().hash;
  if (policy.kind == DigestKind::kSipHash) {
    CheckHasKey(policy);
    return HashViews(keys, digests, [&](auto views, std::span<uint64_t> out) {
      hash.siphash_views(views.data(), views.size(), policy.digest_key.words().data(), out.data());
    });
  }
  if (policy.kind != DigestKind::kXxh3 || hash.xxh3_views == nullptr ||
      digests.size() < kMinKeysForLanes) {
    for (size_t i = 0; i < digests.size(); ++i) {
      digests[i] = HashBytes(policy, keys[i].data(), keys[i].size());
    }
    return;
  }
  HashViews(keys, digests, [&](auto views, std::span<uint64_t> out) {
    std::array<uint16_t, kernels::kMaxChunkKeys> left;
    const size_t num_left =
        hash.xxh3_views(views.data(), views.size(), policy.seed, out.data(), left.data());
    for (size_t i = 0; i < num_left; ++i) {
      const kernels::ByteView& view = views[left[i]];
      out[left[i]] = HashBytes(policy, view.bytes, view.num_bytes);
    }
  });
}

// Integers of one width: their kernels for each kind.
template <class T, class Xxh, class Sip>
void HashIntegers(const DigestPolicy& policy, const void* keys, std::span<uint64_t> digests,
                  const Xxh& xxh64, const Xxh& xxh3, const Sip& siphash) {
  const auto* integers = static_cast<const T*>(keys);
  switch (policy.kind) {
    case DigestKind::kXxh64:
      return xxh64(integers, digests.size(), policy.seed, digests.data());
    case DigestKind::kXxh3:
      return xxh3(integers, digests.size(), policy.seed, digests.data());
    case DigestKind::kSipHash:
      CheckHasKey(policy);
      return siphash(integers, digests.size(), policy.digest_key.words().data(), digests.data());
    case DigestKind::kCaller:
      if (!digests.empty()) RefuseToHash();
  }
}

// Integers of 32 bits as those of 64 bits with the same values.
template <class T>
void HashWidened(const DigestPolicy& policy, const T* keys, std::span<uint64_t> digests) {
  std::array<int64_t, 256> wide;
  for (size_t first = 0; first < digests.size(); first += wide.size()) {
    const size_t num_keys = std::min(wide.size(), digests.size() - first);
    std::copy_n(keys + first, num_keys, wide.begin());
    policy.Digests(std::span(wide).first(num_keys), digests.subspan(first, num_keys));
  }
}

}  // namespace

std::string_view DigestKindName(DigestKind kind) noexcept {
  switch (kind) {
    case DigestKind::kXxh64:
      return "xxh64";
    case DigestKind::kXxh3:
      return "xxh3";
    case DigestKind::kCaller:
      return "caller";
    case DigestKind::kSipHash:
      return "siphash";
  }
  return "unknown";
}

DigestKey::DigestKey(std::span<const std::byte, kNumBytes> bytes) noexcept : is_given_(true) {
  std::memcpy(words_.data(), bytes.data(), kNumBytes);
}

// volatile: compilers drop plain stores to an object that is about to be destroyed.
DigestKey::~DigestKey() {
  for (volatile uint64_t& word : words_) word = 0;
}

DigestPolicy DigestPolicy::Keyed(const DigestKey& key) noexcept {
  TROMMEL_CHECK(key.is_given(), "a keyed policy needs a key");
  constexpr std::string_view kLabel = "trommel digest key check";
  return {.kind = DigestKind::kSipHash,
          .seed = kernels::SipHash13(key.words(), kLabel.data(), kLabel.size()),
          .digest_key = key};
}

bool DigestPolicy::can_hash() const noexcept {
  return kind != DigestKind::kCaller && (kind != DigestKind::kSipHash || digest_key.is_given());
}

uint64_t DigestPolicy::operator()(Key key) const noexcept {
  return key.kind() == KeyKind::kDigests ? key.integer() : HashOf(kind)(this, key);
}

// --- OneKey, and filters that were moved from.

void AbortMovedFrom() noexcept {
  std::fprintf(stderr,
               "trommel: misuse: this filter was moved from: it may only be destroyed or assigned "
               "to\n");
  std::abort();
}

OneKey* OneKey::OfMovedFrom() noexcept {
  static constinit OneKey unset;  // kernels and hash end the program
  return &unset;
}

kernels::OneFate OneKey::AbortUnset(uint64_t /*digest*/, const void* /*blocks*/) {
  AbortMovedFrom();
}

uint64_t OneKey::AbortHash(const DigestPolicy* /*policy*/, Key /*key*/) { AbortMovedFrom(); }

void OneKey::HashBy(const DigestPolicy& policy) noexcept {
  policy_ = &policy;
  hash_ = HashOf(policy.kind);
  hashes_integers_here_ = policy.kind == DigestKind::kXxh3;
  flip_ = FlipOf(policy.seed);
}

static_assert(OneKey::kDone == kernels::OneFate::kDone &&
                  OneKey::kUnchanged == kernels::OneFate::kUnchanged,
              "programs compare with them");

// --- Batches.

void DigestPolicy::Digests(Keys keys, std::span<uint64_t> digests) const noexcept {
  TROMMEL_CHECK(digests.size() == keys.size(), "digests of another size than the keys");
  TROMMEL_CHECK(!ShareBytes(keys.array(), std::as_bytes(digests)), "the digests overlap the keys");
  const kernels::HashKernels& hash = kernels::ActiveKernels().hash;
  switch (keys.kind()) {
    case KeyKind::kDigests: {
      const auto* given = static_cast<const uint64_t*>(keys.data());
      std::copy(given, given + keys.size(), digests.begin());
      return;
    }
    case KeyKind::kInt64:
      return HashIntegers<uint64_t>(*this, keys.data(), digests, hash.xxh64_int64, hash.xxh3_int64,
                                    hash.siphash_int64);
    case KeyKind::kInt32:
      return HashIntegers<uint32_t>(*this, keys.data(), digests, hash.xxh64_int32, hash.xxh3_int32,
                                    hash.siphash_int32);
    case KeyKind::kViews:
      return HashStrings(*this, static_cast<const std::string_view*>(keys.data()), digests);
    case KeyKind::kStrings:
      return HashStrings(*this, static_cast<const std::string*>(keys.data()), digests);
    case KeyKind::kPmrStrings:
      return HashStrings(*this, static_cast<const std::pmr::string*>(keys.data()), digests);
    case KeyKind::kByteSpans:
      return HashStrings(*this, static_cast<const std::span<const std::byte>*>(keys.data()),
                         digests);
    case KeyKind::kInt32Widened:
      return HashWidened(*this, static_cast<const int32_t*>(keys.data()), digests);
    case KeyKind::kUint32Widened:
      return HashWidened(*this, static_cast<const uint32_t*>(keys.data()), digests);
  }
}

}  // namespace trommel
