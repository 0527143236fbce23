#include "engine/c/src/batch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <string>

#include "engine/c/src/failures.h"
#include "engine/c/src/structs.h"
#include "trommel/c.h"
#include "trommel/digest.h"
#include "trommel/keys.h"

namespace trommel::c_abi {
namespace {

constexpr size_t kDigestChunkKeys = 2048;                 // copies of a chunk stay in L1
constexpr size_t kDigestTaskKeys = 8 * kDigestChunkKeys;  // of one thread

template <class T>
T LoadAt(const void* array, size_t i) noexcept {
  T value;
  std::memcpy(&value, static_cast<const std::byte*>(array) + i * sizeof(T), sizeof(T));
  return value;
}

bool IsAligned(const void* pointer, size_t alignment) noexcept {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

// Are all bytes of so many integers at addresses that there can be? Then no sum of pointers wraps.
bool IsWithinMemory(const void* data, int64_t stride, int64_t num_keys, int64_t key_size) noexcept {
  constexpr int64_t kMostBytes = int64_t{1} << 56;  // no program has as many addresses
  const int64_t limit = kMostBytes / std::max<int64_t>(num_keys, 1);
  if (stride > limit || stride < -limit) return false;
  const auto address = reinterpret_cast<uintptr_t>(data);
  const int64_t last = stride * std::max<int64_t>(num_keys - 1, 0);
  if (last < 0) return address >= static_cast<uintptr_t>(-last);
  return UINTPTR_MAX - address >= static_cast<uintptr_t>(last) + static_cast<uintptr_t>(key_size);
}

size_t IntegerSize(int32_t kind) noexcept {
  return kind == TROMMEL_KEYS_INT32 ? sizeof(uint32_t) : sizeof(uint64_t);
}

void CheckCanHash(const DigestPolicy& policy) {
  if (policy.can_hash()) return;
  ThrowInvalid(policy.kind == DigestKind::kCaller
                   ? "the filter's digests are the caller's own; pass digests as keys"
                   : "the filter was loaded without its secret key; load it with the key, or pass "
                     "digests as keys");
}

}  // namespace

bool ShareBytes(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  constexpr std::less<> kBefore;
  return !a.empty() && !b.empty() && kBefore(a.data(), b.data() + b.size()) &&
         kBefore(b.data(), a.data() + a.size());
}

Batch::Batch(const trommel_keys* keys, const DigestPolicy& policy, Executor* executor,
             std::string_view name)
    : keys_(Read(keys, name)), policy_(policy), executor_(executor) {
  const std::string prefix(name);
  if (keys_.kind < TROMMEL_KEYS_INT64 || keys_.kind > TROMMEL_KEYS_SLICES) {
    ThrowInvalid(prefix + ".kind is " + std::to_string(keys_.kind) +
                 "; it must be between 1 and 6 (TROMMEL_KEYS_*)");
  }
  if (keys_.num_keys < 0 || keys_.num_keys > (int64_t{1} << 56)) {
    ThrowInvalid(prefix + ".num_keys is " + std::to_string(keys_.num_keys) +
                 "; it must be between 0 and 2^56");
  }
  const bool has_offsets = keys_.kind == TROMMEL_KEYS_BYTES32 || keys_.kind == TROMMEL_KEYS_BYTES64;
  const bool is_integer = !has_offsets && keys_.kind != TROMMEL_KEYS_SLICES;
  if (!is_integer && keys_.stride != 0) ThrowInvalid(prefix + ".stride is of integers and digests");
  if (is_integer) {
    const auto key_size = static_cast<int64_t>(IntegerSize(keys_.kind));
    // Of one key there is no next one.
    if (keys_.stride == 0 || keys_.num_keys < 2) keys_.stride = key_size;
    if (!IsWithinMemory(keys_.data, keys_.stride, keys_.num_keys, key_size)) {
      ThrowInvalid(prefix + ".stride is " + std::to_string(keys_.stride) +
                   "; the keys would lie outside of memory");
    }
  }
  if (keys_.num_bytes < 0) {
    ThrowInvalid(prefix + ".num_bytes is " + std::to_string(keys_.num_bytes) +
                 "; it must not be negative");
  }
  if (keys_.kind != TROMMEL_KEYS_DIGESTS && keys_.num_keys > 0) CheckCanHash(policy);
  if (keys_.num_keys == 0) return;
  if (has_offsets) {
    Required(static_cast<const std::byte*>(keys_.offsets), prefix + ".offsets");
  } else {
    Required(static_cast<const std::byte*>(keys_.data), prefix + ".data");
  }
  if (!is_integer) CheckBytes(name);
}

void Batch::CheckBytes(std::string_view name) {
  const std::string prefix(name);
  if (keys_.kind == TROMMEL_KEYS_SLICES) {
    for (size_t i = 0; i < size(); ++i) {
      const auto slice = LoadAt<trommel_slice>(keys_.data, i);
      if (slice.size < 0 || (slice.size > 0 && slice.data == nullptr)) {
        ThrowInvalid(prefix + ": slice " + std::to_string(i) +
                     (slice.size < 0 ? " has size " + std::to_string(slice.size) : " is NULL"));
      }
    }
    return;
  }
  for (size_t i = 0; i <= size(); ++i) {
    const int64_t offset = OffsetOf(i);
    if (offset < last_offset_) {
      ThrowInvalid(prefix + ": offset " + std::to_string(i) + " is " + std::to_string(offset) +
                   "; it must not be less than " + std::to_string(last_offset_));
    }
    if (i == 0) first_offset_ = offset;
    last_offset_ = offset;
  }
  if (last_offset_ > first_offset_ && keys_.data == nullptr) ThrowInvalid(prefix + ".data is NULL");
  if (keys_.num_bytes != 0 && last_offset_ > keys_.num_bytes) {
    ThrowInvalid(prefix + ": the last offset is " + std::to_string(last_offset_) +
                 "; it must be at most " + std::to_string(keys_.num_bytes) + " (num_bytes)");
  }
}

int64_t Batch::OffsetOf(size_t i) const noexcept {
  return keys_.kind == TROMMEL_KEYS_BYTES32 ? LoadAt<int32_t>(keys_.offsets, i)
                                            : LoadAt<int64_t>(keys_.offsets, i);
}

template <class T>
void Batch::CopyIntegers(size_t first, std::span<T> copies) const noexcept {
  const auto* data = static_cast<const std::byte*>(keys_.data);
  for (size_t i = 0; i < copies.size(); ++i) {
    std::memcpy(&copies[i], data + keys_.stride * static_cast<int64_t>(first + i), sizeof(T));
  }
}
template void Batch::CopyIntegers(size_t, std::span<int32_t>) const noexcept;
template void Batch::CopyIntegers(size_t, std::span<uint64_t>) const noexcept;

std::string_view Batch::BytesOfKey(size_t i) const noexcept {
  if (keys_.kind == TROMMEL_KEYS_SLICES) {
    const auto slice = LoadAt<trommel_slice>(keys_.data, i);
    if (slice.size <= 0 || slice.data == nullptr) return {};  // were checked: written to meanwhile
    return {static_cast<const char*>(slice.data), static_cast<size_t>(slice.size)};
  }
  // Within the bytes that were checked, whatever was written to the offsets meanwhile.
  const int64_t begin = std::clamp(OffsetOf(i), first_offset_, last_offset_);
  const int64_t end = std::clamp(OffsetOf(i + 1), begin, last_offset_);
  if (begin == end) return {};  // wherever that is: there may be no bytes at all
  return {static_cast<const char*>(keys_.data) + begin, static_cast<size_t>(end - begin)};
}

void CheckEntries(const void* entries, int64_t num_entries, size_t num_wanted, size_t num_keys,
                  size_t alignment, std::string_view name) {
  const std::string prefix(name);
  if (num_entries < 0 || static_cast<uint64_t>(num_entries) != num_wanted) {
    ThrowInvalid(prefix + " has " + std::to_string(num_entries) + " entries; it must have " +
                 std::to_string(num_wanted) + " for " + std::to_string(num_keys) + " keys");
  }
  if (num_wanted == 0) return;  // an empty array may be NULL
  Required(static_cast<const std::byte*>(entries), name);
  if (!IsAligned(entries, alignment)) {
    ThrowInvalid(prefix + " is not aligned to " + std::to_string(alignment) + " bytes");
  }
}

void Batch::CheckApart(std::span<const std::byte> output, std::string_view name) const {
  if (size() == 0) return;
  const auto* data = static_cast<const std::byte*>(keys_.data);
  std::span<const std::byte> offsets;
  std::span<const std::byte> input;
  if (keys_.kind == TROMMEL_KEYS_SLICES) {
    input = {data, size() * sizeof(trommel_slice)};
  } else if (keys_.kind > TROMMEL_KEYS_DIGESTS) {
    const size_t offset_size = keys_.kind == TROMMEL_KEYS_BYTES32 ? 4 : 8;
    offsets = {static_cast<const std::byte*>(keys_.offsets), (size() + 1) * offset_size};
    if (first_offset_ != last_offset_) input = {data + first_offset_, data + last_offset_};
  } else {
    const int64_t last = keys_.stride * (keys_.num_keys - 1);
    input = {data + std::min<int64_t>(last, 0),
             data + std::max<int64_t>(last, 0) + IntegerSize(keys_.kind)};
  }
  if (ShareBytes(input, output) || ShareBytes(offsets, output)) {
    ThrowInvalid(std::string(name) + " overlaps the keys");
  }
}

bool Batch::InPlace() const noexcept {
  if (keys_.kind > TROMMEL_KEYS_DIGESTS) return false;
  const size_t key_size = IntegerSize(keys_.kind);
  return size() == 0 ||
         (static_cast<size_t>(keys_.stride) == key_size && IsAligned(keys_.data, key_size));
}

Keys Batch::View() const noexcept {
  if (keys_.kind == TROMMEL_KEYS_INT32) {
    return Keys::Int32(std::span(static_cast<const int32_t*>(keys_.data), size()));
  }
  const std::span words(static_cast<const uint64_t*>(keys_.data), size());
  return keys_.kind == TROMMEL_KEYS_DIGESTS ? Keys::Digests(words) : Keys(words);
}

void Batch::Digests(size_t first, std::span<uint64_t> digests) const {
  const size_t num_tasks = (digests.size() + kDigestTaskKeys - 1) / kDigestTaskKeys;
  const auto task = [&](size_t task_idx) {
    const size_t begin = task_idx * kDigestTaskKeys;
    const size_t end = std::min(begin + kDigestTaskKeys, digests.size());
    for (size_t i = begin; i < end; i += kDigestChunkKeys) {
      DigestChunk(first + i, digests.subspan(i, std::min(kDigestChunkKeys, end - i)));
    }
  };
  if (executor_ != nullptr && num_tasks > 1) {
    executor_->ForEach(num_tasks, task);
  } else {
    for (size_t i = 0; i < num_tasks; ++i) task(i);
  }
}

void Batch::DigestChunk(size_t first, std::span<uint64_t> digests) const noexcept {
  const size_t num_keys = digests.size();
  if (keys_.kind > TROMMEL_KEYS_DIGESTS) {
    // Few at a time: a view is zeroed before it is set, which of 32 KB takes longer than one key.
    std::array<std::string_view, 128> views;
    for (size_t done = 0; done < num_keys; done += views.size()) {
      const size_t num_views = std::min(views.size(), num_keys - done);
      for (size_t i = 0; i < num_views; ++i) views[i] = BytesOfKey(first + done + i);
      policy_.Digests(Keys(std::span(views.data(), num_views)), digests.subspan(done, num_views));
    }
    return;
  }
  if (keys_.kind == TROMMEL_KEYS_DIGESTS) {
    CopyIntegers(first, digests);
  } else if (InPlace()) {
    policy_.Digests(View().Subspan(first, num_keys), digests);
  } else if (keys_.kind == TROMMEL_KEYS_INT32) {
    std::array<int32_t, kDigestChunkKeys> integers;
    CopyIntegers(first, std::span(integers).first(num_keys));
    policy_.Digests(Keys::Int32(std::span<const int32_t>(integers.data(), num_keys)), digests);
  } else {
    std::array<uint64_t, kDigestChunkKeys> integers;
    CopyIntegers(first, std::span(integers).first(num_keys));
    policy_.Digests(Keys(std::span(integers.data(), num_keys)), digests);
  }
}

Key KeyOf(trommel_key key, const DigestPolicy& policy) {
  if (key.size == -3) return Key::Digest(key.word);
  CheckCanHash(policy);
  if (key.size == -1) return {key.word};
  if (key.size == -2) return Key::Int32(static_cast<uint32_t>(key.word));
  if (key.size < 0) ThrowInvalid("the key has a negative size");
  const auto* bytes = reinterpret_cast<const char*>(static_cast<uintptr_t>(key.word));
  if (key.size > 0) Required(bytes, "the key");
  return std::string_view(bytes, static_cast<size_t>(key.size));
}

}  // namespace trommel::c_abi
