// Subject: the filter under test, of any type. Tests plant faults in it by overriding its calls.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "trommel/any_filter.h"

namespace trommel::stress {

// The buckets of a window, by the definition in trommel/window_filter.h. The
// default describes a filter whose keys do not expire: its time is always 0,
// and bucket 0 never leaves.
struct WindowSpan {
  uint64_t window = 1;
  uint64_t num_buckets = 1;

  uint64_t Bucket(uint64_t tick) const { return tick * num_buckets / window; }
  uint64_t FirstTick(uint64_t bucket) const {
    return (bucket * window + num_buckets - 1) / num_buckets;
  }
  bool IsLive(uint64_t bucket, uint64_t now) const { return Bucket(now) <= bucket + num_buckets; }
};

// Statistics of the whole filter, summed up over its stores.
struct SubjectStats : Stats {
  double fill_ratio = 0;
  uint64_t oldest_bucket = 0;
  std::string fault;  // how the statistics contradict themselves; empty if they do not
};

// How a filter is made. A function may make another filter than it is asked
// for: that is a fault to be found.
using CreateFilter = std::function<Result<AnyFilterPtr>(const Figures& description,
                                                        std::shared_ptr<Executor> executor)>;

struct SubjectOptions {
  Figures description = {};  // what was asked for, whatever `create` makes of it
  CreateFilter create = {};  // of MakeSequential
  bool may_refuse = false;   // it has a limit of side memory
  bool is_locked = false;    // a mutex guards every call: for filters that need one
  uint32_t num_zeros = 0;    // digests are moved right by so many bits
};

// The contract is what is tested: any function but Advance in any thread at any
// time, and Advance in one thread. Of filters whose keys do not expire, all
// times are 0.
class Subject {
 public:
  Subject(AnyFilterPtr filter, SubjectOptions options);
  virtual ~Subject() = default;

  // Insertions return the time of the call, or set it. Erase takes any time of
  // the bucket.
  virtual uint64_t Insert(Keys keys);
  virtual size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t> times);
  virtual EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased);
  virtual size_t Query(Keys keys, std::span<uint64_t> maybe_present) const;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const;
  virtual void CountEstimates(Keys keys, std::span<uint64_t> counts) const;

  uint64_t InsertOne(Key key);
  virtual bool InsertOneIfAbsent(Key key, uint64_t* time);
  bool EraseOne(Key key, uint64_t time);
  bool MayContain(Key key) const;
  uint64_t CountEstimate(Key key) const;

  uint64_t num_blocks() const;
  virtual uint64_t num_keys() const;
  virtual SubjectStats GetStats() const;
  virtual std::vector<std::byte> Serialize() const;
  // A filter of its own, from a snapshot.
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const;
  // An empty filter of the same configuration, which uses the calling thread
  // only.
  Result<std::unique_ptr<Subject>> MakeSequential() const;

  // Keys expire with a window of time.
  bool expires() const { return filter_->expires(); }
  WindowSpan span() const;
  uint64_t now() const { return filter_->now(); }
  bool Advance(uint64_t now);

  // The filter grows with its keys. The order of the calls decides when, so
  // that its bytes differ from those of a sequential filter. No block is of one
  // key only.
  bool grows() const { return filter_->type() == FilterType::kScalable; }
  // The sizes that its largest part has grown to; 1: as new.
  virtual uint64_t num_sizes() const;
  uint64_t num_refused_inserts() const { return num_refused_.load(std::memory_order_relaxed); }

  // A limit of side memory may refuse any insertion. Only the following insert
  // then, and tell which keys are in.
  bool may_refuse() const { return options_.may_refuse; }
  virtual InsertOutcome InsertNoting(Keys keys, std::span<uint64_t> inserted);
  virtual InsertOutcome InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                             std::span<uint64_t> refused);
  virtual bool InsertOneNoting(Key key);

 private:
  // The keys, or their digests where they are to be.
  class Placed;
  Key Place(Key key) const;
  std::unique_lock<std::mutex> Lock() const;
  uint64_t Count(const InsertOutcome& outcome);

  AnyFilterPtr filter_;
  const SubjectOptions options_;
  // Of a filter that grows. It counts them too, but reading its count takes
  // longer.
  std::atomic<uint64_t> num_refused_ = 0;
  mutable std::mutex mutex_;
};

// The filter as a subject, or why there is none.
inline Result<std::unique_ptr<Subject>> SubjectOf(Result<AnyFilterPtr> filter,
                                                  SubjectOptions options) {
  if (!filter.ok()) return filter.error();
  return std::make_unique<Subject>(*std::move(filter), std::move(options));
}

// A new filter of the plan. Fails as its Create and Executor::Create do.
using MakeSubject = std::function<Result<std::unique_ptr<Subject>>(const RoundPlan& plan)>;

// Null if the plan has none.
inline Result<std::shared_ptr<Executor>> PlannedExecutor(const RoundPlan& plan) {
  if (plan.executor_threads == 0) return std::shared_ptr<Executor>();
  return Executor::Create(plan.executor_threads);
}

// The filters that `trommel stress` tests, one function for each type.

Result<std::unique_ptr<Subject>> MakeConcurrentSubject(const RoundPlan& plan);

// A filter that begins without blocks, so that it grows and shrinks many times
// in a round.
Result<std::unique_ptr<Subject>> MakeScalableSubject(const RoundPlan& plan);

// A window drawn from the plan's seed, and its description.
Figures DrawWindow(const RoundPlan& plan);
Result<AnyFilterPtr> CreateWindow(const Figures& description, std::shared_ptr<Executor> executor);
Result<std::unique_ptr<Subject>> MakeWindowSubject(const RoundPlan& plan,
                                                   const CreateFilter& create = CreateWindow);

// The filter of the plan's type.
Result<std::unique_ptr<Subject>> MakeTypedSubject(const RoundPlan& plan);

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
