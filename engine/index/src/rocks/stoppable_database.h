// StoppableDatabase: a database that may be closed, and opened again, while threads use it.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_STOPPABLE_DATABASE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_STOPPABLE_DATABASE_H_

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/status.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <utility>

#include "engine/index/src/rocks/database.h"
#include "trommel/result.h"

namespace trommel::index {

// A share of a database that is open: it is not closed before the share ends. A thread holds one
// share at a time, and none for long.
class DatabaseShare {
 public:
  rocksdb::DB& db() const { return database_->db(); }
  rocksdb::ColumnFamilyHandle* family(size_t i) const { return database_->family(i); }
  Status Check(const rocksdb::Status& status, std::string_view doing) const {
    return database_->Check(status, doing);
  }
  uint64_t incarnation() const { return incarnation_; }

 private:
  friend class StoppableDatabase;
  DatabaseShare(std::shared_lock<std::shared_mutex> lock, const Database& database,
                uint64_t incarnation)
      : lock_(std::move(lock)), database_(&database), incarnation_(incarnation) {}

  std::shared_lock<std::shared_mutex> lock_;
  const Database* database_;
  uint64_t incarnation_;
};

// Thread safety: any thread may call anything at any time.
class StoppableDatabase {
 public:
  // Open.
  explicit StoppableDatabase(Database database);
  // Stopped, for this reason.
  StoppableDatabase(std::filesystem::path folder, const Error& reason);

  // Fails with kIo, and the reason, if the database is stopped.
  Result<DatabaseShare> Use() const;
  // Fails with kIo, too, if the database is of another incarnation.
  Result<DatabaseShare> Use(uint64_t incarnation) const;

  // New shares fail from now on; waits for those that are held, and closes the database. Has no
  // effect on a database that is stopped.
  void Stop();
  // Opens it by `open`. If that fails, it stays stopped, with this failure as the reason. Fails
  // with kInvalidArgument if it is not stopped.
  Status Start(const std::function<Result<Database>()>& open);

  bool is_stopped() const { return IsStopped(num_turns_.load(std::memory_order_acquire)); }
  // How often it was stopped.
  uint64_t incarnation() const { return IncarnationOf(num_turns_.load(std::memory_order_acquire)); }
  const std::filesystem::path& folder() const { return folder_; }

  // Iterators that live longer than a share. Stop drops them: sets each to nullptr. They are used
  // under a share of the incarnation in which they were kept.
  using KeptIterator = std::list<std::unique_ptr<rocksdb::Iterator>>::iterator;
  KeptIterator Keep(const DatabaseShare& share, std::unique_ptr<rocksdb::Iterator> iterator) const;
  // Requires that the calling thread holds no share.
  void Release(KeptIterator iterator) const;

 private:
  static bool IsStopped(uint64_t num_turns) { return num_turns % 2 == 1; }
  static uint64_t IncarnationOf(uint64_t num_turns) { return (num_turns + 1) / 2; }

  Error Reason() const;
  void SetReason(Error reason);

  const std::filesystem::path folder_;

  std::mutex turning_;  // over Stop and Start
  // Stops and starts, in turn: one number, so that a thread that sees the next incarnation sees
  // that the one before it has ended. Becomes even under `mutex_` alone.
  std::atomic<uint64_t> num_turns_ = 0;

  mutable std::shared_mutex mutex_;  // over the database: shared by shares, alone to close and open
  std::optional<Database> database_;

  mutable std::mutex reason_mutex_;
  Error reason_;  // why it is stopped

  mutable std::mutex kept_mutex_;  // over the list; an iterator in it is used under a share
  mutable std::list<std::unique_ptr<rocksdb::Iterator>> kept_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_STOPPABLE_DATABASE_H_
