#include "bench/paper/articles/hfile.h"

#include <algorithm>
#include <cstdint>

namespace trommel::paper {
namespace {

constexpr double kHFileFpr = 1e-4;  // an example of four cells should not show a false positive

}  // namespace

std::string RowColKey(std::string_view row, std::string_view column) {
  std::string key;
  key += static_cast<char>(row.size() >> 8 & 0xff);
  key += static_cast<char>(row.size() & 0xff);
  key += row;
  key += '\0';
  key += column;
  key += "\x7f\xff\xff\xff\xff\xff\xff\xff";  // Long.MAX_VALUE
  key += '\xff';
  return key;
}

HFile::HFile(const std::vector<Cell>& cells, BloomType type)
    : type_(type),
      filter_(CountingFilter::Create(
                  {.capacity = std::max<uint64_t>(cells.size(), 1), .target_fpr = kHFileFpr})
                  .value()) {
  for (const Cell& cell : cells) {
    // As in HBase, a repeated key is added only once.
    if (type == BloomType::kRow) {
      filter_.InsertIfAbsent(Key(cell.row));
    } else {
      filter_.InsertIfAbsent(Key(RowColKey(cell.row, cell.column)));
    }
  }
}

bool HFile::MayHold(std::string_view row) const {
  return type_ == BloomType::kRowCol || filter_.MayContain(Key(row));
}

bool HFile::MayHold(std::string_view row, std::string_view column) const {
  if (type_ == BloomType::kRow) return MayHold(row);
  return filter_.MayContain(Key(RowColKey(row, column))) ||
         filter_.MayContain(Key(RowColKey(row, "")));
}

}  // namespace trommel::paper
