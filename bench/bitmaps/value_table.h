// Tables whose rows are asked for the values of several attributes, from a file or made up, and
// queries about them whose true answers are known.
#ifndef TROMMEL_BENCH_BITMAPS_VALUE_TABLE_H_
#define TROMMEL_BENCH_BITMAPS_VALUE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/result.h"
#include "trommel/tuples.h"

namespace trommel::bench {

// Each attribute has exactly one value in each row.
struct ValueTable {
  struct Column {
    std::string name;
    std::vector<uint64_t> digests;  // of each value, by its code
    std::vector<uint32_t> codes;    // of each row
  };

  std::string name;
  std::vector<Column> columns;

  size_t num_rows() const { return columns.front().codes.size(); }
  AttributeMask all() const { return (AttributeMask{1} << columns.size()) - 1; }
  std::vector<uint64_t> NumValues() const;
  std::string Text() const;  // "flights.tsv: 227,496 rows; values: Month 12, Dest 116"
};

// Digests row by row of some rows, of all attributes.
class RowDigests {
 public:
  RowDigests(const ValueTable& table, std::span<const uint32_t> rows);

  Tuples view() const;
  // Of attribute i at index i, of one row.
  std::span<const uint64_t> Row(size_t i) const {
    return std::span(by_row_).subspan(i * columns_.size(), columns_.size());
  }

 private:
  friend struct ValueQueries;
  RowDigests(size_t num_attributes, size_t num_rows);
  void Put(size_t row, size_t attribute, uint64_t digest);

  std::vector<std::vector<uint64_t>> columns_;
  std::vector<uint64_t> by_row_;
};

// Queries for the values of a set of attributes. `are_members`: all are those of some row, or none.
struct ValueQueries {
  std::string name;
  AttributeMask set;
  bool are_members;
  RowDigests digests;

  size_t size() const { return digests.view().size; }

  // The values of random rows.
  static ValueQueries Members(const ValueTable& table, AttributeMask set, size_t count,
                              uint64_t seed);
  // Each value is of a random row of its own; drawn again where some row has them all. Fewer than
  // `count`, or none, where nearly all combinations are in the table.
  static ValueQueries Mixtures(const ValueTable& table, AttributeMask set, size_t count,
                               uint64_t seed);
  // No row has any of the values.
  static ValueQueries New(const ValueTable& table, AttributeMask set, size_t count, uint64_t seed);
};

// Values of the attributes are drawn alike from num_values numbers; where there are at least as
// many as rows, those of the rows differ. Requires num_rows < 2^32.
ValueTable MakeValueTable(uint64_t num_rows, uint64_t num_values, size_t num_attributes,
                          uint64_t seed);

// Reads `columns`, names separated by commas, of a file whose first line has the names, with tabs
// between cells. Fails with kInvalidArgument for a file without a header or rows, columns that it
// does not have, and lines of another number of cells.
Result<ValueTable> ReadValueTable(std::istream& lines, const std::string& name,
                                  std::string_view columns);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_BITMAPS_VALUE_TABLE_H_
