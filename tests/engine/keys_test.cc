// Keys and Key: what may be a key, and as which kind it is seen.
#include "trommel/keys.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory_resource>
#include <numeric>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.h"
#include "trommel/digest.h"

namespace trommel {
namespace {

// Characters and null pointers are no keys; integers of any width are.
static_assert(!std::is_constructible_v<Key, char> && !std::is_constructible_v<Key, wchar_t> &&
              !std::is_constructible_v<Key, bool> && !std::is_constructible_v<Key, std::nullptr_t>);
static_assert(std::is_constructible_v<Key, short> && std::is_constructible_v<Key, long long> &&
              std::is_constructible_v<Key, unsigned char>);

TEST_CASE("contiguous ranges of 64-bit integers and of strings are keys", "[engine][keys]") {
  const std::vector<uint64_t> unsigned_keys = {1, 2, 3};
  const std::array<int64_t, 2> signed_keys = {-1, 1};
  const std::vector<std::string> strings = {"a", "b"};
  const std::string_view views[] = {"a", "b", "c"};
  CHECK(Keys(unsigned_keys).kind() == KeyKind::kInt64);
  CHECK(Keys(unsigned_keys).size() == 3);
  CHECK(Keys(unsigned_keys).data() == unsigned_keys.data());
  CHECK(Keys(std::span(unsigned_keys).first(0)).empty());
  CHECK(Keys(signed_keys).kind() == KeyKind::kInt64);
  CHECK(Keys(strings).kind() == KeyKind::kStrings);
  CHECK(Keys(views).kind() == KeyKind::kViews);
  CHECK(Keys(views).size() == 3);
}

TEST_CASE("a key is the same in a range of any type, and by itself", "[engine][keys]") {
  const std::vector<int64_t> wide = {-5, 0, 7, INT32_MAX, INT32_MIN};
  const std::vector<int32_t> narrow = {-5, 0, 7, INT32_MAX, INT32_MIN};
  const std::vector<uint32_t> natural = {0, 7, UINT32_MAX};
  const std::vector<long long> others = {-5, 0, 7, INT32_MAX, INT32_MIN};
  const std::array<std::string, 3> strings = {"", "abc",
                                              "a rather long string that is no short one"};
  const std::vector<std::pmr::string> pmr(strings.begin(), strings.end());
  std::vector<std::span<const std::byte>> bytes;
  std::vector<std::span<const uint8_t>> octets;
  for (const std::string& string : strings) {
    bytes.push_back(std::as_bytes(std::span(string)));
    octets.emplace_back(reinterpret_cast<const uint8_t*>(string.data()), string.size());
  }
  const std::array<std::byte, 16> secret = {std::byte{9}};
  for (const DigestPolicy& policy :
       {DigestPolicy{}, DigestPolicy{.kind = DigestKind::kXxh64, .seed = 3},
        DigestPolicy::Keyed(DigestKey(secret))}) {
    const auto digests = [&policy](Keys keys) {
      std::vector<uint64_t> of_keys(keys.size());
      policy.Digests(keys, of_keys);
      return of_keys;
    };
    CHECK(digests(narrow) == digests(wide));
    CHECK(digests(others) == digests(wide));
    for (size_t i = 0; i < wide.size(); ++i) CHECK(digests(narrow)[i] == policy(narrow[i]));
    for (size_t i = 0; i < natural.size(); ++i) CHECK(digests(natural)[i] == policy(natural[i]));
    CHECK(digests(pmr) == digests(strings));
    CHECK(digests(bytes) == digests(strings));
    CHECK(digests(octets) == digests(strings));
    for (size_t i = 0; i < strings.size(); ++i) {
      CHECK(policy(pmr[i]) == policy(strings[i]));
      CHECK(policy(bytes[i]) == policy(strings[i]));
      CHECK(policy(octets[i]) == policy(strings[i]));
    }
    CHECK(digests(Keys(pmr).Subspan(1, 2))[1] == policy(strings[2]));
    CHECK(digests(Keys(narrow).Subspan(2, 1))[0] == policy(7));
    CHECK(digests(Keys::Int32(narrow)) != digests(wide));

    // More keys than are widened at a time.
    std::vector<int32_t> many(1000);
    std::iota(many.begin(), many.end(), -500);
    CHECK(digests(many) == digests(std::vector<int64_t>(many.begin(), many.end())));
  }
}

TEST_CASE("32-bit integers as such, and digests, are keys by name only", "[engine][keys]") {
  const std::vector<int32_t> narrow = {1, 2};
  const std::vector<uint32_t> narrow_unsigned = {1, 2, 3};
  const std::vector<uint64_t> digests = {5};
  CHECK(Keys::Int32(narrow).kind() == KeyKind::kInt32);
  CHECK(Keys::Int32(narrow_unsigned).size() == 3);
  CHECK(Keys::Digests(digests).kind() == KeyKind::kDigests);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Keys, std::vector<int16_t>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Keys, std::vector<char32_t>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Keys, std::vector<double>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Keys, std::list<uint64_t>>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Keys, uint64_t>);
}

TEST_CASE("one key of any integer type is widened by its sign", "[engine][keys]") {
  CHECK(Key(42).integer() == 42);
  CHECK(Key(-1).integer() == ~uint64_t{0});
  CHECK(Key(int8_t{-2}).integer() == ~uint64_t{1});
  CHECK(Key(uint32_t{0xffffffff}).integer() == 0xffffffff);
  CHECK(Key(uint64_t{1} << 63).integer() == uint64_t{1} << 63);
  CHECK(Key(42).kind() == KeyKind::kInt64);
  CHECK(Key::Int32(-1).integer() == 0xffffffff);
  CHECK(Key::Int32(7U).kind() == KeyKind::kInt32);
  CHECK(Key::Digest(9).kind() == KeyKind::kDigests);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Key, bool>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<Key, double>);
}

TEST_CASE("one string key is its bytes without a terminator", "[engine][keys]") {
  const std::string text("a\0b", 3);
  CHECK(Key("abc").bytes() == "abc");
  CHECK(Key(std::string_view("abc").substr(1)).bytes() == "bc");
  CHECK(Key(text).bytes().size() == 3);
  CHECK(Key("").bytes().empty());
  CHECK(Key("x").kind() == KeyKind::kViews);
}

}  // namespace
}  // namespace trommel
