// The queries of a reader.
#include "tools/stress/threads/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>

namespace trommel::stress {

Reader::Reader(Board& board, uint32_t thread)
    : board_(board), caller_(board, thread), random_(board.plan.RandomOf(thread)) {}

void Reader::Run() {
  // Queries are cheaper than updates: twice the keys keep it busy about as long as a writer, six
  // times where its batches are large and the writers' small.
  const Mix& mix = board_.plan.mix;
  const uint64_t num_keys = (mix.max_query_batch > 0 ? 6 : 2) * board_.plan.keys_per_thread;
  while (caller_.totals.num_all_keys() < num_keys && !caller_.is_over()) {
    if (mix.audit_one_in > 0 && random_.OneIn(mix.audit_one_in)) Audit();
    if (mix.num_hot > 0 && random_.OneIn(8)) {
      QueryHot();
    } else if (mix.keep_one_in > 0 && !board_.expires && !random_.OneIn(8)) {
      QueryKept();
    } else {
      QueryOwned();
    }
  }
}

void Reader::Look() {
  known_.clear();
  for (const uint32_t id : ids_) {
    known_.push_back(id < board_.plan.num_private() ? board_.claims[id].Look() : Claim::Known{});
  }
}

void Reader::QueryOwned() {
  const RoundPlan& plan = board_.plan;
  uint32_t size = plan.mix.min_batch + random_.SkewedBelow(MaxBatch() - plan.mix.min_batch + 1);
  ids_.clear();
  for (; size > 0; --size) {
    const uint32_t num_own = plan.mix.keys_per_writer;
    const uint32_t own = plan.is_skewed ? random_.SkewedBelow(num_own) : random_.Below(num_own);
    // One in 16 is any key, also such as no claim is known of.
    ids_.push_back(random_.OneIn(16) ? random_.Below(plan.num_ids())
                                     : random_.Below(plan.num_writers) * num_own + own);
  }
  Look();
  const bool is_count = random_.OneIn(4);
  const Caller::Bits answers = is_count ? caller_.Counts(ids_) : caller_.Query(ids_);
  const uint64_t begun = board_.Begun();
  // Only suspicious answers need a second look at the claim.
  for (size_t i = 0; i < ids_.size(); ++i) {
    caller_.totals.num_checked += IsKnown(i, begun);
    const Copies& known = known_[i].copies;
    if (is_count && answers[i] < known.count && WereIn(i, begun)) {
      caller_.Report(
          Invariant::kCountNotBelow, ids_[i],
          fmt::format("counted {}, {} copies were in during the call", answers[i], known.count));
    } else if (!is_count && !Caller::Bit(answers, i) && WereIn(i, begun)) {
      caller_.Report(board_.presence(), ids_[i],
                     fmt::format("absent, though {} copies were in bucket {} during the call",
                                 known.count, known.bucket));
    }
  }
}

// What is known of these keys stays true: no claims are looked at, and little time is spent
// elsewhere than in queries.
void Reader::QueryKept() {
  const RoundPlan& plan = board_.plan;
  const uint32_t max_batch = MaxBatch();
  if (kept_.empty() || random_.OneIn(64)) {
    ids_.clear();
    for (uint32_t id = 0; id < plan.num_private(); ++id) {
      if (plan.is_kept(id) && board_.claims[id].Look().copies.count > 0) ids_.push_back(id);
    }
    if (ids_.empty()) return QueryOwned();
    kept_.clear();
    for (uint32_t i = 0; i < 2 * max_batch; ++i) {
      kept_.push_back(ids_[random_.Below(static_cast<uint32_t>(ids_.size()))]);
    }
  }
  const Ids ids = Ids(kept_).subspan(random_.Below(max_batch), 1 + random_.SkewedBelow(max_batch));
  const Caller::Bits answers = caller_.Query(ids);
  caller_.totals.num_checked += ids.size();
  for (size_t i = 0; i < ids.size(); ++i) {
    if (Caller::Bit(answers, i)) continue;
    caller_.Report(board_.presence(), ids[i], "absent, though it was inserted and never erased");
  }
}

void Reader::QueryHot() {
  const uint32_t hot = random_.Below(board_.plan.mix.num_hot);
  const Copies held = board_.tokens[hot].Take(1 + random_.Below(3));
  const uint32_t id = board_.plan.first_hot() + hot;
  ids_.assign(1 + random_.Below(std::min<uint32_t>(board_.plan.mix.max_batch, 100)), id);
  const bool is_count = random_.OneIn(4);
  const Caller::Bits answers = is_count ? caller_.Counts(ids_) : caller_.Query(ids_);
  const uint64_t num_in = board_.span.IsLive(held.bucket, board_.Begun()) ? held.count : 0;
  for (size_t i = 0; num_in > 0 && i < ids_.size(); ++i) {
    ++caller_.totals.num_checked;
    if (is_count && answers[i] < num_in) {
      caller_.Report(Invariant::kCountNotBelow, id,
                     fmt::format("counted {}, while tokens for {} were held", answers[i], num_in));
    } else if (!is_count && !Caller::Bit(answers, i)) {
      caller_.Report(board_.presence(), id,
                     fmt::format("absent, while tokens for {} copies were held", num_in));
    }
  }
  board_.tokens[hot].Put(held);
}

// Compares the filter as a whole with all that was in before and after the calls.
void Reader::Audit() {
  ids_.resize(board_.plan.num_private());
  std::iota(ids_.begin(), ids_.end(), 0);
  Look();
  const uint64_t num_keys = board_.subject.num_keys();
  const SubjectStats stats = board_.subject.GetStats();
  const uint64_t before = board_.subject.now();
  std::vector<std::byte> bytes;
  try {
    bytes = board_.subject.Serialize();
  } catch (const std::bad_alloc&) {  // no fault of the filter: the snapshot is not checked
  }
  const uint64_t after = board_.Begun();
  uint64_t num_in = 0;
  for (size_t i = 0; i < ids_.size(); ++i) {
    if (!WereIn(i, after)) known_[i].copies.count = 0;
    num_in += known_[i].copies.count;
  }
  ++caller_.totals.num_audits;
  caller_.CheckNoneRefused();
  if (num_keys < num_in || stats.num_keys < num_in) {
    caller_.Report(Invariant::kWholeFilter, std::nullopt,
                   fmt::format("num_keys is {}, in the statistics {}, but {} were in during the "
                               "calls",
                               num_keys, stats.num_keys, num_in));
  }
  if (!stats.fault.empty()) {
    caller_.Report(Invariant::kWholeFilter, std::nullopt, "statistics: " + stats.fault);
  }
  // Fingerprints: distinct keys per slot, also of keys that are elsewhere.
  const bool may_exceed_1 = HasFingerprints(board_.plan.config.encoding);
  if (stats.fill_ratio < 0 || (stats.fill_ratio > 1 && !may_exceed_1) ||
      (num_in > 0 && stats.fill_ratio == 0)) {
    caller_.Report(Invariant::kWholeFilter, std::nullopt,
                   fmt::format("the fill ratio is {} with {} keys in", stats.fill_ratio, num_in));
  }
  if (!bytes.empty()) AuditSnapshot(bytes, before, after);
}

void Reader::AuditSnapshot(const std::vector<std::byte>& bytes, uint64_t before, uint64_t after) {
  const Result<std::unique_ptr<Subject>> loaded = board_.subject.Load(bytes);
  if (!loaded.ok()) {
    return caller_.Report(Invariant::kWholeFilter, std::nullopt,
                          fmt::format("a snapshot does not load: {}", loaded.error().message));
  }
  const uint64_t now = (*loaded)->now();
  if (now < before || now > after) {
    caller_.Report(Invariant::kTimeAsTold, std::nullopt,
                   fmt::format("a snapshot of time {}, taken from {} to {}", now, before, after));
  }
  KeyBatch batch(board_.keys);
  std::vector<uint64_t> counts(ids_.size());
  (*loaded)->CountEstimates(batch.Gather(ids_), counts);
  for (size_t i = 0; i < ids_.size(); ++i) {
    const uint64_t known = known_[i].copies.count;
    caller_.totals.num_checked += known > 0;
    if (counts[i] < known) {
      caller_.Report(Invariant::kWholeFilter, ids_[i],
                     fmt::format("a snapshot counts {}, {} copies were in while it was taken",
                                 counts[i], known));
    }
  }
}

}  // namespace trommel::stress
