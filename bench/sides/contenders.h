// The sides of comparisons behind one interface: each does the same operations on the same keys and
// digests. A call handles a whole batch, so the interface costs nothing per key.
#ifndef TROMMEL_BENCH_SIDES_CONTENDERS_H_
#define TROMMEL_BENCH_SIDES_CONTENDERS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/machine/roofline.h"
#include "bench/sides/split_block_filter.h"
#include "bench/sides/textbook_filter.h"
#include "bench/sides/workload.h"
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
  kFetchedInsert,
  kFetchedErase,
  kFetchedQueryHit,
  kFetchedQueryMiss,
};
inline constexpr Op kAllOps[] = {Op::kInsert,        Op::kErase,           Op::kQueryHit,
                                 Op::kQueryMiss,     Op::kPointInsert,     Op::kPointErase,
                                 Op::kPointQueryHit, Op::kPointQueryMiss,  Op::kFetchedInsert,
                                 Op::kFetchedErase,  Op::kFetchedQueryHit, Op::kFetchedQueryMiss};
std::string_view OpName(Op op);  // "insert", "point query miss" ...

// How keys are passed: as a batch; one per call, in a loop; or so, each with its Prefetch some
// calls before.
enum class Form : uint8_t { kBatch, kPoint, kFetched };
inline constexpr size_t kOpsPerForm = 4;

constexpr Form FormOf(Op op) { return static_cast<Form>(static_cast<size_t>(op) / kOpsPerForm); }
// Of all forms the one in batches.
constexpr Op Batched(Op op) { return static_cast<Op>(static_cast<size_t>(op) % kOpsPerForm); }
constexpr bool IsUpdate(Op op) { return Batched(op) == Op::kInsert || Batched(op) == Op::kErase; }

// The random lines that an operation touches: `shape`, `times` times one after the other.
struct Access {
  std::vector<Touch> shape;
  uint32_t times = 1;
};

class Contender {
 public:
  virtual ~Contender() = default;

  virtual std::string_view name() const = 0;
  virtual bool CanDo(Op /*op*/) const { return true; }
  // Hit and miss are the same call.
  virtual void Insert(Batch batch, Form form) = 0;
  virtual uint64_t Erase(Batch batch, Form form) = 0;        // returns how many were erased
  virtual uint64_t Query(Batch batch, Form form) const = 0;  // returns how many may be present

  // Two sides may share a filter; it is filled once for both.
  virtual const void* filter_id() const = 0;
  virtual Access update_access() const = 0;
  virtual Access query_access() const = 0;
  virtual uint64_t num_bytes() const = 0;  // without a side table
  virtual double PredictedFpr(uint64_t num_keys) const = 0;
  // The standard deviation of the share of num_queries non-members that answer "maybe present".
  virtual double FprSigma(uint64_t num_keys, uint64_t num_queries) const = 0;
};

// Sides are made of filters and share them.
std::unique_ptr<Contender> MakeOurs(std::string name, std::shared_ptr<CountingFilter> filter);
std::unique_ptr<Contender> MakeTextbook(std::shared_ptr<TextbookFilter> filter);
std::unique_ptr<Contender> MakeSplitBlock(uint64_t num_blocks);
// A WindowFilter of 8 buckets, all of which hold keys, for num_keys in all. Its clock advances
// while all but a 32nd of them are inserted, so that they are spread evenly over its buckets; later
// keys enter the last one. Ends the program as CreateOrExit does.
std::unique_ptr<Contender> MakeWindow(uint64_t num_keys, double target_fpr);

// An error of sizing or memory ends the program with its message and exit code 3.
std::shared_ptr<CountingFilter> CreateOrExit(const CountingConfig& config);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SIDES_CONTENDERS_H_
