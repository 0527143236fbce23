// trommel size: forth and back, for one encoding and for all, and for the other types.
#include "tools/trommel/commands/size.h"

#include <signal.h>

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "trommel/any_filter.h"
#include "trommel/counting_filter.h"
#include "trommel/scalable_filter.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("size answers with memory, and memory answers with keys", "[tools][size]") {
  const auto [encoding, slices] =
      GENERATE(table<std::string, std::string>({{"planes", "8"}, {"runs", "5"}, {"runs", "10"}}));
  const json sizing =
      ReportOf({"size", "-n", "1M", "-p", "1%", "--encoding", encoding, "--slices", slices});
  CHECK(sizing["capacity"] == 1'000'000);
  CHECK(sizing["num_slices"].dump() == slices);
  CHECK(sizing["encoding"] == encoding);
  CHECK(sizing["predicted_fpr"] <= 0.01);
  if (encoding == "planes") {
    CHECK(sizing["num_bytes"] == sizing["presence_bytes"].get<uint64_t>() * 4);
  } else {
    CHECK(sizing["num_bytes"] ==
          sizing["num_blocks"].get<uint64_t>() * (slices == "10" ? 128 : 64));
    CHECK(sizing["predicted_side_table_bytes"] > 0);
  }

  const std::string num_bytes = sizing["num_bytes"].dump();
  const nlohmann::json back = ReportOf(
      {"size", "--bytes", num_bytes, "-p", "1%", "--encoding", encoding, "--slices", slices});
  CHECK(back["capacity"] >= 1'000'000);
  CHECK(back["num_blocks"] == sizing["num_blocks"]);

  CHECK(ReportOf({"size", "--blocks", sizing["num_blocks"].dump(), "-n", "1M", "--encoding",
                  encoding, "--slices", slices})["predicted_fpr"] == sizing["predicted_fpr"]);
}

TEST_CASE("size needs two of three and says so", "[tools][size]") {
  const ToolResult tiny = RunTool({"size", "-n", "1M", "--bytes", "127", "--encoding", "planes"});
  CHECK(tiny.exit_code == 2);
  CHECK_THAT(tiny.err, ContainsSubstring("takes 128 bytes"));
  const ToolResult tinier = RunTool({"size", "-n", "1M", "--bytes", "63", "--encoding", "runs"});
  CHECK(tinier.exit_code == 2);
  CHECK_THAT(tinier.err, ContainsSubstring("takes 64 bytes"));
  const ToolResult rare =
      RunTool({"size", "--blocks", "1", "-p", "0.0001%", "--encoding", "dense"});
  CHECK(rare.exit_code == 2);
  CHECK_THAT(rare.err, ContainsSubstring("cannot keep it"));
}

TEST_CASE("size as text names every figure", "[tools][size]") {
  const std::string text = RunTool({"size", "-n", "10M", "-p", "0.001"}).out;
  const std::string one = RunTool({"size", "-n", "10M", "--encoding", "dense"}).out;
  for (const char* word : {"10,000,000", "MB", "side table", "bits per key", "false positives",
                           "beside writers", "promoted"}) {
    CHECK_THAT(text, ContainsSubstring(word));
    CHECK_THAT(one, ContainsSubstring(word));
  }
  for (const char* name : {"planes", "runs", "fingerprints16", "dense"}) {  // side by side
    CHECK_THAT(text, ContainsSubstring(name));
    CHECK((one.find(name) != std::string::npos) == (std::string_view(name) == "dense"));
  }
}

TEST_CASE("without an encoding, size answers for all of them", "[tools][size]") {
  const auto parse = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--json", "size"});
    return json::parse(RunTool(arguments).out);
  };
  const std::vector<std::string> question =
      GENERATE(std::vector<std::string>{"-n", "3M", "-p", "0.4%"},
               std::vector<std::string>{"--blocks", "200k", "-n", "3M"});
  const json both = parse(question);
  const std::vector<std::string> names = {"planes", "runs", "fingerprints16", "dense"};
  REQUIRE(both["encodings"].size() == names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> one = question;
    one.insert(one.end(), {"--encoding", names[i]});
    json alone = parse(one);
    CHECK(alone["encodings"] == json::array({both["encodings"][i]}));
    alone.erase("encodings");
    CHECK(alone == both["encodings"][i]);
  }
  json chosen = both;
  chosen.erase("encodings");
  CHECK(chosen["encoding"] == EncodingName(CountingConfig{}.encoding));
  CHECK(chosen == both["encodings"][chosen["encoding"] == "planes" ? 0 : 1]);
}

TEST_CASE("an encoding that cannot serve is left out, and said to be", "[tools][size]") {
  const ToolResult text = RunTool({"size", "-n", "1M", "--slices", "5"});
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, ContainsSubstring("runs") && ContainsSubstring("5 x "));
  CHECK_THAT(text.out,
             ContainsSubstring("No planes: num_slices is 5; planes have 8 (runs have 5)."));
  const json sizing = ReportOf({"size", "-n", "1M", "--slices", "5"});
  CHECK(sizing["encoding"] == "runs");
  CHECK(sizing["encodings"].size() == 1);
}

TEST_CASE("size shows the encoding of the fewest bytes as automatic", "[tools][size]") {
  const std::string rate = GENERATE("1%", "0.04%", "0.0001%");
  const json all = ReportOf({"size", "-n", "3M", "-p", rate});
  json chosen = ReportOf({"size", "-n", "3M", "-p", rate, "--encoding", "automatic"});
  CHECK(chosen["encoding"] != "automatic");
  for (const json& one : all["encodings"]) CHECK(chosen["bits_per_key"] <= one["bits_per_key"]);
  const ToolResult memory = RunTool({"size", "--bytes", "1MB", "--encoding", "automatic"});
  CHECK(memory.exit_code == 2);
  CHECK_THAT(memory.err, ContainsSubstring("give -n and -p"));
}

TEST_CASE("size says what queries beside writers answer, at capacity and past it",
          "[tools][size]") {
  const json all = ReportOf({"size", "-n", "3M", "-p", "0.3%"});
  for (const json& one : all["encodings"]) {
    CAPTURE(one["encoding"]);
    const bool has_fingerprints = one["num_slices"] == 0;
    const double undecided = one["predicted_undecided_share"];
    CHECK((undecided > 0) == has_fingerprints);
    CHECK(one["predicted_fpr"].get<double>() + undecided <= 0.003);
    REQUIRE(one["past_capacity"].size() == 2);
    CHECK(one["past_capacity"][0]["num_keys"] == 3'750'000);
    CHECK(one["past_capacity"][1]["num_keys"] == 5'700'000);
    for (const json& past : one["past_capacity"]) {
      CHECK(past["predicted_fpr"] > one["predicted_fpr"]);
      CHECK((past["predicted_undecided_share"] > undecided) == has_fingerprints);
    }
  }
  const std::string text = RunTool({"size", "-n", "3M", "-p", "0.3%"}).out;
  CHECK_THAT(text, ContainsSubstring("with 1.9 x the keys") &&
                       ContainsSubstring("the lowest rate is that of dense"));
  const std::string few = RunTool({"size", "-n", "3M", "-p", "0.3%", "--slices", "8"}).out;
  CHECK_THAT(few, !ContainsSubstring("the lowest rate is"));
}

TEST_CASE("size measures every encoding that it shows", "[tools][size]") {
  const json all = ReportOf({"size", "-n", "2000", "-p", "1%", "--measure"});
  REQUIRE(all["encodings"].size() == 4);
  for (const json& one : all["encodings"]) {
    const json& measured = one["measured_ns"];
    for (const char* name : {"insert", "erase", "query_miss", "query_hit"}) {
      CHECK(measured[name] > 0);
    }
    CHECK(measured["num_keys"] == 2000);
    CHECK(measured["num_bytes"] == one["num_bytes"]);
  }
  CHECK(all["measured_ns"] == all["encodings"][1]["measured_ns"]);
  CHECK(all["measured_on"]["target"].is_string());
  CHECK_FALSE(ReportOf({"size", "-n", "2000"}).contains("measured_on"));
}

TEST_CASE("size says where, in what and how it measured", "[tools][size]") {
  const ToolResult result = RunTool({"size", "-n", "2000", "--measure"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());  // no progress in a pipe
  for (const char* part : {"measured", "query miss", "query hit", "this machine now (",
                           "batches of 65,536 keys", "medians of", "more than 64.0 MB"}) {
    CHECK_THAT(result.out, ContainsSubstring(part));
  }
}

TEST_CASE("size refuses to measure what it cannot", "[tools][size]") {
  const auto [arguments, reason] = GENERATE(table<std::vector<std::string>, std::string>(
      {{{"-n", "999"}, "fewer than 1000 keys"},
       {{"-n", "1G", "--blocks", "100"}, "more than 256 keys per block"},
       {{"-n", "2000", "--type", "scalable"}, "is for --type counting, not scalable"}}));
  const ToolResult result = RunTool(With({"size", "--measure"}, arguments));
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, ContainsSubstring("--measure: ") && ContainsSubstring(reason));
}

TEST_CASE("an interrupted measurement ends by the signal and prints nothing", "[tools][size]") {
  RunningTool tool({"size", "-n", "1G", "--measure"});
  // Not noted yet, it ends the program all the same.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  tool.Signal(SIGINT);
  const ToolResult result = tool.Wait();
  CHECK(result.signal == SIGINT);
  CHECK(result.out.empty());
  CHECK(result.err.empty());
}

json SizeOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"size", "--json", "-n", "50k", "-p", "1%", "--type"});
  const ToolResult result = MustRun(arguments);
  arguments.erase(arguments.begin() + 1);
  CHECK(RunTool(arguments).exit_code == 0);
  return json::parse(result.out);
}

TEST_CASE("a window's size is that of one array", "[tools][size]") {
  const json size = SizeOf({"window", "--window", "10m", "--buckets", "3"});
  CHECK(size["type"] == "window");
  CHECK(size["window"] == 600'000);
  CHECK(size["num_buckets"] == 3);
  CHECK(size["fingerprint_bits"] == 12);
  CHECK(size["predicted_fpr"] <= 0.01);
  const AnyFilterPtr window =
      AnyFilter::Create(FilterType::kWindow, {{"window", uint64_t{600'000}},
                                              {"num_buckets", uint64_t{3}},
                                              {"capacity", uint64_t{50'000}}})
          .value();
  const Figures figures = window->GetFigures(/*measured=*/false);
  CHECK(size["num_blocks"] == FigureOr<uint64_t>(figures, "num_blocks", 0));
  CHECK(size["num_bytes"] == FigureOr<uint64_t>(figures, "num_bytes", 0));
  CHECK(size["num_slots"] == 32);
}

TEST_CASE("a scalable filter's size is told up to its largest capacity", "[tools][size]") {
  const json size = SizeOf({"scalable", "--max-capacity", "3M"});
  CHECK(size["largest_capacity"] >= 3'000'000);
  CHECK(size["sizes"].back()["num_keys"] == size["largest_capacity"]);
  CHECK(size["sizes"].back()["predicted_fpr"] <= 0.01);
  CHECK(size["sizes"][1]["num_keys"] == 2 * size["sizes"][0]["num_keys"].get<uint64_t>());
  // Of a filter that has grown so far, just after a step at the most.
  ScalableFilter filter =
      ScalableFilter::Create({.first_capacity = 50'000, .max_capacity = 3'000'000}).value();
  std::vector<uint64_t> keys(size["sizes"][2]["num_keys"].get<uint64_t>());
  for (uint64_t i = 0; i < keys.size(); ++i) keys[i] = i;
  filter.Insert(keys);
  const auto num_bytes = size["sizes"][2]["num_bytes"].get<uint64_t>();
  CHECK(filter.GetStats().num_bytes >= num_bytes / 2);
  CHECK(filter.GetStats().num_bytes <= num_bytes * 2);
}

}  // namespace
}  // namespace trommel::tests
