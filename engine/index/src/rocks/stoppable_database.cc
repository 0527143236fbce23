#include "engine/index/src/rocks/stoppable_database.h"

#include <rocksdb/iterator.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "engine/index/src/rocks/database.h"
#include "trommel/result.h"

namespace trommel::index {

StoppableDatabase::StoppableDatabase(Database database) : folder_(database.folder()) {
  database_.emplace(std::move(database));
}

StoppableDatabase::StoppableDatabase(std::filesystem::path folder, const Error& reason)
    : folder_(std::move(folder)), num_turns_(1), reason_{ErrorCode::kIo, reason.message} {}

Result<DatabaseShare> StoppableDatabase::Use() const {
  // Before the lock, too: calls that come again and again would keep Stop from getting it.
  if (is_stopped()) return Reason();
  std::shared_lock lock(mutex_);
  // While the lock is held, the database may begin to stop, but it cannot start.
  const uint64_t num_turns = num_turns_.load(std::memory_order_acquire);
  if (IsStopped(num_turns)) return Reason();
  return DatabaseShare(std::move(lock), *database_, IncarnationOf(num_turns));
}

Result<DatabaseShare> StoppableDatabase::Use(uint64_t incarnation) const {
  const auto stopped_meanwhile = [this] {
    return Error{ErrorCode::kIo, folder_.string() + ": the server stopped meanwhile"};
  };
  if (this->incarnation() != incarnation) return stopped_meanwhile();
  Result<DatabaseShare> share = Use();
  if (share && share->incarnation() != incarnation) return stopped_meanwhile();
  return share;
}

void StoppableDatabase::Stop() {
  const std::lock_guard turning(turning_);
  if (is_stopped()) return;
  SetReason({ErrorCode::kIo, folder_.string() + ": the server is stopped"});
  num_turns_.fetch_add(1, std::memory_order_acq_rel);
  const std::unique_lock lock(mutex_);
  {
    const std::lock_guard kept(kept_mutex_);
    for (std::unique_ptr<rocksdb::Iterator>& iterator : kept_) iterator.reset();
  }
  database_.reset();
}

Status StoppableDatabase::Start(const std::function<Result<Database>()>& open) {
  const std::lock_guard turning(turning_);
  if (!is_stopped()) {
    return Error{ErrorCode::kInvalidArgument, folder_.string() + ": the server is not stopped"};
  }
  Result<Database> database = open();
  if (!database) {
    SetReason({ErrorCode::kIo, database.error().message});
    return database.error();
  }
  const std::unique_lock lock(mutex_);
  database_.emplace(*std::move(database));
  num_turns_.fetch_add(1, std::memory_order_acq_rel);
  return Ok();
}

StoppableDatabase::KeptIterator StoppableDatabase::Keep(
    [[maybe_unused]] const DatabaseShare& share,
    std::unique_ptr<rocksdb::Iterator> iterator) const {
  const std::lock_guard kept(kept_mutex_);
  return kept_.insert(kept_.end(), std::move(iterator));
}

void StoppableDatabase::Release(KeptIterator iterator) const {
  std::list<std::unique_ptr<rocksdb::Iterator>> released;
  const std::shared_lock lock(mutex_);  // the database must be open while an iterator ends
  {
    const std::lock_guard kept(kept_mutex_);
    released.splice(released.end(), kept_, iterator);
  }
  released.clear();
}

Error StoppableDatabase::Reason() const {
  const std::lock_guard lock(reason_mutex_);
  return reason_;
}

void StoppableDatabase::SetReason(Error reason) {
  const std::lock_guard lock(reason_mutex_);
  reason_ = std::move(reason);
}

}  // namespace trommel::index
