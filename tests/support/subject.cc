// References, block stores and filters as subjects; programs on subjects, step by step.
#include "support/subject.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/src/counting/forced_route.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "support/words.h"
#include "trommel/executor.h"

namespace trommel::tests {
namespace {

// Chunks no longer than a block store takes.
template <class Use>
void ForEachChunk(Digests digests, const Use& use) {
  while (!digests.empty()) {
    const size_t size = std::min(digests.size(), kernels::kMaxChunkKeys);
    use(digests.first(size));
    digests = digests.subspan(size);
  }
}

}  // namespace

// --- Reference.

void Append(Answers& answers, std::span<const uint64_t> bitmap, size_t size) {
  for (size_t i = 0; i < size; ++i) answers.push_back(bitmap[i / 64] >> (i % 64) & 1);
}

ReferenceSubject::ReferenceSubject(const Program& program)
    : filters_(2, kernels::ReferenceFilter(program.num_blocks, program.shape)) {}

void ReferenceSubject::Insert(size_t which, Digests digests) {
  for (const uint64_t digest : digests) filters_[which].Insert(digest);
}
Answers ReferenceSubject::InsertIfAbsent(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].InsertIfAbsent(digest));
  return answers;
}
Answers ReferenceSubject::Erase(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].Erase(digest));
  return answers;
}
void ReferenceSubject::Merge(size_t which) { filters_[which].Merge(filters_[1 - which]); }
bool ReferenceSubject::Subtract(size_t which) {
  if (!filters_[which].CanSubtract(filters_[1 - which])) return false;
  filters_[which].Subtract(filters_[1 - which]);
  return true;
}
void ReferenceSubject::Fold() {
  if (filters_[0].num_blocks() % 2 != 0) return;
  for (kernels::ReferenceFilter& filter : filters_) filter = filter.Folded();
}
void ReferenceSubject::Clear(size_t which) {
  filters_[which] = kernels::ReferenceFilter(filters_[which].num_blocks(), filters_[which].shape());
}
Answers ReferenceSubject::Query(size_t which, Digests digests) {
  Answers answers;
  for (const uint64_t digest : digests) answers.push_back(filters_[which].MayContain(digest));
  return answers;
}
std::vector<uint64_t> ReferenceSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) counts.push_back(filters_[which].CountEstimate(digest));
  return counts;
}

// --- Block stores.

StoreSubject::StoreSubject(const Program& program) {
  for (int i = 0; i < 2; ++i) {
    Result<BlockStore> store = BlockStore::Create(program.geometry(), 0);
    REQUIRE(store.ok());
    stores_.push_back(*std::move(store));
  }
}
void StoreSubject::Insert(size_t which, Digests digests) {
  ForEachChunk(digests, [&](Digests chunk) { stores_[which].Insert(chunk); });
}
Answers StoreSubject::InsertIfAbsent(size_t which, Digests digests) {
  Answers answers;
  ForEachChunk(digests, [&](Digests chunk) {
    std::array<uint64_t, BlockStore::kBitmapWords> bitmap{};
    stores_[which].InsertIfAbsent(chunk, bitmap);
    Append(answers, bitmap, chunk.size());
  });
  return answers;
}
Answers StoreSubject::Erase(size_t which, Digests digests) {
  Answers answers;
  ForEachChunk(digests, [&](Digests chunk) {
    std::array<uint64_t, BlockStore::kBitmapWords> bitmap{};
    stores_[which].Erase(chunk, bitmap);
    Append(answers, bitmap, chunk.size());
  });
  return answers;
}
void StoreSubject::Merge(size_t which) { REQUIRE(stores_[which].Merge(stores_[1 - which])); }
bool StoreSubject::Subtract(size_t which) { return stores_[which].Subtract(stores_[1 - which]); }
void StoreSubject::Fold() {
  if (stores_[0].geometry().num_blocks % 2 != 0) return;
  for (BlockStore& store : stores_) {
    Result<BlockStore> folded = store.Folded(0);
    REQUIRE(folded.ok());
    store = *std::move(folded);
  }
}
void StoreSubject::Clear(size_t which) { stores_[which].Clear(); }
Answers StoreSubject::Query(size_t which, Digests digests) {
  std::vector<uint64_t> bitmap(BitmapWords(digests.size()));
  stores_[which].Query(digests, bitmap.data());
  Answers answers;
  Append(answers, bitmap, digests.size());
  return answers;
}
std::vector<uint64_t> StoreSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts;
  for (const uint64_t digest : digests) counts.push_back(stores_[which].CountEstimate(digest));
  return counts;
}

std::string StoreDifference(const BlockStore& store, const kernels::ReferenceFilter& reference) {
  const uint64_t num_blocks = reference.num_blocks();
  const size_t num_slices = reference.num_slices();
  if (store.geometry().num_blocks != num_blocks || store.geometry().num_slices != num_slices ||
      ShapeOf(store.geometry()).has_runs != reference.shape().has_runs) {
    return "geometry";
  }
  const std::vector<uint64_t> must_be_promoted = reference.PromotedBlocks();
  const std::vector<uint32_t> want_presence = reference.PresenceWords();
  const std::vector<uint32_t> want_counts = reference.CountWords();
  const size_t presence_words = store.presence_words();
  const size_t count_words = store.count_words();
  std::vector<uint32_t> marker(count_words);
  store.encoding().mark_promoted(marker.data(), num_slices);
  const auto differs = [](const uint32_t* got, const uint32_t* want, size_t num_words) {
    return FirstDifference(std::vector<uint32_t>(got, got + num_words),
                           std::vector<uint32_t>(want, want + num_words));
  };
  std::vector<uint64_t> promoted;
  for (uint64_t b = 0; b < num_blocks; ++b) {
    const std::string block = "block " + std::to_string(b);
    std::string difference =
        differs(store.PresenceOf(b), want_presence.data() + b * presence_words, presence_words);
    if (!difference.empty()) return block + ": presence " + difference;
    std::vector<uint64_t> counters(store.num_counters());
    store.ReadCounters(b, counters);
    const uint64_t* want = reference.counters().data() + b * counters.size();
    difference = FirstDifference(counters, std::vector<uint64_t>(want, want + counters.size()));
    if (!difference.empty()) return block + ": counters " + difference;

    const uint32_t* counts = store.CountsOf(b);
    const bool must = std::ranges::binary_search(must_be_promoted, b);
    if (store.IsPromoted(b)) {
      promoted.push_back(b);
      difference = differs(counts, marker.data(), count_words);
      if (!difference.empty()) return block + ": promoted without the whole marker";
      if (!must && store.encoding().has_drained(counters, num_slices)) {
        return block + ": did not come back from the side table";
      }
    } else {
      if (must) return block + ": its counters do not fit but it is not promoted";
      difference = differs(counts, want_counts.data() + b * count_words, count_words);
      if (!difference.empty()) return block + ": counts " + difference;
    }
  }
  if (store.side_table().SortedBlocks() != promoted) return "the side table holds other blocks";
  if (store.Tally().num_promoted != promoted.size()) return "the tally of promoted blocks";
  const StoreFigures figures = store.Figures();
  if (figures.num_promoted != promoted.size()) return "the running number of promoted blocks";
  if (figures.side_table_bytes != store.side_table().CountBytes()) {
    return "the running bytes of the side table";
  }
  return "";
}

// --- Filters.

FilterSubject::FilterSubject(const Program& program, bool has_threads) {
  static const std::shared_ptr<Executor> kThreads = Executor::Create(3).value();
  for (int i = 0; i < 2; ++i) {
    auto filter = CountingFilter::CreateWithGeometry(program.geometry(), DigestPolicy());
    REQUIRE(filter.ok());
    if (has_threads) ForcedRoute::Use(*filter, Route::kSplit);
    if (has_threads) filter->UseExecutor(kThreads);
    filters_.push_back(*std::move(filter));
  }
}
template <class Many>
Answers FilterSubject::Answer(size_t which, Digests digests, const Many& many) {
  std::vector<uint64_t> bitmap(BitmapWords(digests.size()), ~uint64_t{0});
  const uint64_t num_set = many(filters_[which], Keys::Digests(digests), bitmap);
  Answers answers;
  Append(answers, bitmap, digests.size());
  REQUIRE(num_set == static_cast<uint64_t>(std::ranges::count(answers, 1)));
  return answers;
}
void FilterSubject::Insert(size_t which, Digests digests) {
  filters_[which].Insert(Keys::Digests(digests));
}
Answers FilterSubject::InsertIfAbsent(size_t which, Digests digests) {
  return Answer(which, digests, [](CountingFilter& filter, Keys keys, auto& bitmap) {
    return filter.InsertIfAbsent(keys, bitmap);
  });
}
Answers FilterSubject::Erase(size_t which, Digests digests) {
  return Answer(which, digests, [](CountingFilter& filter, Keys keys, auto& bitmap) {
    const EraseOutcome outcome = filter.Erase(keys, bitmap);
    REQUIRE(outcome.num_erased + outcome.num_refused == keys.size());
    return outcome.num_erased;
  });
}
void FilterSubject::Merge(size_t which) {
  REQUIRE(filters_[which].Merge(filters_[1 - which]).ok());
}
bool FilterSubject::Subtract(size_t which) {
  return filters_[which].Subtract(filters_[1 - which]).ok();
}
void FilterSubject::Fold() {
  const bool can = filters_[0].geometry().num_blocks % 2 == 0;
  for (CountingFilter& filter : filters_) REQUIRE(filter.Fold().ok() == can);
}
void FilterSubject::Clear(size_t which) { filters_[which].Clear(); }
Answers FilterSubject::Query(size_t which, Digests digests) {
  return Answer(which, digests, [](CountingFilter& filter, Keys keys, auto& bitmap) {
    return filter.Query(keys, bitmap);
  });
}
std::vector<uint64_t> FilterSubject::Counts(size_t which, Digests digests) {
  std::vector<uint64_t> counts(digests.size());
  filters_[which].CountEstimates(Keys::Digests(digests), counts);
  return counts;
}

// --- Programs on subjects.

Answers DoStep(const Step& step, Subject& subject) {
  switch (step.op) {
    case Op::kInsert:
      subject.Insert(step.which, step.digests);
      break;
    case Op::kInsertIfAbsent:
      return subject.InsertIfAbsent(step.which, step.digests);
    case Op::kErase:
      return subject.Erase(step.which, step.digests);
    case Op::kMerge:
      subject.Merge(step.which);
      break;
    case Op::kSubtract:
      return {subject.Subtract(step.which)};
    case Op::kFold:
      subject.Fold();
      break;
    case Op::kClear:
      subject.Clear(step.which);
      break;
  }
  return {};
}

void RunProgram(const Program& program, Subject& subject) {
  for (const Step& step : program.steps) DoStep(step, subject);
}

std::string FirstDisagreement(const Program& program, Subject& got, Subject& want) {
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const std::string where = " of step " + std::to_string(i);
    if (DoStep(program.steps[i], got) != DoStep(program.steps[i], want))
      return "the answers" + where;
    for (size_t which = 0; which < 2; ++which) {
      const std::string at = where + ", filter " + std::to_string(which);
      if (got.Query(which, program.pool) != want.Query(which, program.pool)) {
        return "the presence after" + at;
      }
      if (got.Counts(which, program.pool) != want.Counts(which, program.pool)) {
        return "the counts after" + at;
      }
    }
  }
  return "";
}

}  // namespace trommel::tests
