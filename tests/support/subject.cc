#include "support/subject.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "support/bit_at.h"
#include "support/catch.h"
#include "support/shapes.h"
#include "support/words.h"
#include "trommel/outcomes.h"

namespace trommel::tests {
namespace {

using Digests = std::span<const uint64_t>;
using Answers = std::vector<uint8_t>;  // 0 or 1 for each key
using kernels::ReferenceFilter;

// Two filters of one geometry. A step merges or subtracts the other one's; folds are of both.
class ReferenceSubject {
 public:
  explicit ReferenceSubject(const Program& program)
      : filters_(2, ReferenceFilter(program.num_blocks, program.shape)) {}

  void Insert(size_t which, Digests digests) {
    for (const uint64_t digest : digests) filters_[which].Insert(digest);
  }
  Answers InsertIfAbsent(size_t which, Digests digests) {
    Answers answers;
    for (const uint64_t digest : digests) answers.push_back(filters_[which].InsertIfAbsent(digest));
    return answers;
  }
  Answers Erase(size_t which, Digests digests) {
    Answers answers;
    for (const uint64_t digest : digests) answers.push_back(filters_[which].Erase(digest));
    return answers;
  }
  void Merge(size_t which) { filters_[which].Merge(filters_[1 - which]); }
  bool Subtract(size_t which) {
    if (!filters_[which].CanSubtract(filters_[1 - which])) return false;
    filters_[which].Subtract(filters_[1 - which]);
    return true;
  }
  void Fold() {
    if (filters_[0].num_blocks() % 2 != 0) return;
    for (ReferenceFilter& filter : filters_) filter = filter.Folded();
  }
  void Clear(size_t which) {
    filters_[which] = ReferenceFilter(filters_[which].num_blocks(), filters_[which].shape());
  }

  const ReferenceFilter& filter(size_t which) const { return filters_[which]; }

 private:
  std::vector<ReferenceFilter> filters_;
};

class StoreSubject {
 public:
  explicit StoreSubject(const Program& program) {
    for (int i = 0; i < 2; ++i) {
      Result<BlockStore> store = BlockStore::Create(program.geometry(), 0);
      REQUIRE(store.ok());
      stores_.push_back(*std::move(store));
    }
  }

  void Insert(size_t which, Digests digests) {
    InChunks(digests, [&](Digests chunk, auto) { stores_[which].Insert(chunk); });
  }
  Answers InsertIfAbsent(size_t which, Digests digests) {
    return InChunks(digests, [&](Digests chunk, auto bitmap) {
      stores_[which].Apply(Update::kInsertIfAbsent, chunk.data(), {0, chunk.size()}, bitmap.data(),
                           nullptr);
    });
  }
  Answers Erase(size_t which, Digests digests) {
    return InChunks(digests,
                    [&](Digests chunk, auto bitmap) { stores_[which].Erase(chunk, bitmap); });
  }
  void Merge(size_t which) { REQUIRE(stores_[which].Merge(stores_[1 - which])); }
  bool Subtract(size_t which) { return stores_[which].Subtract(stores_[1 - which]); }
  void Fold() {
    if (stores_[0].geometry().num_blocks % 2 != 0) return;
    for (BlockStore& store : stores_) {
      Result<BlockStore> folded = store.Folded(0);
      REQUIRE(folded.ok());
      store = *std::move(folded);
    }
  }
  void Clear(size_t which) { stores_[which].Clear(); }

  const BlockStore& store(size_t which) const { return stores_[which]; }

 private:
  // What use(chunk, bitmap) sets, for chunks no longer than a block store takes.
  template <class Use>
  static Answers InChunks(Digests digests, const Use& use) {
    Answers answers;
    while (!digests.empty()) {
      const Digests chunk = digests.first(std::min(digests.size(), kernels::kMaxChunkKeys));
      Guarded<uint64_t> bitmap(BlockStore::kBitmapWords);
      use(chunk, bitmap.span());
      REQUIRE(bitmap.GuardsIntact());
      for (size_t i = 0; i < chunk.size(); ++i) answers.push_back(BitAt(bitmap.span(), i));
      digests = digests.subspan(chunk.size());
    }
    return answers;
  }

  std::vector<BlockStore> stores_;
};

// Does one step. Returns the answers it gave, if it is one that answers.
template <class Subject>
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

}  // namespace

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

std::string FirstDisagreement(const Program& program) {
  StoreSubject got(program);
  ReferenceSubject want(program);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    const std::string where = " of step " + std::to_string(i);
    if (DoStep(program.steps[i], got) != DoStep(program.steps[i], want)) {
      return "the answers" + where;
    }
    for (size_t which = 0; which < 2; ++which) {
      const std::string at = where + ", filter " + std::to_string(which);
      std::vector<uint64_t> present(BitmapWords(program.pool.size()));
      got.store(which).Query(program.pool, present.data());
      for (size_t j = 0; j < program.pool.size(); ++j) {
        const uint64_t digest = program.pool[j];
        if (BitAt(present, j) != want.filter(which).MayContain(digest)) {
          return "the presence after" + at;
        }
        if (got.store(which).CountEstimate(digest) != want.filter(which).CountEstimate(digest)) {
          return "the counts after" + at;
        }
      }
    }
  }
  for (size_t which = 0; which < 2; ++which) {
    const std::string difference = StoreDifference(got.store(which), want.filter(which));
    if (!difference.empty()) return difference;
  }
  return "";
}

}  // namespace trommel::tests
