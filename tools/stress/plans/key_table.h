// KeyTable: the keys of a round by their ids. KeyBatch: some of them as a batch for the filter.
#ifndef TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_
#define TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stress/plans/digest_places.h"
#include "tools/stress/plans/mix.h"
#include "trommel/keys.h"

namespace trommel::stress {

class KeyTable {
 public:
  // Keys that are digests determine their blocks: every fourth block is reserved for the keys raced
  // for, at most one key per block, so that no other key can change anything there. With num_blocks
  // 0, no block is reserved, and none is crowded.
  KeyTable(const RoundPlan& plan, uint64_t num_blocks);

  KeyKind kind() const { return kind_; }
  // Every key raced for has a block of its own: a query finds it if and only if it is in the
  // filter.
  bool has_lone_races() const { return has_lone_races_; }

  Key One(uint32_t id) const;
  std::string Text(uint32_t id) const;

 private:
  friend class KeyBatch;

  KeyKind kind_;
  bool has_lone_races_ = false;
  std::vector<uint64_t> words_;       // integers, digests
  std::vector<std::string> strings_;  // for both kinds of strings
};

class KeyBatch {
 public:
  explicit KeyBatch(const KeyTable& table) : table_(table) {}

  // The result is valid until the next call.
  Keys Gather(std::span<const uint32_t> ids);

 private:
  const KeyTable& table_;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> halves_;
  std::vector<std::string> strings_;
  std::vector<std::string_view> views_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_PLANS_KEY_TABLE_H_
