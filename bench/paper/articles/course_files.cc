// The course text's section on HBase: which store files a get reads, by HBase's own filters, and
// how many blocks that saves.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/paper/articles/articles.h"
#include "bench/paper/reads/region.h"
#include "bench/paper/report/random.h"
#include "trommel/hbase/store_file_filter.h"

namespace trommel::paper {
namespace {

using hbase::BloomType;
using hbase::CellName;

// A store file of the text's examples, with its cells.
struct ExampleFile {
  std::vector<CellName> cells;
  hbase::StoreFileFilter filter;
  BloomType type;

  ExampleFile(std::vector<CellName> the_cells, BloomType the_type)
      : cells(std::move(the_cells)), type(the_type) {
    auto writer = hbase::StoreFileFilterWriter::Create({.type = type}).value();
    for (const CellName& cell : cells) static_cast<void>(writer.Append(cell).value());
    filter = std::move(writer).Finish();
  }

  bool MayHold(std::string_view row, std::string_view column) const {
    return column.empty() ? filter.MayHoldRow(row) : filter.MayHold({row, column});
  }
  // By its cells: the file has the key, or there is no key to look for.
  bool MustBeRead(std::string_view row, std::string_view column) const {
    if (type == BloomType::kRowCol && column.empty()) return true;
    return std::ranges::any_of(cells, [&](const CellName& cell) {
      return cell.row == row && (type != BloomType::kRowCol || cell.qualifier == column);
    });
  }
};

// A get: how many of the two files are read according to the text, and which.
Row Get(const ExampleFile& hf1, const ExampleFile& hf2, const std::string& row,
        const std::string& column, std::optional<double> paper) {
  const bool first = hf1.MayHold(row, column);
  const bool second = hf2.MayHold(row, column);
  Row result{.what = std::string(hbase::BloomTypeName(hf1.type)) + ": files read by get(" + row +
                     (column.empty() ? "" : "," + column) + ")",
             .unit = Unit::kCount,
             .paper = paper,
             .exact = hf1.MustBeRead(row, column) + hf2.MustBeRead(row, column)};
  result.measured = first + second;
  result.allowed = Exactly(*result.exact);
  if (!first) result.note = "hf1 is skipped";
  if (!second) result.note = "hf2 is skipped";
  if (!first && !second) result.note = "both are skipped";
  return result;
}

}  // namespace

Table CourseStoreFiles() {
  Table table{.title = "Which store files a get reads"};
  table.text =
      "ROW: hf1 = {r1 q1, r2 q1}, hf2 = {r3 q1, r4 q1}. ROWCOL: hf1 = {r1 q1, r2 q1}, hf2 = {r1 "
      "q2, r2 q2}. HBase's own filters (trommel/hbase). Exact model: the files that have the key, "
      "or have no key for such a get. The text says that families have no filter by default; since "
      "HBase 0.96 they have ROW.";
  table.axis = Axis::kLinear;
  const std::vector<CellName> q1 = {{"r1", "q1"}, {"r2", "q1"}};
  const std::vector<CellName> others = {{"r3", "q1"}, {"r4", "q1"}};
  const std::vector<CellName> q2 = {{"r1", "q2"}, {"r2", "q2"}};
  const ExampleFile row1(q1, BloomType::kRow);
  const ExampleFile row_others(others, BloomType::kRow);
  const ExampleFile row2(q2, BloomType::kRow);
  const ExampleFile rowcol1(q1, BloomType::kRowCol);
  const ExampleFile rowcol2(q2, BloomType::kRowCol);
  table.rows = {Get(row1, row_others, "r1", "", 1),   Get(row1, row_others, "r3", "", 1),
                Get(row1, row2, "r1", "q1", 2),       Get(row1, row2, "r1", "q2", 2),
                Get(rowcol1, rowcol2, "r1", "q1", 1), Get(rowcol1, rowcol2, "r1", "q2", 1),
                Get(rowcol1, rowcol2, "r1", "", {})};
  table.rows.back().note =
      "\"ROWCOL does not replace ROW\": a get of a whole row has no key to look for.";
  return table;
}

namespace {

constexpr uint64_t kNumFlushes = 14;

RegionOptions CourseRegion(const Options& options, BloomType type) {
  RegionOptions region;
  region.filter.type = type;
  region.flush_rows = options.quick ? 5'000 : 100'000;
  region.largest_file_rows = 3 * region.flush_rows;
  region.cache_bytes = kNumFlushes * region.flush_rows * region.row_bytes / 8;
  return region;
}

// Gets of rows that are in, or of others; the cache is warm.
struct GetTrial {
  ReadCounts counts;
  double PerGet(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(counts.num_gets);
  }
};

GetTrial RunGets(Region& region, const RandomStream& rows, uint64_t num_rows, uint64_t num_gets,
                 RandomStream random) {
  const std::vector<uint64_t> all = RandomStream(rows).Take(num_rows);
  for (uint64_t i = 0; i < 2 * num_gets; ++i) {
    if (i == num_gets) region.ResetCounts();
    region.Get(all[random.Below(static_cast<uint32_t>(all.size()))]);
  }
  return {region.counts()};
}

// Blocks and chunks that were not in the cache, per get, by Che's model.
double ExpectedLoads(const RegionOptions& options, const Region& region, bool are_members) {
  const auto shapes = region.Shapes();
  const auto classes = ExpectedReads(options, shapes, region.FilterFpr(), are_members);
  const auto misses = ExpectedMisses(classes, static_cast<double>(options.cache_bytes));
  double loads = 0;
  for (size_t c = 0; c < classes.size(); ++c) loads += classes[c].reads * misses[c];
  return loads;
}

// What a get reads on average; `share` of it is the range that is allowed beyond chance, because
// some files' first and last rows leave a random row out, or because the model is approximate.
Row ReadsRow(const std::string& what, double exact, double measured, double sigma, double share) {
  Row row{.what = what, .exact = exact, .measured = measured};
  row.allowed = Range{exact - 6 * sigma - share * exact, exact + 6 * sigma + share * exact};
  return row;
}

}  // namespace

Table CourseReads(const Options& options) {
  const uint64_t num_gets = options.quick ? 20'000 : 200'000;
  const RegionOptions plain = CourseRegion(options, BloomType::kNone);
  const RegionOptions filtered = CourseRegion(options, BloomType::kRow);
  const uint64_t num_rows = kNumFlushes * plain.flush_rows;
  Table table{.title = "A simulated region: what gets read without a filter, and with ROW"};
  table.text =
      FigureText(static_cast<double>(num_rows), Unit::kCount) + " rows of 100 bytes, written by " +
      std::to_string(kNumFlushes) +
      " flushes; the latest three files are merged until they have three flushes. Blocks of 64 KB "
      "with an index in memory, an LRU cache of an eighth of the data, in which data blocks and "
      "128 KB chunks of filters compete. Means per get. Exact model: closed forms, for the cache "
      "that of Che. A get that reads no file still queries every filter; the MemStore has none, "
      "whatever the text's order of the three.";
  table.axis = Axis::kLinear;
  const RandomStream rows(options.seed, 70);
  const RandomStream non_members(options.seed, 71);
  Region without(plain);
  Region with(filtered);
  RandomStream written = rows;
  for (uint64_t i = 0; i < num_rows; ++i) {
    const uint64_t row = written.Next();
    without.Put(row);
    with.Put(row);
  }
  const double num_files = static_cast<double>(ExpectedFiles(plain, kNumFlushes));
  Row files{.what = "store files", .unit = Unit::kCount, .exact = num_files};
  files.measured = static_cast<double>(with.num_files());
  files.allowed = Exactly(num_files);
  table.rows.push_back(files);

  const double fpr = with.FilterFpr();
  const double sigma = std::sqrt(num_files * fpr / static_cast<double>(num_gets));
  const RandomStream order(options.seed, 72);
  constexpr double kModelShare = 0.05;  // Che's model: the reads of one get are not independent
  double blocks[2][2] = {};             // [members][with a filter]
  for (const bool are_members : {true, false}) {
    const RandomStream& asked = are_members ? rows : non_members;
    const std::string kind = are_members ? "stored row" : "absent row";
    for (const bool has_filter : {false, true}) {
      Region& region = has_filter ? with : without;
      const GetTrial trial = RunGets(region, asked, num_rows, num_gets, order);
      const std::string how = has_filter ? ", ROW: " : ", no filter: ";
      const double expected = ExpectedBlocks(num_files, are_members, has_filter ? fpr : 1);
      blocks[are_members][has_filter] = trial.PerGet(trial.counts.num_data_blocks);
      Row read = ReadsRow(kind + how + "data blocks", expected, blocks[are_members][has_filter],
                          has_filter ? sigma : 0, 0.005);
      if (!has_filter) {
        read.paper = num_files;
        read.note = "\"Every block that may contain it must be loaded\": one per store file.";
      }
      table.rows.push_back(read);
      const uint64_t loads = trial.counts.num_data_loads + trial.counts.num_meta_loads;
      const double expected_loads =
          ExpectedLoads(has_filter ? filtered : plain, region, are_members);
      table.rows.push_back(
          ReadsRow(kind + how + "blocks and chunks from disk", expected_loads, trial.PerGet(loads),
                   std::sqrt(expected_loads / static_cast<double>(num_gets)), kModelShare));
    }
  }
  const std::vector<uint64_t> some = RandomStream(non_members).Take(num_gets);
  uint64_t num_named = 0;
  for (const uint64_t word : with.Prune(some))
    num_named += static_cast<uint64_t>(std::popcount(word));
  table.rows.push_back(ReadsRow(
      "absent row, ROW: files that a batch of gets names", ExpectedBlocks(num_files, 0, fpr),
      static_cast<double>(num_named) / static_cast<double>(num_gets), sigma, 0.005));
  for (const bool are_members : {true, false}) {
    Row saved{.what = std::string(are_members ? "stored rows" : "absent rows") +
                      ": data blocks, ROW against none",
              .unit = Unit::kChange};
    saved.exact = ExpectedBlocks(num_files, are_members, fpr) / num_files - 1;
    saved.measured = blocks[are_members][1] / blocks[are_members][0] - 1;
    saved.allowed = Range{*saved.exact - 0.02, *saved.exact + 0.02};
    saved.note = are_members ? "\"Greatly reduces\", without a figure." : "";
    table.rows.push_back(saved);
  }

  const hbase::ChunkShape shape = hbase::ChunkShapeFor(filtered.filter).value();
  Row space{.what = "filters / data", .unit = Unit::kShare};
  space.formula = shape.num_bytes / (static_cast<double>(filtered.row_bytes) * shape.max_keys);
  space.measured = static_cast<double>(with.num_filter_bytes()) /
                   static_cast<double>(num_rows * filtered.row_bytes);
  space.note =
      "\"Acceptable in most cases\". The formula is that of full chunks; the last one of a file is "
      "folded, and still has up to twice the bits that it needs.";
  Row cached{.what = "chunks of filters / bytes in the cache", .unit = Unit::kShare};
  cached.measured = static_cast<double>(with.cache().num_bytes(BlockKind::kMeta)) /
                    static_cast<double>(with.cache().num_bytes(BlockKind::kMeta) +
                                        with.cache().num_bytes(BlockKind::kData));
  cached.note = "Each get reads a chunk of every file, so that LRU keeps them all.";
  table.rows.insert(table.rows.end(), {space, cached});
  return table;
}

}  // namespace trommel::paper
