// Random programs over filters of attributes beside the definition, tuple by tuple.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/attributes/set_sizes.h"
#include "engine/src/scalable/growth_plan.h"
#include "support/bit_at.h"
#include "support/catch.h"
#include "support/shrink.h"
#include "support/tuple_rows.h"
#include "trommel/attribute_filter.h"

namespace trommel::tests {
namespace {

enum class AttributeOp { kInsert, kErase, kSaveAndLoad, kClear };

struct AttributeStep {
  AttributeOp op = AttributeOp::kInsert;
  std::vector<TupleRow> rows;  // of the first two
};

struct AttributeProgram {
  AttributeConfig config;
  // All rows that occur, and some non-members: queried after each step.
  std::vector<TupleRow> pool;
  // The sets to query by: all, or of many attributes some, allowed ones and others.
  std::vector<AttributeMask> asked;
  std::vector<AttributeStep> steps;
};

AttributeSets RandomListOf(uint32_t num_attributes, std::mt19937_64& random) {
  std::vector<AttributeMask> kept;
  AttributeMask left = AttributeSets::AtMost(num_attributes, 1)->full();
  while (left != 0) {  // every attribute is in some set
    const AttributeMask set = (random() & random()) & ~AttributeMask{0} >> (64 - num_attributes);
    if (set != 0) kept.push_back(set);
    left &= ~set;
  }
  return *AttributeSets::Keep(num_attributes, kept);
}

AttributeSets RandomSets(std::mt19937_64& random) {
  const uint64_t form = random() % 8;
  if (form == 0) return RandomListOf(static_cast<uint32_t>(1 + random() % 64), random);
  if (form == 1) {
    return *AttributeSets::AtMost(static_cast<uint32_t>(17 + random() % 48), 1);
  }
  if (form == 2) {
    const std::vector<AttributeMask> cuts = {0b11, AttributeMask{0b101} << 14};
    return *AttributeSets::AtMost(17, 2, cuts);
  }
  const auto num_attributes = static_cast<uint32_t>(1 + random() % 4);
  const AttributeMask full = (AttributeMask{1} << num_attributes) - 1;
  std::vector<AttributeMask> cuts;
  for (uint64_t left = random() % 4; left > 0; --left) {
    const auto cut = static_cast<AttributeMask>(random()) & full;
    if ((cut & (cut - 1)) != 0) cuts.push_back(cut);
  }
  return *AttributeSets::Create(num_attributes, cuts);
}

// Few values, so that tuples share projections, and those of single attributes with few different
// first bits, so that filters show much that is not in them. Any cuts; or up to 64 attributes with
// a limit, or a list of sets.
AttributeProgram RandomAttributeProgram(uint64_t seed, size_t num_steps) {
  std::mt19937_64 random(seed);
  AttributeProgram program;
  AttributeConfig& config = program.config;
  config.sets = RandomSets(random);
  // The last of these begin with blocks, and few bits of each key.
  config.capacity = std::array<uint64_t, 4>{10, 150, 1700, 1700}[random() % 4];
  config.max_capacity = config.capacity;
  config.target_fpr = 0.2;

  const uint32_t num_attributes = config.sets.num_attributes();
  constexpr uint32_t kFewAttributes = 4;
  if (num_attributes <= kFewAttributes) {
    for (AttributeMask set = 0; set <= config.sets.full(); ++set) program.asked.push_back(set);
  } else {
    const std::span<const AttributeMask> allowed = config.sets.allowed();
    program.asked = {0, config.sets.full()};
    for (int i = 0; i < 6; ++i) {
      const AttributeMask set = allowed[random() % allowed.size()];
      program.asked.insert(program.asked.end(), {set, set | allowed[random() % allowed.size()],
                                                 random() & random() & config.sets.full()});
    }
  }
  std::vector<std::vector<uint64_t>> values(num_attributes);
  for (auto& of_attribute : values) {
    of_attribute.resize(std::array<size_t, 3>{2, 8, 100}[random() % 3]);
    for (uint64_t& value : of_attribute) {
      value = (random() % 2) << 58 | random() % (uint64_t{1} << 32);
    }
  }
  program.pool.resize(60 + random() % 120);
  for (TupleRow& row : program.pool) {
    for (const auto& of_attribute : values) {
      row.push_back(of_attribute[random() % of_attribute.size()]);
    }
  }
  const size_t num_members = program.pool.size() * 4 / 5;
  for (size_t i = 0; i < num_steps; ++i) {
    AttributeStep step;
    const uint64_t kind = random() % 20;
    step.op = kind < 10   ? AttributeOp::kInsert
              : kind < 18 ? AttributeOp::kErase
              : kind < 19 ? AttributeOp::kSaveAndLoad
                          : AttributeOp::kClear;
    if (step.op == AttributeOp::kClear && random() % 3 != 0) step.op = AttributeOp::kErase;
    if (step.op == AttributeOp::kInsert || step.op == AttributeOp::kErase) {
      step.rows.resize(1 + random() % std::array<size_t, 4>{1, 10, 100, 700}[random() % 4]);
      for (TupleRow& row : step.rows) row = program.pool[random() % num_members];
    }
    program.steps.push_back(std::move(step));
  }
  return program;
}

std::string ToText(const AttributeProgram& program) {
  constexpr std::array<const char*, 4> kNames = {"Insert", "Erase", "SaveAndLoad", "Clear"};
  const AttributeConfig& config = program.config;
  std::ostringstream text;
  text << config.sets.num_attributes() << " attributes, at most " << config.sets.max_together();
  if (config.sets.is_list()) {
    text << ", the list";
    for (const AttributeMask set : config.sets.allowed()) text << ' ' << AttributeMaskText(set);
  }
  text << ", cuts";
  for (const AttributeMask cut : config.sets.cuts()) text << ' ' << AttributeMaskText(cut);
  text << ", capacity " << config.capacity << '\n';
  for (const AttributeStep& step : program.steps) {
    text << kNames[static_cast<size_t>(step.op)] << ':';
    for (const TupleRow& row : step.rows) text << " (" << TextOf(row) << " )";
    text << '\n';
  }
  return text.str();
}

void ReloadAttributes(AttributeFilter& filter) {
  Result<AttributeFilter> loaded = AttributeFilter::Deserialize(filter.Serialize());
  if (!loaded.ok()) FAIL(loaded.error().message);
  filter = *std::move(loaded);
}

// The definition: for each set the counts of its projections' first bits, and one tuple at a time.
class AttributeReference {
 public:
  explicit AttributeReference(const AttributeConfig& config) : sets_(config.sets) {
    const Result<GrowthPlan> plan = GrowthPlan::MakeOfPart(
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

}  // namespace
}  // namespace trommel::tests
