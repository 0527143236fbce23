// The exact index of bitmaps and what it is compared on.
#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "bench/bitmaps/bitmap_index.h"
#include "bench/bitmaps/value_table.h"
#include "support/catch.h"

namespace trommel::bench {
namespace {

using Values = std::vector<uint64_t>;

bool SomeRowHas(const std::map<uint32_t, Values>& rows, AttributeMask set, const Values& wanted) {
  for (const auto& [number, values] : rows) {
    bool is_equal = true;
    for (size_t a = 0; a < values.size(); ++a) {
      is_equal &= (set >> a & 1) == 0 || values[a] == wanted[a];
    }
    if (is_equal) return true;
  }
  return false;
}

TEST_CASE("an index of bitmaps answers as the rows do, beside updates and once compact",
          "[bench][bitmaps]") {
  std::mt19937_64 random(7);
  BitmapIndex index(4);
  std::map<uint32_t, Values> rows;
  const auto draw = [&random] {  // attributes with few values and with many
    return Values{random() % 2, random() % 5, random() % 40, random() % 400};
  };
  for (int step = 0; step < 6'000; ++step) {
    const auto row = static_cast<uint32_t>(random() % 150 * 3'000);  // in many containers
    if (const auto found = rows.find(row); found != rows.end()) {
      index.Erase(row, found->second);
      rows.erase(found);
    } else {
      const Values values = draw();
      index.Insert(row, values);
      rows[row] = values;
    }
    if (step % 1'000 == 999) index.Compact();
    const Values asked = draw();
    const AttributeMask set = 1 + random() % 15;
    REQUIRE(index.Has(set, asked) == SomeRowHas(rows, set, asked));
  }
  for (const auto& [number, values] : rows) {
    for (AttributeMask set = 1; set < 16; ++set) REQUIRE(index.Has(set, values));
  }
  const uint64_t bytes_before = index.num_bytes();
  for (const auto& [number, values] : rows) index.Erase(number, values);
  for (const auto& [number, values] : rows) REQUIRE_FALSE(index.Has(1, values));
  CHECK(index.num_bytes() < bytes_before);
}

TEST_CASE("queries of a made-up table are of its rows, of no row, or of no value",
          "[bench][bitmaps]") {
  const ValueTable table = MakeValueTable(3'000, 50, 3, 5);
  REQUIRE(table.num_rows() == 3'000);
  CHECK(table.NumValues() == Values{50, 50, 50});
  BitmapIndex index(3);
  for (uint32_t row = 0; row < 3'000; ++row) {
    index.Insert(row, RowDigests(table, std::span(&row, 1)).Row(0));
  }
  for (const AttributeMask set : {AttributeMask{0b011}, table.all()}) {
    for (const auto make : {ValueQueries::Members, ValueQueries::Mixtures, ValueQueries::New}) {
      const ValueQueries queries = make(table, set, 500, 1);
      INFO(queries.name);
      REQUIRE(queries.size() == 500);
      for (size_t i = 0; i < queries.size(); ++i) {
        REQUIRE(index.Has(set, queries.digests.Row(i)) == queries.are_members);
      }
    }
  }
  CHECK(MakeValueTable(1'000, 1'000, 2, 5).NumValues() == Values{1'000, 1'000});
  // All four combinations of two values are in: there is no mixture.
  CHECK(ValueQueries::Mixtures(MakeValueTable(1'000, 2, 2, 5), 0b11, 100, 1).size() == 0);
}

TEST_CASE("columns of a file become a table, and bad files an error", "[bench][bitmaps]") {
  std::istringstream lines("id\tcity\tyear\n1\tRome\t2011\n2\tOslo\t2011\n3\tRome\t2012\n");
  const Result<ValueTable> table = ReadValueTable(lines, "a/trips.tsv", "year,city");
  REQUIRE(table.ok());
  CHECK(table->Text() == "trips.tsv: 3 rows; values: year 2, city 2");
  CHECK(table->columns[0].codes == std::vector<uint32_t>{0, 0, 1});
  CHECK(table->columns[1].codes == std::vector<uint32_t>{0, 1, 0});

  const auto message = [](const char* text, const char* columns) {
    std::istringstream bad(text);
    const Result<ValueTable> read = ReadValueTable(bad, "t", columns);
    REQUIRE_FALSE(read.ok());
    return read.error().message;
  };
  CHECK(message("", "a") == "t: has no header");
  CHECK(message("a\tb\n1\t2\n", "c") == "t: no column 'c'");
  CHECK(message("a\tb\n1\n", "a") == "t:2: 1 cells; the header has 2");
  CHECK(message("a\tb\n", "a") == "t: has no rows");
}

}  // namespace
}  // namespace trommel::bench
