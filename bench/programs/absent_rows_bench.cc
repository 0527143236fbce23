// Gets from a RocksDB table, one at a time in one thread: alone, with RocksDB's own Bloom filter in
// its files, and with a ConcurrentFilter in front of each. Absent keys lie among those that exist.
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "bench/machine/clock.h"
#include "bench/sides/workload.h"
#include "bench/text/arguments.h"
#include "bench/text/figures.h"
#include "trommel/concurrent_filter.h"

namespace trommel::bench {
namespace {

constexpr char kUsage[] =
    "usage: absent_rows_bench [--rows=1M] [--gets=100k] [--cache=8M] [--rounds=5] [--folder=DIR]\n"
    "  --rows    in each of two tables, of 16 and 100 bytes\n"
    "  --gets    per round, of absent keys and of others\n"
    "  --cache   bytes of RocksDB's block cache; RocksDB's default is 8M\n"
    "  --rounds  paired measurements of each figure, after one that does not count\n"
    "  --folder  for the tables: created, and removed at the end; default: a temporary one\n";
constexpr int kFilterBits = 10;  // of RocksDB's filter, per key: a rate of about 1 %
constexpr double kRate = 0.01;   // of ours
constexpr uint64_t kRowsPerWrite = 1000;

std::string RowKey(uint64_t index) {
  return Printed("%016llx", static_cast<unsigned long long>(KeyAt(index)));
}

// A table of these rows in one sorted run, read back from its files alone.
class Table {
 public:
  Table(std::string folder, uint64_t num_rows, uint64_t cache_bytes, bool has_filter)
      : folder_(std::move(folder)) {
    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_cache = rocksdb::NewLRUCache(cache_bytes);
    if (has_filter) blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kFilterBits));
    options_.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    options_.create_if_missing = true;
    options_.error_if_exists = true;
    rocksdb::DB* opened = nullptr;
    status_ = rocksdb::DB::Open(options_, folder_, &opened);
    db_.reset(opened);
    rocksdb::WriteOptions writing;
    writing.disableWAL = true;
    const std::string value(100, 'v');
    for (uint64_t row = 0; row < num_rows && status_.ok();) {
      rocksdb::WriteBatch batch;
      for (uint64_t i = 0; i < kRowsPerWrite && row < num_rows; ++i) {
        batch.Put(RowKey(kFirstMember + row++), value);
      }
      status_ = db_->Write(writing, &batch);
    }
    if (status_.ok()) status_ = db_->CompactRange({}, nullptr, nullptr);
  }
  ~Table() {
    if (db_ == nullptr) return;
    db_.reset();
    rocksdb::DestroyDB(folder_, options_);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const rocksdb::Status& status() const { return status_; }
  bool Has(const std::string& key) {
    return db_->Get(reading_, db_->DefaultColumnFamily(), key, &value_).ok();
  }

 private:
  std::string folder_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::Status status_;
  rocksdb::ReadOptions reading_;
  rocksdb::PinnableSlice value_;
};

// ns per get: [absent or exists][side][round]. Nothing if a get was answered wrongly.
std::vector<TrialRow> Measure(Table& alone, Table& own, const ConcurrentFilter& front,
                              uint64_t num_rows, uint64_t num_gets, uint64_t rounds) {
  std::vector<TrialRow> rows = {{"absent", std::vector<Figures>(4)},
                                {"exists", std::vector<Figures>(4)}};
  uint64_t num_wrong = 0;
  for (const size_t exists : {size_t{0}, size_t{1}}) {
    std::vector<std::string> keys;
    for (uint64_t i = 0; i < num_gets; ++i) {
      keys.push_back(RowKey(exists == 1 ? KeyAt(i) % num_rows : kFirstNonMember + i));
    }
    InRounds(4, rounds, [&](size_t side, bool counts) {
      Table& table = side % 2 == 0 ? alone : own;
      uint64_t num_found = 0;
      const double ns = CpuNsPerKey(num_gets, [&] {
        for (const std::string& key : keys) {
          num_found += (side < 2 || front.MayContain(key)) && table.Has(key) ? 1 : 0;
        }
      });
      if (counts) rows[exists].sides[side].push_back(ns);
      num_wrong += num_found == exists * num_gets ? 0 : 1;
    });
  }
  if (num_wrong > 0) rows.clear();
  return rows;
}

int Compare(const std::string& folder, uint64_t num_rows, uint64_t num_gets, uint64_t cache_bytes,
            uint64_t rounds) {
  Result<ConcurrentFilter> front =
      ConcurrentFilter::Create({.capacity = num_rows, .target_fpr = kRate});
  if (!front) {
    std::fprintf(stderr, "absent_rows_bench: %s\n", front.error().message.c_str());
    return 2;
  }
  for (uint64_t row = 0; row < num_rows; ++row) front->Insert(RowKey(kFirstMember + row));
  Table alone(folder + "/alone", num_rows, cache_bytes, false);
  Table own(folder + "/own", num_rows, cache_bytes, true);
  for (const Table* table : {&alone, &own}) {
    if (table->status().ok()) continue;
    std::fprintf(stderr, "absent_rows_bench: %s\n", table->status().ToString().c_str());
    return 3;
  }
  const std::vector<TrialRow> rows = Measure(alone, own, *front, num_rows, num_gets, rounds);
  if (rows.empty()) {
    std::fprintf(stderr, "absent_rows_bench: a get was answered wrongly\n");
    return 1;
  }
  const std::string title =
      Printed("%s rows, CPU ns per get; our filter takes %.1f bits per key, RocksDB's %d",
              CountName(num_rows).c_str(),
              8 * static_cast<double>(front->GetStats().num_bytes) / static_cast<double>(num_rows),
              kFilterBits);
  std::fputs(FormatTrial(title, {"alone", "its filter", "ours in front", "both"},
                         {{"alone / ours", 0, 2}, {"its filter / ours", 1, 2}}, rows)
                 .c_str(),
             stdout);
  return 0;
}

int Main(int argc, char** argv) {
  uint64_t num_rows = 1'000'000;
  uint64_t num_gets = 100'000;
  uint64_t cache_bytes = 8'000'000;
  uint64_t rounds = 5;
  std::string folder =
      std::filesystem::temp_directory_path() / ("trommel-absent-rows-" + std::to_string(getpid()));
  if (!ReadArguments(argc, argv,
                     {CountArgument("--rows", num_rows), CountArgument("--gets", num_gets),
                      CountArgument("--cache", cache_bytes), CountArgument("--rounds", rounds),
                      TextArgument("--folder", folder)},
                     kUsage)) {
    return 2;
  }
  std::error_code error;
  if (!std::filesystem::create_directory(folder, error)) {
    std::fprintf(stderr, "absent_rows_bench: %s: %s: name a new folder\n", folder.c_str(),
                 error ? error.message().c_str() : "exists");
    return 2;
  }
  const int exit_code = Compare(folder, num_rows, num_gets, cache_bytes, rounds);
  std::filesystem::remove_all(folder);
  return exit_code;
}

}  // namespace
}  // namespace trommel::bench

int main(int argc, char** argv) { return trommel::bench::Main(argc, argv); }
