// The Bloom filter of an HBase store file, which decides whether a get reads the file. Filters are
// real CountingFilters over the keys that HBase hashes.
//
//   ROW      key = the row                         answers get(row) and get(row, column)
//   ROWCOL   key = row and column                  answers get(row, column) only: a get of a whole
//                                                  row has no key to query and reads every file
#ifndef TROMMEL_BENCH_PAPER_ARTICLES_HFILE_H_
#define TROMMEL_BENCH_PAPER_ARTICLES_HFILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "trommel/counting_filter.h"

namespace trommel::paper {

enum class BloomType { kRow, kRowCol };

struct Cell {
  std::string row;
  std::string column;  // without its family, which is not part of the key
};

// HBase's key of a cell under ROWCOL: the row's length (16 bits, high byte first), the row, an
// empty family's length (0), the column, the latest time stamp (8 bytes) and the type "maximum".
std::string RowColKey(std::string_view row, std::string_view column);

class HFile {
 public:
  HFile(const std::vector<Cell>& cells, BloomType type);

  // False: the file contains nothing of it, and is skipped.
  bool MayHold(std::string_view row) const;
  // Under ROWCOL a deleted row is stored under the empty column, so that is queried as well.
  bool MayHold(std::string_view row, std::string_view column) const;

 private:
  BloomType type_;
  CountingFilter filter_;
};

}  // namespace trommel::paper

#endif  // TROMMEL_BENCH_PAPER_ARTICLES_HFILE_H_
