// Files that are no attribute filters, or not of text, are sent elsewhere.
#include "tools/trommel/attr_file.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using tests::RunTool;
using tests::TempFolder;

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
  REQUIRE(RunTool({"build", "-n", "10", "-o", counting}, "a\n").exit_code == 0);
  CHECK(LoadAttributeFile(counting).error().message ==
        counting +
            " is a counting filter, of keys, not of columns: use the subcommands without "
            "attr");
  CHECK(RunTool({"attr", "query", counting}, "").exit_code == 2);
  CHECK(RunTool({"attr", "stats", counting}).exit_code == 2);
  const std::string text = folder.Write("text", "no filter at all");
  CHECK_THAT(LoadAttributeFile(text).error().message, ContainsSubstring(text));
  CHECK(RunTool({"attr", "query", text}, "").exit_code == 3);
  CHECK(LoadAttributeFile(folder.Path("none")).error().code == ErrorCode::kIo);
}

TEST_CASE("a program's own digests are not asked for by rows", "[tools][attr_file]") {
  const TempFolder folder;
  const std::string path = folder.Path("filter");
  REQUIRE(TwoAttributes(DigestKind::kCaller).Save(path).ok());
  CHECK_THAT(LoadAttributeFile(path).error().message, ContainsSubstring("own digests"));
  REQUIRE(TwoAttributes(DigestKind::kXxh3).Save(path).ok());
  Result<FilterFile> file = LoadAttributeFile(path);
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
