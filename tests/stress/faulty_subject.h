// A correct filter for the stress program to be tested with, and the same with planted faults.
#ifndef TROMMEL_TESTS_STRESS_FAULTY_SUBJECT_H_
#define TROMMEL_TESTS_STRESS_FAULTY_SUBJECT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "tools/stress/subject.h"
#include "trommel/counting_filter.h"

namespace trommel::stress {

// A CountingFilter with one big lock: what a ConcurrentFilter must look like from outside.
inline Result<std::unique_ptr<Subject>> MakeLocked(const CountingConfig& config, uint32_t) {
  Result<CountingFilter> filter = CountingFilter::Create(config);
  if (!filter.ok()) return filter.error();
  std::unique_ptr<Subject> subject =
      std::make_unique<FilterSubject<CountingFilter, std::mutex>>(std::move(*filter));
  return subject;
}

// Passes everything on. Faults are classes that pass something on wrongly. The keys of their tests
// are digests.
class PassingSubject : public Subject {
 public:
  explicit PassingSubject(std::unique_ptr<Subject> inner) : inner_(std::move(inner)) {}

  void Insert(Keys keys) override { inner_->Insert(keys); }
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) override {
    return inner_->InsertIfAbsent(keys, inserted);
  }
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) override {
    return inner_->Erase(keys, erased);
  }
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override {
    return inner_->Query(keys, maybe_present);
  }
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override {
    return inner_->Select(keys, answer, selection);
  }
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override {
    inner_->CountEstimates(keys, counts);
  }
  void InsertOne(Key key) override { inner_->InsertOne(key); }
  bool InsertOneIfAbsent(Key key) override { return inner_->InsertOneIfAbsent(key); }
  bool EraseOne(Key key) override { return inner_->EraseOne(key); }
  bool MayContain(Key key) const override { return inner_->MayContain(key); }
  uint64_t CountEstimate(Key key) const override { return inner_->CountEstimate(key); }
  Geometry geometry() const override { return inner_->geometry(); }
  uint64_t num_keys() const override { return inner_->num_keys(); }
  Stats GetStats() const override { return inner_->GetStats(); }
  std::vector<std::byte> Serialize() const override { return inner_->Serialize(); }
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override {
    return inner_->Load(bytes);
  }
  bool grows() const override { return inner_->grows(); }
  size_t num_generations() const override { return inner_->num_generations(); }
  uint64_t num_refused_inserts() const override { return inner_->num_refused_inserts(); }

 protected:
  // True once in n calls, counted over all threads.
  bool IsTurn(uint64_t n) const { return turns_.fetch_add(1) % n == n - 1; }

  static std::span<const uint64_t> Digests(Keys keys) {
    return {static_cast<const uint64_t*>(keys.data()), keys.size()};
  }

  std::unique_ptr<Subject> inner_;

 private:
  mutable std::atomic<uint64_t> turns_ = 0;
};

// Makes locked filters with the fault.
template <class Fault>
MakeSubject MakeFaulty() {
  return [](const CountingConfig& config, uint32_t threads) -> Result<std::unique_ptr<Subject>> {
    Result<std::unique_ptr<Subject>> inner = MakeLocked(config, threads);
    if (!inner.ok()) return inner.error();
    std::unique_ptr<Subject> subject = std::make_unique<Fault>(std::move(*inner));
    return subject;
  };
}

}  // namespace trommel::stress

#endif  // TROMMEL_TESTS_STRESS_FAULTY_SUBJECT_H_
