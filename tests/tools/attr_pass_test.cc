// Passes over rows: what is read is counted, and columns become digests.
#include "tools/trommel/attr_pass.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

TEST_CASE("a pass counts rows, bytes and empty lines, and ends where it is told to",
          "[tools][attr_pass]") {
  const TempFolder folder;
  const std::string text = "a\tb\n1\t2\n\n3\t4\n";
  RowInput input;
  input.files.paths = {folder.Write("rows", text)};
  RowReader reader(input.files.paths, input.Format(), kRowLimits);
  uint64_t num_taken = 0;
  const Result<RowTotals> totals = RunRows("reading", input, {}, reader, [&](RowBatch& batch) {
    num_taken += batch.rows.size();
    return Ok();
  });
  REQUIRE(totals.ok());
  CHECK(num_taken == 2);
  CHECK(totals->num_rows == 2);
  CHECK(totals->num_empty == 1);
  CHECK(totals->num_bytes == text.size());

  RowReader again(input.files.paths, input.Format(), kRowLimits);
  const Result<RowTotals> stopped = RunRows("reading", input, {}, again, [](RowBatch&) -> Status {
    return Error{ErrorCode::kIo, "enough"};
  });
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().message == "enough");
}

TEST_CASE("a column's digests are those of its fields, with threads or without",
          "[tools][attr_pass][threads]") {
  RowBatch batch;
  batch.rows = {"x\ty", "z\t"};
  batch.columns = {{"x", "z"}, {"y", ""}};
  const DigestPolicy policy{.kind = DigestKind::kXxh3, .seed = 7};
  const std::vector<uint32_t> attributes = {3, 1};
  for (const uint32_t num_threads : {1, 3}) {
    const auto executor = Executor::Create(num_threads).value();
    TupleDigests digests(4);
    HashRows(batch, attributes, policy, num_threads == 1 ? nullptr : executor.get(), digests);
    const Tuples tuples = digests.view();
    REQUIRE(tuples.size == 2);
    std::vector<uint64_t> want(2);
    for (size_t i = 0; i < attributes.size(); ++i) {
      policy.Digests(batch.columns[i], want);
      const uint64_t* const column = tuples.columns[attributes[i]];
      REQUIRE(column != nullptr);
      CHECK(std::vector<uint64_t>(column, column + 2) == want);
    }
    CHECK(tuples.columns[0] == nullptr);
  }
}

}  // namespace
}  // namespace trommel::tool
