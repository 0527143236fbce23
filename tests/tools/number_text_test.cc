// Counts, sizes and rates as people write them.
#include "tools/trommel/output/number_text.h"

#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("counts are read with fractions, exponents and units", "[tools][number_text]") {
  const auto [text, want] = GENERATE(table<std::string, uint64_t>({
      {"0", 0},
      {"250000", 250000},
      {"10M", 10'000'000},
      {"10 M", 10'000'000},
      {"1.5G", 1'500'000'000},
      {"0.3k", 300},
      {".5K", 500},
      {"1e6", 1'000'000},
      {"3.25e2", 325},
      {"1e3k", 1'000'000},
      {"64Ki", 65536},
      {"1.5Gi", 1'610'612'736},
      {"2T", 2'000'000'000'000},
      {"18446744073709551615", ~uint64_t{0}},
      {"1.000", 1},
  }));
  INFO(text);
  const Result<uint64_t> count = ParseCount(text);
  REQUIRE(count.ok());
  CHECK(*count == want);
}

TEST_CASE("what is not a whole number of 64 bits is refused by its text", "[tools][number_text]") {
  const std::string text =
      GENERATE("", "M", ".", "-1", "+1", "1.5", "1.2345k", "1x", "1e", "1MM", "0x10", "1e99",
               "18446744073709551616", "20000000000G", "10MB", " 1");
  INFO(text);
  const Result<uint64_t> count = ParseCount(text);
  REQUIRE_FALSE(count.ok());
  CHECK(count.error().code == ErrorCode::kInvalidArgument);
  CHECK_THAT(count.error().message, Catch::Matchers::ContainsSubstring("'" + text + "'"));
}

TEST_CASE("sizes may end in B", "[tools][number_text]") {
  CHECK(*ParseBytes("4096") == 4096);
  CHECK(*ParseBytes("4096B") == 4096);
  CHECK(*ParseBytes("64MiB") == uint64_t{64} << 20);
  CHECK(*ParseBytes("2GB") == 2'000'000'000);
  CHECK_FALSE(ParseBytes("B").ok());
}

TEST_CASE("rates are fractions or percentages strictly between 0 and 1", "[tools][number_text]") {
  CHECK(*ParseRate("0.01") == Catch::Approx(0.01));
  CHECK(*ParseRate("1e-3") == Catch::Approx(0.001));
  CHECK(*ParseRate("1%") == Catch::Approx(0.01));
  CHECK(*ParseRate("0.5 %") == Catch::Approx(0.005));
  const std::string wrong =
      GENERATE("", "0", "1", "100%", "-0.1", "nan", "inf", "0.01x", "%", "1 2");
  INFO(wrong);
  CHECK_FALSE(ParseRate(wrong).ok());
}

TEST_CASE("numbers are written for people", "[tools][number_text]") {
  CHECK(FormatCount(0) == "0");
  CHECK(FormatCount(999) == "999");
  CHECK(FormatCount(1000) == "1,000");
  CHECK(FormatCount(1234567) == "1,234,567");
  CHECK(FormatBytes(999) == "999 B");
  CHECK(FormatBytes(1580000) == "1.58 MB");
  CHECK(FormatBytes(15800) == "15.8 kB");
  CHECK(FormatBytes(999999) == "1.00 MB");
  CHECK(FormatBytes(~uint64_t{0}) == "18.4 EB");
  CHECK(FormatRate(0.00972) == "0.972 %");
  CHECK(FormatRate(0) == "0 %");
  CHECK(FormatRate(0.01) == "1.00 %");
  CHECK(FormatRate(1) == "100 %");
  CHECK(FormatRate(1.2e-6) == "1.20e-06");
}

TEST_CASE("one thing is not many, and two rates share a notation", "[tools][number_text]") {
  CHECK(FormatCount(1, "block") == "1 block");
  CHECK(FormatCount(2000, "block") == "2,000 blocks");
  CHECK(FormatRate(1e-5, 9.99e-6) == "1.00e-05");
  CHECK(FormatRate(0.01, 0.02) == "1.00 %");
  CHECK(FormatRate(0, 1e-6) == "0 %");
}

}  // namespace
}  // namespace trommel::tool
