// Schemas, rows and ranges of keys: what is legal, and what ranges share.
#include "trommel/index/schema.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "support/catch.h"

namespace trommel::index {
namespace {

using Catch::Matchers::ContainsSubstring;

Schema TwoAttributes() {
  return {.attributes = {{.name = "city", .is_indexed = true}, {.name = "name"}},
          .max_versions = 1};
}

void CheckRefused(const Status& status, std::initializer_list<std::string> parts) {
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kInvalidArgument);
  for (const std::string& part : parts) CHECK_THAT(status.error().message, ContainsSubstring(part));
}

TEST_CASE("a schema finds its attributes by their names", "[index]") {
  const Schema schema = TwoAttributes();
  CHECK(schema.Find("city") == 0u);
  CHECK(schema.Find("name") == 1u);
  CHECK_FALSE(schema.Find("nam").has_value());
  CHECK_FALSE(schema.Find("").has_value());
}

TEST_CASE("a schema has 1 to kMaxAttributes attributes whose names differ", "[index]") {
  CHECK(Validate(TwoAttributes()).ok());
  CheckRefused(Validate(Schema{}), {"0 attributes", "1024"});

  Schema schema;
  for (size_t i = 0; i < kMaxAttributes; ++i) {
    schema.attributes.push_back({.name = "a" + std::to_string(i)});
  }
  CHECK(Validate(schema).ok());
  schema.attributes.push_back({.name = "one more"});
  CheckRefused(Validate(schema), {"1025 attributes", "1024"});

  schema = TwoAttributes();
  schema.attributes[1].name = "city";
  CheckRefused(Validate(schema), {"attribute 1", "\"city\""});
  schema.attributes[1].name = "";
  CheckRefused(Validate(schema), {"attribute 1", "empty name"});
}

TEST_CASE("a schema keeps 1 to kMaxVersions versions", "[index]") {
  Schema schema = TwoAttributes();
  schema.max_versions = kMaxVersions;
  CHECK(Validate(schema).ok());
  schema.max_versions = kMaxVersions + 1;
  CheckRefused(Validate(schema), {"max_versions is 101", "between 1 and 100"});
  schema.max_versions = 0;
  CheckRefused(Validate(schema), {"max_versions is 0"});
}

TEST_CASE("a row has a key and one list of values per attribute", "[index]") {
  const Schema schema = TwoAttributes();
  CHECK(Validate(schema, {"k", {{"Berlin"}, {}}}).ok());
  CHECK(Validate(schema, {"k", {{}, {"", "a", "a"}}}).ok());
  CHECK(Validate(schema, {std::string("\0\xff", 2), {{}, {}}}).ok());
  CheckRefused(Validate(schema, {"", {{}, {}}}), {"key has 0 bytes", "between 1 and 32768"});
  CheckRefused(Validate(schema, {"k", {{}}}), {"has 1 lists", "2"});
  CheckRefused(Validate(schema, {"k", {{}, {}, {}}}), {"has 3 lists", "2"});
}

TEST_CASE("keys and values are as long as the limits, and no longer", "[index]") {
  const Schema schema = TwoAttributes();
  const std::string key(kMaxKeyBytes, 'k');
  const std::string value(kMaxValueBytes, 'v');
  CHECK(Validate(schema, {key, {{value}, {value, "short"}}}).ok());
  CheckRefused(Validate(schema, {key + "k", {{}, {}}}), {"key has 32769 bytes"});
  CheckRefused(Validate(schema, {key, {{}, {"short", value + "v"}}}),
               {"attribute \"name\" has 65537 bytes", "at most 65536"});
}

TEST_CASE("a range has its first key and not its end", "[index]") {
  const KeyRange range{"b", "d"};
  CHECK_FALSE(range.Contains("a\xff"));
  CHECK(range.Contains("b"));
  CHECK(range.Contains("c\xff"));
  CHECK_FALSE(range.Contains("d"));
  CHECK_FALSE(range.empty());

  const KeyRange rest{"b", ""};
  CHECK(rest.Contains("\xff\xff"));
  CHECK_FALSE(rest.Contains("a"));
  CHECK_FALSE(rest.empty());

  CHECK(KeyRange{"b", "b"}.empty());
  CHECK(KeyRange{"c", "b"}.empty());
  CHECK_FALSE(KeyRange{"", ""}.empty());
}

TEST_CASE("the intersection of two ranges has exactly the keys of both", "[index]") {
  const std::vector<std::string> bounds = {"", "a", "b", std::string("b\0", 2), "c", "\xff"};
  std::vector<std::string> keys = bounds;
  keys.insert(keys.end(), {"aa", "bb", "cc", "\xff\xff"});
  std::vector<KeyRange> ranges;
  for (const std::string& begin : bounds) {
    for (const std::string& end : bounds) ranges.push_back({begin, end});
  }
  for (const KeyRange& a : ranges) {
    for (const KeyRange& b : ranges) {
      const KeyRange both = Intersection(a, b);
      for (const std::string& key : keys) {
        REQUIRE(both.Contains(key) == (a.Contains(key) && b.Contains(key)));
        REQUIRE_FALSE((both.empty() && both.Contains(key)));
      }
    }
  }
  CHECK(Intersection({"a", "b"}, {"b", "c"}).empty());
  CHECK(Intersection({"a", "b"}, {"c", ""}).empty());
  CHECK(Intersection({"a", ""}, {"", ""}) == KeyRange{"a", ""});
}

}  // namespace
}  // namespace trommel::index
