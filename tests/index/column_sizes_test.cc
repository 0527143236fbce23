// ColumnBuilder::SizeStructures: when a structure gets a successor, and how large that is.
#include <cstdint>
#include <string>
#include <vector>

#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "index/support/directories.h"
#include "index/support/memory_row_store.h"
#include "support/catch.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {
namespace {

// One attribute, which is indexed; regions 0 (up to "m") and 1, on one server.
struct SizedTable {
  explicit SizedTable(Structure structure)
      : directory(
            *ServerIndex::Create({.attributes = {AttributeState::kIndexed}, .structure = structure},
                                 *RegionTable::Split(std::vector<std::string>{"m"}, 1))) {
    for (uint32_t id = 0; id < 200; ++id) regions.Add(id);
    REQUIRE(*builder.SizeStructures());
    BuildAll();
  }
  void BuildAll() {
    directory.Reclaim();
    for (const ColumnName& column : directory.ColumnsToBuild()) {
      while (!*builder.BuildChunk(column, 100)) {
      }
    }
    directory.Reclaim();
  }
  // Rows a0, a1, ..., each with a value of its own.
  void Put(int begin, int end) { Write(begin, end, true); }
  void Delete(int begin, int end) { Write(begin, end, false); }
  AttributeStats stats() const { return directory.GetStats().attributes[0]; }

  Schema schema{{{"city", true}}, 1};
  ServerIndex directory;
  RegionStates regions{1};
  MemoryRowStore store;
  std::vector<RowStore*> servers{&store};
  TableWriter writer{schema, directory, regions, servers};
  ColumnBuilder builder{directory, regions, servers};

 private:
  void Write(int begin, int end, bool is_put) {
    std::vector<Mutation> batch;
    for (int i = begin; i < end; ++i) {
      Mutation& mutation = batch.emplace_back();
      mutation.key = "a" + std::to_string(i);
      if (is_put) mutation.attributes = std::vector<Values>{{"v" + std::to_string(i)}};
    }
    REQUIRE(writer.Write(batch).ok());
  }
};

TEST_CASE("a structure that is more than twice too large gets a smaller successor",
          "[index][protocol]") {
  SizedTable table(Structure::kMap);
  const uint64_t bytes_at_first = table.stats().num_bytes;
  table.Put(0, 1000);
  REQUIRE(*table.builder.SizeStructures());
  table.BuildAll();
  REQUIRE(table.stats().pairs_per_region == 1250);
  CHECK_FALSE(*table.builder.SizeStructures());

  table.Delete(0, 500);  // 500 and a quarter are half of 1,250
  CHECK_FALSE(*table.builder.SizeStructures());
  table.Delete(500, 501);
  const ColumnName marked{1, 0};
  table.directory.MarkUnbuilt({&marked, 1});
  CHECK_FALSE(*table.builder.SizeStructures());  // a column that is not built may be the fullest
  table.BuildAll();
  CHECK(*table.builder.SizeStructures());
  CHECK(table.stats().next_pairs_per_region == 623);
  CHECK(table.stats().num_unbuilt == 0);
  table.Delete(501, 950);
  CHECK_FALSE(*table.builder.SizeStructures());  // one after the other
  table.BuildAll();
  CHECK(table.stats().pairs_per_region == 623);
  CHECK(*table.builder.SizeStructures());
  table.BuildAll();
  CHECK(table.stats().pairs_per_region == 64);  // never less
  CHECK(table.stats().num_pairs == 50);
  CHECK(CandidatesOf(table.directory, 0, "v999") == Positions{0});
  CHECK(CandidatesOf(table.directory, 0, "v949").empty());

  table.Delete(950, 1000);
  CHECK_FALSE(*table.builder.SizeStructures());
  CHECK(table.stats().num_bytes == bytes_at_first);
}

TEST_CASE("rows that come while a structure shrinks make its successor larger at once",
          "[index][protocol]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    SizedTable table(structure);
    table.Put(0, 2000);
    REQUIRE(*table.builder.SizeStructures());
    table.BuildAll();
    table.Delete(0, 2000);
    REQUIRE(*table.builder.SizeStructures());
    CHECK(table.stats().next_pairs_per_region == 64);
    table.Put(0, 800);
    CHECK(*table.builder.SizeStructures());
    CHECK(table.stats().next_pairs_per_region ==
          (structure == Structure::kServerFilters ? 500 : 1000));
    table.BuildAll();
    CHECK_FALSE(table.stats().is_growing);
    CHECK(table.stats().num_pairs == 800);
  }
}

TEST_CASE("more regions than columns get a successor with more columns", "[index][protocol]") {
  SizedTable table(Structure::kMap);
  table.Put(0, 10);
  // Columns that Reclaim frees are used before.
  const ColumnName marked{0, 0};
  for (int i = 0; i < 70; ++i) table.directory.MarkUnbuilt({&marked, 1});
  CHECK(table.directory.GetBuildState(marked).column_id == 0);
  CHECK_FALSE(*table.builder.SizeStructures());
  table.BuildAll();
  CHECK(table.stats().num_unbuilt == 0);

  std::vector<std::string> splits;
  for (char c = 'b'; c < 'm'; ++c) {
    for (const char* const end : {"0", "2", "4", "6", "8", "b"})
      splits.push_back(c + std::string(end));
  }
  REQUIRE(splits.size() == 66);
  REQUIRE(table.directory.Publish(*RegionTable::Split(splits, 1)));
  table.BuildAll();
  CHECK(table.stats().num_unbuilt == 4);  // of 67
  CHECK(CandidatesOf(table.directory, 0, "v3").size() == 5);
  CHECK(*table.builder.SizeStructures());
  CHECK(table.stats().next_pairs_per_region == table.stats().pairs_per_region);
  CHECK(table.stats().next_num_columns == 127);
  CHECK_FALSE(*table.builder.SizeStructures());
  table.BuildAll();
  CHECK(table.stats().num_unbuilt == 0);
  CHECK(CandidatesOf(table.directory, 0, "v3") == Positions{0});
  CHECK_FALSE(*table.builder.SizeStructures());
}

}  // namespace
}  // namespace trommel::index::tests
