// Times and durations: every form, and nothing else.
#include "tools/trommel/output/time_text.h"

#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

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
  CHECK(ParseTime("1.2345", TimeUnit::kSeconds).value() == 1234);
  CHECK(ParseTime("1700000000123", TimeUnit::kMilliseconds).value() == 1700000000123);
  CHECK(ParseTime("1999", TimeUnit::kMicroseconds).value() == 1);
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

TEST_CASE("time units have names", "[tools][time_text]") {
  CHECK(TimeUnitFromName("s") == TimeUnit::kSeconds);
  CHECK(TimeUnitFromName("ms") == TimeUnit::kMilliseconds);
  CHECK(TimeUnitFromName("us") == TimeUnit::kMicroseconds);
  CHECK(TimeUnitFromName("ns") == TimeUnit::kNanoseconds);
  CHECK_FALSE(TimeUnitFromName("min").has_value());
}

TEST_CASE("the wall clock is past 2020", "[tools][time_text]") {
  CHECK(WallClockTicks() > ParseTime("2020-01-01T00:00:00Z", TimeUnit::kSeconds).value());
}

}  // namespace
}  // namespace trommel::tool
