// AnySubject: a filter of any type as a Subject.
#ifndef TROMMEL_TOOLS_STRESS_SUBJECTS_ANY_SUBJECT_H_
#define TROMMEL_TOOLS_STRESS_SUBJECTS_ANY_SUBJECT_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tools/stress/subjects/subject.h"
#include "trommel/any_filter.h"

namespace trommel::stress {

// How a filter is made. A function may make another filter than it is asked
// for: that is a fault to be found.
using CreateFilter = std::function<Result<AnyFilterPtr>(const Figures& description,
                                                        std::shared_ptr<Executor> executor)>;

struct AnySubjectOptions {
  Figures description = {};  // what was asked for, whatever `create` makes of it
  CreateFilter create = {};  // of MakeSequential
  bool may_refuse = false;   // it has a limit of side memory
  bool is_locked = false;    // a mutex guards every call: for filters that need one
  uint32_t num_zeros = 0;    // digests are moved right by so many bits
};

class AnySubject : public Subject {
 public:
  AnySubject(AnyFilterPtr filter, AnySubjectOptions options);

  uint64_t Insert(Keys keys) override;
  size_t InsertIfAbsent(Keys keys, std::span<uint64_t> inserted,
                        std::span<uint64_t> times) override;
  EraseOutcome Erase(Keys keys, uint64_t time, std::span<uint64_t> erased) override;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const override;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const override;
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const override;

  uint64_t InsertOne(Key key) override;
  bool InsertOneIfAbsent(Key key, uint64_t* time) override;
  bool EraseOne(Key key, uint64_t time) override;
  bool MayContain(Key key) const override;
  uint64_t CountEstimate(Key key) const override;

  uint64_t num_blocks() const override;
  uint64_t num_keys() const override;
  SubjectStats GetStats() const override;
  std::vector<std::byte> Serialize() const override;
  Result<std::unique_ptr<Subject>> Load(std::span<const std::byte> bytes) const override;
  Result<std::unique_ptr<Subject>> MakeSequential() const override;

  bool expires() const override { return filter_->expires(); }
  WindowSpan span() const override;
  uint64_t now() const override { return filter_->now(); }
  bool Advance(uint64_t now) override;

  bool grows() const override { return filter_->type() == FilterType::kScalable; }
  uint64_t num_sizes() const override;
  uint64_t num_refused_inserts() const override {
    return num_refused_.load(std::memory_order_relaxed);
  }

  bool may_refuse() const override { return options_.may_refuse; }
  InsertOutcome InsertNoting(Keys keys, std::span<uint64_t> inserted) override;
  InsertOutcome InsertIfAbsentNoting(Keys keys, std::span<uint64_t> inserted,
                                     std::span<uint64_t> refused) override;
  bool InsertOneNoting(Key key) override;

 private:
  // The keys, or their digests where they are to be.
  class Placed;
  Key Place(Key key) const;
  std::unique_lock<std::mutex> Lock() const;
  uint64_t Count(const InsertOutcome& outcome);

  AnyFilterPtr filter_;
  const AnySubjectOptions options_;
  // Of a filter that grows. It counts them too, but reading its count takes
  // longer.
  std::atomic<uint64_t> num_refused_ = 0;
  mutable std::mutex mutex_;
};

// The filter as a subject, or why there is none.
inline Result<std::unique_ptr<Subject>> SubjectOf(Result<AnyFilterPtr> filter,
                                                  AnySubjectOptions options) {
  if (!filter.ok()) return filter.error();
  return std::unique_ptr<Subject>(
      std::make_unique<AnySubject>(*std::move(filter), std::move(options)));
}

}  // namespace trommel::stress

#endif  // TROMMEL_TOOLS_STRESS_SUBJECTS_ANY_SUBJECT_H_
