// The specification of a shard of a growing store (engine/src/growing/growing_store.h): a map from
// values to counts, changed key by key. Of few keys, from whole digests.
#ifndef TROMMEL_TESTS_SUPPORT_VALUE_MODEL_H_
#define TROMMEL_TESTS_SUPPORT_VALUE_MODEL_H_

#include <cstdint>
#include <map>
#include <utility>

#include "engine/src/growing/shard_contents.h"

namespace trommel::tests {

class ValueModel {
 public:
  // With so many distinct digests it keeps values from then on, until it is empty; 0: at any time.
  ValueModel(uint32_t value_bits, uint64_t max_digests)
      : value_bits_(value_bits), max_digests_(max_digests), keeps_digests_(max_digests > 0) {}

  void Insert(uint64_t digest) {
    counts_[KeyOf(digest)] += 1;
    num_keys_ += 1;
    if (keeps_digests_ && counts_.size() >= max_digests_) BecomeValues();
  }
  bool InsertIfAbsent(uint64_t digest) {
    if (CountOf(digest) > 0) return false;
    Insert(digest);
    return true;
  }
  bool Erase(uint64_t digest) {
    const auto at = counts_.find(KeyOf(digest));
    if (at == counts_.end()) return false;
    num_keys_ -= 1;
    if (--at->second == 0) counts_.erase(at);
    if (counts_.empty()) keeps_digests_ = max_digests_ > 0;
    return true;
  }
  // Digests stay where both are few.
  void Merge(ValueModel other) {
    const bool are_digests = keeps_digests_ && other.keeps_digests_ &&
                             counts_.size() + other.counts_.size() <= max_digests_;
    if (!are_digests && keeps_digests_) BecomeValues();
    if (!are_digests && other.keeps_digests_) other.BecomeValues();
    for (const auto& [key, count] : other.counts_) counts_[key] += count;
    num_keys_ += other.num_keys_;
    if (counts_.empty()) keeps_digests_ = max_digests_ > 0;
  }

  uint64_t CountOf(uint64_t digest) const {
    const auto at = counts_.find(KeyOf(digest));
    return at == counts_.end() ? 0 : at->second;
  }
  uint64_t num_distinct() const { return counts_.size(); }
  uint64_t num_keys() const { return num_keys_; }
  bool keeps_digests() const { return keeps_digests_; }
  ShardContents Contents() const {
    ShardContents contents{.keeps_digests = keeps_digests_, .keys = {}, .further = {}};
    for (const auto& [key, count] : counts_) {
      contents.keys.push_back(key);
      if (count > 1) contents.further.push_back({key, count - 1});
    }
    return contents;
  }

 private:
  // A digest's 58 bits behind the shard's and a 1, or the first of them.
  uint64_t KeyOf(uint64_t digest) const {
    return keeps_digests_ ? digest << 6 | 32 : digest << 6 >> (64 - value_bits_);
  }
  void BecomeValues() {
    std::map<uint64_t, uint64_t> values;
    for (const auto& [digest, count] : counts_) values[digest >> (64 - value_bits_)] += count;
    counts_ = std::move(values);
    keeps_digests_ = false;
  }

  uint32_t value_bits_;
  uint64_t max_digests_;
  bool keeps_digests_;
  std::map<uint64_t, uint64_t> counts_;
  uint64_t num_keys_ = 0;
};

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_VALUE_MODEL_H_
