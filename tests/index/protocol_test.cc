// TableWriter and ColumnBuilder in one thread: what is written, asked and refused.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "index/support/memory_row_store.h"
#include "support/catch.h"
#include "trommel/index/server_index.h"

namespace trommel::index {
namespace {

using tests::CommitFault;
using tests::MemoryRowStore;

// Regions 0 (up to "m") and 1, on servers 0 and 1; attributes 0 and 1 are indexed, 2 is not.
struct SmallTable {
  explicit SmallTable(uint32_t max_versions = 1, Structure structure = Structure::kMap,
                      uint32_t num_servers = 2, uint64_t memory_limit_bytes = 0)
      : schema{{{"city", true}, {"team", true}, {"note", false}}, max_versions},
        directory(ServerIndex::Create(
                      {.attributes = {AttributeState::kIndexed, AttributeState::kIndexed,
                                      AttributeState::kNone},
                       .structure = structure,
                       .memory_limit_bytes = memory_limit_bytes},
                      RegionTable::Split(std::vector<std::string>{"m"}, num_servers).value())
                      .value()) {
    for (const uint32_t id : {0, 1}) regions.Add(id);
    const Result<bool> is_sized = builder.SizeStructures();
    REQUIRE(is_sized.ok());
    REQUIRE(*is_sized);
    BuildAll();
  }
  void BuildAll() {
    for (const ColumnName& column : directory.ColumnsToBuild()) {
      while (!*builder.BuildChunk(column, 1)) {
      }
    }
  }
  Status Put(std::string key, std::vector<Values> attributes) {
    const Mutation put{std::move(key), std::move(attributes)};
    return writer.Write({&put, 1});
  }
  Status Delete(std::string key) {
    const Mutation mutation{std::move(key), std::nullopt};
    return writer.Write({&mutation, 1});
  }
  // The candidates of a value, bit by region.
  uint64_t Candidates(uint32_t attribute, const std::string& value) const {
    const ServerIndex::Pin pin = directory.PinVersion();
    std::vector<uint64_t> words(pin.num_words());
    pin.Candidates(attribute, value, words);
    return words[0];
  }
  uint64_t NumPairs(uint32_t attribute) const {
    return directory.GetStats().attributes[attribute].num_pairs;
  }
  uint64_t NumUnbuilt(uint32_t attribute) const {
    return directory.GetStats().attributes[attribute].num_unbuilt;
  }
  uint64_t NumCommits(size_t server) const { return stores[server].Stamp()->sequence; }

  Schema schema;
  ServerIndex directory;
  RegionStates regions{3};
  MemoryRowStore stores[2];
  std::vector<RowStore*> servers{&stores[0], &stores[1]};
  TableWriter writer{schema, directory, regions, servers};
  ColumnBuilder builder{directory, regions, servers};
};

TEST_CASE("a put that repeats the row's values changes nothing", "[index][protocol]") {
  const uint32_t max_versions = GENERATE(1u, 3u);
  SmallTable table(max_versions);
  REQUIRE(table.Put("a", {{"Bonn", "Rome"}, {}, {"x"}}).ok());
  REQUIRE(table.Put("a", {{"Rome", "Bonn", "Rome"}, {}, {"x"}}).ok());
  CHECK(table.NumCommits(0) == 1);
  // An attribute without an index is content as well.
  REQUIRE(table.Put("a", {{"Bonn", "Rome"}, {}, {"y"}}).ok());
  CHECK(table.NumCommits(0) == 2);
}

TEST_CASE("mutations of one region are one commit, and apply in order", "[index][protocol]") {
  SmallTable table;
  const auto put = [](const char* key, const char* city) {
    return Mutation{key, std::vector<Values>{{city}, {}, {}}};
  };
  REQUIRE(table.writer
              .Write(std::vector<Mutation>{put("b", "Oslo"),
                                           put("z", "Riga"),
                                           put("a", "Bonn"),
                                           {"b", std::nullopt},
                                           put("a", "Rome")})
              .ok());
  CHECK(table.NumCommits(0) == 1);
  CHECK(table.NumCommits(1) == 1);
  CHECK(table.stores[0].RowOf("b").empty());
  CHECK(table.stores[0].RowOf("a") == Versions{{{"Rome"}, {}, {}}});
  CHECK(table.NumPairs(0) == 2);
  // One row loses what another gains.
  REQUIRE(table.writer.Write(std::vector<Mutation>{put("a", "Bonn"), put("b", "Rome")}).ok());
  CHECK(table.Candidates(0, "Rome") == 0b01);
  CHECK(table.NumPairs(0) == 3);
}

TEST_CASE("an illegal mutation fails the batch before anything is written", "[index][protocol]") {
  SmallTable table;
  const Status status = table.writer.Write(std::vector<Mutation>{
      {"a", std::vector<Values>{{"Bonn"}, {}, {}}}, {"b", std::vector<Values>{{"Bonn"}}}});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kInvalidArgument);
  CHECK(status.error().message.find("mutation 1") != std::string::npos);
  CHECK(table.NumCommits(0) == 0);
  CHECK_FALSE(table.Delete("").ok());
}

TEST_CASE("a failed commit leaves directory and rows in agreement", "[index][protocol]") {
  const CommitFault fault = GENERATE(CommitFault::kDone, CommitFault::kNotDone);
  SmallTable table;
  REQUIRE(table.Put("n", {{"Bonn"}, {}, {}}).ok());
  table.stores[1].commit_fault = [&] { return fault; };
  const Status status = table.Put("n", {{"Rome"}, {}, {}});
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kIo);
  CHECK(status.error().message.find("region 1, server 1") != std::string::npos);
  const bool is_done = fault == CommitFault::kDone;
  CHECK(table.Candidates(0, "Rome") == (is_done ? 0b10u : 0u));
  CHECK(table.Candidates(0, "Bonn") == (is_done ? 0u : 0b10u));
  CHECK(table.NumPairs(0) == 1);
  CHECK(table.NumUnbuilt(0) == 0);
}

TEST_CASE("a question that fails before the commit leaves everything as it was",
          "[index][protocol]") {
  SmallTable table;
  REQUIRE(table.Put("a", {{"Bonn"}, {}, {}}).ok());
  // The first question reads the row, the second asks for the value that is gained.
  const int first_failure = GENERATE(1, 2);
  int num_questions = 0;
  table.stores[0].question_fails = [&] { return ++num_questions >= first_failure; };
  REQUIRE_FALSE(table.Put("a", {{"Rome"}, {}, {}}).ok());
  CHECK(num_questions == first_failure);
  CHECK(table.NumCommits(0) == 1);
  CHECK(table.Candidates(0, "Rome") == 0);
  CHECK(table.Candidates(0, "Bonn") == 0b01);
  CHECK(table.NumUnbuilt(0) == 0);
  // Nothing has stayed in flight.
  table.stores[0].question_fails = nullptr;
  REQUIRE(table.Put("a", {{"Rome"}, {}, {}}).ok());
  CHECK(table.Candidates(0, "Rome") == 0b01);
  CHECK(table.NumPairs(0) == 1);
}

TEST_CASE("a question that fails after the commit marks the column unbuilt", "[index][protocol]") {
  SmallTable table;
  REQUIRE(table.Put("a", {{"Bonn"}, {"red"}, {}}).ok());
  int num_questions = 0;
  table.stores[0].question_fails = [&] { return ++num_questions == 2; };
  REQUIRE(table.Delete("a").ok());  // it is done; the question for "Bonn" failed
  CHECK(table.NumUnbuilt(0) == 1);
  CHECK(table.NumUnbuilt(1) == 0);
  CHECK(table.Candidates(0, "Bonn") == 0b01);
  table.BuildAll();
  CHECK(table.Candidates(0, "Bonn") == 0);
  CHECK(table.NumPairs(0) == 0);
}

TEST_CASE("values that rows gain and keep cost no question once they are in flight",
          "[index][protocol]") {
  SmallTable table;
  int num_questions = 0;
  for (MemoryRowStore& store : table.stores) {
    store.question_fails = [&] { return ++num_questions, false; };
  }
  REQUIRE(table.Put("a", {{"Bonn"}, {}, {}}).ok());
  CHECK(num_questions == 2);  // the row; whether "Bonn" is there
  REQUIRE(table.Delete("a").ok());
  CHECK(num_questions == 4);  // the row; whether "Bonn" is still there
  const ColumnName column{0, 0};
  table.directory.MarkUnbuilt({&column, 1});
  REQUIRE(table.Put("a", {{"Bonn"}, {}, {}}).ok());
  CHECK(num_questions == 5);  // the row: no pair is maintained
}

TEST_CASE("a builder that cannot ask leaves the column as far built as before",
          "[index][protocol]") {
  SmallTable table;
  REQUIRE(table.Put("a", {{"Bonn", "Oslo", "Rome"}, {}, {}}).ok());
  const ColumnName column{0, 0};
  table.directory.MarkUnbuilt({&column, 1});
  CHECK_FALSE(*table.builder.BuildChunk(column, 1));
  CHECK(table.directory.GetBuildState(column).cursor == "Bonn");
  table.stores[0].question_fails = [] { return true; };
  const Result<bool> built = table.builder.BuildChunk(column, 1);
  REQUIRE_FALSE(built.ok());
  CHECK(built.error().message.find("region 0, server 0") != std::string::npos);
  CHECK(table.directory.GetBuildState(column).cursor == "Bonn");
  table.stores[0].question_fails = nullptr;
  CHECK(*table.builder.BuildChunk(column, 10));
  CHECK(table.NumUnbuilt(0) == 0);
  CHECK(table.NumPairs(0) == 3);
  CHECK(*table.builder.BuildChunk({0, 2}, 10));  // never to be built: it has no index
}

TEST_CASE("a builder passes values that only other regions of the server have, chunk by chunk",
          "[index][protocol]") {
  SmallTable table(1, Structure::kMap, 1);
  std::vector<Mutation> batch;
  for (int i = 0; i < 20; ++i) {
    const std::string value = std::to_string(100 + i);
    batch.push_back({"a" + value, std::vector<Values>{{value}, {}, {}}});
  }
  batch.push_back({"z", std::vector<Values>{{"112", "119"}, {}, {}}});
  REQUIRE(table.writer.Write(batch).ok());
  const ColumnName column{1, 0};
  table.directory.MarkUnbuilt({&column, 1});
  const auto build_next = [&] { return *table.builder.BuildChunk(column, 2); };

  CHECK_FALSE(build_next());
  CHECK(table.directory.GetBuildState(column).cursor == "102");
  CHECK(table.NumPairs(0) == 20);
  // What rows gain and lose up to the cursor counts from now on, and beyond it when the builder
  // comes there.
  REQUIRE(table.Put("y", {{"101", "103"}, {}, {}}).ok());
  CHECK(table.NumPairs(0) == 21);
  CHECK_FALSE(build_next());
  CHECK(table.directory.GetBuildState(column).cursor == "105");
  CHECK(table.NumPairs(0) == 22);
  REQUIRE(table.Delete("y").ok());
  CHECK(table.NumPairs(0) == 20);
  while (!build_next()) {
  }
  CHECK(table.NumUnbuilt(0) == 0);
  CHECK(table.NumPairs(0) == 22);
  CHECK(table.Candidates(0, "112") == 0b11);
}

TEST_CASE("structures have space for a quarter more than the fullest region needs",
          "[index][protocol]") {
  SmallTable table;
  CHECK(table.directory.GetStats().attributes[0].pairs_per_region == 64);
  CHECK(table.directory.GetStats().attributes[2].pairs_per_region == 0);
  std::vector<Mutation> batch;
  for (int i = 0; i < 97; ++i) {
    batch.push_back({"a" + std::to_string(i), std::vector<Values>{{std::to_string(i)}, {}, {}}});
  }
  REQUIRE(table.writer.Write(std::span(batch).first(96)).ok());
  CHECK_FALSE(*table.builder.SizeStructures());  // one and a half times its capacity
  REQUIRE(table.writer.Write(batch).ok());
  CHECK(*table.builder.SizeStructures());
  CHECK(table.directory.GetStats().attributes[0].next_pairs_per_region == 121);
  CHECK_FALSE(table.directory.GetStats().attributes[1].is_growing);
  CHECK(table.NumUnbuilt(0) == 0);
  CHECK_FALSE(*table.builder.SizeStructures());  // beside the successor
  table.BuildAll();
  CHECK(table.directory.GetStats().attributes[0].pairs_per_region == 121);
  CHECK(table.NumPairs(0) == 97);
}

TEST_CASE("an attribute that outgrows the memory does not keep others from growing",
          "[index][protocol]") {
  SmallTable table(1, Structure::kMap, 2, 1 << 13);
  std::vector<Mutation> batch;
  for (int i = 0; i < 20'000; ++i) {
    const std::string value = std::to_string(i);
    batch.push_back({"a" + value, std::vector<Values>{{value}, {}, {}}});
    if (i < 200) (*batch.back().attributes)[1] = {value};
  }
  REQUIRE(table.writer.Write(batch).ok());
  CHECK(table.builder.SizeStructures().error().code == ErrorCode::kOutOfMemory);
  CHECK(table.directory.GetStats().attributes[0].pairs_per_region == 64);
  CHECK_FALSE(table.directory.GetStats().attributes[0].is_growing);
  CHECK(table.directory.GetStats().attributes[1].next_pairs_per_region == 250);
  CHECK(table.Candidates(0, "7") == 0b01);
}

TEST_CASE("a filter of a server is sized by the pairs of a region, not of all regions",
          "[index][protocol]") {
  SmallTable table(1, Structure::kServerFilters, 1);
  std::vector<Mutation> batch;
  for (int i = 0; i < 192; ++i) {
    batch.push_back({(i % 2 == 0 ? "a" : "z") + std::to_string(i),
                     std::vector<Values>{{std::to_string(i)}, {}, {}}});
  }
  REQUIRE(table.writer.Write(batch).ok());
  CHECK(table.directory.GetStats().attributes[0].largest_column == 192);
  CHECK_FALSE(*table.builder.SizeStructures());  // one and a half times 64 pairs per region
  REQUIRE(table.Put("m", {{"192"}, {}, {}}).ok());
  CHECK(*table.builder.SizeStructures());
  table.BuildAll();
  CHECK(table.directory.GetStats().attributes[0].pairs_per_region == 121);
  CHECK(table.NumPairs(0) == 193);
}

}  // namespace
}  // namespace trommel::index
