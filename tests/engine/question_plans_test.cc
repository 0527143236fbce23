// Which filters answer a question, and in which order.
#include "engine/src/attributes/question_plans.h"

#include <algorithm>
#include <vector>

#include "support/catch.h"

namespace trommel::tests {
namespace {

std::vector<AttributeMask> PartsIn(const QuestionPlans& plans, const AttributeSets& sets,
                                   AttributeMask asked) {
  std::vector<AttributeMask> parts;
  for (const uint32_t set_idx : plans.Of(asked)) parts.push_back(sets.allowed()[set_idx]);
  return parts;
}

TEST_CASE("plans have the parts of every question, lowest rate first", "[engine][attributes]") {
  const std::vector<AttributeMask> cuts = {0b0011, 0b0110};
  const AttributeSets sets = *AttributeSets::Create(4, cuts);
  std::vector<double> rates;
  for (size_t s = 0; s < sets.allowed().size(); ++s) {
    rates.push_back(1.0 / static_cast<double>(1 + s % 3));
  }
  const QuestionPlans plans(sets, rates);
  for (int round = 0; round < 2; ++round) {
    for (AttributeMask asked = 0; asked <= sets.full(); ++asked) {
      std::vector<AttributeMask> parts = PartsIn(plans, sets, asked);
      CHECK(std::ranges::is_sorted(parts, {},
                                   [&](AttributeMask part) { return rates[sets.IndexOf(part)]; }));
      std::vector<AttributeMask> want = sets.PartsOf(asked);
      std::ranges::sort(parts);
      std::ranges::sort(want);
      CHECK(parts == want);
    }
  }
  CHECK(plans.Of(0b1111).data() == plans.Of(0b1111).data());  // kept
}

TEST_CASE("parts of one rate are asked by size, then ascending", "[engine][attributes]") {
  const std::vector<AttributeMask> cuts = {0b011, 0b101};
  const AttributeSets sets = *AttributeSets::Create(3, cuts);
  const QuestionPlans alike(sets, std::vector<double>(sets.allowed().size(), 0.01));
  CHECK(PartsIn(alike, sets, 0b111) == std::vector<AttributeMask>{0b110, 0b001});
  CHECK(PartsIn(alike, sets, 0b011) == std::vector<AttributeMask>{0b001, 0b010});
}

}  // namespace
}  // namespace trommel::tests
