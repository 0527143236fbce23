// Upsert, once for all filters.
#include "trommel/upsert.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/src/base/check.h"
#include "engine/src/keys/key_batches.h"

namespace trommel {
namespace {

bool IsSet(std::span<const uint64_t> bitmap, size_t i) {
  return (bitmap[i / 64] >> (i % 64) & 1) != 0;
}
void Set(std::span<uint64_t> bitmap, size_t i) { bitmap[i / 64] |= uint64_t{1} << (i % 64); }

template <class T>
bool HaveEqualBytes(const Keys& keys, size_t i, size_t j) {
  const auto* all = static_cast<const T*>(keys.data());
  return all[i].size() == all[j].size() && std::ranges::equal(all[i], all[j]);
}

// Are keys i and j equal? Requires that their digests are.
bool AreEqual(const Keys& keys, size_t i, size_t j) {
  switch (keys.kind()) {
    case KeyKind::kInt64:
    case KeyKind::kDigests: {
      const auto* words = static_cast<const uint64_t*>(keys.data());
      return words[i] == words[j];
    }
    case KeyKind::kInt32:
    case KeyKind::kInt32Widened:
    case KeyKind::kUint32Widened: {
      const auto* words = static_cast<const uint32_t*>(keys.data());
      return words[i] == words[j];
    }
    case KeyKind::kViews:
      return HaveEqualBytes<std::string_view>(keys, i, j);
    case KeyKind::kStrings:
      return HaveEqualBytes<std::string>(keys, i, j);
    case KeyKind::kPmrStrings:
      return HaveEqualBytes<std::pmr::string>(keys, i, j);
    case KeyKind::kByteSpans:
      return HaveEqualBytes<std::span<const std::byte>>(keys, i, j);
  }
  return false;
}

// The keys that look present and are the first of their kind in the batch. An earlier key that is
// equal was inserted by this call, or is asked about itself.
std::vector<uint32_t> KeysToAsk(const Keys& keys, std::span<const uint64_t> digests,
                                std::span<const uint64_t> inserted) {
  std::unordered_set<uint64_t> shown;
  for (size_t i = 0; i < digests.size(); ++i) {
    if (!IsSet(inserted, i)) shown.insert(digests[i]);
  }
  // All keys with these digests: equal digests side by side, in input order.
  std::vector<std::pair<uint64_t, uint32_t>> alike;
  for (size_t i = 0; i < digests.size() && !shown.empty(); ++i) {
    if (shown.contains(digests[i])) alike.emplace_back(digests[i], static_cast<uint32_t>(i));
  }
  std::ranges::sort(alike);
  std::vector<uint32_t> asked;
  for (size_t begin = 0; begin < alike.size();) {
    size_t end = begin + 1;
    while (end < alike.size() && alike[end].first == alike[begin].first) ++end;
    for (size_t m = begin; m < end; ++m) {
      const uint32_t i = alike[m].second;
      const auto is_equal = [&](const auto& earlier) { return AreEqual(keys, earlier.second, i); };
      const auto group = std::span(alike).subspan(begin, end - begin);
      const auto is_inserted_equal = [&](const auto& other) {
        return IsSet(inserted, other.second) && AreEqual(keys, other.second, i);
      };
      // A later one is in where an earlier one was refused, and the filter has grown since.
      if (std::ranges::none_of(group, is_inserted_equal) &&
          std::ranges::none_of(group.first(m - begin), is_equal)) {
        asked.push_back(i);
      }
    }
    begin = end;
  }
  std::ranges::sort(asked);
  return asked;
}

// A bit for each key of the batch that the table has.
Result<std::vector<uint64_t>> KeysThatExist(const ExistFunction& exist,
                                            std::span<const uint32_t> asked, size_t num_keys) {
  std::vector<uint64_t> exists(BitmapWords(num_keys));
  if (asked.empty()) return exists;
  const Result<std::vector<uint32_t>> told = exist(asked);
  if (!told) return told.error();
  for (const uint32_t i : *told) {
    TROMMEL_CHECK(
        std::ranges::binary_search(asked, i),
        "an ExistFunction returned what is no index of `asked`: it returns indices of the "
        "batch, not positions in `asked`");
    Set(exists, i);
  }
  return exists;
}

// Erases the keys whose bits are set, and clears the bits. Each is in: erasing it takes no other's
// counts. Needs no memory.
template <class Filter>
void TakeBack(Filter& filter, std::span<const uint64_t> digests, std::span<uint64_t> inserted) {
  for (size_t i = 0; i < digests.size(); ++i) {
    if (IsSet(inserted, i)) filter.Erase(Key::Digest(digests[i]));
  }
  std::ranges::fill(inserted, 0);
}

// Adds what is new to a filter that the absent keys have been inserted into.
template <class Filter>
Result<UpsertOutcome> InsertMissing(Filter& filter, const Keys& keys,
                                    std::span<const uint64_t> digests, const ExistFunction& exist,
                                    std::span<uint64_t> inserted) {
  const std::vector<uint32_t> asked = KeysToAsk(keys, digests, inserted);
  const Result<std::vector<uint64_t>> exists = KeysThatExist(exist, asked, keys.size());
  if (!exists) return exists.error();
  std::vector<uint64_t> missing;
  std::vector<uint32_t> missing_idx;
  for (const uint32_t i : asked) {
    if (IsSet(*exists, i)) continue;
    missing.push_back(digests[i]);
    missing_idx.push_back(i);
  }
  std::vector<uint64_t> taken(BitmapWords(missing.size()));
  const InsertOutcome late = filter.Insert(Keys::Digests(missing), taken);
  for (size_t m = 0; m < missing.size(); ++m) {
    if (IsSet(taken, m)) Set(inserted, missing_idx[m]);
  }
  UpsertOutcome outcome;
  for (size_t i = 0; i < keys.size(); ++i) outcome.num_inserted += uint64_t{IsSet(inserted, i)};
  outcome.num_asked = asked.size();
  outcome.num_existing = asked.size() - missing.size();
  outcome.num_refused = late.num_refused;
  outcome.refusal = late.refusal;
  outcome.num_repeated =
      keys.size() - outcome.num_inserted - outcome.num_existing - outcome.num_refused;
  return outcome;
}

template <class Filter>
Result<UpsertOutcome> UpsertInto(Filter& filter, const Keys& keys, const ExistFunction& exist,
                                 std::span<uint64_t> inserted) {
  CheckBitmap(keys, inserted);
  TROMMEL_CHECK(keys.size() <= UINT32_MAX, "a batch of 2^32 keys or more");
  std::ranges::fill(inserted, 0);
  std::vector<uint64_t> digests(keys.size());
  filter.digest_policy().Digests(keys, digests);
  (void)filter.InsertIfAbsent(Keys::Digests(digests), inserted);
  try {
    Result<UpsertOutcome> outcome = InsertMissing(filter, keys, digests, exist, inserted);
    if (!outcome) TakeBack(filter, digests, inserted);
    return outcome;
  } catch (...) {
    TakeBack(filter, digests, inserted);
    throw;
  }
}

}  // namespace

Result<UpsertOutcome> Upsert(CountingFilter& filter, Keys keys, const ExistFunction& exist,
                             std::span<uint64_t> inserted) {
  return UpsertInto(filter, keys, exist, inserted);
}

Result<UpsertOutcome> Upsert(ConcurrentFilter& filter, Keys keys, const ExistFunction& exist,
                             std::span<uint64_t> inserted) {
  return UpsertInto(filter, keys, exist, inserted);
}

Result<UpsertOutcome> Upsert(ScalableFilter& filter, Keys keys, const ExistFunction& exist,
                             std::span<uint64_t> inserted) {
  return UpsertInto(filter, keys, exist, inserted);
}

}  // namespace trommel
