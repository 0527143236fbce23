// Counts, sizes, rates, times and durations as people write them: every form, and nothing else.
#include "tools/trommel/output/number_text.h"

#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("counts are read with fractions, exponents and units", "[tools][number_text]") {
  const auto [text, want] = GENERATE(table<std::string, uint64_t>({
      {"0", 0},
      {"10M", 10'000'000},
      {"1.5G", 1'500'000'000},
      {".5K", 500},
      {"1e6", 1'000'000},
      {"64Ki", 65536},
      {"2T", 2'000'000'000'000},
      {"18446744073709551615", ~uint64_t{0}},
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
  CHECK(FormatCount(1, "query") == "1 query");
  CHECK(FormatCount(2, "query") == "2 queries");
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

TEST_CASE("durations are read to the millisecond", "[tools][time_text]") {
  CHECK(ParseDuration("250ms").value() == 250);
  CHECK(ParseDuration("90s").value() == 90'000);
  CHECK(ParseDuration("10m").value() == 600'000);
  CHECK(ParseDuration("1.5h").value() == 5'400'000);
  CHECK(ParseDuration("0.001s").value() == 1);
  CHECK(ParseDuration("7d").value() == 604'800'000);
  CHECK(ParseDuration("2w").value() == 1'209'600'000);
}

TEST_CASE("what is no duration is refused", "[tools][time_text]") {
  for (const char* text : {"", "10", "m", "10 m", "-1s", "1y", "0s", "0.1ms", "1s2", "99999999999w",
                           "99999999999999999999s", "1e3s", ".s"}) {
    INFO(text);
    CHECK_FALSE(ParseDuration(text).ok());
  }
}

TEST_CASE("durations are written in full", "[tools][time_text]") {
  CHECK(FormatDuration(0) == "0s");
  CHECK(FormatDuration(600'000) == "10m");
  CHECK(FormatDuration(5'400'250) == "1h 30m 250ms");
  CHECK(FormatDuration(604'800'000) == "1w");
}

TEST_CASE("numbers are times of the unit asked for", "[tools][time_text]") {
  CHECK(ParseTime("807256800", TimeUnit::kSeconds).value() == 807256800'000);
  CHECK(ParseTime("1700000000123", TimeUnit::kMilliseconds).value() == 1700000000123);
  CHECK(ParseTime("1999999", TimeUnit::kNanoseconds).value() == 1);
  CHECK(ParseTime("0", TimeUnit::kSeconds).value() == 0);
  CHECK_FALSE(ParseTime("99999999999999999999", TimeUnit::kNanoseconds).ok());
  CHECK_FALSE(ParseTime("18446744073709551615", TimeUnit::kSeconds).ok());
}

TEST_CASE("ISO 8601 is read whatever the unit", "[tools][time_text]") {
  const auto at = [](const char* text) { return ParseTime(text, TimeUnit::kNanoseconds).value(); };
  CHECK(at("1970-01-01T00:00:00Z") == 0);
  CHECK(at("2018-05-11T12:31:06-04:00") == 1526056266'000);
  CHECK(at("2018-05-11 16:31:06.5") == 1526056266'500);
  CHECK(at("2018-05-11T16:31") == 1526056260'000);
  CHECK(at("2018-05-11T18:31:06+0200") == 1526056266'000);
  CHECK(at("2016-12-31T23:59:60Z") == at("2017-01-01T00:00:00Z"));
  CHECK(at("2024-02-29T00:00:00Z") == 1709164800'000);
}

TEST_CASE("what is no time is refused", "[tools][time_text]") {
  for (const char* text :
       {"", "x", "-1", "1 ", "2018-05-11", "2018-05-11T", "2018-05-11T12", "2018-13-01T00:00:00Z",
        "2023-02-29T00:00:00Z", "2018-05-11T24:00:00Z", "2018-05-11T12:60:00Z",
        "2018-05-11T12:31:61Z", "2018-05-11T12:31:06X", "2018-05-11T12:31:06+25:00",
        "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+01:00", "2018-05-11T12:31:06Zz"}) {
    INFO(text);
    CHECK_FALSE(ParseTime(text, TimeUnit::kSeconds).ok());
  }
}

}  // namespace
}  // namespace trommel::tool
