// Subject: the filter under stress, seen through one door, so that filters with planted faults can
// stand in its place.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "trommel/counting_filter.h"
#include "trommel/keys.h"
#include "trommel/result.h"

namespace trommel::stress {

// As ConcurrentFilter, whose contract is what is tested: any function in any thread at any time.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual void Insert(Keys keys) = 0;
  virtual size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) = 0;
  virtual EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) = 0;
  virtual size_t Query(Keys keys, std::span<uint64_t> maybe_present) const = 0;
  virtual size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const = 0;
  virtual void CountEstimates(Keys keys, std::span<uint64_t> counts) const = 0;

  virtual void InsertOne(Key key) = 0;
  virtual bool InsertOneIfAbsent(Key key) = 0;
  virtual bool EraseOne(Key key) = 0;
  virtual bool MayContain(Key key) const = 0;
  virtual uint64_t CountEstimate(Key key) const = 0;

  virtual Geometry geometry() const = 0;
  virtual uint64_t num_keys() const = 0;
  virtual Stats GetStats() const = 0;
  virtual std::vector<std::byte> Serialize() const = 0;
  // A snapshot as a filter of its own.
  virtual Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const;

  // It grows with its keys. When depends on who comes first, so its bytes are no sequential
  // filter's; and each generation has other blocks, so that none is one key's alone.
  virtual bool grows() const { return false; }
  virtual size_t num_generations() const { return 1; }
  // Keys that could not come in, for want of room.
  virtual uint64_t num_refused_inserts() const { return 0; }
};

// A new filter; with executor_threads > 0 it gets an executor of so many threads.
using MakeSubject = std::function<Result<std::unique_ptr<Subject>>(const CountingConfig& config,
                                                                   uint32_t executor_threads)>;

// Any filter class behind that door. Mutex guards every call; NoMutex for filters that need none.
template <class Filter, class Mutex>
class FilterSubject : public Subject {
 public:
  explicit FilterSubject(Filter&& filter) : filter_(std::move(filter)) {}

  void Insert(Keys keys) override { Locked()->Insert(keys); }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    return Locked()->InsertIfAbsent(keys, inserted);
  }
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) override {
    return Locked()->Erase(keys, erased);
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return Locked()->Query(keys, maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    return Locked()->Select(keys, answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    Locked()->CountEstimates(keys, counts);
  }

  void InsertOne(Key key) override { Locked()->Insert(key); }
  bool InsertOneIfAbsent(Key key) override { return Locked()->InsertIfAbsent(key); }
  bool EraseOne(Key key) override { return Locked()->Erase(key); }
  bool MayContain(Key key) const override { return Locked()->MayContain(key); }
  uint64_t CountEstimate(Key key) const override { return Locked()->CountEstimate(key); }

  Geometry geometry() const override { return filter_.geometry(); }
  uint64_t num_keys() const override { return Locked()->num_keys(); }
  Stats GetStats() const override { return Locked()->GetStats(); }
  std::vector<std::byte> Serialize() const override { return Locked()->Serialize(); }

 private:
  // Holds the mutex to the end of the statement it stands in.
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

struct NoMutex {
  void lock() {}
  void unlock() {}
};

inline Result<std::unique_ptr<Subject>> Subject::Load(std::span<const std::byte> bytes) const {
  Result<CountingFilter> filter = CountingFilter::Deserialize(bytes);
  if (!filter.ok()) return filter.error();
  std::unique_ptr<Subject> subject =
      std::make_unique<FilterSubject<CountingFilter, NoMutex>>(std::move(*filter));
  return subject;
}

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECT_H_
