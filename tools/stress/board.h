// Board: the exact model of a round: what threads know for certain of each other's keys.
//
// Nothing here is guessed from time: a thread may be stopped for seconds between any two lines.
//
//   own keys    Each has one writer. It posts "n copies are in" after inserting them, and withdraws
//               one before it begins to erase one; each withdrawal starts a new epoch of the key.
//               A reader that finds the same epoch before and after its call knows that the copies
//               posted before were in all the while.
//   hot keys    A token is the right to erase one copy, and the certainty that it is in. Inserting
//               makes tokens; whoever holds one, reader or writer, takes it from the board.
//   races       Each has epochs: all writers call InsertIfAbsent once, in any order and whenever
//               they come by, and the last of them counts who was told "new", erases the key and
//               opens the next epoch. Nobody waits.
//
// Every access but a first look is a read-modify-write with acquire and release. So a reader's
// second look either happened before the withdrawal, and then its call saw nothing of the erasure,
// or it sees the new epoch (Boehm, "Can seqlocks get along with programming language memory
// models?": read-don't-modify-write).
#ifndef TROMMEL_TOOLS_STRESS_BOARD_H_
#define TROMMEL_TOOLS_STRESS_BOARD_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tools/stress/key_table.h"
#include "tools/stress/mix.h"
#include "tools/stress/subject.h"
#include "tools/stress/witness.h"

namespace trommel::stress {

// What is known of one of a writer's own keys.
class Claim {
 public:
  struct Known {
    uint64_t epoch = 0;
    uint64_t count = 0;  // at least so many copies are in
  };

  // The owner only: after inserting, and before erasing, one copy.
  void Post() { word_.fetch_add(1, std::memory_order_acq_rel); }
  void Withdraw() { word_.fetch_add(kEpoch - 1, std::memory_order_acq_rel); }

  Known Look() const { return Of(word_.load(std::memory_order_acquire)); }
  // Whether what was known before a call held until now.
  bool StillHolds(const Known& known) {
    return Of(word_.fetch_add(0, std::memory_order_acq_rel)).epoch == known.epoch;
  }

 private:
  static constexpr uint64_t kEpoch = uint64_t{1} << 24;
  static Known Of(uint64_t word) { return {word / kEpoch, word % kEpoch}; }

  std::atomic<uint64_t> word_ = 0;
};

class alignas(64) Tokens {
 public:
  void Put(uint64_t n) { num_.fetch_add(n, std::memory_order_acq_rel); }
  // Up to max tokens; how many there were.
  uint64_t Take(uint64_t max) {
    uint64_t seen = num_.load(std::memory_order_relaxed);
    while (!num_.compare_exchange_weak(seen, seen - std::min(seen, max), std::memory_order_acq_rel,
                                       std::memory_order_relaxed)) {
    }
    return std::min(seen, max);
  }
  uint64_t count() const { return num_.load(std::memory_order_acquire); }

 private:
  std::atomic<uint64_t> num_ = 0;
};

struct alignas(64) Race {
  std::atomic<uint32_t> epoch = 0;
  std::atomic<uint32_t> num_told_new = 0;
  std::atomic<uint32_t> num_arrived = 0;  // writers that called in this epoch
};

struct Board : RoundState {
  Board(const RoundPlan& round_plan, Subject& round_subject)
      : plan(round_plan),
        subject(round_subject),
        bytes_as_new(round_subject.Serialize()),
        keys(round_plan, round_subject.grows() ? 0 : round_subject.geometry().num_blocks),
        claims(std::make_unique<Claim[]>(round_plan.num_private())),
        tokens(std::make_unique<Tokens[]>(round_plan.mix.num_hot)),
        races(std::make_unique<Race[]>(round_plan.mix.num_races)) {}

  const RoundPlan& plan;
  Subject& subject;
  const std::vector<std::byte> bytes_as_new;
  const KeyTable keys;
  const std::unique_ptr<Claim[]> claims;  // by id
  const std::unique_ptr<Tokens[]> tokens;
  const std::unique_ptr<Race[]> races;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_BOARD_H_
