// Counts and arguments as programs read them.
#include "bench/text/arguments.h"

#include "support/catch.h"

namespace trommel::bench {
namespace {

TEST_CASE("counts are read with their unit and written back", "[bench][workload]") {
  CHECK(ParseCount("1") == 1U);
  CHECK(ParseCount("30M") == 30'000'000U);
  CHECK(ParseCount("10k") == 10'000U);
  CHECK(ParseCount("2G") == 2'000'000'000U);
  CHECK(CountName(30'000'000) == "30M");
  CHECK(CountName(1'500'000) == "1500k");
  CHECK(CountName(7) == "7");
}

TEST_CASE("arguments are read into their places, and others are refused", "[bench][arguments]") {
  std::vector<uint64_t> keys = {5};
  uint64_t rounds = 9;
  size_t encoding = 7;
  bool is_set = false;
  const auto read = [&](std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "program");
    return ReadArguments(
        static_cast<int>(arguments.size()), arguments.data(),
        {CountsArgument("--keys", keys, 100), CountArgument("--rounds", rounds, 50),
         WordArgument("--encoding", {"runs", "planes"}, encoding), FlagArgument("--set", is_set)},
        "");
  };
  CHECK(read({}));
  CHECK(keys == std::vector<uint64_t>{5});
  CHECK(read({"--keys=1M,200", "--rounds=50", "--encoding=planes", "--set"}));
  CHECK(keys == std::vector<uint64_t>{1'000'000, 200});
  CHECK(rounds == 50);
  CHECK(encoding == 1);
  CHECK(is_set);
  for (const char* bad : {"", "--", "keys=200", "--keys", "--keys=", "--keys=99", "--round=1",
                          "--rounds=51", "--encoding=both", "--set=1"}) {
    INFO(bad);
    CHECK_FALSE(read({bad}));
  }
}

}  // namespace
}  // namespace trommel::bench
