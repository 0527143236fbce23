// A table in memory that everything changes at once, with real threads: writers, queries, splits,
// merges, moves, indexes, builders, and columns that are replaced. What ThreadSanitizer is to see,
// because interleavings run one thread at a time.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/index/src/changes/index_changes.h"
#include "engine/index/src/changes/region_changes.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "engine/index/src/rows/lookup_servers.h"
#include "engine/index/src/rows/row_store.h"
#include "index/support/directories.h"
#include "index/support/memory_row_store.h"
#include "index/support/memory_servers.h"
#include "support/catch.h"
#include "trommel/index/query.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index::tests {
namespace {

constexpr uint32_t kNumServers = 3;
constexpr uint32_t kNumIndexed = 2;  // attributes; the first keeps its index
constexpr uint32_t kNumWriters = 3;
constexpr uint32_t kNumStable = 12;  // rows that no writer changes

// Answers lookups from the stores, for ranges that servers hold. Thread safety: any thread.
class MemoryLookups final : public LookupServers, public RegionStore {
 public:
  MemoryLookups(const RegionTable& table, std::span<const std::unique_ptr<MemoryRowStore>> stores)
      : stores_(stores), held_(stores.size()) {
    for (const Region& region : table.regions()) {
      held_[region.server].ranges.push_back(region.range);
    }
  }

  void SetHeld(uint32_t server, std::vector<KeyRange> ranges) noexcept override {
    const std::lock_guard lock(mutex_);
    held_[server].ranges = std::move(ranges);
    ++held_[server].number;
  }
  void SetAnswering(uint32_t, bool) override {}  // servers are not stopped here

  void Lookup(LookupRequest request, Completion completion) override {
    const Held before = HeldBy(request.server);
    LookupAnswer answer;
    for (const KeyRange& range : request.ranges) {
      KeyRange rest = range;
      bool is_over = false;
      for (const KeyRange& held : before.ranges) {
        const KeyRange part = Intersection(rest, held);
        if (is_over || part.empty()) continue;
        if (rest.begin < part.begin) answer.not_mine.push_back({rest.begin, part.begin});
        AddRows(request, part, answer.rows);
        is_over = part.end == range.end;
        rest.begin = part.end;
      }
      if (!is_over) answer.not_mine.push_back(rest);
    }
    // What was taken away meanwhile may have been answered from rows that are no longer current.
    if (HeldBy(request.server).number != before.number) {
      answer.rows.clear();
      answer.not_mine = request.ranges;
    }
    completion(std::move(answer));
  }

 private:
  struct Held {
    std::vector<KeyRange> ranges;
    uint64_t number = 0;
  };

  Held HeldBy(uint32_t server) const {
    const std::lock_guard lock(mutex_);
    return held_[server];
  }
  void AddRows(const LookupRequest& request, const KeyRange& range, std::vector<Row>& rows) const {
    const MemoryRowStore& store = *stores_[request.server];
    std::vector<std::string> keys;
    if (request.indexed_conditions.empty()) {
      for (const auto& [key, versions] : store.Rows()) {
        if (range.Contains(key)) keys.push_back(key);
      }
    } else {
      const Condition& condition = request.conditions[request.indexed_conditions[0]];
      keys = store.KeysWith(condition.attribute, condition.value, range);
    }
    for (const std::string& key : keys) {
      const Versions versions = store.RowOf(key);
      const bool is_met =
          !versions.empty() && std::ranges::all_of(request.conditions, [&](const Condition& of) {
            return std::ranges::binary_search(ValuesOf(versions, of.attribute), of.value);
          });
      if (is_met) rows.push_back(MergedRow(key, versions));
    }
  }

  const std::span<const std::unique_ptr<MemoryRowStore>> stores_;
  mutable std::mutex mutex_;
  std::vector<Held> held_;
};

// The table, and what each thread does with it. Threads count what goes wrong: the test's checks
// are for one thread.
class ChangingTable {
 public:
  explicit ChangingTable(Structure structure) {
    for (uint32_t i = 0; i < kNumServers; ++i) {
      stores_.push_back(std::make_unique<MemoryRowStore>());
      servers_.push_back(stores_.back().get());
    }
    const RegionTable table =
        RegionTable::Split(std::vector<std::string>{"b", "c", "d", "e", "f"}, kNumServers).value();
    for (uint32_t a = 0; a < kNumIndexed; ++a)
      schema_.attributes.push_back({a == 0 ? "x" : "y", true});
    const TableRecord record{
        table, 6, std::vector<AttributeRecord>(kNumIndexed, {AttributeState::kIndexed, {}}), {}};
    recorder_.Set(record);
    lookups_ = std::make_unique<MemoryLookups>(table, stores_);
    directory_ = std::make_unique<ServerIndex>(
        ServerIndex::Create({.attributes = {AttributeState::kIndexed, AttributeState::kIndexed},
                             .structure = structure},
                            table)
            .value());
    for (const Region& region : table.regions()) regions_.Add(region.id);
    writer_ = std::make_unique<TableWriter>(schema_, *directory_, regions_, servers_);
    builder_ = std::make_unique<ColumnBuilder>(*directory_, regions_, servers_);
    keeper_ = std::make_unique<TableKeeper>(record, recorder_);
    const ChangeContext context{kNumIndexed, *directory_, regions_, servers_, *lookups_, *keeper_};
    region_changes_ = std::make_unique<RegionChanges>(context);
    index_changes_ = std::make_unique<IndexChanges>(context, 0, 16);
    for (uint32_t i = 0; i < kNumStable; ++i) {
      Put("stable" + std::to_string(i), {{"stable"}, {"v" + std::to_string(i % 4)}},
          std::string(1, static_cast<char>('a' + i % 6)), rows_);
    }
  }

  void RunAll() {
    std::vector<std::map<std::string, std::vector<Values>>> written(kNumWriters);
    std::vector<std::thread> threads;
    const auto start = [&](auto act) {
      ++num_at_work_;
      threads.emplace_back([this, act] {
        act();
        --num_at_work_;
      });
    };
    for (uint32_t i = 0; i < kNumWriters; ++i) {
      start([this, i, &written] { Write(i, written[i]); });
    }
    start([this] { ChangeRegions(1); });
    start([this] { ChangeRegions(2); });
    start([this] { Move(); });
    start([this] { ChangeIndexes(); });
    start([this] { ReplaceColumns(); });
    start([this] { Query(3); });
    start([this] { Query(4); });
    std::thread builder([this] {
      while (num_at_work_ != 0) Build();
    });
    for (std::thread& thread : threads) thread.join();
    builder.join();
    for (const auto& rows : written) rows_.insert(rows.begin(), rows.end());
  }

  void CheckAtRest() {
    CHECK(num_failed_writes_ == 0);
    CHECK(num_strange_failures_ == 0);
    CHECK(num_wrong_answers_ == 0);
    CHECK(num_unanswered_ == 0);
    REQUIRE(region_changes_->RemoveLeftovers({}).ok());
    REQUIRE(index_changes_->Finish({}).ok());
    for (int round = 0; round < 4; ++round) Build();  // the first ones may find no column free
    const TableRecord record = keeper_->Read();
    CHECK(record.leftovers.empty());
    CHECK(record == recorder_.durable());
    CHECK(region_changes_->num_moves() > 0);
    CHECK(region_changes_->num_splits() > 0);
    CHECK(region_changes_->num_merges() > 0);

    const ServerIndex::Pin pin = directory_->PinVersion();
    CHECK(pin.table() == record.table);
    std::map<std::string, std::vector<Values>> rows;
    for (uint32_t server = 0; server < kNumServers; ++server) {
      for (const auto& [key, versions] : stores_[server]->Rows()) {
        CHECK(pin.table()[pin.table().Find(key)].server == server);
        REQUIRE(versions.size() == 1);
        CHECK(rows.emplace(key, versions[0]).second);
      }
      CHECK(stores_[server]->EntriesAgree(
          {true, record.attributes[1].state == AttributeState::kIndexed}));
    }
    CHECK(rows == rows_);
    CheckPairs(pin);
    CHECK(directory_->GetStats().num_refused_pairs == 0);
  }

 private:
  void Put(const std::string& name, const std::vector<Values>& attributes,
           const std::string& letter, std::map<std::string, std::vector<Values>>& rows) {
    const Mutation put{letter + name, attributes};
    if (!writer_->Write({&put, 1})) ++num_failed_writes_;
    rows[put.key] = attributes;
  }

  // Each writer has keys of its own, so that it knows what their rows are at the end.
  void Write(uint32_t number, std::map<std::string, std::vector<Values>>& rows) {
    std::mt19937 random(100 + number);
    for (int i = 0; i < 400; ++i) {
      const auto draw = static_cast<uint32_t>(random());
      const std::string letter(1, static_cast<char>('a' + draw % 6));
      const std::string name = std::to_string(number) + "-" + std::to_string(draw / 6 % 4);
      if (draw / 64 % 4 == 0) {
        const Mutation removal{letter + name, std::nullopt};
        if (!writer_->Write({&removal, 1})) ++num_failed_writes_;
        rows.erase(letter + name);
      } else {
        Put(name,
            {{"v" + std::to_string(draw / 256 % 5)},
             {"v" + std::to_string(draw / 2048 % 4), "w" + std::to_string(draw / 8192 % 3)}},
            letter, rows);
      }
    }
  }

  Region DrawRegion(std::mt19937& random, Region* next = nullptr) const {
    const ServerIndex::Pin pin = directory_->PinVersion();
    const size_t position = random() % pin.table().size();
    if (next != nullptr) *next = pin.table()[(position + 1) % pin.table().size()];
    return pin.table()[position];
  }
  template <class Outcome>
  void Expect(const Outcome& outcome) {
    if (outcome.ok()) return;
    // Another thread was first, or is at work on the region.
    const ErrorCode code = outcome.error().code;
    if (code != ErrorCode::kBusy && code != ErrorCode::kInvalidArgument) ++num_strange_failures_;
  }

  void ChangeRegions(uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 80; ++i) {
      Region next;
      const Region region = DrawRegion(random, &next);
      if (directory_->PinVersion().table().size() < 12 && random() % 2 == 0) {
        Expect(region_changes_->Split(region.id, std::nullopt));
      } else {
        Expect(region_changes_->Merge(region.id, next.id));
      }
    }
  }
  void Move() {
    std::mt19937 random(9);
    for (int i = 0; i < 80; ++i) {
      const Region region = DrawRegion(random);
      const auto server = static_cast<uint32_t>((region.server + 1 + random() % 2) % kNumServers);
      int num_left = random() % 8 == 0 ? 2 : 1'000;
      Expect(region_changes_->Move(region.id, server, {nullptr, [&] { return num_left-- > 0; }}));
      if (i % 8 == 0) Expect(region_changes_->RemoveLeftovers({}));
    }
  }
  void ChangeIndexes() {
    for (int i = 0; i < 12; ++i) {
      Expect(i % 2 == 0 ? index_changes_->Drop(1) : index_changes_->Add(1));
      int num_left = i % 3 == 0 ? 3 : 1'000;
      Expect(index_changes_->Finish({nullptr, [&] { return num_left-- > 0; }}));
      Expect(index_changes_->Finish({}));
    }
  }
  // Columns of the index that stays are marked unbuilt, and its structure gets other sizes.
  void ReplaceColumns() {
    std::mt19937 random(5);
    for (int i = 0; i < 150; ++i) {
      if (random() % 4 == 0) {
        if (!directory_->Resize(0, 32 + random() % 64)) ++num_strange_failures_;
      } else {
        const ColumnName marked{DrawRegion(random).id, 0};
        directory_->MarkUnbuilt({&marked, 1});
      }
      std::this_thread::yield();
    }
  }
  void Query(uint32_t seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 120; ++i) {
      QueryRequest request;
      request.timeout = std::chrono::minutes(5);
      const uint32_t value = random() % 4;
      request.conditions = {{1, "v" + std::to_string(value)}};
      if (random() % 2 == 0) request.conditions.push_back({0, "stable"});
      const Result<QueryOutcome> outcome = index::Query(*directory_, *lookups_, request);
      if (!outcome) {
        ++num_wrong_answers_;
        continue;
      }
      num_unanswered_ += outcome->unanswered.size();
      // Rows that no writer changes are found by each query that they meet.
      std::set<std::string> found;
      for (const Row& row : outcome->rows) found.insert(row.key);
      for (uint32_t s = value; s < kNumStable; s += 4) {
        const std::string letter(1, static_cast<char>('a' + s % 6));
        if (!found.contains(letter + "stable" + std::to_string(s))) ++num_wrong_answers_;
      }
      if (request.conditions.size() == 2 && found.size() != kNumStable / 4) ++num_wrong_answers_;
    }
  }
  void Build() {
    if (!builder_->SizeStructures()) ++num_strange_failures_;
    for (const ColumnName& column : directory_->ColumnsToBuild()) {
      for (;;) {
        const Result<bool> is_over = builder_->BuildChunk(column, 3);
        if (!is_over) ++num_strange_failures_;
        if (!is_over || *is_over) break;
      }
    }
    directory_->Reclaim();
  }

  void CheckPairs(const ServerIndex::Pin& pin) const {
    std::vector<uint64_t> candidates(pin.num_words());
    for (uint32_t attribute = 0; attribute < kNumIndexed; ++attribute) {
      if (pin.state(attribute) != AttributeState::kIndexed) continue;
      uint64_t num_pairs = 0;
      for (size_t i = 0; i < pin.table().size(); ++i) {
        CHECK(pin.IsBuilt(attribute, i));
        const Region& region = pin.table()[i];
        for (const std::string& value :
             stores_[region.server]->ValuesWith(attribute, region.range)) {
          ++num_pairs;
          pin.Candidates(attribute, value, candidates);
          CHECK((candidates[i / 64] >> i % 64 & 1) != 0);
        }
      }
      CHECK(directory_->GetStats().attributes[attribute].num_pairs == num_pairs);
    }
  }

  Schema schema_;
  std::vector<std::unique_ptr<MemoryRowStore>> stores_;
  std::vector<RowStore*> servers_;
  MemoryRecorder recorder_;  // called under the keeper's lock
  std::unique_ptr<MemoryLookups> lookups_;
  std::unique_ptr<ServerIndex> directory_;
  RegionStates regions_{kNumIndexed, 16};
  std::unique_ptr<TableWriter> writer_;
  std::unique_ptr<ColumnBuilder> builder_;
  std::unique_ptr<TableKeeper> keeper_;
  std::unique_ptr<RegionChanges> region_changes_;
  std::unique_ptr<IndexChanges> index_changes_;
  std::map<std::string, std::vector<Values>> rows_;  // that there must be at the end
  std::atomic<uint32_t> num_at_work_ = 0;            // threads, but for the builder
  std::atomic<uint64_t> num_failed_writes_ = 0;
  std::atomic<uint64_t> num_strange_failures_ = 0;
  std::atomic<uint64_t> num_wrong_answers_ = 0;
  std::atomic<uint64_t> num_unanswered_ = 0;
};

TEST_CASE("rows, entries and columns agree after all changes at once, and no query missed a row",
          "[index][changes][threads]") {
  for (const Structure structure : kStructures) {
    CAPTURE(StructureName(structure));
    ChangingTable table(structure);
    table.RunAll();
    table.CheckAtRest();
  }
}

}  // namespace
}  // namespace trommel::index::tests
