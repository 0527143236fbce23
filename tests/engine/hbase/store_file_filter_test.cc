// What HBase asks before it reads a store file, beside its own answers, and the same for many.
#include "trommel/hbase/store_file_filter.h"

#include "support/catch.h"
#include "support/hbase_vectors.h"

namespace trommel::hbase {
namespace {

// The store file of the vectors: every third cell, and deletions of every tenth row.
StoreFileFilter FileOfVectors(const FilterOptions& options, int num_keys) {
  auto writer = StoreFileFilterWriter::Create(options).value();
  for (int i = 0; i < num_keys; ++i) {
    const VectorCell cell(options.type, 3 * i);
    if (i % 10 == 0 && (options.type != BloomType::kRowCol || 3 * i % 4 == 0)) {
      CHECK(writer.AppendDeleteFamily(cell.row).ok());
    }
    CHECK(writer.Append(cell.name()).ok());
  }
  return std::move(writer).Finish();
}

StoreFileFilter OfCells(const FilterOptions& options, const std::vector<CellName>& cells) {
  auto writer = StoreFileFilterWriter::Create(options).value();
  for (const CellName& cell : cells) CHECK(writer.Append(cell).ok());
  return std::move(writer).Finish();
}

}  // namespace

TEST_CASE("each get reads the store files that HBase reads", "[engine][hbase]") {
  const auto records = AllVectors();
  size_t num_files = 0;
  for (size_t r = 0; r < records.size(); ++r) {
    if (records[r][0] != "file") continue;
    ++num_files;
    FilterOptions options;
    options.type = TypeNamed(records[r][1]);
    options.chunk_bytes = static_cast<uint32_t>(NumberOf(records[r][2]));
    options.prefix_length = static_cast<uint32_t>(NumberOf(records[r][4]));
    const StoreFileFilter file = FileOfVectors(options, static_cast<int>(NumberOf(records[r][3])));
    CHECK(file.general()->LastKey() == FromHex(records[r][5]));
    const std::string& gets = records[r + 1][1];
    const std::string& row_gets = records[r + 2][1];
    const std::string& deletions = records[r + 3][1];
    size_t num_wrong = 0;
    for (int i = 0; i < static_cast<int>(gets.size()); ++i) {
      // The first two rows sort before all others.
      VectorCell cell(options.type, std::max(i - 2, 0));
      if (i < 2) {
        cell.row = "a" + std::to_string(i - 2);
        cell.qualifier = "q1";
      }
      const auto at = static_cast<size_t>(i);
      num_wrong += file.MayHold(cell.name()) != (gets[at] == '1');
      num_wrong += file.MayHoldRow(cell.row) != (row_gets[at] == '1');
      num_wrong += file.MayHoldDeleteFamily(cell.row) != (deletions[at] == '1');
    }
    INFO(records[r][1]);
    CHECK(num_wrong == 0);
    CHECK(gets.size() == 1002);
  }
  CHECK(num_files == 3);
}

TEST_CASE("a file without cells holds nothing, one without a filter may hold everything",
          "[engine][hbase]") {
  const StoreFileFilter empty = OfCells({}, {});
  CHECK_FALSE(empty.MayHoldRow("r"));
  CHECK_FALSE(empty.MayHold({"r", "q"}));
  CHECK_FALSE(empty.MayHoldRange("a", "b"));
  CHECK_FALSE(empty.MayHoldDeleteFamily("r"));
  const StoreFileFilter none = OfCells({.type = BloomType::kNone}, {{"r", "q"}});
  CHECK(none.general() == nullptr);
  CHECK(none.MayHoldRow("other"));
  CHECK(none.MayHold({"other", "q"}));
  CHECK(none.MayHoldRange("a", "b"));
  CHECK_FALSE(none.MayHoldDeleteFamily("r"));
}

TEST_CASE("a deleted row is found under every column", "[engine][hbase]") {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol, BloomType::kNone}) {
    auto writer = StoreFileFilterWriter::Create({.type = type, .error_rate = 1e-6F}).value();
    REQUIRE(writer.AppendDeleteFamily("gone").ok());
    REQUIRE(writer.Append({"here", "q"}).ok());
    const StoreFileFilter file = std::move(writer).Finish();
    CHECK(file.num_deletions() == 1);
    CHECK(file.num_cells() == 2);
    CHECK(file.MayHold({"gone", "any column"}));
    CHECK(file.MayHoldDeleteFamily("gone"));
    // ROWCOL has no filter of deletions: the file has one, so that any row may be it.
    CHECK(file.MayHoldDeleteFamily("here") == (type == BloomType::kRowCol));
  }
}

TEST_CASE("a scan within one prefix reads only files with the prefix", "[engine][hbase]") {
  const FilterOptions options{
      .type = BloomType::kRowPrefixFixedLength, .prefix_length = 2, .error_rate = 1e-6F};
  const StoreFileFilter file = OfCells(options, {{"aa1", "q"}, {"ab1", "q"}, {"c", "q"}});
  CHECK(file.MayHoldRange("aa", "aa9"));
  CHECK_FALSE(file.MayHoldRange("ac1", "ac7"));
  CHECK(file.MayHoldRange("ac", "ad"));  // two prefixes
  CHECK(file.MayHoldRange("ac", ""));    // to the end
  CHECK(file.MayHoldRange("a", "ac"));   // shorter than a prefix
  CHECK(file.MayHoldRow("c"));
  // Under ROW a range has no key.
  CHECK(OfCells({}, {{"a", "q"}, {"z", "q"}}).MayHoldRange("m1", "m2"));
}

TEST_CASE("many files are pruned for many gets as one by one", "[engine][hbase]") {
  const auto type = GENERATE(BloomType::kRow, BloomType::kRowCol, BloomType::kRowPrefixFixedLength,
                             BloomType::kNone);
  // 70 files, so that a row has two words: each with the cells of its remainder, some without any,
  // and some of another type, as after the family was altered.
  std::vector<StoreFileFilter> files;
  for (int f = 0; f < 70; ++f) {
    FilterOptions options{.type = f % 5 == 4 ? BloomType::kRow : type,
                          .prefix_length = 9 + static_cast<uint32_t>(f % 2),
                          .chunk_bytes = 128};
    auto writer = StoreFileFilterWriter::Create(options).value();
    for (int i = f; i < 700 && f % 13 != 12; i += 7 + f) {
      REQUIRE(writer.Append(VectorCell(BloomType::kRowCol, i).name()).ok());
    }
    files.push_back(std::move(writer).Finish());
  }
  std::vector<const StoreFileFilter*> pointers;
  for (const StoreFileFilter& file : files) pointers.push_back(&file);
  std::vector<VectorCell> owned;
  for (int i = 0; i < 720; i += 3) owned.emplace_back(BloomType::kRowCol, i);
  std::vector<CellName> cells;
  std::vector<std::string_view> rows;
  for (const VectorCell& cell : owned) {
    cells.push_back(cell.name());
    rows.push_back(cell.row);
  }
  REQUIRE(PrunedWords(files.size()) == 2);
  std::vector<uint64_t> by_cell(2 * cells.size(), ~uint64_t{0});
  std::vector<uint64_t> by_row(2 * rows.size(), ~uint64_t{0});
  const size_t num_by_cell = PruneFilesByCell(pointers, cells, by_cell);
  const size_t num_by_row = PruneFilesByRow(pointers, rows, by_row);
  size_t num_wrong = 0;
  size_t num_cell_bits = 0;
  size_t num_row_bits = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    for (size_t f = 0; f < 128; ++f) {
      const bool of_cell = (by_cell[2 * i + f / 64] >> (f % 64) & 1) != 0;
      const bool of_row = (by_row[2 * i + f / 64] >> (f % 64) & 1) != 0;
      num_wrong += of_cell != (f < files.size() && files[f].MayHold(cells[i]));
      num_wrong += of_row != (f < files.size() && files[f].MayHoldRow(rows[i]));
      num_cell_bits += of_cell;
      num_row_bits += of_row;
    }
  }
  CHECK(num_wrong == 0);
  CHECK(num_cell_bits == num_by_cell);
  CHECK(num_row_bits == num_by_row);
  if (type == BloomType::kRow || type == BloomType::kRowCol)
    CHECK(num_by_cell < 70 * cells.size() / 2);
}

TEST_CASE("a file whose filters are read back answers as before, and passes what is damaged",
          "[engine][hbase]") {
  const auto type = GENERATE(BloomType::kRow, BloomType::kRowCol);
  const StoreFileFilter written = FileOfVectors({.type = type, .chunk_bytes = 128}, 200);
  const auto read_back = [&](std::vector<std::byte> general) {
    std::optional<CompoundFilter> deletions;
    if (const CompoundFilter* filter = written.delete_family()) {
      deletions = CompoundFilter::DeserializeOrPass(filter->Serialize());
    }
    return StoreFileFilter(written.num_cells(), CompoundFilter::DeserializeOrPass(general),
                           written.num_deletions(), std::move(deletions));
  };
  const auto bytes = written.general()->Serialize();
  const StoreFileFilter intact = read_back(bytes);
  const StoreFileFilter broken = read_back({bytes.begin(), bytes.begin() + 50});
  REQUIRE(broken.general()->damage().size() == 1);
  const StoreFileFilter* files[] = {&written, &intact, &broken};
  for (int i = 0; i < 700; ++i) {
    const VectorCell cell(type, i);
    const CellName name = cell.name();
    uint64_t held = 0;
    PruneFilesByCell(files, {&name, 1}, {&held, 1});
    CHECK((held & 1) == (held >> 1 & 1));
    CHECK((held >> 2) == 1);
    CHECK(intact.MayHoldDeleteFamily(cell.row) == written.MayHoldDeleteFamily(cell.row));
  }
  CHECK(broken.MayHoldRange("a", "b"));
}

TEST_CASE("no gets, or no files, need no words", "[engine][hbase]") {
  CHECK(PruneFilesByRow({}, {}, {}) == 0);
  const std::string_view row = "r";
  CHECK(PruneFilesByRow({}, {&row, 1}, {}) == 0);
}

}  // namespace trommel::hbase
