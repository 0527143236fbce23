// One record's text as a key.
#include "tools/trommel/key_format.h"

#include <array>
#include <string>

#include "support/catch.h"

namespace trommel::tool {
namespace {

TEST_CASE("formats have names and terminators", "[tools][key_format]") {
  CHECK(KeyFormatFromName("lines") == KeyFormat::kLines);
  CHECK(KeyFormatFromName("raw64") == KeyFormat::kRaw64);
  CHECK_FALSE(KeyFormatFromName("csv").has_value());
  CHECK(IsInteger(KeyFormat::kU64));
  CHECK_FALSE(IsInteger(KeyFormat::kHex));
  CHECK(Terminator(KeyFormat::kTsv) == "\n");
  CHECK(Terminator(KeyFormat::kNul) == std::string_view("\0", 1));
  CHECK(Terminator(KeyFormat::kRaw64).empty());
}

TEST_CASE("hex digits of either case become bytes", "[tools][key_format]") {
  std::array<char, 8> bytes = {};
  const Result<size_t> num_bytes = DecodeHex("00fFa1", bytes.data());
  REQUIRE(num_bytes.ok());
  CHECK(std::string(bytes.data(), *num_bytes) == std::string("\x00\xff\xa1", 3));
  CHECK_FALSE(DecodeHex("0", bytes.data()).ok());
  CHECK_FALSE(DecodeHex("0g", bytes.data()).ok());
  CHECK_FALSE(DecodeHex("0x", bytes.data()).ok());
}

TEST_CASE("integers are decimal digits of 64 bits", "[tools][key_format]") {
  CHECK(*ParseU64("0") == 0);
  CHECK(*ParseU64("007") == 7);
  CHECK(*ParseU64("18446744073709551615") == ~uint64_t{0});
  CHECK_THAT(ParseU64("18446744073709551616").error().message,
             Catch::Matchers::ContainsSubstring("larger than"));
  const std::string wrong = GENERATE("", "-1", "+1", " 1", "1 ", "1.0", "0x1", "1a");
  CHECK_THAT(ParseU64(wrong).error().message, Catch::Matchers::ContainsSubstring("not a decimal"));
}

TEST_CASE("columns are found by index and by name", "[tools][key_format]") {
  CHECK(Column("a\tb\tc", 0) == "a");
  CHECK(Column("a\tb\tc", 2) == "c");
  CHECK(Column("a\t\tc", 1) == "");
  CHECK(Column("a\t", 1) == "");
  CHECK_FALSE(Column("a\tb", 2).has_value());
  CHECK(ColumnIndex("id\tname", "name") == 1);
  CHECK_FALSE(ColumnIndex("id\tname", "nam").has_value());
}

TEST_CASE("quoted text stays on one short line", "[tools][key_format]") {
  CHECK(Quoted("abc") == "'abc'");
  CHECK(Quoted("a\n\xff") == "'a\\x0a\\xff'");
  CHECK(Quoted(std::string(100, 'x')) == "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace trommel::tool
