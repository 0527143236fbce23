// Compressed inputs are read as what they decompress to, or refused as a whole.
#include "tools/trommel/input/decompressor.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"
#include "tools/trommel/output/report.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Strings = std::vector<std::string>;

constexpr std::array kKinds = {tool::InputKind::kGzip, tool::InputKind::kBzip2,
                               tool::InputKind::kXz, tool::InputKind::kZstd};

// Writes `text` compressed and returns its path; nothing if the program is not there.
std::string Compressed(const TempFolder& folder, const std::string& name, const std::string& text,
                       const char* program) {
  const std::string plain = folder.Write("plain", text);
  const std::string path = folder.Path(name);
  const std::string command = std::string(program) + " -c < " + tool::ShellWord(plain) + " > " +
                              tool::ShellWord(path) + " 2>/dev/null";
  const bool is_made = std::system(command.c_str()) == 0;
  std::filesystem::remove(plain);
  return is_made ? path : "";
}

TEST_CASE("a compressed file or pipe is read as what it decompresses to", "[tools][decompressor]") {
  const TempFolder folder;
  const char* const program = tool::FindCompressed(GENERATE(from_range(kKinds)))->program;
  // Shorter than one line's worth of looking, without a newline, empty, and many blocks.
  const std::string text = GENERATE(std::string("one\ntwo\n"), std::string("last"), std::string(),
                                    Lines(std::string(300, 'k'), 3000));
  CAPTURE(program, text.size());
  const std::string path = Compressed(folder, "keys.z", text, program);
  if (path.empty()) return;  // this machine has no such program
  const std::string ended = text.empty() || text.ends_with('\n') ? text : text + "\n";
  for (const char* threads : {"1", "3"}) {
    CHECK(RunTool({"dedup", "-n", "3k", "-p", "1e-6", "--threads", threads, path}).out == ended);
  }
  const ToolResult piped = RunTool({"dedup", "-n", "3k", "-p", "1e-6"}, folder.Read("keys.z"));
  CHECK(piped.exit_code == 0);
  CHECK(piped.out == ended);

  const std::string filter = folder.Path("filter");
  MustRun({"build", "-o", filter, path, path});  // read twice, counted
}

TEST_CASE("bytes that come one by one are decompressed, too", "[tools][decompressor]") {
  const TempFolder folder;
  REQUIRE(!Compressed(folder, "keys.gz", "a\nb\na\n", "gzip").empty());
  RunningTool typed({"dedup", "-n", "10"});
  for (const char byte : folder.Read("keys.gz")) typed.Write({&byte, 1});
  const ToolResult result = typed.Wait();
  CHECK(result.exit_code == 0);
  CHECK(result.out == "a\nb\n");
}

TEST_CASE("members of one file, columns and compressed rows are read", "[tools][decompressor]") {
  const TempFolder folder;
  REQUIRE(!Compressed(folder, "1", "k\tv\na\t1\n", "gzip").empty());
  REQUIRE(!Compressed(folder, "2", "b\t2\n", "gzip").empty());
  const std::string both = folder.Write("both.gz", folder.Read("1") + folder.Read("2"));
  CHECK(RunTool({"dedup", "-n", "9", "--header", "--column", "k", both}).out ==
        "k\tv\na\t1\nb\t2\n");
  const std::string rows = folder.Path("rows");
  MustRun({"attr", "build", "-n", "9", "-o", rows, both});
  CHECK(RunTool({"attr", "query", rows, "--asked", "k", "-c", both}).out == "2\n");
}

TEST_CASE("of a damaged or shortened file nothing is written", "[tools][decompressor]") {
  const TempFolder folder;
  const std::string filter = folder.Path("filter");
  MustRun({"build", "-n", "10", "-o", filter}, "a\n");
  const std::string before = folder.Read("filter");
  const auto kind = GENERATE(from_range(kKinds));
  const tool::CompressedKind& format = *tool::FindCompressed(kind);
  CAPTURE(format.program);
  if (Compressed(folder, "whole", Lines("key ", 50'000), format.program).empty()) return;
  std::string bytes = folder.Read("whole");
  const std::string damage = GENERATE("shortened", "overwritten", "second member");
  CAPTURE(damage);
  if (damage == "shortened") {
    bytes.resize(bytes.size() / 2);
  } else if (damage == "overwritten") {
    for (size_t i = bytes.size() / 2; i < bytes.size() / 2 + 64; ++i) bytes[i] ^= 0x55;
  } else {  // its first bytes: what follows the first member is none
    bytes += "X" + bytes.substr(1);
  }
  const std::string path = folder.Write("bad", bytes);
  for (Strings command : {Strings{"build", "-n", "50k", "-o", folder.Path("new")},
                          Strings{"insert", filter}, Strings{"erase", "--partial", filter}}) {
    CAPTURE(command);
    command.push_back(path);
    const ToolResult result = RunTool(command);
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, ContainsSubstring(path + ": " + format.name +
                                             " data that is damaged or cut short ("));
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
  CHECK(folder.Read("filter") == before);
  CHECK(folder.Names() == Strings{"bad", "filter", "whole"});
}

TEST_CASE("before the error of a shortened file come all its whole lines",
          "[tools][decompressor]") {
  const TempFolder folder;
  const std::string text = Lines("key ", 50'000);
  REQUIRE(!Compressed(folder, "whole", text, "gzip").empty());
  std::string bytes = folder.Read("whole");
  bytes.resize(bytes.size() / 2);
  const std::string path = folder.Write("cut.gz", bytes);
  const ToolResult result = RunTool({"dedup", "-n", "50k", path});
  CHECK(result.exit_code == 3);
  CHECK(result.out.size() > text.size() / 3);
  CHECK(text.starts_with(result.out));
  CHECK(RunTool({"dedup", "-n", "50k"}, bytes).out == result.out);
}

TEST_CASE("where there is no program for it, its name is told", "[tools][decompressor]") {
  const TempFolder folder;
  const std::string path = folder.Write("keys.zst", "\x28\xb5\x2f\xfd");
  const ToolResult result = RunTool({"dedup", "-n", "9", path}, "", {"PATH=" + folder.Path("")});
  CHECK(result.exit_code == 3);
  CHECK(result.err == "trommel: " + path + ": zstd data, and the program zstd, which reads it, " +
                          "cannot be run: No such file or directory\n");
}

TEST_CASE("what is compressed twice, or no text, is refused with a remedy",
          "[tools][decompressor]") {
  const TempFolder folder;
  REQUIRE(!Compressed(folder, "once", "a\n", "gzip").empty());
  const std::string twice = Compressed(folder, "twice.gz", folder.Read("once"), "gzip");
  CHECK_THAT(RunTool({"dedup", "-n", "9", twice}).err,
             ContainsSubstring(": gzip data, not lines: try: ... | gzip -dc | trommel ... -"));
  CHECK(RunTool({"dedup", "-n", "9", "--as-lines", twice}).out.starts_with("\x1f\x8b"));
}

TEST_CASE("a command that ends early leaves no program behind", "[tools][decompressor]") {
  const TempFolder folder;
  const std::string path = Compressed(folder, "keys.gz", Lines("", 2'000'000), "gzip");
  REQUIRE(!path.empty());
  const std::string bad = Compressed(folder, "bad.gz", "1\nx\n" + Lines("", 2'000'000), "gzip");
  const ToolResult result = RunTool({"dedup", "-n", "9", "--keys", "u64", bad});  // and returns
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, ContainsSubstring(":2: "));
}

}  // namespace
}  // namespace trommel::tests
