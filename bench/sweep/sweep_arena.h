// One size of a sweep: a filter slightly below its capacity, and the keys that are inserted, erased
// and queried; for rows of the textbook's filter (sides/textbook_filter.h) this one with the same
// keys, at the rate of ours. Every step proves its answer, outside the clock.
//
// Operations are given digests: hashing has rows of its own. Keys that are inserted and erased
// ("guests") form a ring of parts: an insert step inserts the next part and, outside the clock,
// erases the oldest one; an erase step does the same, with the other half on the clock. So the
// filter is the same before and after, and a step touches what was last touched two parts before.
#ifndef TROMMEL_BENCH_SWEEP_SWEEP_ARENA_H_
#define TROMMEL_BENCH_SWEEP_SWEEP_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/sides/textbook_filter.h"
#include "bench/sweep/sweep_row.h"
#include "trommel/counting_filter.h"
#include "trommel/executor.h"
#include "trommel/result.h"

namespace trommel::bench {

// Keys to be queried, one batch of them per step: members, non-members, or both mixed.

class QueryPool {
 public:
  // For queries of ours or of the textbook's filter. As many keys as there are members, but at most
  // 4 batches: of 1 Mi keys, so many that most of a batch has left the caches when it is used
  // again. Requires `batch_size`
  // <= num_members.
  QueryPool(Operation op, uint64_t num_members, uint64_t batch_size);

  std::span<const uint64_t> digests() const {  // of the current batch
    return std::span(digests_).subspan(current_ * batch_size_, batch_size_);
  }
  void Advance() { current_ = (current_ + 1) % num_in_.size(); }

  // Checks that num_present is the right answer to the current batch: the same as before, or, the
  // first time, all of its members and about as many non-members as fpr() predicts. Returns what is
  // wrong, or "". Requires the same filter every time.
  std::string Check(uint64_t num_present, const std::function<double()>& fpr);
  bool is_first() const { return is_first_; }  // the last check was its batch's first

 private:
  uint64_t batch_size_;
  std::vector<uint64_t> digests_;
  std::vector<uint64_t> num_in_;       // by batch: members
  std::vector<uint64_t> num_present_;  // by batch; kUnknown: not queried yet
  size_t current_ = 0;
  bool is_first_ = true;
};

class SweepArena {
 public:
  // Fills a filter for at least 8 keys. Fails as CountingFilter::Create does.
  static Result<std::unique_ptr<SweepArena>> Create(uint64_t num_keys,
                                                    Encoding encoding = Encoding::kPlanes);

  // Fills `filter` with almost num_keys keys; steps are of at most max_part of them. Requires an
  // empty filter, and 8 keys at least.
  static constexpr uint64_t kMaxPart = uint64_t{1} << 20;
  SweepArena(uint64_t num_keys, CountingFilter filter, uint64_t max_part = kMaxPart);

  // Makes the following steps those of this row, by these threads (null: the calling one alone).
  // The caller forces the target. The first row of the textbook's filter fills it.
  void Prepare(const SweepRow& row, std::shared_ptr<Executor> executor);

  // Times one step. Throws WrongAnswer.
  StepTime Step();

  // After the last step: proves that no key was lost or is left over. Throws WrongAnswer.
  void Prove();

  const CountingFilter& filter() const { return filter_; }
  // Of the row's filter.
  uint64_t num_bytes() const {
    return IsOfTextbook(row_.operation) ? textbook_->num_bytes() : filter_.geometry().num_bytes();
  }

 private:
  using Digests = std::span<const uint64_t>;

  StepTime InsertStep();
  StepTime EraseStep();
  StepTime SkewedStep();
  StepTime IfAbsentStep();
  StepTime QueryStep();

  void Fill();
  Digests Part(uint64_t idx) const;
  void TurnRing();  // back to its first position
  void MakeSkewed();

  // All digests, in calls of the row's batch size.
  template <class Call>
  void InBatches(Digests digests, const Call& call);
  void Insert(Digests digests);
  uint64_t Erase(Digests digests);
  uint64_t Query(Digests digests);
  // One call. These and those above are of the row's filter.
  void InsertBatch(Digests digests);
  uint64_t EraseBatch(Digests digests);
  uint64_t QueryBatch(Digests digests);  // answers are in words_
  void EraseAll(Digests digests);        // throws WrongAnswer where one was absent
  double CurrentFpr() const;
  bool SingleKeysAgree(Digests digests);

  const uint64_t part_size_;
  const uint64_t num_members_;  // always in
  CountingFilter filter_;
  std::optional<TextbookFilter> textbook_;
  std::vector<uint64_t> guests_;  // digests; [tail, head) of their parts are in
  uint64_t head_;
  uint64_t tail_ = 0;
  std::map<Operation, QueryPool> pools_;
  std::vector<uint64_t> skewed_;  // digests of members, Zipf distributed
  std::vector<uint64_t> words_;
  SweepRow row_;
  uint32_t num_threads_ = 1;
};

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_SWEEP_SWEEP_ARENA_H_
