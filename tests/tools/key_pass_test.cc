// One pass over keys, and the batches that it gathers.
#include "tools/trommel/passes/key_pass.h"

#include <atomic>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/input/digest_gatherer.h"
#include "trommel/counting_filter.h"

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

TEST_CASE("a pass stops at the first error", "[tools][key_pass]") {
  const TempFolder folder;
  const KeyInput input = Files({folder.Write("a", tests::Lines("a", 200000))});
  int num_batches = 0;
  const KeyStages stages = {{}, [&](const KeyBatch&) {
                              ++num_batches;
                              return Status(Error{ErrorCode::kIo, "disk full"});
                            }};
  const Result<PassTotals> totals = RunPass("testing", input, {}, nullptr, stages);
  REQUIRE_FALSE(totals.ok());
  CHECK(totals.error().message == "disk full");
  CHECK(num_batches == 1);
}

TEST_CASE("a capacity that was not given is the number of distinct keys", "[tools][key_pass]") {
  const TempFolder folder;
  FamilyOptions options;
  options.filter.target_fpr = 0.01;
  const KeyInput input = Files({folder.Write("a", "x\ny\nx\n"), folder.Write("b", "z")});
  CHECK(CountCapacity(input, {}, nullptr, options) == kDone);
  CHECK(options.filter.capacity == 3);
  options.filter.capacity = 7;
  CHECK(CountCapacity(input, {}, nullptr, options) == kDone);
  CHECK(options.filter.capacity == 7);
}

TEST_CASE("a batch is queried as a whole", "[tools][key_pass]") {
  CountingConfig config;
  config.capacity = 100000;
  config.target_fpr = 1e-6;
  CountingFilter counting = CountingFilter::Create(config).value();
  counting.Insert("b");
  const AnyFilterPtr filter = AnyFilter::Of(std::move(counting));
  KeyBatch batch;
  const std::string text = "a\nb\nc\n";
  batch.piece.buffer.assign(text.begin(), text.end());
  batch.piece.end = text.size();
  batch.Split({});
  QueryBatch(batch, *filter);
  CHECK(batch.num_present == 1);
  CHECK(batch.bitmap == std::vector<uint64_t>{2});
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

TEST_CASE("larger filters are given more digests at a time, within limits",
          "[tools][digest_gatherer]") {
  CHECK(DigestGatherer::NumKeysFor(1) == size_t{1} << 16);
  CHECK(DigestGatherer::NumKeysFor(100'000) == 100'000);
  CHECK(DigestGatherer::NumKeysFor(uint64_t{1} << 40) == size_t{1} << 22);
}

}  // namespace
}  // namespace trommel::tool
