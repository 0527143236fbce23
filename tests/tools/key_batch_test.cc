// One piece cut into records and keys. Across pieces: key_pipeline_test.cc.
#include "tools/trommel/input/key_batch.h"

#include <array>
#include <string>
#include <vector>

#include "support/catch.h"
#include "tools/trommel/input/key_format.h"
#include "tools/trommel/output/report.h"

namespace trommel::tool {
namespace {

using Strings = std::vector<std::string>;

void SetText(KeyBatch& batch, std::string_view text) {
  batch.piece.buffer.assign(text.begin(), text.end());
  batch.piece.begin = 0;
  batch.piece.end = text.size();
}

Strings StringKeys(const KeyBatch& batch) {
  REQUIRE(batch.keys().kind() == KeyKind::kViews);
  const auto* keys = static_cast<const std::string_view*>(batch.keys().data());
  return {keys, keys + batch.keys().size()};
}

TEST_CASE("a batch is cut anew for every piece", "[tools][key_batch]") {
  KeyBatch batch;
  KeyOptions options;
  SetText(batch, "a\n\nb");
  batch.Split(options);
  CHECK(StringKeys(batch) == Strings{"a", "b"});
  CHECK(batch.num_lines() == 3);
  CHECK(batch.num_empty() == 1);

  options.format = KeyFormat::kHex;
  SetText(batch, "6162\n63\n");
  batch.Split(options);
  CHECK(StringKeys(batch) == Strings{"ab", "c"});
  CHECK(batch.records()[0] == "6162");
  CHECK(batch.num_empty() == 0);

  options.format = KeyFormat::kU64;
  SetText(batch, "");
  batch.Split(options);
  CHECK(batch.keys().empty());
  CHECK(batch.num_lines() == 0);
}

TEST_CASE("records of any length are cut at their terminators, empty ones skipped or kept",
          "[tools][key_batch]") {
  // Around the sections in which terminators are looked for.
  for (const size_t length : {1, 4094, 4095, 4096, 4097, 8191, 12'289}) {
    INFO("length " << length);
    const std::string lengthy(length, 'x');
    KeyBatch batch;
    KeyOptions options;
    SetText(batch, "\n" + lengthy + "\n\n" + lengthy + "y\n\nz");
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{lengthy, lengthy + "y", "z"});
    CHECK(batch.num_lines() == 6);
    CHECK(batch.num_empty() == 3);

    options.keep_empty = true;
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{"", lengthy, "", lengthy + "y", "", "z"});
    CHECK(batch.num_empty() == 0);

    options.strip_cr = true;
    options.keep_empty = false;
    SetText(batch, "\r\n" + lengthy + "\r\n\ny\r\n" + lengthy);
    batch.Split(options);
    CHECK(StringKeys(batch) == Strings{lengthy, "y", lengthy});
    CHECK(batch.num_lines() == 5);
    CHECK(batch.num_empty() == 2);
  }
}

TEST_CASE("digests are what the policy makes of the keys", "[tools][key_batch]") {
  KeyBatch batch;
  KeyOptions options;
  SetText(batch, "a\nbc\n");
  batch.Split(options);
  const DigestPolicy policy{DigestKind::kXxh3, 7};
  batch.Hash(policy);
  CHECK(batch.digests == std::vector<uint64_t>{policy("a"), policy("bc")});

  options.format = KeyFormat::kU64;
  SetText(batch, "5\n");
  batch.Split(options);
  batch.Hash(policy);
  CHECK(batch.digests == std::vector<uint64_t>{policy(5)});
  batch.Hash({DigestKind::kCaller, 0});
  CHECK(batch.digests == std::vector<uint64_t>{5});
}

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
