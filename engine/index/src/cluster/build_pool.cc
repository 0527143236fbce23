#include "engine/index/src/cluster/build_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

// Writers of a region's attribute wait for a chunk.
constexpr size_t kValuesPerChunk = 256;
constexpr std::chrono::milliseconds kIdle{500};
constexpr std::chrono::milliseconds kLeastBetweenSizings{500};
// Sizing reads all counters; it may take 1/20 of a thread's time.
constexpr int kSizingShare = 20;

}  // namespace

Status BuildPool::Start(uint32_t num_threads) {
  try {
    for (uint32_t i = 0; i < num_threads; ++i) {
      threads_.emplace_back([this] { BuildInBackground(); });
    }
  } catch (const std::system_error& error) {
    return Error{ErrorCode::kIo, "cannot start builder " + std::to_string(threads_.size() + 1) +
                                     " of " + std::to_string(num_threads) + ": " + error.what()};
  }
  return Ok();
}

void BuildPool::Stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void BuildPool::BuildInBackground() {
  const auto keep_going = [this] { return !is_stopping_.load(std::memory_order_relaxed); };
  while (keep_going()) {
    try {
      SizeStructuresIfDue(keep_going);
      const Result<bool> has_built = BuildNext(keep_going);
      if (has_built ? *has_built : HasQueued()) continue;
      // Nothing to do; or a database fails, and its columns stay unbuilt until it is well. Other
      // servers' columns are replaced meanwhile, so the old ones are freed in any case.
      directory_.Reclaim();
    } catch (const std::bad_alloc&) {
      // As with a database that fails.
    }
    WaitFor(kIdle);
  }
}

Result<bool> BuildPool::BuildAll(const std::function<void(uint64_t done, uint64_t total)>& progress,
                                 const std::function<bool()>& keep_going) {
  const auto may_go_on = [&keep_going] { return keep_going == nullptr || keep_going(); };
  if (!may_go_on()) return false;
  if (const Result<bool> sized = SizeStructures(keep_going); !sized) return sized.error();
  uint64_t total = directory_.ColumnsToBuild().size();
  const auto num_ended = [this] {
    const std::lock_guard lock(mutex_);
    return num_ended_;
  };
  const uint64_t num_ended_before = num_ended();
  std::optional<Error> first_failure;  // one column's does not keep the others from being built
  for (;;) {
    if (progress != nullptr) {
      const uint64_t done = num_ended() - num_ended_before;
      total = std::max(total, done);
      progress(done, total);
    }
    if (!may_go_on()) return false;
    const Result<bool> has_built = BuildNext(may_go_on);
    if (!has_built) {
      if (!first_failure) first_failure = has_built.error();
      if (HasQueued()) continue;
      return *std::move(first_failure);
    }
    if (*has_built) continue;
    {
      // Other threads have the last columns.
      std::unique_lock lock(mutex_);
      if (!being_built_.empty()) {
        changed_.wait_for(lock, kIdle);
        continue;
      }
    }
    const Result<bool> sized = SizeStructures(keep_going);
    if (!sized) return sized.error();
    const size_t num_reclaimed = directory_.Reclaim();
    if (!*sized && num_reclaimed == 0 && directory_.ColumnsToBuild().empty()) return true;
  }
}

Result<bool> BuildPool::BuildNext(const std::function<bool()>& keep_going) {
  const std::optional<ColumnName> column = TakeColumn();
  if (!column) return false;
  // Gives the column back also if keep_going, which is a caller's, throws.
  struct Taken {
    ~Taken() { pool.EndColumn(column); }
    BuildPool& pool;
    const ColumnName column;
  } const taken{*this, *column};
  Result<bool> is_built = false;
  while (is_built && !*is_built && keep_going()) {
    is_built = builder_.BuildChunk(*column, kValuesPerChunk);
  }
  if (!is_built) return is_built.error();
  return true;
}

std::optional<ColumnName> BuildPool::TakeColumn() {
  const std::lock_guard lock(mutex_);
  if (queue_.empty()) {
    for (const ColumnName column : directory_.ColumnsToBuild()) {
      if (std::ranges::find(being_built_, column) == being_built_.end()) queue_.push_back(column);
    }
  }
  if (queue_.empty()) return std::nullopt;
  const ColumnName column = queue_.front();
  queue_.pop_front();
  being_built_.push_back(column);
  return column;
}

bool BuildPool::HasQueued() {
  const std::lock_guard lock(mutex_);
  return !queue_.empty();
}

void BuildPool::EndColumn(ColumnName column) {
  {
    const std::lock_guard lock(mutex_);
    being_built_.erase(std::ranges::find(being_built_, column));
    ++num_ended_;
  }
  changed_.notify_all();
  NoteWrite();  // it may have more pairs than when structures were sized last
}

Result<bool> BuildPool::SizeStructures(const std::function<bool()>& keep_going) {
  const std::lock_guard lock(sizing_);
  const Clock::time_point begin = Clock::now();
  num_writes_sized_ = num_writes_.load(std::memory_order_relaxed);
  version_sized_ = directory_.PinVersion().version();
  bool is_ended = false;
  Result<bool> is_resized = builder_.SizeStructures([&] {
    is_ended = keep_going != nullptr && !keep_going();
    return !is_ended;
  });
  // To be tried again, whether rows change or not.
  if (!is_resized || is_ended) num_writes_sized_.reset();
  const Clock::time_point end = Clock::now();
  next_sizing_ =
      end + std::max<Clock::duration>(kLeastBetweenSizings, (end - begin) * kSizingShare);
  return is_resized;
}

void BuildPool::SizeStructuresIfDue(const std::function<bool()>& keep_going) {
  {
    const std::unique_lock lock(sizing_, std::try_to_lock);
    if (!lock.owns_lock()) return;  // another thread does it, or Verify forbids it
    // Regions that were split may lack columns, although no row changes.
    if (num_writes_sized_ == num_writes_.load(std::memory_order_relaxed) &&
        version_sized_ == directory_.PinVersion().version()) {
      return;
    }
    if (Clock::now() < next_sizing_) return;
  }
  // A failure makes it due again. Columns that have a structure are built all the same.
  static_cast<void>(SizeStructures(keep_going));
}

void BuildPool::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [this] { return is_stopping_.load(); });
}

}  // namespace trommel::index
