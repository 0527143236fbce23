// Subject: the filter under test, behind one interface for all types, so that
// the threads of a round are the same for all of them, and filters with planted
// faults can take its place.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"

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

// The contract is what is tested: any function but Advance in any thread at any
// time, and Advance in one thread. Of filters whose keys do not expire, all
// times are 0.
class Subject {
 public:
  virtual ~Subject() = default;

  // Insertions return the time of the call, or set it. Erase takes any time of
  // the bucket.
  virtual uint64_t Insert(Keys keys) = 0;
  virtual size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                std::span<uint64_t> times) = 0;
  virtual EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) = 0;
  virtual size_t Query(Keys keys, std::span<uint64_t> maybe_present) const = 0;
  virtual size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const = 0;
  virtual void CountEstimates(Keys keys, std::span<uint64_t> counts) const = 0;

  virtual uint64_t InsertOne(Key key) = 0;
  virtual bool InsertOneIfAbsent(Key key, uint64_t* time) = 0;
  virtual bool EraseOne(Key key, uint64_t time) = 0;
  virtual bool MayContain(Key key) const = 0;
  virtual uint64_t CountEstimate(Key key) const = 0;

  virtual uint64_t num_blocks() const = 0;
  virtual uint64_t num_keys() const = 0;
  virtual SubjectStats GetStats() const = 0;
  virtual std::vector<std::byte> Serialize() const = 0;
  // A filter of its own, from a snapshot.
  virtual Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const = 0;
  // An empty filter of the same configuration, which uses the calling thread
  // only.
  virtual Result<std::unique_ptr<Subject>> MakeSequential() const = 0;

  // Keys expire with a window of time.
  virtual bool expires() const { return false; }
  virtual WindowSpan span() const { return {}; }
  virtual uint64_t now() const { return 0; }
  virtual bool Advance(uint64_t) { return false; }

  // The filter grows with its keys. The order of the calls decides when, so
  // that its bytes differ from those of a sequential filter. No block is of one
  // key only.
  virtual bool grows() const { return false; }
  // The sizes that its largest part has grown to; 1: as new.
  virtual uint64_t num_sizes() const { return 1; }
  virtual uint64_t num_refused_inserts() const { return 0; }

  // A limit of side memory may refuse any insertion. Only the following insert
  // then, and tell which keys are in.
  virtual bool may_refuse() const { return false; }
  virtual InsertOutcome InsertNoting(Keys, std::span<uint64_t> /*inserted*/) { return {}; }
  virtual InsertOutcome InsertIfAbsentNoting(Keys, std::span<uint64_t> /*inserted*/,
                                             std::span<uint64_t> /*refused*/) {
    return {};
  }
  virtual bool InsertOneNoting(Key) { return false; }
};

// A new filter of the plan. Fails as its Create and Executor::Create do.
using MakeSubject = std::function<Result<std::unique_ptr<Subject>>(const RoundPlan& plan)>;

// Null if the plan has none.
inline Result<std::shared_ptr<Executor>> PlannedExecutor(const RoundPlan& plan) {
  if (plan.executor_threads == 0) return std::shared_ptr<Executor>();
  return Executor::Create(plan.executor_threads);
}

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
