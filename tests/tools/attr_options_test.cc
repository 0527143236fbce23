// Options of attr: what they mean once the names are known.
#include "tools/trommel/options/attr_options.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

using Catch::Matchers::ContainsSubstring;
using Strings = std::vector<std::string>;

const Strings kThreeNames = {"src", "dst", "domain"};

AttributeOptions Parsed(const Strings& arguments) {
  AttributeOptions options;
  CommandLine line("");
  AddAttributeSizing(line, options);
  CHECK(line.Run(arguments, [] { return kDone; }) == kDone);
  return options;
}

TEST_CASE("sizing options become a request and a configuration", "[tools][attr_options]") {
  const AttributeOptions options =
      Parsed({"-n", "1k", "--cut", "src,dst", "--cut", "dst,domain", "--values", "src=9", "-p",
              "2%", "--max-capacity", "7k"});
  const AttributePlanRequest request = options.PlanRequestOf(kThreeNames).value();
  CHECK(request.sets.cuts().size() == 2);
  CHECK(request.capacity == 1000);
  CHECK(request.num_values == std::vector<uint64_t>{9, 1000, 1000});
  CHECK(request.target_fpr == 0.02);
  CHECK(request.memory_bytes == 0);
  const AttributeConfig config = options.ConfigOf(kThreeNames, nullptr).value();
  CHECK(config.names == kThreeNames);
  CHECK(config.budgets.empty());
  CHECK(config.target_fpr == 0.02);
  CHECK(config.max_capacity == 7000);
}

TEST_CASE("memory becomes a budget for every set", "[tools][attr_options]") {
  const AttributeOptions options =
      Parsed({"-n", "1k", "--memory", "200kB", "--mix", "src=2", "--mix", "src,dst"});
  const AttributePlanRequest request = options.PlanRequestOf(kThreeNames).value();
  CHECK(request.target_fpr == 0);
  REQUIRE(request.mix.size() == 2);
  CHECK(request.mix[0].share == 2);
  CHECK(request.mix[1].set == 0b011);
  const AttributeConfig config = options.ConfigOf(kThreeNames, nullptr).value();
  CHECK(config.budgets.size() == 7);
  CHECK(config.budgets.front().capacity == 1000);
}

TEST_CASE("an option that comes again takes one value each time", "[tools][attr_options]") {
  CommandLine line("");
  Strings values;
  Strings files;
  line.Repeatable("--cut", values, "LIST", "");
  line.Arguments("FILES", files, "");
  CHECK(line.Run({"--cut", "a", "file1", "--cut", "b", "file2"}, [] { return kDone; }) == kDone);
  CHECK(values == Strings{"a", "b"});
  CHECK(files == Strings{"file1", "file2"});
}

TEST_CASE("columns and headers become a format", "[tools][attr_options]") {
  RowInput input;
  CommandLine line("");
  AddRowInput(line, input, "");
  CHECK(line.Run({"rows", "--columns", "2,1", "--no-header", "--crlf"}, [] { return kDone; }) ==
        kDone);
  const RowFormat format = input.Format();
  CHECK(format.columns == Strings{"2", "1"});
  CHECK_FALSE(format.has_header);
  CHECK(format.strip_cr);
  CHECK(input.files.paths == Strings{"rows"});
}

TEST_CASE("names that are not there fail in whatever option", "[tools][attr_options]") {
  for (const Strings& wrong :
       {Strings{"--cut", "src,zz"}, Strings{"--values", "zz=1"}, Strings{"--mix", "zz"}}) {
    const auto request = Parsed(wrong).PlanRequestOf(kThreeNames);
    REQUIRE_FALSE(request.ok());
    CHECK_THAT(request.error().message, ContainsSubstring("no attribute named 'zz'"));
    CHECK_FALSE(Parsed(wrong).ConfigOf(kThreeNames, nullptr).ok());
  }
}

}  // namespace
}  // namespace trommel::tool
