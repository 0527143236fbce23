#include "index/soak/checks.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "index/soak/random.h"
#include "index/soak/rows.h"
#include "index/soak/soak.h"

namespace trommel::index::soak {
namespace {

using std::chrono::steady_clock;

constexpr uint32_t kMainThread = kMaxThreads - 1;

// A background thread that follows rules may begin a move at any time, and leave rows.
constexpr std::chrono::seconds kLongestSettling{60};

// The keys of the rows that have a value.
using Expected = std::map<std::pair<uint32_t, uint64_t>, std::set<std::string>>;

Expected ExpectedOf(const History& history) {
  Expected expected;
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
      const RowName name{writer, slot};
      for (uint32_t a = 0; a < kNumAttributes; ++a) {
        for (const Wanted& value : ValuesOf(name, history.At(name), a)) {
          expected[{a, value.number}].insert(KeyOf(name));
        }
      }
    }
  }
  return expected;
}

void AskFor(Cluster& cluster, const Expected::value_type& expected, Board& board) {
  const Condition condition = ConditionOf({expected.first.first, expected.first.second});
  const Call call(board, kMainThread, "Find");
  const Result<QueryOutcome> outcome = cluster.Find({.conditions = {condition}});
  if (!outcome) return board.Fail(FailureText(condition.value, outcome.error()));
  for (const Unanswered& part : outcome->unanswered) {
    board.Fail(condition.value + ": not answered: " + part.reason.message);
  }
  std::set<std::string> found;
  for (const Row& row : outcome->rows) found.insert(row.key);
  for (const std::string& key : expected.second) {
    if (found.count(key) == 0) board.Fail(condition.value + ": " + key + " was not found");
  }
  for (const std::string& key : found) {
    if (expected.second.count(key) == 0) {
      board.Fail(condition.value + ": " + key + " was found and does not have it");
    }
  }
}

std::optional<VerifyReport> VerifyAll(Cluster& cluster, Board& board) {
  const Call call(board, kMainThread, "Verify");
  const Result<VerifyReport> report = cluster.Verify();
  if (!report) {
    board.Fail(FailureText("Verify", report.error()));
    return std::nullopt;
  }
  if (!report->ok()) {
    for (const std::string& example : report->examples) board.Fail("Verify: " + example);
    board.Fail("Verify: does not agree");
  }
  return *report;
}

// Returns what is not settled yet; empty: nothing.
std::string LeftAfterChanges(Cluster& cluster, Board& board) {
  Result<bool> finished = false;
  {
    const Call call(board, kMainThread, "FinishChanges");
    finished = cluster.FinishChanges();
  }
  if (!finished) return FailureText("FinishChanges", finished.error());
  if (!*finished) return "FinishChanges gave up by itself";
  Result<bool> built = false;
  {
    const Call call(board, kMainThread, "BuildColumns");
    built = cluster.BuildColumns();
  }
  if (!built) return FailureText("BuildColumns", built.error());
  const ClusterStats stats = cluster.GetStats();
  if (stats.num_leftovers > 0) return std::to_string(stats.num_leftovers) + " leftovers";
  uint64_t num_unbuilt = 0;
  for (const AttributeStats& attribute : stats.directory.attributes) {
    if (attribute.state == AttributeState::kBuilding) return "an index that is being made";
    if (attribute.state == AttributeState::kDropping) return "an index that is being removed";
    if (attribute.state == AttributeState::kIndexed) num_unbuilt += attribute.num_unbuilt;
  }
  if (num_unbuilt > 0) return std::to_string(num_unbuilt) + " unbuilt columns";
  const std::optional<VerifyReport> report = VerifyAll(cluster, board);
  if (report && report->num_leftover_rows > 0) {
    return std::to_string(report->num_leftover_rows) + " leftover rows";
  }
  return "";
}

}  // namespace

void Settle(Cluster& cluster, Board& board) {
  const auto latest = steady_clock::now() + kLongestSettling;
  std::string left = LeftAfterChanges(cluster, board);
  while (!left.empty() && steady_clock::now() < latest && !board.has_failed()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    left = LeftAfterChanges(cluster, board);
  }
  if (!left.empty()) board.Fail("not settled after FinishChanges and BuildColumns: " + left);
}

void ReadRows(Cluster& cluster, History& history, Board& board) {
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
      const RowName name{writer, slot};
      const std::string key = KeyOf(name);
      const Call call(board, kMainThread, "Get");
      const Result<std::optional<Row>> row = cluster.Get(key);
      if (!row) {
        board.Fail(FailureText("Get of " + key, row.error()));
        continue;
      }
      const Content content = row->has_value() ? ContentOf(**row) : 0;
      std::vector<Content> possible;
      const History::Time now = history.Now();
      history.ContentsBetween(name, now, now, &possible);
      if (!history.Resolve(name, content)) {
        board.Fail(key + " has content " + std::to_string(content) + "; it must have " +
                   std::to_string(possible.front()) +
                   (possible.size() > 1 ? ", or another one of writes that failed" : ""));
      } else if (content != 0 && (*row)->attributes != AttributesOf(name, content)) {
        board.Fail(key + " has values that were never put");
      }
    }
  }
}

void AskSome(Cluster& cluster, const History& history, Board& board, uint64_t seed) {
  const Expected expected = ExpectedOf(history);
  if (expected.empty()) return;
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    auto one = expected.lower_bound({random.Below(kNumAttributes), random.Next()});
    if (one == expected.end()) one = expected.begin();
    AskFor(cluster, *one, board);
  }
}

void AskAll(Cluster& cluster, const History& history, Board& board) {
  uint32_t num_broadcast = 0;
  const ServerIndexStats stats = cluster.GetStats().directory;
  for (const auto& expected : ExpectedOf(history)) {
    if (stats.attributes[expected.first.first].state != AttributeState::kIndexed &&
        ++num_broadcast > 20) {
      continue;  // each of them reads all rows
    }
    AskFor(cluster, expected, board);
  }
  VerifyAll(cluster, board);
}

void Drain(Cluster& cluster, const std::filesystem::path& folder, Board& board) {
  for (uint32_t writer = 0; writer < kNumWriters; ++writer) {
    for (uint32_t slot = 0; slot < kRowsPerWriter; ++slot) {
      const std::string key = KeyOf({writer, slot});
      const Status status = cluster.Delete(key);
      if (!status) board.Fail(FailureText("Delete of " + key, status.error()));
    }
  }
  Settle(cluster, board);
  const std::optional<VerifyReport> report = VerifyAll(cluster, board);
  if (!report) return;
  if (report->num_rows > 0) board.Fail(std::to_string(report->num_rows) + " rows are left");
  if (report->num_entries > 0) {
    board.Fail(std::to_string(report->num_entries) + " entries are left");
  }
  cluster.directory().Reclaim();
  const ServerIndexStats stats = cluster.GetStats().directory;
  ClusterConfig config = cluster.config();
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    if (stats.attributes[a].num_pairs != 0) {
      board.Fail(std::to_string(stats.attributes[a].num_pairs) + " pairs are left");
    }
    config.schema.attributes[a].is_indexed = stats.attributes[a].state == AttributeState::kIndexed;
  }
  // A new cluster of the same regions.
  config.splits.clear();
  {
    const ServerIndex::Pin pin = cluster.directory().PinVersion();
    for (const Region& region : pin.table().regions().subspan(1)) {
      config.splits.push_back(region.range.begin);
    }
  }
  Result<Cluster> fresh = Cluster::Create(folder, config);
  if (!fresh) return board.Fail(FailureText("Create", fresh.error()));
  if (const Result<bool> built = fresh->BuildColumns(); !built) {
    return board.Fail(FailureText("BuildColumns", built.error()));
  }
  fresh->directory().Reclaim();
  const uint64_t limit = 2 * fresh->GetStats().directory.num_bytes;
  if (stats.num_bytes > limit) {
    std::string text = "the directory of no row takes " + std::to_string(stats.num_bytes) +
                       " bytes; twice a new one's are " + std::to_string(limit) + ";";
    for (const AttributeStats& attribute : stats.attributes) {
      text += " " + std::to_string(attribute.pairs_per_region) + " pairs in " +
              std::to_string(attribute.num_columns) + " columns;";
    }
    board.Fail(text);
  }
}

}  // namespace trommel::index::soak
