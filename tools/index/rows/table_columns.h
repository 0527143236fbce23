// Which columns of a tab-separated file are a row's key and attributes, and how cells become
// values.
#ifndef TROMMEL_TOOLS_INDEX_TABLE_COLUMNS_H_
#define TROMMEL_TOOLS_INDEX_TABLE_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::tool {

// The values of --key and so on: columns by name.
struct ColumnOptions {
  std::string key = {};                      // a list; empty: see below
  std::optional<std::string> indexed = {};   // a list; none: all but the key
  std::string not_indexed = {};              // a list
  std::vector<std::string> set_valued = {};  // lists, each perhaps with a separator: "tags:;"
  std::vector<std::string> nulls = {};       // spellings of null beside the empty cell
};

// Not thread-safe.
class TableColumns {
 public:
  // For a new table: its schema follows from the columns, and names the key columns. One of these
  // is no attribute unless --index names it, for the key has its value; several are. Without a key
  // column, the row's number is the key. Fails with kInvalidArgument for columns that are not
  // there, that are named twice, and where no attribute is left.
  static Result<TableColumns> ForNewTable(const ColumnOptions& options,
                                          std::span<const std::string> names,
                                          uint32_t max_versions);

  // For an existing table: each attribute is the column of its name, and the key is of the table's
  // key columns if the schema has them, else of one column. Fails with kInvalidArgument for other
  // key columns, for columns that are no attribute, and for attributes without a column.
  static Result<TableColumns> ForTable(const ColumnOptions& options,
                                       std::span<const std::string> names,
                                       const index::Schema& schema);

  const index::Schema& schema() const noexcept { return schema_; }

  // The row of these cells, one per column of the file. Row numbers start from 0. Fails with
  // kInvalidArgument for an empty key, and as index::Validate does.
  Result<index::Row> RowOf(std::span<const std::string_view> cells, uint64_t row_number) const;

 private:
  struct AttributeColumn {
    size_t column = 0;
    std::string separator;  // of values; empty: the cell is one value
  };

  // `what` names the key's list in errors.
  Status FindKey(std::string_view what, std::span<const std::string> key,
                 std::span<const std::string> names);
  Status FindSets(const ColumnOptions& options, std::span<const std::string> names);
  index::Values ValuesOf(const AttributeColumn& attribute, std::string_view cell) const;
  // The tuple of the key columns' cells (tuple_key.h).
  Result<std::string> KeyOf(std::span<const std::string_view> cells, uint64_t row_number) const;
  bool IsNull(std::string_view text) const;
  bool IsKey(size_t column) const;

  index::Schema schema_;
  std::vector<size_t> key_columns_;      // the places of schema_.key_columns, or of --key
  std::vector<std::string> separators_;  // of each column
  std::vector<AttributeColumn> attributes_;
  std::vector<std::string> nulls_;
};

// Row keys as people type and read them: as they are, and of several columns as "a=1,b=2".

// Returns the key as ParseKey takes it. A key that is no tuple of the table's key columns is
// returned as it is: the boundary of a region can be one.
std::string KeyText(const index::Schema& schema, std::string_view key);

// Returns the key. Fails with kInvalidArgument as ParseTuple does.
Result<std::string> ParseKey(const index::Schema& schema, std::string_view text);

// Returns "'a' to before 'b'", "the first key to the last".
std::string RangeText(const index::Schema& schema, const index::KeyRange& range);

// Gives the attributes that are key columns, and have no value, those of the row's key, as a row of
// a file has them. Fails with kInvalidArgument, naming the attribute, for one that has another
// value.
Status AddKeyValues(const index::Schema& schema, index::Row& row);

}  // namespace trommel::tool

#endif  // TROMMEL_TOOLS_INDEX_TABLE_COLUMNS_H_
