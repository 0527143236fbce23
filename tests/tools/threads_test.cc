// --threads: what is printed, written and reported is the same for any number, byte for byte.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

// What a user sees and keeps, less the time it took.
struct Outcome {
  int exit_code = -1;
  std::string out;
  std::string err;
  std::string file;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

std::string Timeless(const std::string& text) {
  json report = json::parse(text, nullptr, false);
  if (!report.is_object()) return text;
  report.erase("seconds");
  return report.dump();
}

struct Input {
  std::string what;
  Arguments options;
  std::vector<std::string> texts;  // one a file
};

// Odd inputs, each much larger than a block where that matters. All formats: key_pipeline_test.cc.
std::vector<Input> OddInputs() {
  std::string lines;
  std::string table;
  std::string other_table = "key\tid\r\n";
  std::string integers;
  std::string raw;
  for (uint64_t i = 0; i < 30000; ++i) {
    const std::string key = "key " + std::to_string(i * 7919 % 20000);
    lines += key + (i % 5 == 0 ? "\n\n" : "\n");
    table += std::to_string(i) + "\t" + key + "\n";
    other_table += key + "\t" + std::to_string(i) + "\r\n";
    integers += std::to_string(i * i % 25000) + "\n";
    for (int byte = 0; byte < 8; ++byte) raw += static_cast<char>(i % 15000 >> (8 * byte));
  }
  const std::string long_record = lines + std::string(3000000, 'x') + "\n" + lines;
  const std::string bad = integers + "12 monkeys\n" + integers;
  return {
      {"lines", {}, {lines, "", "no newline at the end", lines, "\n", "last"}},
      {"empty lines are keys", {"--keep-empty"}, {lines + "\n\n"}},
      {"a record longer than a block", {}, {long_record}},
      {"tables", {"--header", "--column", "key", "--crlf"}, {"id\tkey\n" + table, other_table}},
      {"a malformed key", {"--keys", "u64"}, {integers, bad, integers}},
      {"raw integers", {"--keys", "raw64"}, {raw, raw}},
  };
}

class Runner {
 public:
  explicit Runner(Input input) : input_(std::move(input)) {
    for (size_t i = 0; i < input_.texts.size(); ++i) {
      paths_.push_back(folder_.Write("keys" + std::to_string(i), input_.texts[i]));
    }
    // About half of the keys, each once: erasures are refused and answers differ.
    const std::string& text = input_.texts.front();
    const std::string half = folder_.Write("half", text.substr(0, text.size() / 16 * 8));
    const Arguments build = {"build", "-n", "30000", "-o", folder_.Path("filter")};
    RunTool(With(With(build, {half}), input_.options));
    if (folder_.Read("filter").empty()) RunTool(build);  // half of them end within a key
  }

  Outcome Run(Arguments arguments, const std::string& num_threads) const {
    arguments = With(With(arguments, {"--json", "--threads", num_threads}), input_.options);
    const ToolResult result = RunTool(With(arguments, paths_));
    const std::string output = folder_.Read("output");
    std::filesystem::remove(folder_.Path("output"));
    return {result.exit_code, Timeless(result.out), Timeless(result.err), output};
  }

  std::string Path(const std::string& name) const { return folder_.Path(name); }

 private:
  const Input input_;
  const TempFolder folder_;
  Arguments paths_;
};

TEST_CASE("any number of threads prints, writes and reports the same", "[tools][threads]") {
  for (const Input& input : OddInputs()) {
    const Runner runner(input);
    const std::string filter = runner.Path("filter");
    const std::string output = runner.Path("output");
    std::vector<Arguments> commands = {
        {"build", "-n", "30000", "-o", output},
        {"insert", filter, "-o", output},
        {"erase", filter, "-o", output},
        {"erase", filter, "-o", output, "--partial"},
        {"query", filter, "--print-present"},
        {"verify", filter},
        {"dedup", "-n", "40000"},
        {"dedup"},
    };
    const bool has_lines = input.what.find("integer") == std::string::npos;
    if (has_lines) commands.push_back({"query", filter, "--print-counts"});
    // One that grows takes more memory with threads, and has the same bytes.
    CHECK((runner.Run({"build", "-o", output}, "1").file ==
           runner.Run({"build", "-o", output}, "3").file));
    for (const Arguments& command : commands) {
      const Outcome want = runner.Run(command, "1");
      // All numbers once; one of them for what differs in the cutting only.
      const std::vector<std::string> numbers =
          input.what == "lines" ? Arguments{"2", "3", "8"} : Arguments{"3"};
      for (const std::string& num_threads : numbers) {
        INFO(input.what << ": " << command.front() << " " << command.back() << " with "
                        << num_threads);
        const Outcome outcome = runner.Run(command, num_threads);
        CHECK(outcome.exit_code == want.exit_code);
        CHECK((outcome == want));  // in brackets: megabytes are no message
      }
    }
  }
}

}  // namespace
}  // namespace trommel::tests
