// Which columns of a file are a row's key and attributes, and what is said of a name that is none.
#include "tools/index/rows/table_columns.h"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.h"
#include "tools/index/rows/attribute_names.h"

namespace trommel::tool {
namespace {

using Names = std::vector<std::string>;
using Cells = std::vector<std::string_view>;

const Names kColumns = {"name", "version", "tags", "size"};

TEST_CASE("without options all columns are indexed and the key is the row's number", "[tools]") {
  const auto columns = TableColumns::ForNewTable({}, kColumns, 3);
  REQUIRE(columns.ok());
  CHECK(columns->schema() ==
        index::Schema{{{"name", true}, {"version", true}, {"tags", true}, {"size", true}}, 3});
  const auto row = columns->RowOf(Cells{"bash", "5.2", "a,b", ""}, 31);
  REQUIRE(row.ok());
  CHECK(*row == index::Row{"0000001f", {{"bash"}, {"5.2"}, {"a,b"}, {}}});
  CHECK(columns->RowOf(Cells{"", "", "", ""}, 0xFFFFFFFF)->key == "ffffffff");
  CHECK_FALSE(columns->RowOf(Cells{"", "", "", ""}, uint64_t{1} << 32).ok());
}

TEST_CASE("one key column is no attribute, several are, without an index", "[tools]") {
  const auto one = TableColumns::ForNewTable({.key = "name"}, kColumns, 1);
  REQUIRE(one.ok());
  CHECK(one->schema().attributes ==
        std::vector<index::Attribute>{{"version", true}, {"tags", true}, {"size", true}});
  CHECK(*one->RowOf(Cells{"bash", "5.2", "", "1"}, 0) == index::Row{"bash", {{"5.2"}, {}, {"1"}}});

  const auto two = TableColumns::ForNewTable({.key = "version,name"}, kColumns, 1);
  REQUIRE(two.ok());
  CHECK(two->schema().attributes ==
        std::vector<index::Attribute>{
            {"name", false}, {"version", false}, {"tags", true}, {"size", true}});
  CHECK(one->schema().key_columns == Names{"name"});
  CHECK(two->schema().key_columns == Names{"version", "name"});
}

TEST_CASE("the options --index and --not-index say which attributes are indexed", "[tools]") {
  const auto listed =
      TableColumns::ForNewTable({.key = "name", .indexed = "name,size"}, kColumns, 1);
  REQUIRE(listed.ok());
  CHECK(listed->schema().attributes ==
        std::vector<index::Attribute>{
            {"name", true}, {"version", false}, {"tags", false}, {"size", true}});
  const auto without =
      TableColumns::ForNewTable({.key = "name", .not_indexed = "size"}, kColumns, 1);
  REQUIRE(without.ok());
  CHECK(without->schema().attributes ==
        std::vector<index::Attribute>{{"version", true}, {"tags", true}, {"size", false}});
  const auto none = TableColumns::ForNewTable({.indexed = ""}, kColumns, 1);
  REQUIRE(none.ok());
  CHECK_FALSE(none->schema().attributes[0].is_indexed);
}

TEST_CASE("cells of set-valued columns are several values, each once", "[tools]") {
  const auto cell_values = [](const char* option, const char* cell) {
    const auto columns =
        TableColumns::ForNewTable({.set_valued = {option}, .nulls = {"NA"}}, kColumns, 1);
    REQUIRE(columns.ok());
    return columns->RowOf(Cells{"", "", cell, ""}, 0)->attributes[2];
  };
  CHECK(cell_values("tags", "b,a, b ,,c") == index::Values{"a", "b", "c"});
  CHECK(cell_values("tags:;", "b,a;c") == index::Values{"b,a", "c"});
  CHECK(cell_values("tags:::", "b::a") == index::Values{"a", "b"});
  CHECK(cell_values("size,tags: - ", "b - a") == index::Values{"a", "b"});
  CHECK(cell_values("tags", "").empty());
  CHECK(cell_values("tags", "NA").empty());
  CHECK(cell_values("tags", "a,NA") == index::Values{"a"});
  CHECK(cell_values("size", "a,b") == index::Values{"a,b"});
}

TEST_CASE("a colon may be part of a set-valued column's name", "[tools]") {
  const Names names = {"k", "x:y"};
  const auto columns = TableColumns::ForNewTable({.set_valued = {"x:y"}}, names, 1);
  REQUIRE(columns.ok());
  CHECK(columns->RowOf(Cells{"", "1,2"}, 0)->attributes[1] == index::Values{"1", "2"});
}

TEST_CASE("columns that are not there or named twice are refused by their option", "[tools]") {
  const auto message = [](const ColumnOptions& options) {
    const auto columns = TableColumns::ForNewTable(options, kColumns, 1);
    return columns.ok() ? std::string() : columns.error().message;
  };
  CHECK(message({.key = "nmae,version"}).starts_with("--key: no column named 'nmae'"));
  CHECK(message({.key = "name,name"}) == "--key: column 'name' is named twice");
  CHECK(message({.indexed = "sizes"}) ==
        "--index: no column named 'sizes'; there are 'name', 'version', 'tags', 'size'");
  CHECK(message({.not_indexed = "x"}).starts_with("--not-index: no column named 'x'"));
  CHECK(message({.set_valued = {"tag:;"}}).starts_with("--set-valued: no column named 'tag'"));
  const auto key_only = TableColumns::ForNewTable({.key = "k"}, Names{"k"}, 1);
  CHECK(key_only.error().message == "there is no column beside the key");
}

TEST_CASE("a table with key columns says what the key of a file's rows is", "[tools]") {
  const index::Schema schema = {{{"a", false}, {"b", false}, {"c", true}}, 1, {"b", "a"}};
  const Names names = {"a", "b", "c"};
  for (const char* const key : {"", "b,a"}) {
    const auto columns = TableColumns::ForTable({.key = key}, names, schema);
    REQUIRE(columns.ok());
    CHECK(columns->RowOf(Cells{"1", "2", "3"}, 0)->key == std::string("2\0\1"
                                                                      "1",
                                                                      4));
  }
  CHECK(TableColumns::ForTable({.key = "a,b"}, names, schema).error().message ==
        "--key: the table's key columns are 'b,a'; got 'a,b'");
  const index::Schema of_one = {{{"b", false}, {"c", true}}, 1, {"a"}};
  for (const char* const key : {"", "a"}) {
    const auto columns = TableColumns::ForTable({.key = key}, names, of_one);
    REQUIRE(columns.ok());
    CHECK(columns->RowOf(Cells{"1,2", "2", "3"}, 0)->key == "1,2");
  }
  const auto other = TableColumns::ForTable({.key = "a,b"}, names, of_one);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().message == "--key: the table's key columns are 'a'; got 'a,b'");
  CHECK(TableColumns::ForTable({}, Names{"a", "c"}, schema)
            .error()
            .message.starts_with("the table's key: no column named 'b'"));
}

TEST_CASE("rows for a table that there is find its attributes by name", "[tools]") {
  const index::Schema schema = {{{"size", true}, {"colour", false}}, 1};
  const Names names = {"key", "colour", "size"};
  const auto columns = TableColumns::ForTable({.key = "key"}, names, schema);
  REQUIRE(columns.ok());
  CHECK(*columns->RowOf(Cells{"k", "red", "9"}, 0) == index::Row{"k", {{"9"}, {"red"}}});

  CHECK(TableColumns::ForTable({.key = "key,size"}, names, schema).error().message ==
        "--key: the table's keys are not of several columns");
  const Names fewer = {"key", "size"};
  CHECK(TableColumns::ForTable({.key = "key"}, fewer, schema).error().message ==
        "no column for the table's attribute 'colour'");
  const Names more = {"key", "colour", "size", "shape"};
  CHECK(TableColumns::ForTable({.key = "key"}, more, schema)
            .error()
            .message.starts_with("column 4: the table has no attribute named 'shape'"));
}

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
