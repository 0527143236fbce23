// Random programs over filters of attributes: beside the definition, tuple by tuple, and beside the
// exact multiset; and many random queries while tuples are inserted and erased
// (TROMMEL_TEST_SCALE=125 makes 10^8).
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/src/attributes/set_sizes.h"
#include "engine/src/scalable/doubling_plan.h"
#include "support/attribute_program.h"
#include "support/catch.h"
#include "support/exact_model.h"
#include "support/random_keys.h"
#include "support/shrink.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

void ReloadAttributes(AttributeFilter& filter) {
  Result<AttributeFilter> loaded = AttributeFilter::Deserialize(filter.Serialize());
  if (!loaded.ok()) FAIL(loaded.error().message);
  filter = *std::move(loaded);
}

// The definition: for each set the counts of its projections' first bits, and one tuple at a time.
class AttributeReference {
 public:
  explicit AttributeReference(const AttributeConfig& config) : sets_(config.sets) {
    const Result<DoublingPlan> plan = DoublingPlan::MakeOfPart(
        {.first_capacity = config.capacity,
         .target_fpr = config.target_fpr,
         .max_capacity =
             LargestOfSet(config.capacity, config.capacity, config.max_capacity, config.target_fpr),
         .digest = {.kind = DigestKind::kCaller}});
    if (!plan.ok()) FAIL(plan.error().message);
    // The programs' filters begin with digests of 58 bits, and stay so; or they begin with blocks.
    num_bits_ = plan->FirstBytes() == 0 ? kDigestBits : plan->num_bits();
    for (const AttributeMask set : sets_.allowed()) counts_[set] = {};
  }

  void Insert(const TupleRow& row) {
    for (auto& [set, counts] : counts_) counts[ValueOf(set, row)] += 1;
    ++num_tuples_;
  }

  bool Erase(const TupleRow& row) {
    for (const auto& [set, counts] : counts_) {
      if (!counts.contains(ValueOf(set, row))) return false;
    }
    for (auto& [set, counts] : counts_) {
      const auto found = counts.find(ValueOf(set, row));
      if (--found->second == 0) counts.erase(found);
    }
    --num_tuples_;
    return true;
  }

  uint64_t CountEstimate(AttributeMask asked, const TupleRow& row) const {
    uint64_t least = num_tuples_;
    for (const AttributeMask part : sets_.PartsOf(asked)) {
      const auto found = counts_.at(part).find(ValueOf(part, row));
      least = std::min(least, found == counts_.at(part).end() ? 0 : found->second);
    }
    return least;
  }
  bool MayContain(AttributeMask asked, const TupleRow& row) const {
    return sets_.PartsOf(asked).empty() || CountEstimate(asked, row) > 0;
  }

  uint64_t num_tuples() const { return num_tuples_; }

 private:
  static constexpr uint32_t kDigestBits = 58;

  uint64_t ValueOf(AttributeMask set, const TupleRow& row) const {
    return ProjectionOf(set, row) >> (64 - num_bits_);
  }

  AttributeSets sets_;
  uint32_t num_bits_;
  std::map<AttributeMask, std::map<uint64_t, uint64_t>> counts_;
  uint64_t num_tuples_ = 0;
};

std::string DifferenceOfWholes(const AttributeFilter& filter, const AttributeReference& reference) {
  const AttributeStats stats = filter.GetStats();
  if (stats.num_tuples != reference.num_tuples()) return "number of tuples";
  for (const SetStats& of_set : stats.sets) {
    if (of_set.stats.num_keys != reference.num_tuples()) {
      return "keys of " + AttributeMaskText(of_set.set);
    }
  }
  return "";
}

std::string DifferenceOfAnswers(const AttributeFilter& filter, const AttributeReference& reference,
                                const AttributeProgram& program) {
  const std::vector<TupleRow>& pool = program.pool;
  const TupleColumns columns(pool);
  std::vector<uint64_t> answers(TupleIndex::BitmapWords(pool.size()));
  std::vector<uint64_t> counts(pool.size());
  for (const AttributeMask asked : program.asked) {
    const size_t num_set = filter.Query(asked, columns.view(), answers);
    filter.CountEstimates(asked, columns.view(), counts);
    size_t num_wanted = 0;
    for (size_t i = 0; i < pool.size(); ++i) {
      const std::string name = " of row " + std::to_string(i) + " for " + AttributeMaskText(asked);
      const bool want = reference.MayContain(asked, pool[i]);
      num_wanted += want ? 1 : 0;
      if (BitAt(answers, i) != want) return "answer" + name;
      if (filter.MayContain(asked, pool[i]) != want) return "answer alone" + name;
      if (counts[i] != reference.CountEstimate(asked, pool[i])) return "count" + name;
    }
    if (num_set != num_wanted) return "number of answers for " + AttributeMaskText(asked);
  }
  return "";
}

std::string DifferenceAfterStep(const AttributeStep& step, const AttributeConfig& config,
                                AttributeFilter& filter, AttributeReference& reference) {
  const TupleColumns columns(step.rows);
  std::vector<uint64_t> bits(TupleIndex::BitmapWords(step.rows.size()), ~uint64_t{0});
  switch (step.op) {
    case AttributeOp::kInsert:
      if (filter.Insert(columns.view(), bits).num_refused != 0) return "refused insertions";
      for (size_t i = 0; i < step.rows.size(); ++i) {
        if (!BitAt(bits, i)) return "insertion of a row";
        reference.Insert(step.rows[i]);
      }
      return "";
    case AttributeOp::kErase: {
      const EraseOutcome outcome = filter.Erase(columns.view(), bits);
      uint64_t num_erased = 0;
      for (size_t i = 0; i < step.rows.size(); ++i) {
        const bool want = reference.Erase(step.rows[i]);
        num_erased += want ? 1 : 0;
        if (BitAt(bits, i) != want) return "erasure of row " + std::to_string(i);
      }
      const EraseOutcome wanted{num_erased, step.rows.size() - num_erased};
      return outcome == wanted ? "" : "numbers of erasures";
    }
    case AttributeOp::kSaveAndLoad:
      ReloadAttributes(filter);
      return "";
    case AttributeOp::kClear:
      filter.Clear();
      reference = AttributeReference(config);
      return "";
  }
  return "an operation there is not";
}

std::string FirstAttributeDifference(const AttributeProgram& program) {
  AttributeFilter filter = AttributeFilter::Create(program.config).value();
  AttributeReference reference(program.config);
  for (size_t i = 0; i < program.steps.size(); ++i) {
    std::string difference =
        DifferenceAfterStep(program.steps[i], program.config, filter, reference);
    if (difference.empty()) difference = DifferenceOfWholes(filter, reference);
    if (difference.empty()) difference = DifferenceOfAnswers(filter, reference, program);
    if (!difference.empty()) return "step " + std::to_string(i) + ": " + difference;
  }
  return "";
}

TEST_CASE("a filter over attributes does what its definition does, tuple by tuple",
          "[engine][attributes][attribute_filter][long]") {
  const uint64_t seed = Catch::rngSeed();
  for (uint64_t i = 0; i < Scaled(40); ++i) {
    INFO("seed " << seed + i);
    if (!CheckInvariant(RandomAttributeProgram(seed + i, 14), FirstAttributeDifference)) return;
  }
}

TEST_CASE("no question about what is in is ever answered absent",
          "[engine][attributes][attribute_filter][long]") {
  constexpr size_t kTuples = 20'000;
  constexpr size_t kChanged = 400;  // after each batch of questions
  const uint64_t seed = Catch::rngSeed();
  const std::vector<AttributeMask> cuts = {0b00011, 0b11100, 0b10010};
  Result<AttributeFilter> made = AttributeFilter::Create({.sets = *AttributeSets::Create(5, cuts),
                                                          .capacity = GENERATE(300U, 3000U),
                                                          .max_capacity = 50'000,
                                                          .target_fpr = 0.05});
  REQUIRE(made.ok());
  AttributeFilter& filter = *made;
  const std::vector<std::byte> as_new = filter.Serialize();
  const std::vector<uint64_t> num_values = {0, 300, 5, 0, 70};
  std::vector<TupleRow> rows = RandomRows(kTuples, num_values, seed);
  REQUIRE(filter.Insert(TupleColumns(rows).view()).num_refused == 0);

  std::vector<uint64_t> bits(TupleIndex::BitmapWords(kTuples));
  const uint64_t num_batches = (Scaled(800'000) + kTuples - 1) / kTuples;
  for (uint64_t b = 0; b < num_batches; ++b) {
    const TupleColumns columns(rows);
    // What is not asked for is not read.
    const auto asked = static_cast<AttributeMask>(RandomKey(KeySpace::kMembers, seed, b) & 0b11111);
    Tuples tuples = columns.view();
    for (size_t a = 0; a < num_values.size(); ++a) {
      if ((asked >> a & 1) == 0) tuples.columns[a] = nullptr;
    }
    REQUIRE(filter.Query(asked, tuples, bits) == kTuples);

    const size_t first = b * kChanged % kTuples;
    const auto changed = std::span(rows).subspan(first, kChanged);
    REQUIRE(filter.Erase(TupleColumns(changed).view()).num_refused == 0);
    std::ranges::copy(RandomRows(kChanged, num_values, seed + 10 * (b + 1)), changed.begin());
    REQUIRE(filter.Insert(TupleColumns(changed).view()).num_refused == 0);
  }
  CHECK(filter.num_tuples() == kTuples);
  REQUIRE(filter.Erase(TupleColumns(rows).view()).num_refused == 0);
  CHECK(filter.Serialize() == as_new);
}

}  // namespace
}  // namespace trommel::tests
