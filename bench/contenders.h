// The sides of the comparison behind one door: each does the same operations on the same keys and
// digests. A call handles a whole batch, so the door costs nothing a key.
#ifndef TROMMEL_BENCH_CONTENDERS_H_
#define TROMMEL_BENCH_CONTENDERS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/roofline.h"
#include "bench/split_block_filter.h"
#include "bench/textbook_filter.h"
#include "bench/workload.h"
#include "trommel/counting_filter.h"

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

// The random lines an operation touches: `shape` and this as often as `times` says, one after the
// other.
struct Access {
  std::vector<Touch> shape;
  uint32_t times = 1;
};

class Contender {
 public:
  virtual ~Contender() = default;

  virtual std::string_view name() const = 0;
  virtual bool CanDo(Op op) const = 0;
  // The kind tells the point form from the batch form; hit and miss are the same call.
  virtual void Insert(Batch batch, bool point) = 0;
  virtual uint64_t Erase(Batch batch, bool point) = 0;        // returns how many were erased
  virtual uint64_t Query(Batch batch, bool point) const = 0;  // returns how many may be present

  // Two sides may share a filter; whoever fills it, fills it for both.
  virtual const void* filter_id() const = 0;
  virtual Access update_access() const = 0;
  virtual Access query_access() const = 0;
  virtual uint64_t num_bytes() const = 0;  // without a side table
  virtual double PredictedFpr(uint64_t num_keys) const = 0;
  // Of the share of num_queries strangers that answer "maybe present".
  virtual double FprSigma(uint64_t num_keys, uint64_t num_queries) const = 0;
};

// Sides are made of filters and share them. Ours can be handed keys (`hashing`: that is part of the
// work) or digests; the textbook filter has a batch form that prefetches and one that does not.
struct OursOptions {
  Route route = Route::kAutomatic;
  bool hashing = false;
};
std::unique_ptr<Contender> MakeOurs(std::string name, std::shared_ptr<CountingFilter> filter,
                                    OursOptions options = {});
std::unique_ptr<Contender> MakeTextbook(std::shared_ptr<TextbookFilter> filter, bool prefetching);
std::unique_ptr<Contender> MakeSplitBlock(uint64_t num_blocks);

// A filter for a program that cannot do without it: an error of sizing or memory ends the program
// with its message and exit code 3.
std::shared_ptr<CountingFilter> CreateOrExit(const CountingConfig& config);

// The sides of counting_filter_bench; the order of MakeContenders.
enum Side : uint8_t {
  kOurs,
  kOursHashing,
  kTextbook,
  kTextbookUnprefetched,
  kSplitBlock,
  kNumSides
};

// All of them, empty, sized for num_keys at target_fpr; the split-block filter has our blocks. Ends
// the program as CreateOrExit does.
std::vector<std::unique_ptr<Contender>> MakeContenders(uint64_t num_keys, double target_fpr);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_CONTENDERS_H_
