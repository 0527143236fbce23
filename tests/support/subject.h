// What runs a program: the reference, block stores or filters, behind one interface, so that any
// two can be compared step by step.
#ifndef TROMMEL_TESTS_SUPPORT_SUBJECT_H_
#define TROMMEL_TESTS_SUPPORT_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/src/blocks/block_store.h"
#include "kernels/reference.h"
#include "support/program.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {

using Digests = std::span<const uint64_t>;
using Answers = std::vector<uint8_t>;  // 0 or 1 for each key

// The first `size` bits of a bitmap.
void Append(Answers& answers, std::span<const uint64_t> bitmap, size_t size);

// Two filters of one geometry.
class Subject {
 public:
  virtual ~Subject() = default;

  virtual void Insert(size_t which, Digests digests) = 0;
  virtual Answers InsertIfAbsent(size_t which, Digests digests) = 0;
  virtual Answers Erase(size_t which, Digests digests) = 0;
  virtual void Merge(size_t which) = 0;     // the other one into this
  virtual bool Subtract(size_t which) = 0;  // the other one from this; false: refused
  virtual void Fold() = 0;                  // both, if they can be halved
  virtual void Clear(size_t which) = 0;

  virtual Answers Query(size_t which, Digests digests) = 0;
  virtual std::vector<uint64_t> Counts(size_t which, Digests digests) = 0;
};

class ReferenceSubject : public Subject {
 public:
  explicit ReferenceSubject(const Program& program);
  void Insert(size_t which, Digests digests) override;
  Answers InsertIfAbsent(size_t which, Digests digests) override;
  Answers Erase(size_t which, Digests digests) override;
  void Merge(size_t which) override;
  bool Subtract(size_t which) override;
  void Fold() override;
  void Clear(size_t which) override;
  Answers Query(size_t which, Digests digests) override;
  std::vector<uint64_t> Counts(size_t which, Digests digests) override;

  const kernels::ReferenceFilter& filter(size_t which) const { return filters_[which]; }

 private:
  std::vector<kernels::ReferenceFilter> filters_;
};

class StoreSubject : public Subject {
 public:
  explicit StoreSubject(const Program& program);
  void Insert(size_t which, Digests digests) override;
  Answers InsertIfAbsent(size_t which, Digests digests) override;
  Answers Erase(size_t which, Digests digests) override;
  void Merge(size_t which) override;
  bool Subtract(size_t which) override;
  void Fold() override;
  void Clear(size_t which) override;
  Answers Query(size_t which, Digests digests) override;
  std::vector<uint64_t> Counts(size_t which, Digests digests) override;

  BlockStore& store(size_t which) { return stores_[which]; }

 private:
  std::vector<BlockStore> stores_;
};

// Of whole batches; with threads these take the split route.
class FilterSubject : public Subject {
 public:
  explicit FilterSubject(const Program& program, bool has_threads = false);
  void Insert(size_t which, Digests digests) override;
  Answers InsertIfAbsent(size_t which, Digests digests) override;
  Answers Erase(size_t which, Digests digests) override;
  void Merge(size_t which) override;
  bool Subtract(size_t which) override;
  void Fold() override;
  void Clear(size_t which) override;
  Answers Query(size_t which, Digests digests) override;
  std::vector<uint64_t> Counts(size_t which, Digests digests) override;

  CountingFilter& filter(size_t which) { return filters_[which]; }

 private:
  // The answers of many(filter, keys, bitmap), which returns how many are 1.
  template <class Many>
  Answers Answer(size_t which, Digests digests, const Many& many);

  std::vector<CountingFilter> filters_;
};

// Empty if the store holds what the reference says. Presence bits and all counters must be equal.
// Blocks in the side table must have the marker and every one that the reference promotes must be
// there; one more may only be there because it has not drained far enough to come back. All other
// blocks must have the reference's planes.
std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference);

// Does one step. Returns the answers it gave, if it is one that answers.
Answers DoStep(const Step& step, Subject& subject);

void RunProgram(const Program& program, Subject& subject);

// Runs both through the program. Empty if they give the same answers at each step, and the same
// answers and counts for the whole pool after each; otherwise what differed first.
std::string FirstDisagreement(const Program& program, Subject& got, Subject& want);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_SUBJECT_H_
