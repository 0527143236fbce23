// trommel-index on tables that something else has changed: it says so, and exits by it.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/index/src/rocks/meta_store.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "index/tools/made_table.h"
#include "support/catch.h"

namespace trommel::tests {
namespace {

// Changes entries of server 0 behind the back of rows and directory.
void ChangeEntries(const MadeTable& table, const std::vector<index::EntryChange>& entries) {
  auto meta = index::MetaStore::Open(table.path());
  REQUIRE(meta.ok());
  const auto records = meta->Read();
  REQUIRE(records.ok());
  const index::DatabaseResources resources(1 << 20, 1);
  const auto store = index::RocksRowStore::Open(index::ServerFolder(table.path(), 0),
                                                {records->cluster.cluster_id, 0},
                                                {.num_attributes = 3}, resources);
  REQUIRE(store.ok());
  REQUIRE((*store)->Commit({}, entries, (*store)->incarnation()).ok());
}

TEST_CASE("verify exits 1 with an example where a value has no entry", "[tools]") {
  const MadeTable table(40, {"--servers", "1"});
  ChangeEntries(table, {{0, "colour3", "0003", false}});
  const auto report = table.Report("verify", {}, 1);
  CHECK(report["ok"] == false);
  CHECK(report["num_missing_entries"] == 1);
  CHECK(report["examples"].size() == 1);
  const ToolResult text = table.Run("verify", {});
  CHECK(text.exit_code == 1);
  CHECK(text.out.find("DISAGREE") != std::string::npos);
  CHECK(text.out.find("colour3") != std::string::npos);
}

TEST_CASE("verify repairs what it finds, and exits 0 if all agree then", "[tools]") {
  const MadeTable table(40, {"--servers", "1"});
  ChangeEntries(table, {{0, "colour3", "0003", false}, {0, "colour9", "0004", true}});
  CHECK(std::stoul(table.Run("query", {"colour=colour3", "-q"}).out) == 7);  // of 8
  const auto report = table.Report("verify", {"--repair"});
  CHECK(report["ok"] == true);
  CHECK(report["ok_before"] == false);
  CHECK(report["num_missing_entries"] == 1);
  CHECK(report["num_dangling_entries"] == 1);
  CHECK(report["num_repaired"] >= 2);
  CHECK_FALSE(report["examples"].empty());
  CHECK(report["examples_after"].empty());
  CHECK(table.NumFound({"colour=colour3"}) == 8);
  CHECK(table.NumFound({"colour=colour9"}) == 0);
  CHECK(table.Report("verify", {})["num_entries"] == 40 + 2 * 40 + 20);
  const ToolResult again = table.Run("verify", {"--repair"});
  CHECK(again.exit_code == 0);
  CHECK(again.out.find("all agree\n") != std::string::npos);
}

TEST_CASE("a query exits 3 and names the range that a server could not read", "[tools]") {
  const MadeTable table(2000, {"--servers", "2", "--regions", "2"});
  REQUIRE(table.Run("stats", {}).exit_code == 0);  // opening it writes what is in logs to tables
  // The first blocks of the tables of one server. Small ones are its notes about itself.
  constexpr size_t kSmall = 4000;
  size_t num_damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(table.path() + "/server-001")) {
    if (entry.path().extension() != ".sst" || entry.file_size() < kSmall) continue;
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    for (size_t at = 0; at < 64; ++at) file.put('x');
    ++num_damaged;
  }
  REQUIRE(num_damaged > 0);
  const ToolResult found = table.Run("query", {"colour=colour0", "--timeout", "0.3"});
  CAPTURE(found.out.substr(0, 300), found.err);
  CHECK(found.exit_code == 3);
  CHECK(found.err.find("NOT ANSWERED: keys '1000' to the last, server 1") != std::string::npos);
  CHECK(found.err.find("trommel-index: the answer is not complete") != std::string::npos);
  CHECK(found.out.find("\n0005\t") != std::string::npos);  // what the other server has
}

}  // namespace
}  // namespace trommel::tests
