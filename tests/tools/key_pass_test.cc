// One pass over the inputs: all keys once, errors passed on.
#include "tools/trommel/key_pass.h"

#include <string>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using tests::TempFolder;

KeyInput Files(std::vector<std::string> paths) {
  KeyInput input;
  input.paths = std::move(paths);
  return input;
}

TEST_CASE("a pass sees every key of every file once", "[tools][key_pass]") {
  const TempFolder folder;
  const KeyInput input =
      Files({folder.Write("a", tests::Lines("a", 100000)), folder.Write("b", "\nb")});
  uint64_t num_seen = 0;
  const Result<PassTotals> totals =
      ForEachBatch("testing", input, {}, [&](const KeyReader& reader) {
        num_seen += reader.keys().size();
        return Ok();
      });
  REQUIRE(totals.ok());
  CHECK(num_seen == 100001);
  CHECK(totals->num_keys == 100001);
  CHECK(totals->num_empty == 1);
  CHECK(totals->num_bytes == tests::Lines("a", 100000).size() + 2);
}

TEST_CASE("a pass stops at the first error", "[tools][key_pass]") {
  const TempFolder folder;
  const KeyInput input = Files({folder.Write("a", tests::Lines("a", 200000))});
  int num_batches = 0;
  const Result<PassTotals> totals = ForEachBatch("testing", input, {}, [&](const KeyReader&) {
    ++num_batches;
    return Status(Error{ErrorCode::kIo, "disk full"});
  });
  REQUIRE_FALSE(totals.ok());
  CHECK(totals.error().message == "disk full");
  CHECK(num_batches == 1);
}

TEST_CASE("a capacity that was not given is counted", "[tools][key_pass]") {
  const TempFolder folder;
  FilterOptions options;
  const KeyInput input = Files({folder.Write("a", "x\ny\nx\n"), folder.Write("b", "z")});
  CHECK(CountCapacity(input, {}, options) == kDone);
  CHECK(options.capacity == 4);
  options.capacity = 7;
  CHECK(CountCapacity(input, {}, options) == kDone);
  CHECK(options.capacity == 7);
}

}  // namespace
}  // namespace trommel::tool
