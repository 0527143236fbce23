// Subject: the filter under test, behind one interface for all types, so that the threads of a
// round are the same for all of them, and filters with planted faults can take its place.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/stress/plans/mix.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/window_filter.h"

namespace trommel::stress {

// The buckets of a window, by the definition in trommel/window_filter.h. The default describes a
// filter whose keys do not expire: its time is always 0, and bucket 0 never leaves.
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

// The contract is what is tested: any function but Advance in any thread at any time, and Advance
// in one thread. Of filters whose keys do not expire, all times are 0.
class Subject {
 public:
  virtual ~Subject() = default;

  // Insertions return the time of the call, or set it. Erase takes any time of the bucket.
  virtual uint64_t Insert(Keys keys) = 0;
  virtual size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                                std::span<uint64_t> times) = 0;
  virtual WindowEraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) = 0;
  virtual size_t Query(Keys keys, std::span<uint64_t> maybe_present) const = 0;
  virtual size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const = 0;
  virtual void CountEstimates(Keys keys, std::span<uint64_t> counts) const = 0;

  virtual uint64_t InsertOne(Key key) = 0;
  virtual bool InsertOneIfAbsent(Key key, uint64_t* time) = 0;
  virtual bool EraseOne(Key key, uint64_t time) = 0;
  virtual bool MayContain(Key key) const = 0;
  virtual uint64_t CountEstimate(Key key) const = 0;

  virtual Geometry geometry() const = 0;
  virtual uint64_t num_keys() const = 0;
  virtual SubjectStats GetStats() const = 0;
  virtual std::vector<std::byte> Serialize() const = 0;
  // A filter of its own, from a snapshot.
  virtual Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const = 0;
  // An empty filter of the same configuration, which uses the calling thread only.
  virtual Result<std::unique_ptr<Subject>> MakeSequential() const = 0;

  // Keys expire with a window of time.
  virtual bool expires() const { return false; }
  virtual WindowSpan span() const { return {}; }
  virtual uint64_t now() const { return 0; }
  virtual bool Advance(uint64_t) { return false; }

  // The filter grows with its keys. The order of the calls decides when, so that its bytes differ
  // from those of a sequential filter. Generations differ in blocks: no block is of one key only.
  virtual bool grows() const { return false; }
  virtual size_t num_generations() const { return 1; }
  virtual uint64_t num_refused_inserts() const { return 0; }

  // A limit of side memory may refuse any insertion. Only the following insert then, and tell which
  // keys are in.
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

template <class S, class Filter, class... Args>
Result<std::unique_ptr<Subject>> SubjectOf(Result<Filter> filter, Args&&... args) {
  if (!filter.ok()) return filter.error();
  std::unique_ptr<Subject> subject =
      std::make_unique<S>(*std::move(filter), std::forward<Args>(args)...);
  return subject;
}

// Null if the plan has none.
inline Result<std::shared_ptr<Executor>> PlannedExecutor(const RoundPlan& plan) {
  if (plan.executor_threads == 0) return std::shared_ptr<Executor>();
  return Executor::Create(plan.executor_threads);
}

// A filter of the plan's geometry, or else of its config.
inline Result<CountingFilter> MakeCountingFilter(const CountingConfig& config,
                                                 const std::optional<Geometry>& geometry) {
  if (!geometry) return CountingFilter::Create(config);
  Result<CountingFilter> filter =
      CountingFilter::CreateWithGeometry(*geometry, config.digest, config.memory_limit_bytes);
  if (filter.ok()) filter->UseExecutor(config.executor);
  return filter;
}

struct NoMutex {
  void lock() {}
  void unlock() {}
};

// The calls that are the same for all types of filters. `Mutex` guards every call.
template <class Filter, class Mutex = NoMutex>
class FilterSubject : public Subject {
 public:
  explicit FilterSubject(Filter&& filter) : filter_(std::move(filter)) {}

  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return Locked()->Query(keys, maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    return Locked()->Select(keys, answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    Locked()->CountEstimates(keys, counts);
  }
  bool MayContain(Key key) const override { return Locked()->MayContain(key); }
  uint64_t CountEstimate(Key key) const override { return Locked()->CountEstimate(key); }
  uint64_t num_keys() const override { return Locked()->num_keys(); }
  std::vector<std::byte> Serialize() const override { return Locked()->Serialize(); }

 protected:
  // Holds the mutex until the end of the full expression.
  template <class F>
  class Guard {
   public:
    Guard(F& filter, Mutex& mutex) : filter_(filter), mutex_(mutex) { mutex_.lock(); }
    ~Guard() { mutex_.unlock(); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    F* operator->() const { return &filter_; }

   private:
    F& filter_;
    Mutex& mutex_;
  };
  Guard<Filter> Locked() { return {filter_, mutex_}; }
  Guard<const Filter> Locked() const { return {filter_, mutex_}; }

  Filter filter_;
  mutable Mutex mutex_;
};

// A filter of one geometry, whose keys do not expire.
template <class Filter, class Mutex = NoMutex>
class CountingSubject : public FilterSubject<Filter, Mutex> {
 public:
  CountingSubject(Filter&& filter, const CountingConfig& config,
                  const std::optional<Geometry>& geometry = {}, bool may_refuse = false)
      : FilterSubject<Filter, Mutex>(std::move(filter)),
        config_(config),
        geometry_(geometry),
        may_refuse_(may_refuse) {}

  uint64_t Insert(Keys keys) override {
    this->Locked()->Insert(keys);
    return 0;
  }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted, std::span<uint64_t>) override {
    return this->Locked()->InsertIfAbsent(keys, inserted);
  }
  WindowEraseOutcome Erase(Keys keys, uint64_t, std::span<uint64_t> erased) override {
    const EraseOutcome outcome = this->Locked()->Erase(keys, erased);
    return {outcome.num_erased, outcome.num_refused};
  }
  uint64_t InsertOne(Key key) override {
    this->Locked()->Insert(key);
    return 0;
  }
  bool InsertOneIfAbsent(Key key, uint64_t*) override {
    return this->Locked()->InsertIfAbsent(key);
  }
  bool EraseOne(Key key, uint64_t) override { return this->Locked()->Erase(key); }

  bool may_refuse() const override { return may_refuse_; }
  InsertOutcome InsertNoting(Keys keys, std::span<uint64_t> inserted) override {
    return this->Locked()->Insert(keys, inserted);
  }
  InsertOutcome InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                     std::span<uint64_t> refused) override {
    return this->Locked()->InsertIfAbsent(keys, inserted, refused);
  }
  bool InsertOneNoting(Key key) override { return this->Locked()->Insert(key); }

  Geometry geometry() const override { return this->filter_.geometry(); }
  SubjectStats GetStats() const override {
    const Stats stats = this->Locked()->GetStats();
    return {stats, this->Locked()->MeasureFill().fill_ratio, 0, {}};  // locked one after the other
  }
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    return SubjectOf<CountingSubject<CountingFilter>>(CountingFilter::Deserialize(bytes), config_);
  }
  Result<std::unique_ptr<Subject>> MakeSequential() const override {
    CountingConfig config = config_;
    config.executor = nullptr;
    return SubjectOf<CountingSubject<CountingFilter>>(MakeCountingFilter(config, geometry_), config,
                                                      geometry_);
  }

 private:
  const CountingConfig config_;
  const std::optional<Geometry> geometry_;
  const bool may_refuse_;
};

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECTS_SUBJECT_H_
