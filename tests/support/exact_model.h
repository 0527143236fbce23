// The exact model: what a filter approximates. A multiset of keys in a standard hash map, driven by
// the same calls as the filter, and the invariants that the filter's answers must keep.
#ifndef TROMMEL_TESTS_SUPPORT_EXACT_MODEL_H_
#define TROMMEL_TESTS_SUPPORT_EXACT_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace trommel::tests {

// Bit i of a bitmap as batches write it: bit i % 64 of word i / 64.
bool BitAt(std::span<const uint64_t> bitmap, size_t idx);

// Key is uint64_t (keys or digests) or std::string.
template <class Key>
class ExactModel {
 public:
  void Insert(const Key& key);
  void Insert(std::span<const Key> keys);

  // Takes one copy away; false, and nothing changes, if the key is not in.
  bool Erase(const Key& key);

  // Follows what a filter did. InsertIfAbsent: the keys whose bit is set came in. Erase: of the
  // keys whose bit is set one copy went; returns how many of these were not in, erased undetected
  // (0 for callers that keep the contract).
  void FollowInsertIfAbsent(std::span<const Key> keys, std::span<const uint64_t> inserted);
  uint64_t FollowErase(std::span<const Key> keys, std::span<const uint64_t> erased);

  void Clear();

  uint64_t Count(const Key& key) const;  // 0: not in
  bool Contains(const Key& key) const { return Count(key) != 0; }
  uint64_t num_keys() const { return num_keys_; }  // copies count
  uint64_t num_distinct() const { return counts_.size(); }
  std::vector<Key> DistinctKeys() const;  // ascending

  // The first invariant of a filter: how many of `keys` are in but were answered "absent". Must be
  // 0.
  uint64_t NumFalseNegatives(std::span<const Key> keys,
                             std::span<const uint64_t> maybe_present) const;
  // How many of `keys` are not in but were answered "maybe present", and how many are not in.
  uint64_t NumFalsePositives(std::span<const Key> keys,
                             std::span<const uint64_t> maybe_present) const;
  uint64_t NumStrangers(std::span<const Key> keys) const;
  // How many of `keys` got an estimate below their count. Must be 0.
  uint64_t NumUnderestimated(std::span<const Key> keys, std::span<const uint64_t> estimates) const;

 private:
  std::unordered_map<Key, uint64_t> counts_;  // no zero counts
  uint64_t num_keys_ = 0;
};

extern template class ExactModel<uint64_t>;
extern template class ExactModel<std::string>;

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_EXACT_MODEL_H_
