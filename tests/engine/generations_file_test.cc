// Files of filters of generations, alone and in an attribute filter: judging them must cost what
// reading them costs.
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "engine/src/base/memory_budget.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/scalable/scalable_parts.h"
#include "support/catch.h"
#include "support/file_forge.h"
#include "support/random_keys.h"
#include "trommel/attribute_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

// Each set's rate, and its generations' budgets with it, a little lower than that of the one
// before: so little that the blocks are the right ones all the same.
Bytes WithRatesOfTheirOwn(const Bytes& file) {
  FileForge forge(file);
  const auto lower = [&](FileForge::Section& section, uint64_t at, uint64_t set_idx) {
    const double factor = 1 - 1e-8 * static_cast<double>(set_idx + 1);
    Put(section.bytes, at, Get<double>(section.bytes, at) * factor);
  };
  FileForge::Section& growth = forge.At("growth");
  for (uint64_t s = 0; s < growth.bytes.size() / sizeof(GrowthNumbers); ++s) {
    lower(growth, s * sizeof(GrowthNumbers) + offsetof(GrowthNumbers, target_fpr), s);
  }
  for (FileForge::Section& section : forge.sections) {
    if (NameOf(section.record) != "numbers") continue;
    const Bytes& generation = forge.At("generation", section.record.store).bytes;
    const auto set_idx = Get<uint32_t>(generation, offsetof(GenerationNumbers, filter_idx));
    lower(section, offsetof(StoreNumbers, target_fpr), set_idx);
  }
  return forge.Seal();
}

}  // namespace

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
  const std::vector<AttributeMask> cuts;
  const AttributeFilter honest = *AttributeFilter::Create(
      {.sets = *AttributeSets::Create(4, cuts), .capacity = 100, .target_fpr = 1e-3});
  const Bytes forged = WithRatesOfTheirOwn(honest.Serialize());
  const Result<AttributeFilter> loaded = AttributeFilter::Deserialize(forged);
  REQUIRE(loaded.ok());
  CHECK(loaded->Serialize() == forged);  // writing sizes nothing either

  const SpanSource source(forged);
  FileReader file = FileReader::Open(source).value();
  const std::vector<GrowthOutline> outlines = ReadOutlines(file).value();
  REQUIRE(outlines.size() == 15);
  GrowthPlans plans;
  const auto share = std::make_shared<MemoryBudget>(std::numeric_limits<uint64_t>::max());
  for (const GrowthOutline& outline : outlines) {
    REQUIRE(ScalableParts::Read(file, outline, 0, plans, share).ok());
  }
  CHECK(plans.num_plans() == 15);
  CHECK(plans.num_sized() == 0);
}

}  // namespace trommel::tests
