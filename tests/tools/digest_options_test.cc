// --digest, --seed and --key-file: what goes together.
#include "tools/trommel/digest_options.h"

#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/run_tool.h"

namespace trommel::tests {
namespace {

using Catch::Matchers::ContainsSubstring;

using Strings = std::vector<std::string>;

Strings Joined(Strings words, const Strings& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST_CASE("digest options that contradict each other are refused with the reason",
          "[tools][keyed]") {
  const TempFolder folder;
  const std::string key = folder.Write("key", "0123456789abcdef");
  Strings command = GENERATE(Strings{"build", "-n", "9"}, Strings{"dedup", "-n", "9"},
                             Strings{"attr", "build", "-n", "9"});
  if (command[0] != "dedup") command = Joined(command, {"-o", folder.Path("out")});
  const auto refusal = [&](const Strings& digest) {
    const ToolResult result = RunTool(Joined(command, digest), "a\n");
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK_THAT(refusal({"--digest", "siphash"}), ContainsSubstring("siphash needs --key-file"));
  CHECK_THAT(refusal({"--digest", "siphash", "--key-file", key, "--seed", "7"}),
             ContainsSubstring("a key instead of a seed"));
  CHECK_THAT(refusal({"--key-file", key}), ContainsSubstring("is for --digest siphash, not xxh64"));
  CHECK(folder.Names() == Strings{"key"});
}

}  // namespace
}  // namespace trommel::tests
