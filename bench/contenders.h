// The sides of the comparison behind one door: each does the same operations on the same keys and
// digests. A call handles a whole batch, so the door costs nothing a key.
#ifndef TROMMEL_BENCH_CONTENDERS_H_
#define TROMMEL_BENCH_CONTENDERS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/workload.h"

namespace trommel::bench {

enum class Op : uint8_t {
  kInsert,
  kErase,
  kQueryHit,
  kQueryMiss,
  kPointInsert,
  kPointErase,
  kPointQueryHit,
  kPointQueryMiss,
};
inline constexpr Op kAllOps[] = {Op::kInsert,        Op::kErase,         Op::kQueryHit,
                                 Op::kQueryMiss,     Op::kPointInsert,   Op::kPointErase,
                                 Op::kPointQueryHit, Op::kPointQueryMiss};
std::string_view OpName(Op op);  // "insert", "point query miss" ...

constexpr bool IsPoint(Op op) { return op >= Op::kPointInsert; }
constexpr bool IsUpdate(Op op) {
  return op == Op::kInsert || op == Op::kErase || op == Op::kPointInsert || op == Op::kPointErase;
}

class Contender {
 public:
  virtual ~Contender() = default;

  virtual std::string_view name() const = 0;
  virtual bool CanDo(Op op) const = 0;
  // The kind tells the point form from the batch form; hit and miss are the same call.
  virtual void Insert(Batch batch, bool point) = 0;
  virtual uint64_t Erase(Batch batch, bool point) = 0;        // returns how many were erased
  virtual uint64_t Query(Batch batch, bool point) const = 0;  // returns how many may be present

  virtual uint64_t num_bytes() const = 0;
  virtual double PredictedFpr(uint64_t num_keys) const = 0;
  // Of the share of num_queries strangers that answer "maybe present".
  virtual double FprSigma(uint64_t num_keys, uint64_t num_queries) const = 0;
};

// Which side is which; the order of MakeContenders.
enum Side : uint8_t {
  kOurs,
  kOursHashing,
  kTextbook,
  kTextbookUnprefetched,
  kSplitBlock,
  kNumSides
};

// All sides, empty, sized for num_keys at target_fpr; the split-block filter has our blocks.
// kOursHashing shares its filter with kOurs, the two textbooks share theirs: insert through one of
// each only. An error of sizing or memory ends the program with its message and exit code 3.
std::vector<std::unique_ptr<Contender>> MakeContenders(uint64_t num_keys, double target_fpr);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_CONTENDERS_H_
