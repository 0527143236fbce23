// The protocol by which queries of fingerprint blocks run without a lock beside one writer of their
// group, restated in the atomics of Relacy, a model checker. It links nothing of the library.
//
// 64 neighbouring blocks are a *group*, with a version in an array of its own and a lock for its
// writers. Words of blocks and of the overflow line are stored and loaded relaxed, in any order.
//
//   writer, under the lock                      reader of key X, N tries
//   ----------------------                      ------------------------
//   v = version (relaxed)           .---------> before = version (acquire)
//   version = v + 1 (relaxed)       |           slots (relaxed): X or spill mark?   "maybe"
//   release fence ----------------- | --.       line mark: entries (relaxed): X?    "maybe"
//   slots, entries, mark (relaxed)  |   '-----> acquire fence
//   version = v + 2 (release) ------'           after = version (relaxed)
//                                               before == after, and even?          "absent"
//                                               else again; after N tries           "maybe"
//
// The upper arrow: a reader that starts from v + 2 loads no word from before the change. The lower
// one: a reader that has loaded a word of a change finds that the version is no longer v.
//
// Two promises. A key that was inserted before a query (happens-before), and whose erasure has not
// begun, is not answered "absent". A key is answered "absent" in the thread that has erased it, as
// long as nothing else changes.
//
// What Relacy does not search: loads that see stores of the future, which no promise rests on here,
// and values that were replaced more than twice. Its release sequences are those of C++11, which
// include later relaxed stores of the same thread; the arrows above need none.
#ifndef TROMMEL_TESTS_PROTOCOL_GROUP_VERSIONS_MODEL_H_
#define TROMMEL_TESTS_PROTOCOL_GROUP_VERSIONS_MODEL_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "relacy/relacy.hpp"

namespace trommel {

// The rules of the protocol. One of them can be left out, to see whether a key is then lost.
enum class Rule : uint8_t {
  kNone,
  kOddDuringChange,
  kReleaseFence,
  kReleaseStore,
  kAcquireLoad,
  kAcquireFence,
  kSecondLoad,
  kEvenOnly,
  kValidation,
  kLineInside,
  kSlowPathToo,
  kAdvances,
  kGivesUpMaybe,
  kOwnGroup,
  kLock,
  kAbsent,
};

// A word that readers load while a writer stores it. Traces name the caller's line.
class ModelWord {
 public:
  uint32_t Load(const char* function = __builtin_FUNCTION(), const char* file = __builtin_FILE(),
                unsigned line = __builtin_LINE()) const {
    return word_.load(rl::mo_relaxed, rl::debug_info(function, file, line));
  }
  void Store(uint32_t value, const char* function = __builtin_FUNCTION(),
             const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    word_.store(value, rl::mo_relaxed, rl::debug_info(function, file, line));
  }
  // What a load under the lock returns. It is no step of the search.
  uint32_t Latest() const { return word_.debug_value(); }

 private:
  rl::atomic<uint32_t> word_;
};

// What a block's slots say of a key.
enum class Shown : uint8_t { kYes, kNo, kAskLine };

// Locks and versions of two groups. All blocks belong to the first; the second never changes.
class GroupVersions {
 public:
  GroupVersions(Rule left_out, size_t num_tries) : left_out_(left_out), num_tries_(num_tries) {
    for (auto& version : versions_) version.store(0, rl::mo_relaxed, RL_INFO);
  }

  // Calls is_slow() and change() under the lock. Promotion, return and whatever else stores in the
  // line is slow: another function of the library, which could miss the version.
  template <class IsSlow, class Change>
  void Update(const IsSlow& is_slow, const Change& change) {
    if (Keeps(Rule::kLock)) lock_.lock(RL_INFO);
    if (Keeps(Rule::kSlowPathToo) || !is_slow()) {
      UpdateVersioned(change);
    } else {
      change();
    }
    if (Keeps(Rule::kLock)) lock_.unlock(RL_INFO);
  }

  // Returns whether a key may be contained, by what its slots show and whether the line has it.
  template <class ReadSlots, class ReadLine>
  bool MayContain(const ReadSlots& shown_in_slots, const ReadLine& is_in_line) const {
    for (size_t i = 0; i < num_tries_; ++i) {
      const uint32_t before =
          LoadVersion(Keeps(Rule::kAcquireLoad) ? rl::mo_acquire : rl::mo_relaxed);
      const Shown shown = shown_in_slots();
      if (shown == Shown::kYes) return true;
      const bool asks_line = shown == Shown::kAskLine;
      if (asks_line && Keeps(Rule::kLineInside) && is_in_line()) return true;
      if (Keeps(Rule::kAcquireFence)) rl::atomic_thread_fence(rl::mo_acquire, RL_INFO);
      const uint32_t after = Keeps(Rule::kSecondLoad) ? LoadVersion(rl::mo_relaxed) : before;
      if (asks_line && !Keeps(Rule::kLineInside) && is_in_line()) return true;
      const bool is_even = before % 2 == 0 || !Keeps(Rule::kEvenOnly);
      const bool is_valid = (before == after && is_even) || !Keeps(Rule::kValidation);
      if (is_valid && Keeps(Rule::kAbsent)) return false;
    }
    return Keeps(Rule::kGivesUpMaybe);
  }

 private:
  bool Keeps(Rule rule) const { return rule != left_out_; }

  uint32_t LoadVersion(rl::memory_order order) const {
    return versions_[Keeps(Rule::kOwnGroup) ? 0 : 1].load(order, RL_INFO);
  }

  template <class Change>
  void UpdateVersioned(const Change& change) {
    rl::atomic<uint32_t>& version = versions_[0];
    const uint32_t old = version.load(rl::mo_relaxed, RL_INFO);
    if (Keeps(Rule::kOddDuringChange)) version.store(old + 1, rl::mo_relaxed, RL_INFO);
    if (Keeps(Rule::kReleaseFence)) rl::atomic_thread_fence(rl::mo_release, RL_INFO);
    change();
    version.store(Keeps(Rule::kAdvances) ? old + 2 : old,
                  Keeps(Rule::kReleaseStore) ? rl::mo_release : rl::mo_relaxed, RL_INFO);
  }

  Rule left_out_;
  size_t num_tries_;
  rl::mutex lock_;
  std::array<rl::atomic<uint32_t>, 2> versions_;
};

}  // namespace trommel

#endif  // TROMMEL_TESTS_PROTOCOL_GROUP_VERSIONS_MODEL_H_
