// The tables of index_compare: a tab-separated file, or products of the made-up catalogue.
#ifndef TROMMEL_BENCH_INDEX_TABLE_INPUT_H_
#define TROMMEL_BENCH_INDEX_TABLE_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <istream>
#include <span>
#include <string>
#include <vector>

#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::bench {

struct TableInput {
  std::string tsv;              // a file; empty: the catalogue
  std::string key;              // columns; empty: the row's number
  std::string indexed = "all";  // columns; all: those that are not part of the key
  std::string set_valued;       // columns whose cells are lists, separated by commas
  uint64_t num_products = 1'000'000;
};

// Rows in the order of the input, with different keys; values ascend, each once.
struct IndexedTable {
  std::string name;
  index::Schema schema;
  std::vector<index::Row> rows;
};

// Fails with kIo, and with kInvalidArgument for columns that are not there, rows with another
// number of cells than the header and keys that occur twice. An empty cell has no value.
Result<IndexedTable> ReadTable(const TableInput& input);
Result<IndexedTable> ReadTsv(std::istream& lines, const TableInput& input);

// Keys that cut the rows into regions of about the same number, strictly ascending.
std::vector<std::string> SplitsOf(std::span<const index::Row> rows, size_t num_regions);

}  // namespace trommel::bench

#endif  // TROMMEL_BENCH_INDEX_TABLE_INPUT_H_
