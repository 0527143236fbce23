// Forged files of scalable filters, alone and as members of an attribute filter: what they announce
// must be what they hold, and judging them must cost what reading them costs.
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/attributes/attribute_format.h"
#include "engine/src/base/memory_budget.h"
#include "engine/src/disk/byte_source.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/scalable/scalable_parts.h"
#include "support/attribute_forge.h"
#include "support/catch.h"
#include "support/multi_store_forge.h"
#include "support/random_keys.h"
#include "support/sample_filters.h"
#include "trommel/attribute_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

// As scalable_filter_snapshot.cc numbers them.
constexpr size_t kModeParam = 0;
constexpr size_t kTargetFprParam = 2;
constexpr size_t kSlicesParam = 6;

Bytes WithParam(Bytes bytes, size_t param, uint64_t value) {
  return WithMultiStoreHeader(std::move(bytes),
                              [&](MultiStoreHeader& header) { header.params[param] = value; });
}

// The attribute filter's file with `edit` done to every set's filter.
template <class Edit>
Bytes WithFilters(Bytes file, const Edit& edit) {
  const auto header = Get<AttributeHeader>(file, 0);
  for (uint64_t s = 0; s < header.num_sets; ++s) {
    const auto record = Get<SetRecord>(file, kHeaderBytes + s * sizeof(SetRecord));
    const auto begin = file.begin() + static_cast<std::ptrdiff_t>(record.offset);
    Bytes filter(begin, begin + static_cast<std::ptrdiff_t>(record.num_bytes));
    edit(s, filter);
    std::ranges::copy(filter, begin);
  }
  return file;
}

// Each set's rate, and its generations' budgets with it, a little lower than that of the one
// before: so little that the blocks are the right ones all the same.
Bytes WithRatesOfTheirOwn(const Bytes& file) {
  return WithFilters(file, [](uint64_t set_idx, Bytes& filter) {
    const double factor = 1 - 1e-8 * static_cast<double>(set_idx + 1);
    const auto header = MultiStoreHeaderOf(filter);
    for (uint64_t m = 0; m < header.num_members; ++m) {
      const auto record = Get<MemberRecord>(filter, kHeaderBytes + m * sizeof(MemberRecord));
      auto member = Get<SnapshotHeader>(filter, record.offset);
      member.target_fpr *= factor;
      Seal(member);
      Put(filter, record.offset, member);
    }
    const double rate = std::bit_cast<double>(header.params[kTargetFprParam]) * factor;
    filter = WithParam(filter, kTargetFprParam, std::bit_cast<uint64_t>(rate));
  });
}

Bytes SampleFile() {
  ScalableFilter filter =
      *ScalableFilter::Create({.first_capacity = 100, .mode = GrowthMode::kGenerations});
  filter.Insert(MemberKeys(50, 1));
  return filter.Serialize();
}

}  // namespace

TEST_CASE("a number of slices that sizing would choose is no file's",
          "[engine][scalable][hostile]") {
  const auto names_the_field = ContainsSubstring("num_slices is 0");
  const auto loaded = ScalableFilter::Deserialize(WithParam(SampleFile(), kSlicesParam, 0));
  REQUIRE_FALSE(loaded.ok());
  CHECK_THAT(loaded.error().message, names_the_field && ContainsSubstring("at byte 80"));

  const Bytes forged = WithFilters(AttributeSample().Serialize(), [](uint64_t, Bytes& filter) {
    filter = WithParam(filter, kSlicesParam, 0);
  });
  const auto member = AttributeFilter::Deserialize(forged);
  REQUIRE_FALSE(member.ok());
  CHECK_THAT(member.error().message, names_the_field);
}

TEST_CASE("a file of identical generations is refused by name", "[engine][scalable][hostile]") {
  const auto retired = ScalableFilter::Deserialize(WithParam(SampleFile(), kModeParam, 1));
  REQUIRE_FALSE(retired.ok());
  CHECK(retired.error().code == ErrorCode::kVersion);
  CHECK_THAT(retired.error().message, ContainsSubstring("at byte 32 the mode is 1 (identical"));
  const auto unknown = ScalableFilter::Deserialize(WithParam(SampleFile(), kModeParam, 2));
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().code == ErrorCode::kCorrupt);
}

TEST_CASE("what the next generation takes is known before it is taken", "[engine][scalable]") {
  ScalableFilter filter = *ScalableFilter::Create(
      {.first_capacity = 1000, .mode = GrowthMode::kGenerations, .max_capacity = 3000});
  const uint64_t next_bytes = filter.NextGenerationBytes();
  const Result<ScalableFilter> loaded = ScalableFilter::Deserialize(filter.Serialize());
  REQUIRE(loaded.ok());
  CHECK(loaded->NextGenerationBytes() == next_bytes);
  filter.Insert(MemberKeys(1500, 1));
  const ScalableStats stats = filter.GetStats();
  REQUIRE(stats.generations.size() == 2);
  CHECK(stats.generations[1].geometry.num_bytes() == next_bytes);
  CHECK(filter.NextGenerationBytes() == 0);  // max_capacity is reached
}

TEST_CASE("sets whose rates differ by a hair cost no sizing when they are loaded",
          "[engine][attributes][scalable][hostile]") {
  std::vector<AttributeMask> cuts;
  AttributeFilter honest = *AttributeFilter::Create(
      {.sets = *AttributeSets::Create(4, cuts), .capacity = 100, .target_fpr = 1e-3});
  const Bytes forged = WithRatesOfTheirOwn(honest.Serialize());
  const Result<AttributeFilter> loaded = AttributeFilter::Deserialize(forged);
  REQUIRE(loaded.ok());
  CHECK(loaded->Serialize() == forged);  // writing sizes nothing either

  const SpanSource source(forged);
  const Result<AttributeFront> front = ReadFront(OpenedSnapshot::Open(source).value());
  REQUIRE(front.ok());
  REQUIRE(front->table.size() == 15);
  GrowthPlans plans;
  const auto share = std::make_shared<MemoryBudget>(std::numeric_limits<uint64_t>::max());
  for (const SetRecord& record : front->table) {
    const PartSource part(source, record.offset, record.num_bytes);
    const auto outline = ReadOutline(OpenedSnapshot::Open(part).value());
    REQUIRE(outline.ok());
    REQUIRE(ScalableParts::Read(part, *outline, 0, plans, share).ok());
  }
  CHECK(plans.num_plans() == 15);
  CHECK(plans.num_sized() == 0);
}

}  // namespace trommel::tests
