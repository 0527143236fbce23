// The bytes of rows: what is read is what was written, and damaged bytes are an error.
#include "engine/index/src/rocks/row_codec.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/index/src/rocks/byte_codec.h"
#include "engine/index/src/rows/row_store.h"
#include "support/catch.h"

namespace trommel::index {
namespace {

constexpr size_t kRowAttributes = 3;

const Versions& SampleRow() {
  static const Versions versions = {{{"a", std::string("b\0", 2)}, {}, {""}},
                                    {{}, {}, {}},
                                    {{std::string(200, 'x')}, {"", "y"}, {"z"}}};
  return versions;
}

TEST_CASE("a row's bytes give its versions back") {
  const Result<Versions> versions = DecodeRow(EncodeRow(SampleRow()), kRowAttributes);
  REQUIRE(versions.ok());
  CHECK(*versions == SampleRow());
}

TEST_CASE("a row that is cut at any length, or longer, is an error") {
  const std::string bytes = EncodeRow(SampleRow());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const Result<Versions> versions = DecodeRow(bytes.substr(0, length), kRowAttributes);
    REQUIRE_FALSE(versions.ok());
    REQUIRE(versions.error().code == ErrorCode::kCorrupt);
  }
  CHECK_FALSE(DecodeRow(bytes + std::string(1, '\0'), kRowAttributes).ok());
  CHECK_FALSE(DecodeRow(bytes, kRowAttributes + 1).ok());
}

TEST_CASE("a row with any bit flipped is an error, or another row in the same form") {
  const std::string bytes = EncodeRow(SampleRow());
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    const Result<Versions> versions = DecodeRow(damaged, kRowAttributes);
    if (versions) REQUIRE(EncodeRow(*versions) == damaged);
  }
}

TEST_CASE("rows with values out of order, or none, or too many versions are errors") {
  CHECK_FALSE(DecodeRow(EncodeRow({{{"b", "a"}}}), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({{{"a", "a"}}}), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({}), 1).ok());
  CHECK(DecodeRow(EncodeRow(Versions(kMaxVersions, {{"a"}})), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow(Versions(kMaxVersions + 1, {{"a"}})), 1).ok());
  CHECK_FALSE(DecodeRow(EncodeRow({{{std::string(kMaxValueBytes + 1, 'v')}}}), 1).ok());
}

TEST_CASE("random bytes never crash a reader of rows") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes = {'\x01', static_cast<char>(random() % 4)};
    for (size_t left = random() % 24; left > 0; --left) {
      bytes.push_back(static_cast<char>(random() % 8 == 0 ? random() : random() % 4));
    }
    const Result<Versions> versions = DecodeRow(bytes, kRowAttributes);
    if (versions) REQUIRE(EncodeRow(*versions) == bytes);
  }
}

TEST_CASE("numbers have one form each") {
  for (const uint64_t number : {uint64_t{0}, uint64_t{127}, uint64_t{128}, UINT64_MAX}) {
    std::string bytes;
    AppendNumber(number, bytes);
    CHECK(ByteReader(bytes).Number(UINT64_MAX) == number);
    CHECK_FALSE(ByteReader(bytes.substr(0, bytes.size() - 1)).Number(UINT64_MAX));
    if (number > 0) CHECK_FALSE(ByteReader(bytes).Number(number - 1));
  }
  CHECK_FALSE(ByteReader(std::string("\x80\0", 2)).Number(UINT64_MAX));
  CHECK_FALSE(ByteReader(std::string(10, '\xff')).Number(UINT64_MAX));
  CHECK_FALSE(ByteReader(std::string(9, '\xff') + "\x02").Number(UINT64_MAX));
}

}  // namespace
}  // namespace trommel::index
