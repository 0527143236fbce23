// Tuples of values as keys and as text: no two alike, in order, and back again.
#include "tools/trommel/input/tuple_key.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "trommel/tuples.h"

namespace trommel::tool {
namespace {

using Strings = std::vector<std::string>;

// All strings of at most `longest` of these bytes.
Strings AllStrings(std::string_view bytes, size_t longest) {
  Strings all = {""};
  for (size_t begin = 0, length = 1; length <= longest; ++length) {
    const size_t end = all.size();
    for (; begin < end; ++begin) {
      for (const char byte : bytes) all.push_back(all[begin] + byte);
    }
  }
  return all;
}

// All tuples of `num_values` of the strings.
std::vector<Strings> AllTuples(const Strings& strings, size_t num_values) {
  std::vector<Strings> tuples = {{}};
  for (size_t i = 0; i < num_values; ++i) {
    std::vector<Strings> longer;
    for (const Strings& tuple : tuples) {
      for (const std::string& value : strings) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

std::string Encoded(const Strings& tuple) {
  return TupleKey(std::vector<std::string_view>(tuple.begin(), tuple.end()));
}

const std::string_view kBytes("\x00\x01,\xff", 4);

TEST_CASE("keys of tuples are all different, in the tuples' order, and give them back",
          "[tools][tuple_key]") {
  const auto check = [](size_t longest, size_t num_values) {
    std::vector<Strings> tuples = AllTuples(AllStrings(kBytes, longest), num_values);
    std::ranges::sort(tuples);  // value by value, by unsigned bytes
    std::optional<std::string> last;
    for (const Strings& tuple : tuples) {
      const std::string key = Encoded(tuple);
      REQUIRE((!last || *last < key));
      REQUIRE(DecodeTuple(key, num_values) == tuple);
      last = key;
    }
  };
  check(4, 1);
  check(4, 2);
  check(2, 3);
  check(1, 5);
}

TEST_CASE("bytes that are the key of no tuple are not taken for one", "[tools][tuple_key]") {
  for (const std::string& bytes : AllStrings(kBytes, 7)) {
    for (size_t num_values = 1; num_values <= 3; ++num_values) {
      const std::optional<Strings> tuple = DecodeTuple(bytes, num_values);
      if (tuple) REQUIRE(Encoded(*tuple) == bytes);
    }
  }
  CHECK_FALSE(DecodeTuple("ab", 2));
  CHECK_FALSE(DecodeTuple(std::string_view("a\0", 2), 2));
  CHECK_FALSE(DecodeTuple(std::string_view("a\0b", 3), 2));
}

TEST_CASE("a tuple's text gives the tuple back, on one line of UTF-8", "[tools][tuple_key]") {
  const std::vector<Strings> all_names = {{"a", "b"}, {"a=", "\\,\n"}};
  for (const Strings& names : all_names) {
    for (const Strings& tuple : AllTuples(AllStrings("a,=\\x0\n\xff\xc2\xa9\x85", 2), 2)) {
      const std::string text = TupleText(names, tuple);
      const Result<Strings> parsed = ParseTuple(text, names);
      REQUIRE(parsed.ok());
      REQUIRE(*parsed == tuple);
      REQUIRE(text.find('\n') == std::string::npos);
      REQUIRE(text.find('\xff') == std::string::npos);
    }
  }
  CHECK(TupleText(Strings{"a", "b"}, Strings{"1,2", "x=\\\xc3\xa9\xff"}) ==
        "a=1\\,2,b=x\\=\\\\\xc3\xa9\\xff");
}

TEST_CASE("what is wrong in a tuple's text is said with its position", "[tools][tuple_key]") {
  const Strings names = {"a", "b"};
  const auto why = [&names](std::string_view text) {
    return ParseTuple(text, names).error().message;
  };
  const std::string form = "; write a=VALUE,b=VALUE";
  CHECK(why("1,2") == "key '1,2', byte 1: key column 'a' and an equals sign should be here" + form);
  CHECK(why("a=1,c=2") ==
        "key 'a=1,c=2', byte 5: key column 'b' and an equals sign should be here" + form);
  CHECK(why("a=1") == "key 'a=1', byte 4: it ends before key column 'b'" + form);
  CHECK(why("a=1,b=2,3") ==
        "key 'a=1,b=2,3', byte 8: it should end here; a comma within a value is written \\," +
            form);
  for (const std::string_view escape : {"\\q", "\\", "\\x1", "\\xg0", "\\xA0"}) {
    CHECK(why("a=1,b=" + std::string(escape)).find("byte 7: a backslash must be") !=
          std::string::npos);
  }
  CHECK(why("").find("byte 1") != std::string::npos);
}

}  // namespace
}  // namespace trommel::tool
