// What became of keys adds up, and is told where it is not simply all of them.
#include "tools/trommel/applied.h"

#include <cstdio>
#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

std::string JsonOf(const Applied& applied) {
  Report report;
  DescribeInserted(applied, report);
  const tests::TempFolder folder;
  std::FILE* const file = std::fopen(folder.Path("report").c_str(), "w");
  REQUIRE(file != nullptr);
  CHECK(report.Print(true, file).ok());
  std::fclose(file);
  return folder.Read("report");
}

TEST_CASE("what became of batches adds up, and the first refusal stands", "[tools][applied]") {
  Applied all = AppliedOf({.num_inserted = 5});
  CHECK(all.refusal.empty());
  all += AppliedOf({.num_inserted = 2, .num_refused = 3, .refusal = GrowthRefusal::kMemoryLimit});
  all += AppliedOf({.num_refused = 1, .refusal = GrowthRefusal::kLargestCapacity});
  all += {.num_late = 4};
  CHECK(all.num_done == 7);
  CHECK(all.num_refused == 4);
  CHECK(all.num_late == 4);
  CHECK(all.refusal == GrowthRefusalText(GrowthRefusal::kMemoryLimit));
  CHECK(JsonOf(all) == "{\"num_refused_inserts\":4,\"num_late\":4}\n");
  CHECK(JsonOf({.num_done = 9}) == "{}\n");
}

}  // namespace
}  // namespace trommel::tool
