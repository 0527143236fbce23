// The matrix beside a plan, where the plan is larger than any matrix.
#include <cstdint>
#include <vector>

#include "support/catch.h"
#include "trommel/attribute_plan.h"

namespace trommel {
namespace {

TEST_CASE("a plan beyond the largest matrix has that matrix beside it",
          "[engine][attributes][plan]") {
  AttributePlanRequest request;
  request.sets = AttributeSets::Create(3).value();
  request.capacity = 35'000'000'000;
  request.target_fpr = 0.01;
  const AttributePlan plan = PlanAttributes(request).value();
  CHECK(plan.filter_bytes > matrix::kMaxCells / 8);
  CHECK(plan.matrix.num_cells() <= matrix::kMaxCells);
}

TEST_CASE("a plan for more values than a matrix has positions has the largest matrix beside it",
          "[engine][attributes][plan]") {
  const uint32_t num_attributes = GENERATE(1U, 2U);
  AttributePlanRequest request;
  const std::vector<AttributeMask> cuts(num_attributes - 1, AttributeMask{0b11});
  request.sets = AttributeSets::Create(num_attributes, cuts).value();
  request.capacity = 1'000'000'000;
  request.target_fpr = 0.01;
  const AttributePlan plan = PlanAttributes(request).value();
  REQUIRE(plan.matrix.blocks.size() == num_attributes);
  for (const matrix::Block& block : plan.matrix.blocks) {
    CHECK(block.positions == std::vector<uint64_t>{matrix::kMaxPositions});
  }
}

}  // namespace
}  // namespace trommel
