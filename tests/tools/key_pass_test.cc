// One pass over keys, or over rows: the batches that it gathers, and the files that rows go into.
#include "tools/trommel/passes/key_pass.h"

#include <atomic>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/digest_gatherer.h"
#include "tools/trommel/passes/row_pass.h"

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
  const auto executor = Executor::Create(GENERATE(1, 2)).value();
  std::atomic<uint64_t> num_worked{0};
  uint64_t num_seen = 0;
  const KeyStages stages = {[&](KeyBatch& batch) { num_worked += batch.keys().size(); },
                            [&](const KeyBatch& batch) {
                              num_seen += batch.keys().size();
                              return Ok();
                            }};
  const Result<PassTotals> totals = RunPass("testing", input, {}, executor.get(), stages);
  REQUIRE(totals.ok());
  CHECK(num_seen == 100001);
  CHECK(num_worked == 100001);
  CHECK(totals->num_records == 100001);
  CHECK(totals->num_empty == 1);
  CHECK(totals->num_bytes == tests::Lines("a", 100000).size() + 2);
}

TEST_CASE("digests are handed on in order, enough at a time", "[tools][digest_gatherer]") {
  std::vector<std::vector<uint64_t>> applied;
  DigestGatherer gatherer(
      4, [&applied](std::span<const uint64_t> digests, std::span<const uint64_t> times) {
        CHECK(times.empty());
        applied.emplace_back(digests.begin(), digests.end());
      });
  KeyBatch batch;
  const auto add = [&](std::vector<uint64_t> digests, bool is_idle) {
    batch.digests = std::move(digests);
    batch.piece.is_input_idle = is_idle;
    gatherer.Add(batch);
  };
  add({1, 2, 3}, false);
  CHECK(applied.empty());
  add({4, 5}, false);
  add({}, true);
  add({6}, true);
  add({7}, false);
  CHECK(applied == std::vector<std::vector<uint64_t>>{{1, 2, 3, 4, 5}, {6}});
  gatherer.Flush();
  gatherer.Flush();
  CHECK(applied == std::vector<std::vector<uint64_t>>{{1, 2, 3, 4, 5}, {6}, {7}});
}

TEST_CASE("a pass counts rows, bytes and empty lines, and ends where it is told to",
          "[tools][row_pass]") {
  const TempFolder folder;
  const std::string text = "a\tb\n1\t2\n\n3\t4\n";
  RowInput input;
  input.files.paths = {folder.Write("rows", text)};
  RowReader reader(input.files.paths, input.Format(), kRowLimits);
  uint64_t num_taken = 0;
  const Result<PassTotals> totals = RunRows("reading", input, {}, reader, [&](RowBatch& batch) {
    num_taken += batch.rows.size();
    return Ok();
  });
  REQUIRE(totals.ok());
  CHECK(num_taken == 2);
  CHECK(totals->num_records == 2);
  CHECK(totals->num_empty == 1);
  CHECK(totals->num_bytes == text.size());

  RowReader again(input.files.paths, input.Format(), kRowLimits);
  const Result<PassTotals> stopped = RunRows("reading", input, {}, again, [](RowBatch&) -> Status {
    return Error{ErrorCode::kIo, "enough"};
  });
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().message == "enough");
}

TEST_CASE("a column's digests are those of its fields, with threads or without",
          "[tools][row_pass][threads]") {
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

using Catch::Matchers::ContainsSubstring;
using tests::MustRun;
using tests::RunTool;

AttributeFilter TwoAttributes(DigestKind digest) {
  AttributeConfig config;
  config.sets = AttributeSets::Create(2).value();
  config.names = {"a", "b"};
  config.capacity = 10;
  config.digest = {.kind = digest};
  return AttributeFilter::Create(config).value();
}

TEST_CASE("other files are no attribute filters", "[tools][attr_file]") {
  const TempFolder folder;
  const std::string counting = folder.Path("counting");
  MustRun({"build", "-n", "10", "-o", counting}, "a\n");
  CHECK(LoadToHashRows(counting, {}, 0).error().message ==
        counting +
            " is a counting filter, of keys, not of columns: use the subcommands without "
            "attr");
  CHECK(RunTool({"attr", "query", counting}, "").exit_code == 2);
}

TEST_CASE("a file that another one replaces is loaded as one of the two", "[tools][attr_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const std::string rows = folder.Path("rows");
  const std::string keys = folder.Path("keys");
  REQUIRE(RunTool({"build", "-n", "10", "-o", keys}, "a\n").exit_code == 0);
  REQUIRE(TwoAttributes(DigestKind::kXxh3).Save(rows).ok());
  std::filesystem::create_hard_link(rows, path);
  std::atomic<bool> ends{false};
  std::thread replacing([&] {
    for (bool is_keys = true; !ends; is_keys = !is_keys) {
      std::filesystem::create_hard_link(is_keys ? keys : rows, folder.Path("next"));
      std::filesystem::rename(folder.Path("next"), path);
    }
  });
  bool is_sound = true;
  for (int i = 0; i < 2000 && is_sound; ++i) {
    Result<FilterFile> file = LoadToHashRows(path, {}, 0);
    is_sound = !file.ok() || file->filter().type() == FilterType::kAttributes;
  }
  ends = true;
  replacing.join();
  CHECK(is_sound);
}

TEST_CASE("a program's own digests are not asked for by rows", "[tools][attr_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  REQUIRE(TwoAttributes(DigestKind::kCaller).Save(path).ok());
  CHECK_THAT(LoadToHashRows(path, {}, 0).error().message, ContainsSubstring("own digests"));
  REQUIRE(TwoAttributes(DigestKind::kXxh3).Save(path).ok());
  Result<FilterFile> file = LoadToHashRows(path, {}, 0);
  REQUIRE(file.ok());
  CHECK(AttributesOf(*file).names()[1] == "b");
}

TEST_CASE("columns are the attributes' names unless others are listed", "[tools][attr_file]") {
  const AttributeFilter filter = TwoAttributes(DigestKind::kXxh64);
  RowInput input;
  CHECK(FormatFor(input, filter, {1, 0})->columns == std::vector<std::string>{"b", "a"});
  input.columns = "x,y";
  CHECK(FormatFor(input, filter, {1, 0})->columns == std::vector<std::string>{"x", "y"});
  CHECK_THAT(FormatFor(input, filter, {1}).error().message,
             ContainsSubstring("--columns lists 2 columns, where 1 attribute is read"));
}

}  // namespace
}  // namespace trommel::tool
