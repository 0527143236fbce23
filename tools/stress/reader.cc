// A reader's questions.
#include "tools/stress/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

namespace trommel::stress {

Reader::Reader(Board& board, uint32_t thread)
    : board_(board), caller_(board, thread), random_(board.plan.RandomOf(thread)) {}

void Reader::Run() {
  // Asking is cheaper than changing: twice the keys keep it busy about as long as a writer.
  const uint64_t num_keys = 2 * board_.plan.keys_per_thread;
  while (caller_.totals.num_all_keys() < num_keys && !caller_.is_over()) {
    if (board_.plan.mix.audit_one_in > 0 && random_.OneIn(board_.plan.mix.audit_one_in)) Audit();
    if (board_.plan.mix.num_hot > 0 && random_.OneIn(8)) {
      AskHot();
    } else {
      AskOwned();
    }
  }
}

void Reader::Look() {
  known_.clear();
  for (const uint32_t id : ids_) {
    known_.push_back(id < board_.plan.num_private() ? board_.claims[id].Look() : Claim::Known{});
  }
}

void Reader::AskOwned() {
  const RoundPlan& plan = board_.plan;
  uint32_t size =
      plan.mix.min_batch + random_.SkewedBelow(plan.mix.max_batch - plan.mix.min_batch + 1);
  ids_.clear();
  for (; size > 0; --size) {
    const uint32_t num_own = plan.mix.keys_per_writer;
    const uint32_t own = plan.is_skewed ? random_.SkewedBelow(num_own) : random_.Below(num_own);
    // Now and then a key that it knows nothing of.
    ids_.push_back(random_.OneIn(16) ? random_.Below(plan.num_ids())
                                     : random_.Below(plan.num_writers) * num_own + own);
  }
  Look();
  // What is not suspicious need not be looked at again: a claim that went would prove nothing.
  if (random_.OneIn(4)) {
    const auto counts = caller_.Counts(ids_);
    for (size_t i = 0; i < ids_.size(); ++i) {
      caller_.totals.num_checked += known_[i].count > 0;
      if (counts[i] < known_[i].count && StillHolds(i)) {
        caller_.Blame(
            Law::kCountNotBelow, ids_[i],
            fmt::format("counted {}, {} copies were in all the while", counts[i], known_[i].count));
      }
    }
    return;
  }
  const auto present = caller_.Query(ids_);
  for (size_t i = 0; i < ids_.size(); ++i) {
    caller_.totals.num_checked += known_[i].count > 0;
    if (!Caller::Bit(present, i) && WasIn(i)) {
      caller_.Blame(Law::kNoFalseNegative, ids_[i],
                    fmt::format("absent, though {} copies were in all the while", known_[i].count));
    }
  }
}

void Reader::AskHot() {
  const uint32_t hot = random_.Below(board_.plan.mix.num_hot);
  const uint64_t held = board_.tokens[hot].Take(1 + random_.Below(3));
  const uint32_t id = board_.plan.first_hot() + hot;
  ids_.assign(1 + random_.Below(std::min<uint32_t>(board_.plan.mix.max_batch, 100)), id);
  if (random_.OneIn(4)) {
    for (const uint64_t count : caller_.Counts(ids_)) {
      if (count < held) {
        caller_.Blame(Law::kCountNotBelow, id,
                      fmt::format("counted {}, while tokens for {} were held", count, held));
      }
    }
  } else {
    const auto present = caller_.Query(ids_);
    for (size_t i = 0; held > 0 && i < ids_.size(); ++i) {
      if (!Caller::Bit(present, i)) {
        caller_.Blame(Law::kNoFalseNegative, id,
                      fmt::format("absent, while tokens for {} copies were held", held));
      }
    }
  }
  if (held > 0) caller_.totals.num_checked += ids_.size();
  board_.tokens[hot].Put(held);
}

// Looks at everything that was in before and still is: the filter must have shown it in between.
void Reader::Audit() {
  ids_.resize(board_.plan.num_private());
  for (uint32_t id = 0; id < ids_.size(); ++id) ids_[id] = id;
  Look();
  const uint64_t num_keys = board_.subject.num_keys();
  const Stats stats = board_.subject.GetStats();
  std::vector<std::byte> bytes;
  try {
    bytes = board_.subject.Serialize();
  } catch (const std::bad_alloc&) {  // the machine's fault: there is nothing to look at
  }
  uint64_t num_in = 0;
  for (uint32_t id = 0; id < ids_.size(); ++id) {
    if (known_[id].count > 0 && !StillHolds(id)) known_[id].count = 0;
    num_in += known_[id].count;
  }
  ++caller_.totals.num_audits;
  caller_.CheckRoom();
  if (num_keys < num_in || stats.num_keys < num_in) {
    caller_.Blame(Law::kWholeFilter, std::nullopt,
                  fmt::format("num_keys {}, in the statistics {}, but {} were in all the while",
                              num_keys, stats.num_keys, num_in));
  }
  if (stats.fill_ratio < 0 || stats.fill_ratio > 1 || (num_in > 0 && stats.fill_ratio == 0)) {
    caller_.Blame(Law::kWholeFilter, std::nullopt,
                  fmt::format("a fill ratio of {} with {} keys in", stats.fill_ratio, num_in));
  }
  if (!bytes.empty()) AuditSnapshot(bytes);
}

void Reader::AuditSnapshot(const std::vector<std::byte>& bytes) {
  const Result<std::unique_ptr<Subject>> loaded = board_.subject.Load(bytes);
  if (!loaded.ok()) {
    caller_.Blame(Law::kWholeFilter, std::nullopt,
                  fmt::format("a snapshot does not load: {}", loaded.error().message));
    return;
  }
  KeyBatch batch(board_.keys);
  std::vector<uint64_t> counts(ids_.size());
  (*loaded)->CountEstimates(batch.Gather(ids_), counts);
  for (size_t i = 0; i < ids_.size(); ++i) {
    caller_.totals.num_checked += known_[i].count > 0;
    if (counts[i] < known_[i].count) {
      caller_.Blame(Law::kWholeFilter, ids_[i],
                    fmt::format("a snapshot counts {}, {} copies were in all the while", counts[i],
                                known_[i].count));
    }
  }
}

}  // namespace trommel::stress
