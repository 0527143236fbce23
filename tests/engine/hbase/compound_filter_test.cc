// Compound filters beside HBase's bytes, and what they promise of themselves.
#include "trommel/hbase/compound_filter.h"

#include <algorithm>

#include "support/catch.h"
#include "support/hbase_vectors.h"
#include "support/shrink.h"
#include "support/statistics.h"

namespace trommel::hbase {
namespace {

FilterOptions SmallChunks(BloomType type = BloomType::kRow) {
  return {.type = type, .chunk_bytes = 128};
}

// `num_keys` of every third cell, as in the vectors.
CompoundFilter FilterOfVectors(const FilterOptions& options, int num_keys) {
  auto writer = CompoundFilterWriter::Create(options).value();
  for (int i = 0; i < num_keys; ++i) {
    CHECK(writer.Append(VectorCell(options.type, 3 * i).name()).ok());
  }
  return std::move(writer).Finish();
}

Status AppendRows(CompoundFilterWriter& writer, const std::vector<std::string>& rows) {
  std::vector<CellName> cells;
  for (const std::string& row : rows) cells.push_back({row, {}});
  return writer.Append(cells);
}

}  // namespace

TEST_CASE("chunks, folds and metadata are HBase's, byte for byte", "[engine][hbase]") {
  const auto records = AllVectors();
  size_t num_filters = 0;
  for (size_t r = 0; r < records.size(); ++r) {
    if (records[r][0] != "compound") continue;
    ++num_filters;
    FilterOptions options;
    options.type = TypeNamed(records[r][1]);
    options.chunk_bytes = static_cast<uint32_t>(NumberOf(records[r][2]));
    options.max_fold = static_cast<uint32_t>(NumberOf(records[r][3]));
    const CompoundFilter filter =
        FilterOfVectors(options, static_cast<int>(NumberOf(records[r][4])));
    CHECK(TextOfBytes(filter.Metadata()) == FromHex(records[r][5]));
    size_t num_chunks = 0;
    for (size_t c = r + 1; c < records.size() && records[c][0] == "chunk"; ++c) {
      INFO(records[r][1] << " " << records[r][2] << ", chunk " << num_chunks);
      const auto bits = filter.chunk(num_chunks++);
      CHECK(bits.size() == NumberOf(records[c][1]));
      CHECK(Fnv(bits) == NumberOf(records[c][2], 16));
      if (records[c][3] != "-") CHECK(TextOfBytes(bits) == FromHex(records[c][3]));
    }
    CHECK(filter.num_chunks() == num_chunks);
  }
  CHECK(num_filters == 6);
}

TEST_CASE("every key that was written is maybe present, in any chunk", "[engine][hbase]") {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol}) {
    const CompoundFilter filter = FilterOfVectors(SmallChunks(type), 500);
    CHECK(filter.num_chunks() > 4);
    for (int i = 0; i < 500; ++i) CHECK(filter.MayContain(VectorCell(type, 3 * i).name()));
  }
}

TEST_CASE("a key before the first or behind the last one is absent without a probe",
          "[engine][hbase]") {
  const CompoundFilter filter = FilterOfVectors({}, 100);
  CHECK(filter.ChunkOf({"a", {}}) == filter.num_chunks());
  CHECK_FALSE(filter.MayContainRow("a"));
  CHECK(filter.LastKey() == "row00000297");
  for (int i = 298; i < 10'000; ++i) {
    CHECK_FALSE(filter.MayContain(VectorCell(BloomType::kRow, i).name()));
  }
}

TEST_CASE("a column behind the last key is looked for, as long as its row's deletion may be in",
          "[engine][hbase]") {
  // One row with one column: (r, z) sorts behind (r, c), the deletion of r before it.
  auto writer =
      CompoundFilterWriter::Create({.type = BloomType::kRowCol, .error_rate = 1e-6F}).value();
  REQUIRE(writer.Append({"r", {}}).ok());  // the row's deletion
  REQUIRE(writer.Append({"r", "c"}).ok());
  const CompoundFilter filter = std::move(writer).Finish();
  CHECK(filter.MayContain({"r", "z"}));
  CHECK_FALSE(filter.MayContain({"s", "c"}));
  CHECK(filter.MayContainRow("anything"));
}

TEST_CASE("only keys that differ from the one before are counted", "[engine][hbase]") {
  auto rows = CompoundFilterWriter::Create({}).value();
  auto cells = CompoundFilterWriter::Create({.type = BloomType::kRowCol}).value();
  auto prefixes =
      CompoundFilterWriter::Create({.type = BloomType::kRowPrefixFixedLength, .prefix_length = 2})
          .value();
  const CellName written[] = {{"aa1", "p"}, {"aa1", "q"}, {"aa1", "q"}, {"aa2", "q"},
                              {"ab", "q"},  {"b", "q"},   {"b", "r"}};
  for (auto* writer : {&rows, &cells, &prefixes}) REQUIRE(writer->Append(written).ok());
  CHECK(rows.num_keys() == 4);
  CHECK(cells.num_keys() == 6);
  CHECK(prefixes.num_keys() == 3);
  const CompoundFilter filter = std::move(prefixes).Finish();
  CHECK(filter.MayContainRow("aa9"));
  CHECK(filter.MayContainRow("b"));
  CHECK(filter.LastKey() == "b");
}

TEST_CASE("cells that do not ascend are refused with both positions", "[engine][hbase]") {
  auto writer = CompoundFilterWriter::Create({}).value();
  const Status refused = AppendRows(writer, {"a", "b", "b", "ab\x01"});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK(refused.error().message ==
        "cell 3 is \"ab\\x01\", which sorts before cell 2, \"b\": cells must ascend");
  CHECK(writer.num_keys() == 2);

  auto columns = CompoundFilterWriter::Create({.type = BloomType::kRowCol}).value();
  REQUIRE(columns.Append({"row", "q2"}).ok());
  const Status back = columns.Append({"row", "q1"});
  REQUIRE_FALSE(back.ok());
  CHECK(back.error().message ==
        "cell 1 is \"row\", \"q1\", which sorts before cell 0, \"row\", \"q2\": cells must ascend");
  // Bytes are compared without sign, and a prefix sorts first.
  auto bytes = CompoundFilterWriter::Create({}).value();
  CHECK(AppendRows(bytes, {"\x01", "\x01\x01", "\x7f", "\x80", "\xff"}).ok());
}

TEST_CASE("rows that HBase cannot have are refused", "[engine][hbase]") {
  auto writer = CompoundFilterWriter::Create({}).value();
  CHECK(writer.Append({"", "q"}).error().message ==
        "cell 0 has a row of 0 bytes; it must have 1 to 32767");
  CHECK(AppendRows(writer, {std::string(32'767, 'x')}).ok());
  CHECK_FALSE(AppendRows(writer, {std::string(32'768, 'y')}).ok());
  CHECK_FALSE(CompoundFilterWriter::Create({.type = BloomType::kNone}).ok());
}

TEST_CASE("a filter without keys has no chunk, and everything is absent", "[engine][hbase]") {
  for (const auto type : {BloomType::kRow, BloomType::kRowCol}) {
    const CompoundFilter filter =
        CompoundFilter::DeserializeOrPass(FilterOfVectors({.type = type}, 0).Serialize());
    CHECK(filter.num_chunks() == 0);
    CHECK(filter.damage().empty());
    CHECK_FALSE(filter.MayContain({"r", "q"}));
    CHECK_FALSE(filter.MayContainRow("r"));
  }
}

TEST_CASE("non-members within the keys are maybe present at the rate of the fill",
          "[engine][hbase][long]") {
  const auto num_keys = static_cast<int>(tests::Scaled(50'000));
  const CompoundFilter filter = FilterOfVectors({.chunk_bytes = 16 * 1024}, num_keys);
  double expected = 0;
  uint64_t num_queried = 0;
  uint64_t num_maybe = 0;
  for (int i = 0; i < 3 * num_keys; ++i) {
    if (i % 3 == 0) continue;
    const VectorCell cell(BloomType::kRow, i);
    if (filter.IsBehind(cell.name())) continue;
    expected += filter.FprOfChunk(filter.ChunkOf(cell.name()));
    ++num_queried;
    num_maybe += filter.MayContain(cell.name());
  }
  const double rate = expected / static_cast<double>(num_queried);
  CHECK(tests::BinomialBound(rate, num_queried).ContainsHits(num_maybe));
  CHECK(rate > 0.005);
  CHECK(rate < 0.0101);
}

TEST_CASE("a batch answers as single queries do", "[engine][hbase]") {
  const CompoundFilter filter = FilterOfVectors(SmallChunks(BloomType::kRowCol), 300);
  std::vector<VectorCell> owned;
  for (int i = 0; i < 131; ++i) owned.emplace_back(BloomType::kRowCol, 7 * i);
  std::vector<CellName> cells;
  for (const VectorCell& cell : owned) cells.push_back(cell.name());
  std::vector<uint64_t> maybe(3, ~uint64_t{0});
  size_t num_maybe = 0;
  const size_t returned = filter.Query(cells, maybe);
  for (size_t i = 0; i < 192; ++i) {
    const bool is_set = (maybe[i / 64] >> (i % 64) & 1) != 0;
    CHECK(is_set == (i < cells.size() && filter.MayContain(cells[i])));
    num_maybe += is_set;
  }
  CHECK(returned == num_maybe);
}

}  // namespace trommel::hbase
