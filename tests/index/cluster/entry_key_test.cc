// The keys of entries: their order is that of (attribute, value, row key).
#include "engine/index/src/rocks/entry_key.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.h"

namespace trommel::index {
namespace {

using Parts = std::tuple<uint32_t, std::string, std::string>;

std::string KeyOf(const Parts& parts) {
  return ValuePrefix(std::get<0>(parts), std::get<1>(parts)) + std::get<2>(parts);
}

// Strings of a few bytes that matter to the escape, so that prefixes of one another are common.
std::string RandomBytes(std::mt19937_64& random, size_t least, size_t most) {
  constexpr char kBytes[] = {'\0', '\x01', '\x02', 'a', '\xfe', '\xff'};
  std::string bytes(least + random() % (most - least + 1), '\0');
  for (char& byte : bytes) byte = kBytes[random() % std::size(kBytes)];
  return bytes;
}

TEST_CASE("keys of entries are in the order of attribute, value and row key") {
  std::mt19937_64 random(1);
  std::vector<Parts> all;
  for (int i = 0; i < 500; ++i) {
    all.emplace_back(random() % 3 * 255, RandomBytes(random, 0, 4), RandomBytes(random, 1, 3));
  }
  for (const Parts& a : all) {
    for (const Parts& b : all) REQUIRE((a < b) == (KeyOf(a) < KeyOf(b)));
  }
}

TEST_CASE("an entry's key says what it was made of") {
  std::mt19937_64 random(2);
  for (int i = 0; i < 5'000; ++i) {
    const Parts parts{random() % 1024, RandomBytes(random, 0, 9), RandomBytes(random, 1, 9)};
    const std::string key = KeyOf(parts);
    const Result<EntryKey> entry = DecodeEntryKey(key);
    REQUIRE(entry.ok());
    REQUIRE(entry->attribute == std::get<0>(parts));
    REQUIRE(entry->value == std::get<1>(parts));
    REQUIRE(entry->row_key == std::get<2>(parts));
    REQUIRE(key.substr(0, entry->prefix_bytes) ==
            ValuePrefix(std::get<0>(parts), std::get<1>(parts)));
  }
}

TEST_CASE("the range of a value has its entries with row keys of the range, and no others") {
  std::mt19937_64 random(3);
  for (int i = 0; i < 20'000; ++i) {
    const uint32_t attribute = random() % 2;
    const std::string value = RandomBytes(random, 0, 3);
    const KeyRange range{.begin = RandomBytes(random, 0, 2), .end = RandomBytes(random, 0, 2)};
    if (range.empty()) continue;
    const Parts other{random() % 2, RandomBytes(random, 0, 3), RandomBytes(random, 1, 3)};
    const EntryRange entries = EntriesOf(ValuePrefix(attribute, value), range);
    const std::string key = KeyOf(other);
    const bool is_of_range = std::get<0>(other) == attribute && std::get<1>(other) == value &&
                             range.Contains(std::get<2>(other));
    REQUIRE((key >= entries.begin && key < entries.end) == is_of_range);
  }
}

TEST_CASE("nothing lies between the entries of a value and what is beyond its prefix") {
  const std::string prefix = ValuePrefix(7, "v");
  CHECK(BeyondPrefix(prefix) > prefix + "\xff\xff\xff");
  CHECK(BeyondPrefix(prefix) < ValuePrefix(7, std::string("v\0", 2)));
  CHECK(BeyondPrefix(AttributePrefix(255)) > AttributePrefix(255) + "\xff\xff\xff");
  CHECK(BeyondPrefix(AttributePrefix(255)) <= AttributePrefix(256));
}

TEST_CASE("bytes that are no entry are an error, at whatever length they are cut") {
  const std::string prefix = ValuePrefix(258, std::string("a\0b", 3));
  for (size_t length = 0; length <= prefix.size(); ++length) {
    const Result<EntryKey> entry = DecodeEntryKey(prefix.substr(0, length));
    REQUIRE_FALSE(entry.ok());
    REQUIRE(entry.error().code == ErrorCode::kCorrupt);
  }
  CHECK(DecodeEntryKey(prefix + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1024, "a") + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1, std::string(kMaxValueBytes + 1, 'v')) + "k").ok());
  CHECK_FALSE(DecodeEntryKey(ValuePrefix(1, "v") + std::string(kMaxKeyBytes + 1, 'k')).ok());

  std::mt19937_64 random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = RandomBytes(random, 0, 12);
    if (i % 2 == 0) bytes = AttributePrefix(random() % 4) + bytes;
    const Result<EntryKey> entry = DecodeEntryKey(bytes);
    if (!entry) continue;
    REQUIRE(ValuePrefix(entry->attribute, entry->value) + std::string(entry->row_key) == bytes);
  }
}

}  // namespace
}  // namespace trommel::index
