// Filter files of fingerprints: made, changed, read and refused by the command.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/counting_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

void BuildFile(const std::string& filter, const std::string& encoding, const std::string& keys) {
  MustRun({"build", "-n", "1k", "-p", "0.5%", "--encoding", encoding, "-o", filter}, keys);
}

TEST_CASE("stats show encoding, fingerprint bits and promoted blocks", "[tools][fingerprints]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const auto [encoding, shape, bits] = GENERATE(table<std::string, std::string, int>(
      {{"fingerprints16", " of 32 slots, fingerprints16 of 16 bits", 16},
       {"dense", " of 51 slots, dense of 8 bits", 8}}));
  BuildFile(filter, encoding, Lines("a", 3000));
  const json stats = ReportOf({"stats", filter});
  CHECK(stats["encoding"] == encoding);
  CHECK(stats["fingerprint_bits"] == bits);
  CHECK(stats["num_promoted"] > 0);  // three times its capacity
  CHECK(stats["num_slices"] == 0);
  const std::string text = RunTool({"stats", filter}).out;
  CHECK_THAT(text, ContainsSubstring(shape));
  CHECK_THAT(text, ContainsSubstring("promoted blocks"));
  CHECK_THAT(text, !ContainsSubstring("slices"));
}

TEST_CASE("grow doubles a file of fingerprints, and fold takes it back to the byte",
          "[tools][fingerprints]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const std::string encoding = GENERATE("fingerprints16", "dense");
  BuildFile(filter, encoding, Lines("a", 2000));
  const std::string before = folder.Read("filter");
  const json small = ReportOf({"stats", filter});
  const json grown = ReportOf({"grow", filter});
  const json large = ReportOf({"stats", filter});
  CHECK(large["num_blocks"] == 2 * small["num_blocks"].get<uint64_t>());
  CHECK(large["fingerprint_bits"] == small["fingerprint_bits"].get<uint64_t>() - 1);
  CHECK(grown["num_blocks_before"] == small["num_blocks"]);
  CHECK(RunTool({"verify", filter, "-"}, Lines("a", 2000)).exit_code == 0);
  MustRun({"fold", filter});
  CHECK(folder.Read("filter") == before);
}

TEST_CASE("fold and grow leave alone what they cannot change", "[tools][fingerprints]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "1k", "-o", filter}, "a\n");
  const std::string before = folder.Read("filter");
  const ToolResult grown = RunTool({"grow", filter});
  CHECK(grown.exit_code == 2);
  CHECK_THAT(grown.err, ContainsSubstring("fingerprints"));
  CHECK(folder.Read("filter") == before);
  MustRun({"build", "--type", "scalable", "-n", "10", "-f", "-o", filter}, "a\n");
  const std::string command = GENERATE("fold", "grow");
  const ToolResult scalable = RunTool({command, filter});
  CHECK(scalable.exit_code == 2);
  CHECK_THAT(scalable.err, ContainsSubstring("scalable filters cannot be "));
  CHECK(RunTool({command, folder.Path("none")}).exit_code != 0);
}

TEST_CASE("commands that need presence bits refuse fingerprints by name", "[tools][fingerprints]") {
  const ToolResult refused = RunTool({"demo", "--encoding", "dense"});
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             ContainsSubstring("got 'dense': that is for build, dedup and stress; this "
                               "command's filters need presence bits"));
}

TEST_CASE("a preference chooses the encoding, and is for automatic alone",
          "[tools][fingerprints]") {
  const TempFolder folder;
  const auto [name, preference] =
      GENERATE(table<std::string, Preference>({{"memory", Preference::kMemory},
                                               {"speed", Preference::kSpeed},
                                               {"headroom", Preference::kHeadroom},
                                               {"parquet", Preference::kParquet}}));
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "100k", "-p", "0.5%", "--encoding", "automatic", "--prefer", name, "-o",
           filter},
          "a\n");
  const Result<Sizing> sizing = SizeFor({.capacity = 100'000,
                                         .target_fpr = 0.005,
                                         .encoding = Encoding::kAutomatic,
                                         .preference = preference});
  REQUIRE(sizing.ok());
  const Result<CountingFilter> loaded = CountingFilter::Load(filter);
  REQUIRE(loaded.ok());
  CHECK(loaded->geometry() == sizing->geometry);
  const ToolResult alone = RunTool({"build", "-n", "10", "--prefer", name, "-f", "-o", filter});
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, ContainsSubstring("--prefer: is for --encoding automatic, not runs"));
}

TEST_CASE("Parquet's blocks come with Parquet's digests, and others are refused by name",
          "[tools][fingerprints]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  const auto build = [&](const std::vector<std::string>& digest) {
    return RunTool(With({"build", "-n", "100", "--encoding", "automatic", "--prefer", "parquet",
                         "-f", "-o", filter},
                        digest),
                   "a\n");
  };
  const std::vector<std::string> same =
      GENERATE(std::vector<std::string>{}, std::vector<std::string>{"--digest", "xxh64"},
               std::vector<std::string>{"--seed", "0"});
  REQUIRE(build(same).exit_code == 0);
  const Result<CountingFilter> loaded = CountingFilter::Load(filter);
  REQUIRE(loaded.ok());
  CHECK(loaded->digest_policy() == DigestPolicy{.kind = DigestKind::kXxh64, .seed = 0});
  CHECK(loaded->geometry().num_slices == 8);

  const auto refusal = [&](const std::vector<std::string>& digest) {
    const ToolResult refused = build(digest);
    CHECK(refused.exit_code == 2);
    return refused.err;
  };
  CHECK_THAT(refusal({"--digest", "xxh3"}),
             ContainsSubstring("--prefer: parquet needs Parquet's digests, --digest xxh64 with "
                               "--seed 0; got xxh3 ("));
}

}  // namespace
}  // namespace trommel::tests
