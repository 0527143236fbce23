// Attributes by name: what people type, and what they are told of a name that is not there.
#include "tools/index/rows/attribute_names.h"

#include <string>
#include <vector>

#include "support/catch.h"

namespace trommel::tool {
namespace {

index::Schema SchemaOf(const std::vector<std::string>& names) {
  index::Schema schema;
  for (const std::string& name : names) schema.attributes.push_back({name, true});
  return schema;
}

TEST_CASE("a condition is an attribute's name, a sign and all that is behind it", "[tools]") {
  const index::Schema schema = SchemaOf({"brand", "colour"});
  CHECK(*ParseCondition(schema, "colour=red") == index::Condition{1, "red"});
  CHECK(*ParseCondition(schema, "brand=a=b") == index::Condition{0, "a=b"});
  CHECK(*ParseCondition(schema, "brand= ") == index::Condition{0, " "});
}

TEST_CASE("a name may have a sign in it", "[tools]") {
  const index::Schema schema = SchemaOf({"a=b", "c"});
  CHECK(*ParseCondition(schema, "a=b=c") == index::Condition{0, "c"});
  CHECK_FALSE(ParseCondition(schema, "a=c").ok());
}

TEST_CASE("a condition without sign or value is refused", "[tools]") {
  const index::Schema schema = SchemaOf({"brand"});
  for (const char* const text : {"brand", "", "brand=", "=", "=x"}) {
    CAPTURE(text);
    const auto parsed = ParseCondition(schema, text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == ErrorCode::kInvalidArgument);
  }
}

TEST_CASE("a name that is not there is answered with those near it, or with all", "[tools]") {
  const std::vector<std::string> names = {"brand", "Colour", "color", "country"};
  const auto message = [&](const char* name) {
    return FindNamed("attribute", name, names).error().message;
  };
  CHECK(*FindNamed("attribute", "color", names) == 2);
  CHECK(message("colour") == "no attribute 'colour'; near it: 'Colour', 'color'");
  CHECK(message("brnad") == "no attribute 'brnad'; near it: 'brand'");
  CHECK(message("bran") == "no attribute 'bran'; near it: 'brand'");
  CHECK(message("COUNTRY") == "no attribute 'COUNTRY'; near it: 'country'");
  CHECK(message("x").ends_with("there are 'brand', 'Colour', 'color', 'country'"));
}

TEST_CASE("several values of one attribute are a set, and the others are null", "[tools]") {
  const index::Schema schema = SchemaOf({"brand", "colour", "year"});
  const auto values =
      ParseRowValues(schema, std::vector<std::string>{"colour=red", "year=2012", "colour=blue"});
  REQUIRE(values.ok());
  CHECK(*values == std::vector<index::Values>{{}, {"red", "blue"}, {"2012"}});
  CHECK_FALSE(ParseRowValues(schema, std::vector<std::string>{"colour=red", "size=3"}).ok());
}

}  // namespace
}  // namespace trommel::tool
