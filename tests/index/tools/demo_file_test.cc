// trommel-index demo FILE: the same rows by both ways, and nothing is left behind.
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "index/tools/made_table.h"
#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;

// Where the demo makes its temporary folder.
class DemoPlace {
 public:
  DemoPlace() { std::filesystem::create_directory(folder_.Path("tmp")); }

  std::vector<std::string> environment() const { return {"TMPDIR=" + folder_.Path("tmp")}; }
  bool IsEmpty() const { return std::filesystem::is_empty(folder_.Path("tmp")); }
  const TempFolder& folder() const { return folder_; }

  ToolResult Run(std::vector<std::string> arguments, const std::string& input = "") const {
    arguments.insert(arguments.begin(), "demo");
    return RunTool(arguments, input, environment());
  }

 private:
  TempFolder folder_;
};

TEST_CASE("the demo of a file finds the same rows both ways and leaves nothing", "[tools]") {
  const DemoPlace place;
  const std::vector<std::string> arguments = {place.folder().Write("rows", ShapesTsv(0, 1000)),
                                              "--key",
                                              "id",
                                              "--set-valued",
                                              "tags",
                                              "--servers",
                                              "3",
                                              "--regions",
                                              "7",
                                              "--json"};
  const ToolResult result = place.Run(arguments);
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const json report = json::parse(result.out);
  CHECK(report["num_rows"] == 1000);
  CHECK(report["do_agree"] == true);
  CHECK(report["is_right_before"] == true);
  CHECK(report["is_right_after"] == true);
  CHECK(report["num_updated"] == 10);  // 2 % together
  CHECK(report["num_deleted"] == 10);
  CHECK(place.IsEmpty());

  size_t num_absent = 0;
  size_t num_pairs = 0;
  bool has_colour = false;
  for (const json& query : report["queries"]) {
    const std::string text = query["query"];
    CAPTURE(text);
    const size_t num_rows = query["num_rows"];
    const size_t num_with_rows = query["num_regions_with_rows"];
    CHECK(query["num_servers"] == 3);
    CHECK(query["num_regions"] == 7);
    CHECK(query["num_false_regions"].get<size_t>() + num_with_rows == query["num_candidates"]);
    if (num_rows == 0) ++num_absent;
    if (text.find(' ') != std::string::npos) {
      ++num_pairs;
      continue;
    }
    if (!text.starts_with("colour=")) continue;
    has_colour = true;
    CHECK(num_rows == 200);
  }
  CHECK(report["queries"].size() >= 6);
  CHECK(num_absent == 1);
  CHECK(num_pairs == 2);
  CHECK(has_colour);

  const json again = json::parse(place.Run(arguments).out);
  REQUIRE(again["queries"].size() == report["queries"].size());
  for (size_t i = 0; i < again["queries"].size(); ++i) {
    CHECK(again["queries"][i]["query"] == report["queries"][i]["query"]);
    CHECK(again["queries"][i]["num_rows"] == report["queries"][i]["num_rows"]);
  }
}

TEST_CASE("the demo takes a pipe, and tables of a few rows", "[tools]") {
  const DemoPlace place;
  for (const size_t num_rows : {1, 2, 3, 20}) {
    const ToolResult result =
        place.Run({"-", "--set-valued", "tags", "--json"}, ShapesTsv(0, num_rows));
    CAPTURE(num_rows, result.err);
    REQUIRE(result.exit_code == 0);
    const json report = json::parse(result.out);
    CHECK(report["num_rows"] == num_rows);
    CHECK(report["num_updated"].get<size_t>() + report["num_deleted"].get<size_t>() ==
          std::min<size_t>(2, num_rows));
  }
  CHECK(place.IsEmpty());
}

TEST_CASE("the demo of a file fails as a load does, in one line", "[tools]") {
  const DemoPlace place;
  const std::string rows = place.folder().Write("rows", ShapesTsv(0, 100));
  const std::string ragged = place.folder().Write("ragged.tsv", ShapesTsv(0, 100) + "x\ty\n");
  const std::string header = place.folder().Write("header", "a\tb\n");
  const std::string none = place.folder().Path("none");
  struct Wrong {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Wrong> all = {
      {{rows, "--key", "colr"}, 2, "there are 'id', 'colour'"},
      {{rows, "--set-valued", "colr"}, 2, "there are 'id', 'colour'"},
      {{rows, "--key", "id,colour,tags,shape"}, 2, "--key"},
      {{rows, "--products", "10"}, 2, "--products"},
      {{rows, "--servers", "257"}, 2, "--servers"},
      {{rows, "--regions", "0"}, 2, "--regions"},
      {{"--key", "id"}, 2, "--key"},
      {{"--null", "NA"}, 2, "--null"},
      {{ragged, "--key", "id"}, 3, ":102: 2 fields in the row, where 4 are expected"},
      {{none + ".tsv"}, 3, "none.tsv"},
      {{none, "--key", "id"}, 3, "none"},
      {{header}, 3, "no rows"}};
  for (const Wrong& wrong : all) {
    const ToolResult result = place.Run(wrong.arguments);
    CAPTURE(wrong.arguments, result.err);
    CHECK(result.exit_code == wrong.exit_code);
    CHECK(result.out.empty());
    CHECK(result.err.starts_with("trommel-index: "));
    CHECK(result.err.find('\n') + 1 == result.err.size());
    CHECK(result.err.find(wrong.message) != std::string::npos);
    CHECK(place.IsEmpty());
  }
  CHECK(place.folder().Names() == std::vector<std::string>{"header", "ragged.tsv", "rows", "tmp"});
}

TEST_CASE("an interrupted demo of a file removes its folder", "[tools]") {
  const DemoPlace place;
  RunningTool tool({"demo", "-"}, place.environment());
  // More rows than are held before the table is made; then the demo waits for others.
  std::string rows = "a\n";
  for (size_t i = 0; i < 150'000; ++i) rows += "v" + std::to_string(i % 1000) + "\n";
  tool.Write(rows);
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (place.IsEmpty() && std::chrono::steady_clock::now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  REQUIRE_FALSE(place.IsEmpty());
  tool.Signal(SIGINT);
  const ToolResult result = tool.WaitWithInputOpen();
  CHECK(result.signal == SIGINT);
  CHECK(result.out.empty());
  CHECK(place.IsEmpty());
}

}  // namespace
}  // namespace trommel::tests
