// The exact model: a multiset, counted the plain way.
#include "support/exact_model.h"

#include <algorithm>

namespace trommel::tests {

bool BitAt(std::span<const uint64_t> bitmap, size_t idx) {
  return ((bitmap[idx / 64] >> (idx % 64)) & 1) != 0;
}

template <class Key>
void ExactModel<Key>::Insert(const Key& key) {
  ++counts_[key];
  ++num_keys_;
}

template <class Key>
void ExactModel<Key>::Insert(std::span<const Key> keys) {
  for (const Key& key : keys) Insert(key);
}

template <class Key>
bool ExactModel<Key>::Erase(const Key& key) {
  const auto found = counts_.find(key);
  if (found == counts_.end()) return false;
  if (--found->second == 0) counts_.erase(found);
  --num_keys_;
  return true;
}

template <class Key>
void ExactModel<Key>::FollowInsertIfAbsent(std::span<const Key> keys,
                                           std::span<const uint64_t> inserted) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (BitAt(inserted, i)) Insert(keys[i]);
  }
}

template <class Key>
uint64_t ExactModel<Key>::FollowErase(std::span<const Key> keys, std::span<const uint64_t> erased) {
  uint64_t num_undetected = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (BitAt(erased, i) && !Erase(keys[i])) ++num_undetected;
  }
  return num_undetected;
}

template <class Key>
void ExactModel<Key>::Clear() {
  counts_.clear();
  num_keys_ = 0;
}

template <class Key>
uint64_t ExactModel<Key>::Count(const Key& key) const {
  const auto found = counts_.find(key);
  return found == counts_.end() ? 0 : found->second;
}

template <class Key>
std::vector<Key> ExactModel<Key>::DistinctKeys() const {
  std::vector<Key> keys;
  keys.reserve(counts_.size());
  for (const auto& entry : counts_) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
}

template <class Key>
uint64_t ExactModel<Key>::NumFalseNegatives(std::span<const Key> keys,
                                            std::span<const uint64_t> maybe_present) const {
  uint64_t num = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (Contains(keys[i]) && !BitAt(maybe_present, i)) ++num;
  }
  return num;
}

template <class Key>
uint64_t ExactModel<Key>::NumFalsePositives(std::span<const Key> keys,
                                            std::span<const uint64_t> maybe_present) const {
  uint64_t num = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!Contains(keys[i]) && BitAt(maybe_present, i)) ++num;
  }
  return num;
}

template <class Key>
uint64_t ExactModel<Key>::NumStrangers(std::span<const Key> keys) const {
  return static_cast<uint64_t>(
      std::count_if(keys.begin(), keys.end(), [this](const Key& key) { return !Contains(key); }));
}

template <class Key>
uint64_t ExactModel<Key>::NumUnderestimated(std::span<const Key> keys,
                                            std::span<const uint64_t> estimates) const {
  uint64_t num = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (estimates[i] < Count(keys[i])) ++num;
  }
  return num;
}

template class ExactModel<uint64_t>;
template class ExactModel<std::string>;

}  // namespace trommel::tests
