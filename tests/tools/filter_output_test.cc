// Outputs: new files are new, and what is replaced is what was locked.
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/filters/filter_file.h"
#include "trommel/counting_filter.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::Lines;
using tests::MustRun;
using tests::RunningTool;
using tests::RunTool;
using tests::TempFolder;

AnyFilterPtr Holding(Key key) {
  CountingConfig config;
  config.capacity = 100;
  CountingFilter filter = CountingFilter::Create(config).value();
  filter.Insert(key);
  return AnyFilter::Of(std::move(filter));
}

bool ShowsKey(const std::string& path, Key key) {
  return CountingFilter::Load(path).value().MayContain(key);
}

Result<FilterOutput> Claim(const std::string& path, bool force) {
  return FilterOutput::Claim({.path = path, .force = force, .wait_seconds = 0}, {}, true);
}

TEST_CASE("of two builds of one new file exactly one succeeds", "[tools][filter_output]") {
  const TempFolder folder;
  const std::string a = folder.Write("a", Lines("a", 1000));
  const std::string b = folder.Write("b", Lines("b", 1000));
  for (int round = 0; round < 5; ++round) {
    const std::string path = folder.Path("filter" + std::to_string(round));
    RunningTool first({"build", "-n", "2000", "-o", path, a});
    RunningTool second({"build", "-n", "2000", "-o", path, b});
    const tests::ToolResult of_a = first.Wait();
    const tests::ToolResult of_b = second.Wait();
    INFO(of_a.err << of_b.err);
    REQUIRE((of_a.exit_code == 0) != (of_b.exit_code == 0));
    REQUIRE(of_a.exit_code + of_b.exit_code == 2);
    const tests::ToolResult& refused = of_a.exit_code == 0 ? of_b : of_a;
    REQUIRE(refused.out.empty());
    REQUIRE_THAT(refused.err, ContainsSubstring("--force overwrites it"));
    MustRun({"verify", path, of_a.exit_code == 0 ? a : b});
  }
}

TEST_CASE("a file that appeared meanwhile is not replaced", "[tools][filter_output]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  Result<FilterOutput> output = Claim(path, false);
  REQUIRE(output.ok());
  REQUIRE(SaveFilter(*Holding("theirs"), path).ok());
  const Status saved = output->Save(*Holding("mine"));
  REQUIRE_FALSE(saved.ok());
  CHECK(saved.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(saved.error().message, ContainsSubstring("made by another program meanwhile"));
  CHECK(ShowsKey(path, "theirs"));
}

TEST_CASE("by force a file that appeared meanwhile is locked and replaced",
          "[tools][filter_output]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  Result<FilterOutput> output = Claim(path, true);
  Result<FilterOutput> late = Claim(path, true);
  REQUIRE(output.ok());
  REQUIRE(late.ok());
  REQUIRE(SaveFilter(*Holding("theirs"), path).ok());
  REQUIRE(output->Save(*Holding("mine")).ok());
  CHECK(ShowsKey(path, "mine"));

  const FileLock lock = FileLock::Take(path, {}).value();
  CHECK(late->Save(*Holding("late")).error().code == ErrorCode::kIo);
  CHECK(ShowsKey(path, "mine"));
}

TEST_CASE("by force a file is replaced though it is another or gone by now",
          "[tools][filter_output]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const bool is_gone = GENERATE(false, true);
  REQUIRE(SaveFilter(*Holding("old"), path).ok());
  Result<FilterOutput> output = Claim(path, true);
  REQUIRE(output.ok());
  if (is_gone) {
    REQUIRE(std::filesystem::remove(path));
  } else {
    REQUIRE(SaveFilter(*Holding("theirs"), path).ok());
  }
  REQUIRE(output->Save(*Holding("mine")).ok());
  CHECK(ShowsKey(path, "mine"));
  CHECK(folder.Names() == std::vector<std::string>{"filter"});
}

TEST_CASE("by force links are followed, and those to nowhere replaced", "[tools][filter_output]") {
  const TempFolder folder;
  const std::string link = folder.Path("link");
  const bool leads_somewhere = GENERATE(false, true);
  if (leads_somewhere) REQUIRE(SaveFilter(*Holding("old"), folder.Path("filter")).ok());
  std::filesystem::create_symlink("filter", link);
  Result<FilterOutput> output = Claim(link, true);
  REQUIRE(output.ok());
  REQUIRE(output->Save(*Holding("mine")).ok());
  CHECK(ShowsKey(link, "mine"));
  CHECK(std::filesystem::is_symlink(link) == leads_somewhere);
}

TEST_CASE("an update claims the filter or the output", "[tools][filter_output]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  const std::string other = folder.Path("other");
  REQUIRE(SaveFilter(*Holding("old"), path).ok());
  const auto claim = [&](const std::string& output) {
    return FilterOutput::ClaimUpdate(path, {.path = output, .wait_seconds = 0}, {}, true);
  };
  Result<FilterOutput> own = claim("");
  REQUIRE(own.ok());
  CHECK(own->path() == path);
  CHECK_FALSE(claim("").ok());
  Result<FilterOutput> copy = claim(other);
  REQUIRE(copy.ok());
  CHECK(copy->path() == other);
  CHECK_FALSE(claim(path).ok());  // an input is no output

  Result<FilterFile> file = FilterFile::Load(path);
  REQUIRE(file.ok());
  REQUIRE(copy->Save(*file).ok());
  CHECK(folder.Read("other") == folder.Read("filter"));
  REQUIRE(own->Save(*file).ok());
  CHECK(own->Save(*file).error().code == ErrorCode::kIo);  // it was loaded from another one
}

}  // namespace
}  // namespace trommel::tool
