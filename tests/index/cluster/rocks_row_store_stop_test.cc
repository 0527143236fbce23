// RocksRowStore: a server that stops and starts again.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/index/src/rocks/store_scan.h"
#include "index/cluster/one_store.h"
#include "support/catch.h"
#include "support/scratch_folder.h"
#include "trommel/index/schema.h"

namespace trommel::index {
namespace {

using tests::kFirstServer;
using tests::kOneAttribute;
using trommel::tests::ScratchFolder;

struct StoppingStore : tests::OneStore {
  Status Put(const std::string& key, uint64_t incarnation) {
    const std::vector<RowChange> rows = {{.key = key, .versions = {{{"v"}}}}};
    const std::vector<EntryChange> entries = {{0, "v", key, true}};
    return store->Commit(rows, entries, incarnation);
  }
  Status Put(const std::string& key) { return Put(key, store->incarnation()); }
  bool HasRow(const std::string& key) const {
    const std::vector<std::string> keys = {key};
    return !(*store->Read(keys))[0].empty();
  }
};

// The failures of all calls of a store that is stopped.
std::vector<Error> FailuresOf(RocksRowStore& store) {
  std::vector<Error> failures;
  const auto add = [&failures](const auto& result) {
    REQUIRE_FALSE(result.ok());
    failures.push_back(result.error());
  };
  const std::vector<std::string> keys = {"k"};
  add(store.Read(keys));
  add(store.Read({}));
  add(store.HasValue(0, "v", {}));
  add(store.HasValue(0, "v", {"b", "a"}));
  add(store.WalkValues(0, std::nullopt, {}, 1));
  add(store.Commit({}, {}, store.incarnation()));
  add(store.Stamp());
  add(store.Sync());
  add(store.Scan({}));
  add(store.RemoveEntries(0));
  add(store.MiddleKey({}));
  add(store.EstimateBytes({}));
  add(ScanRows(store, [](std::string_view, const Result<Versions>&) { return true; }));
  add(ScanEntries(store, [](const Result<EntryKey>&) { return true; }));
  add(FindEntries(store, keys));
  return failures;
}

TEST_CASE("a store that is stopped fails every call, and has all its rows when it starts") {
  StoppingStore one;
  REQUIRE(one.Put("k").ok());
  const StoreStamp stamp = *one.store->Stamp();
  for (uint64_t round = 1; round < 4; ++round) {
    one.store->Stop();
    one.store->Stop();
    CHECK(one.store->is_stopped());
    CHECK(one.store->incarnation() == round);
    for (const Error& failure : FailuresOf(*one.store)) {
      CHECK(failure.code == ErrorCode::kIo);
      CHECK(failure.message == (one.folder / "s").string() + ": the server is stopped");
    }
    CHECK(EstimateSize(*one.store).num_rows == 0);
    REQUIRE(one.store->Start().ok());
    CHECK_FALSE(one.store->is_stopped());
    CHECK(one.store->incarnation() == round);
    CHECK(one.HasRow("k"));
    CHECK(*one.store->HasValue(0, "v", {}));
    CHECK(*one.store->Stamp() == stamp);
  }
  CHECK(one.store->Start().error().code == ErrorCode::kInvalidArgument);
  CHECK(one.Put("l").ok());
}

TEST_CASE("a commit that began before a stop is not done after it") {
  StoppingStore one;
  const uint64_t before = one.store->incarnation();
  one.store->Stop();
  const uint64_t after = one.store->incarnation();
  CHECK_FALSE(one.Put("a", before).ok());
  CHECK_FALSE(one.Put("a", after).ok());
  REQUIRE(one.store->Start().ok());
  const Status late = one.Put("a", before);
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().code == ErrorCode::kIo);
  CHECK(late.error().message == (one.folder / "s").string() + ": the server stopped meanwhile");
  CHECK_FALSE(one.HasRow("a"));
  CHECK(one.Put("a", after).ok());
}

TEST_CASE("a scan ends when its store stops, and neither waits for the other") {
  StoppingStore one;
  for (const char* const key : {"a", "b", "c"}) REQUIRE(one.Put(key).ok());
  auto scan = *one.store->Scan({});
  auto idle = *one.store->Scan({});
  CHECK(scan->Next(1)->front().key == "a");
  one.store->Stop();
  CHECK(scan->Next(1).error().message.ends_with("the server stopped meanwhile"));
  idle.reset();  // while the store is stopped
  REQUIRE(one.store->Start().ok());
  CHECK_FALSE(scan->Next(1).ok());
  auto second = *one.store->Scan({});
  scan.reset();
  CHECK(second->Next(10)->size() == 3);
}

TEST_CASE("a store that could not be opened gives the reason until it can start") {
  const ScratchFolder folder;
  const DatabaseResources resources(1 << 20, 1);
  const auto missing = RocksRowStore::Open(folder / "s", kFirstServer, kOneAttribute, resources);
  REQUIRE_FALSE(missing.ok());
  const auto store =
      RocksRowStore::Stopped(folder / "s", kFirstServer, kOneAttribute, resources, missing.error());
  CHECK(store->is_stopped());
  for (const Error& failure : FailuresOf(*store)) {
    CHECK(failure.code == ErrorCode::kIo);
    CHECK(failure.message == missing.error().message);
  }
  store->Stop();
  CHECK(store->Start().error().code == ErrorCode::kCorrupt);
  CHECK(store->is_stopped());

  // The database of another server is the reason from now on.
  const ServerIdentity other{.cluster = "c", .server = 1};
  REQUIRE(RocksRowStore::Create(folder / "s", other, kOneAttribute, resources).ok());
  CHECK(store->Start().error().code == ErrorCode::kCorrupt);
  CHECK(store->Sync().error().message.find("server 1") != std::string::npos);

  std::filesystem::remove_all(folder / "s");
  REQUIRE(RocksRowStore::Create(folder / "s", kFirstServer, kOneAttribute, resources).ok());
  REQUIRE(store->Start().ok());
  CHECK(store->Commit({}, {}, store->incarnation()).ok());
}

TEST_CASE("after a stop no commit is under way, and each was told what became of it", "[threads]") {
  StoppingStore one;
  constexpr int kNumWriters = 3;
  std::atomic<bool> is_over = false;
  std::vector<std::vector<std::string>> done(kNumWriters);
  std::vector<std::vector<std::string>> not_done(kNumWriters);
  std::vector<std::thread> writers;
  for (int w = 0; w < kNumWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; !is_over; ++i) {
        const uint64_t incarnation = one.store->incarnation();
        const std::string key = std::to_string(w) + "-" + std::to_string(i);
        if (one.Put(key, incarnation)) {
          done[static_cast<size_t>(w)].push_back(key);
        } else {
          not_done[static_cast<size_t>(w)].push_back(key);
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
      }
    });
  }
  std::thread reader([&] {
    while (!is_over) {
      const auto scan = one.store->Scan({});
      while (scan && !is_over) {
        const Result<std::vector<RowChange>> rows = (*scan)->Next(16);
        if (!rows || rows->empty()) break;
      }
    }
  });
  bool are_same = true;
  bool are_started = true;
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    one.store->Stop();
    // No commit reaches the files any more: a copy of them has the same sequence number.
    std::filesystem::copy(one.folder / "s", one.folder / "copy",
                          std::filesystem::copy_options::recursive);
    {
      const auto copy =
          RocksRowStore::Open(one.folder / "copy", kFirstServer, kOneAttribute, one.resources);
      const StoreStamp then = *(*copy)->Stamp();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      // In this round's incarnation: writers find it only when the store has started.
      const auto again =
          RocksRowStore::Open(one.folder / "s", kFirstServer, kOneAttribute, one.resources);
      are_same = are_same && again && (*again)->Stamp()->sequence == then.sequence;
    }
    std::filesystem::remove_all(one.folder / "copy");
    are_started = are_started && one.store->Start().ok();
  }
  is_over = true;
  for (std::thread& writer : writers) writer.join();
  reader.join();
  CHECK(are_same);
  CHECK(are_started);
  for (size_t w = 0; w < kNumWriters; ++w) {
    CHECK_FALSE(done[w].empty());
    const std::vector<Versions> rows = *one.store->Read(done[w]);
    for (const Versions& row : rows) REQUIRE_FALSE(row.empty());
    const std::vector<Versions> none = *one.store->Read(not_done[w]);
    for (const Versions& row : none) REQUIRE(row.empty());
  }
}

TEST_CASE("stops and starts of several threads are one after the other", "[threads]") {
  StoppingStore one;
  REQUIRE(one.Put("k").ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&one] {
      for (int i = 0; i < 20; ++i) {
        one.store->Stop();
        static_cast<void>(one.store->Start());  // another thread may have started it
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // The last call of each thread was a start.
  CHECK_FALSE(one.store->is_stopped());
  CHECK(one.HasRow("k"));
  CHECK(one.store->incarnation() <= 60);
}

}  // namespace
}  // namespace trommel::index
