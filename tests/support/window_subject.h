// What runs a window program: window filters, or their model (window_model.h). Behind one
// interface, so that the two can be compared step by step.
#ifndef TROMMEL_TESTS_SUPPORT_WINDOW_SUBJECT_H_
#define TROMMEL_TESTS_SUPPORT_WINDOW_SUBJECT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/subject.h"
#include "support/window_program.h"
#include "trommel/window_filter.h"

namespace trommel::tests {

class WindowSubject {
 public:
  virtual ~WindowSubject() = default;

  virtual uint64_t Now(size_t which) = 0;
  virtual bool Advance(size_t which, uint64_t now) = 0;
  virtual uint64_t Insert(size_t which, Digests digests) = 0;
  virtual Answers InsertIfAbsent(size_t which, Digests digests) = 0;
  virtual WindowInsertOutcome InsertAt(size_t which, Digests digests, uint64_t time) = 0;
  virtual EraseOutcome Erase(size_t which, Digests digests, uint64_t inserted_at,
                             Answers& erased) = 0;
  virtual void Merge(size_t which) = 0;  // the other one into this; both in one bucket
  virtual void Reload(size_t which) = 0;
  virtual void Clear(size_t which) = 0;

  virtual Answers Query(size_t which, Digests digests) = 0;
  virtual std::vector<uint64_t> Counts(size_t which, Digests digests) = 0;
  virtual uint64_t NumKeys(size_t which) = 0;
};

// How a filter is given its batches.
enum class WindowWay { kBatches, kPoints, kThreads };

class WindowFilterSubject : public WindowSubject {
 public:
  WindowFilterSubject(const WindowProgram& program, WindowWay way);

  uint64_t Now(size_t which) override { return filters_[which].now(); }
  bool Advance(size_t which, uint64_t now) override { return filters_[which].Advance(now); }
  uint64_t Insert(size_t which, Digests digests) override;
  Answers InsertIfAbsent(size_t which, Digests digests) override;
  WindowInsertOutcome InsertAt(size_t which, Digests digests, uint64_t time) override;
  EraseOutcome Erase(size_t which, Digests digests, uint64_t inserted_at, Answers& erased) override;
  void Merge(size_t which) override;
  void Reload(size_t which) override;
  void Clear(size_t which) override { filters_[which].Clear(); }
  Answers Query(size_t which, Digests digests) override;
  std::vector<uint64_t> Counts(size_t which, Digests digests) override;
  uint64_t NumKeys(size_t which) override { return filters_[which].num_keys(); }

  WindowFilter& filter(size_t which) { return filters_[which]; }

 private:
  Answers RawQuery(size_t which, Digests digests);

  std::vector<WindowFilter> filters_;
  WindowWay way_;
  std::shared_ptr<Executor> executor_;
};

// Does one step. Returns its answer as text. A merge brings both to the later one's time first.
std::string DoWindowStep(const WindowStep& step, WindowSubject& subject);

// Empty if both answer the same at each step and agree on the whole pool after each; otherwise what
// differed first.
std::string FirstDisagreement(const WindowProgram& program, WindowSubject& got,
                              WindowSubject& want);

}  // namespace trommel::tests

#endif  // TROMMEL_TESTS_SUPPORT_WINDOW_SUBJECT_H_
