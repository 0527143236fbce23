// A filter in front of a RocksDB table: gets of rows that do not exist read nothing.
//
//   table_front FOLDER      the database's folder; it is created, and removed at the end
//
// The filter holds each key of the table exactly once. So a put must know whether the table has the
// key already; Upsert inserts what the filter knows to be new, and asks the table about the others.
// A delete erases the key if the table had it. The filter gets a key before the table shows it, and
// lets it go afterwards: a reader that finds the filter without a key finds the table without it.
#include <rocksdb/db.h>
#include <trommel/trommel.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace {

trommel::Error Failed(const rocksdb::Status& status) {
  return {trommel::ErrorCode::kIo, status.ToString()};
}

// One writer at a time; with several, each would hold the locks of its rows.
class FilteredTable {
 public:
  FilteredTable(std::unique_ptr<rocksdb::DB> table, trommel::ConcurrentFilter filter)
      : table_(std::move(table)), filter_(std::move(filter)) {}

  trommel::Status Put(const std::vector<std::string>& keys, const std::string& value) {
    std::vector<uint64_t> inserted(trommel::BitmapWords(keys.size()));
    using Existing = trommel::Result<std::vector<uint32_t>>;
    const auto exist = [&](std::span<const uint32_t> asked) -> Existing {
      std::vector<uint32_t> existing;
      for (const uint32_t i : asked) {
        std::string old;
        const rocksdb::Status read = table_->Get(rocksdb::ReadOptions(), keys[i], &old);
        ++num_reads_;
        if (!read.ok() && !read.IsNotFound()) return Failed(read);
        if (read.ok()) existing.push_back(i);
      }
      return existing;
    };
    const auto upserted = trommel::Upsert(filter_, keys, exist, inserted);
    if (!upserted) return upserted.error();
    for (const std::string& key : keys) {
      const rocksdb::Status put = table_->Put(rocksdb::WriteOptions(), key, value);
      if (!put.ok()) return Failed(put);
    }
    return trommel::Ok();
  }

  trommel::Status Delete(const std::string& key) {
    if (!Has(key)) return trommel::Ok();
    const rocksdb::Status deleted = table_->Delete(rocksdb::WriteOptions(), key);
    if (!deleted.ok()) return Failed(deleted);
    filter_.Erase(key);
    return trommel::Ok();
  }

  bool Has(const std::string& key) {
    if (!filter_.MayContain(key)) return false;  // certain
    ++num_reads_;
    std::string value;
    return table_->Get(rocksdb::ReadOptions(), key, &value).ok();
  }

  uint64_t num_keys() const { return filter_.num_keys(); }
  uint64_t num_reads() const { return num_reads_; }

 private:
  std::unique_ptr<rocksdb::DB> table_;
  trommel::ConcurrentFilter filter_;
  uint64_t num_reads_ = 0;
};

std::string RowKey(int i) { return "row-" + std::to_string(i); }

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: table_front FOLDER\n"), 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  rocksdb::DB* opened = nullptr;
  if (const rocksdb::Status open = rocksdb::DB::Open(options, argv[1], &opened); !open.ok()) {
    return std::fprintf(stderr, "table_front: %s\n", open.ToString().c_str()), 3;
  }
  std::unique_ptr<rocksdb::DB> owned(opened);
  auto filter = trommel::ConcurrentFilter::Create({.capacity = 20'000, .target_fpr = 0.01});
  if (!filter) return std::fprintf(stderr, "%s\n", filter.error().message.c_str()), 2;

  int exit_code = 0;
  {
    FilteredTable table(std::move(owned), std::move(*filter));
    // 20,000 rows, a quarter of them put twice in a batch, a tenth again with the next batch, when
    // the table has them; a quarter deleted.
    for (int first = 0; first < 20'000; first += 1'000) {
      std::vector<std::string> keys;
      for (int i = first; i < first + 1'000; ++i) keys.push_back(RowKey(i));
      for (int i = first; i < first + 250; ++i) keys.push_back(RowKey(i));
      if (first > 0) {
        for (int i = first - 100; i < first; ++i) keys.push_back(RowKey(i));
      }
      if (!table.Put(keys, "value").ok()) exit_code = 3;
    }
    for (int i = 0; i < 20'000; i += 4) {
      if (!table.Delete(RowKey(i)).ok()) exit_code = 3;
    }
    const uint64_t reads_of_writes = table.num_reads();
    int num_found = 0;
    for (int i = 0; i < 20'000; ++i) num_found += table.Has(RowKey(i));
    int num_false = 0;
    const uint64_t before = table.num_reads();
    for (int i = 20'000; i < 120'000; ++i) num_false += table.Has(RowKey(i));
    std::printf("%d rows found of 15,000; the filter has %llu keys\n", num_found,
                static_cast<unsigned long long>(table.num_keys()));
    std::printf("26,900 puts and 5,000 deletes read %llu rows\n",
                static_cast<unsigned long long>(reads_of_writes));
    std::printf("100,000 gets of other keys read %llu rows and found %d\n",
                static_cast<unsigned long long>(table.num_reads() - before), num_false);
    if (num_found != 15'000 || table.num_keys() != 15'000 || num_false != 0) exit_code = 1;
  }
  rocksdb::DestroyDB(argv[1], options);
  return exit_code;
}
