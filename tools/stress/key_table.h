// KeyTable: the keys of a round by their ids. KeyBatch: some of them as the filter takes them.
#ifndef TROMMEL_TOOLS_STRESS_KEY_TABLE_H_
#define TROMMEL_TOOLS_STRESS_KEY_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/stress/mix.h"
#include "trommel/keys.h"

namespace trommel::stress {

class KeyTable {
 public:
  // Where the caller chooses the blocks (digests), every fourth block is kept for the keys raced
  // for, at most one each: no other key can set a bit there. num_blocks 0: no block can be kept.
  KeyTable(const RoundPlan& plan, uint64_t num_blocks);

  KeyKind kind() const { return kind_; }
  // Every key raced for has a block of its own: it is present if and only if it is in.
  bool has_lone_races() const { return has_lone_races_; }

  Key One(uint32_t id) const;
  std::string Text(uint32_t id) const;  // for people

 private:
  friend class KeyBatch;

  KeyKind kind_;
  bool has_lone_races_ = false;
  std::vector<uint64_t> words_;       // integers, digests
  std::vector<std::string> strings_;  // for both kinds of strings
};

// A digest that falls into this block, otherwise random.
uint64_t DigestInBlock(uint64_t block, uint64_t num_blocks, Random& random);

class KeyBatch {
 public:
  explicit KeyBatch(const KeyTable& table) : table_(table) {}

  // These keys; valid until the next call.
  Keys Gather(std::span<const uint32_t> ids);

 private:
  const KeyTable& table_;
  std::vector<uint64_t> words_;
  std::vector<uint32_t> halves_;
  std::vector<std::string> strings_;
  std::vector<std::string_view> views_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_KEY_TABLE_H_
