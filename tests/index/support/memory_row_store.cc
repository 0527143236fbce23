#include "index/support/memory_row_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "engine/index/src/sync/steps.h"

namespace trommel::index::tests {

// Of the rows as they were when it began.
class MemoryRowStore::Walk final : public RowScan {
 public:
  Walk(const MemoryRowStore& store, std::vector<RowChange> rows)
      : store_(store), incarnation_(store.incarnation()), rows_(std::move(rows)) {}

  Result<std::vector<RowChange>> Next(size_t /*max_rows*/) override {
    if (const Status status = store_.Ask("walk over rows"); !status) return status.error();
    if (store_.incarnation() != incarnation_) {
      return Error{ErrorCode::kIo, "the store stopped meanwhile"};
    }
    if (next_ == rows_.size()) return std::vector<RowChange>();
    return std::vector<RowChange>{rows_[next_++]};
  }

 private:
  const MemoryRowStore& store_;
  const uint64_t incarnation_;
  const std::vector<RowChange> rows_;
  size_t next_ = 0;
};

Status MemoryRowStore::VerifyRuns() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopped_) return Error{ErrorCode::kIo, "the store is stopped"};
  return Ok();
}

Status MemoryRowStore::Ask(const char* step) const {
  Step(step);
  if (const Status status = VerifyRuns(); !status) return status;
  if (question_fails && question_fails()) return Error{ErrorCode::kIo, "the test says so"};
  return Ok();
}

Result<std::vector<Versions>> MemoryRowStore::Read(std::span<const std::string> keys) const {
  if (const Status status = Ask("read rows"); !status) return status.error();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Versions> rows;
  for (const std::string& key : keys) {
    const auto row = rows_.find(key);
    rows.push_back(row == rows_.end() ? Versions{} : row->second);
  }
  return rows;
}

std::set<MemoryRowStore::Entry>::const_iterator MemoryRowStore::FirstEntry(
    uint32_t attribute, std::string_view value, const KeyRange& range) const {
  return entries_.lower_bound(Entry(attribute, value, range.begin));
}

Result<bool> MemoryRowStore::HasValue(uint32_t attribute, std::string_view value,
                                      const KeyRange& range) const {
  if (const Status status = Ask("ask for value"); !status) return status.error();
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto entry = FirstEntry(attribute, value, range);
  return entry != entries_.end() && std::get<0>(*entry) == attribute &&
         std::get<1>(*entry) == value && range.Contains(std::get<2>(*entry));
}

Result<ValueWalk> MemoryRowStore::WalkValues(uint32_t attribute,
                                             const std::optional<std::string>& after,
                                             const KeyRange& range, size_t max_values) const {
  if (const Status status = Ask("walk over values"); !status) return status.error();
  const std::lock_guard<std::mutex> lock(mutex_);
  ValueWalk walk;
  size_t num_seen = 0;
  std::optional<std::string> last = after;
  for (auto entry = entries_.lower_bound(Entry(attribute, after.value_or(""), ""));
       entry != entries_.end() && std::get<0>(*entry) == attribute; ++entry) {
    const auto& [_, value, key] = *entry;
    if (after && value == *after) continue;
    if (value != last) {
      if (walk.values.size() == max_values || num_seen == max_values + max_values / 2) {
        walk.reached = last;
        break;
      }
      last = value;
      ++num_seen;
    }
    if (range.Contains(key) && (walk.values.empty() || walk.values.back() != value)) {
      walk.values.push_back(value);
    }
  }
  return walk;
}

void MemoryRowStore::Apply(const Disk::Commit& commit, std::map<std::string, Versions>& rows,
                           std::set<Entry>& entries) {
  for (const RowChange& row : commit.rows) {
    if (row.versions.empty()) {
      rows.erase(row.key);
    } else {
      rows[row.key] = row.versions;
    }
  }
  for (const EntryChange& entry : commit.entries) {
    Entry changed(entry.attribute, entry.value, entry.row_key);
    if (entry.is_added) {
      entries.insert(std::move(changed));
    } else {
      entries.erase(changed);
    }
  }
  if (!commit.removed_attribute) return;
  std::erase_if(
      entries, [&](const Entry& entry) { return std::get<0>(entry) == *commit.removed_attribute; });
}

Status MemoryRowStore::Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries,
                              uint64_t incarnation) {
  Step("commit");
  if (const Status status = VerifyRuns(); !status) return status;
  if (incarnation != incarnation_) return Error{ErrorCode::kIo, "the store stopped meanwhile"};
  const CommitFault fault = commit_fault ? commit_fault() : CommitFault::kNone;
  if (fault != CommitFault::kNotDone) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (on_commit) on_commit(rows);
    Disk::Commit commit{{rows.begin(), rows.end()}, {entries.begin(), entries.end()}};
    // Whole, or not at all if memory is refused.
    std::map<std::string, Versions> new_rows = rows_;
    std::set<Entry> new_entries = entries_;
    Apply(commit, new_rows, new_entries);
    if (sync_writes) {
      Disk synced{new_rows, new_entries, {}};
      disk_ = std::move(synced);
    } else {
      disk_.unsynced.push_back(std::move(commit));
    }
    rows_.swap(new_rows);
    entries_.swap(new_entries);
    ++sequence_;
  }
  Step("committed");
  if (fault != CommitFault::kNone) return Error{ErrorCode::kIo, "the test says so"};
  return Ok();
}

Status MemoryRowStore::Sync() {
  Step("sync");
  if (const Status status = VerifyRuns(); !status) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  disk_ = {rows_, entries_, {}};
  return Ok();
}

Result<std::unique_ptr<RowScan>> MemoryRowStore::Scan(const KeyRange& range) const {
  if (const Status status = Ask("begin walk over rows"); !status) return status.error();
  std::vector<RowChange> rows;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [key, versions] : rows_) {
      if (range.Contains(key)) rows.push_back({key, versions});
    }
  }
  return std::unique_ptr<RowScan>(std::make_unique<Walk>(*this, std::move(rows)));
}

Status MemoryRowStore::RemoveEntries(uint32_t attribute) {
  Step("remove entries");
  if (const Status status = VerifyRuns(); !status) return status;
  const std::lock_guard<std::mutex> lock(mutex_);
  disk_.unsynced.push_back({{}, {}, attribute});
  Apply(disk_.unsynced.back(), rows_, entries_);
  ++sequence_;
  return Ok();
}

Result<std::optional<std::string>> MemoryRowStore::MiddleKey(const KeyRange& range) const {
  if (const Status status = Ask("look for middle"); !status) return status.error();
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> keys;
  for (const auto& [key, versions] : rows_) {
    if (range.Contains(key)) keys.push_back(key);
  }
  if (keys.size() < 2) return std::optional<std::string>();
  return std::optional(keys[keys.size() / 2]);
}

Result<uint64_t> MemoryRowStore::EstimateBytes(const KeyRange& range) const {
  if (const Status status = Ask("estimate bytes"); !status) return status.error();
  const std::lock_guard<std::mutex> lock(mutex_);
  uint64_t num_rows = 0;
  for (const auto& [key, versions] : rows_) num_rows += range.Contains(key) ? 1 : 0;
  return 16 * num_rows;
}

void MemoryRowStore::Stop() {
  Step("stop store");
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopped_) return;
    is_stopped_ = true;
  }
  Step("store stops");
  ++incarnation_;
}

Status MemoryRowStore::Start() {
  Step("start store");
  const std::lock_guard<std::mutex> lock(mutex_);
  const size_t num_unsynced = disk_.unsynced.size();
  const size_t kept = num_kept ? num_kept(num_unsynced) : num_unsynced;
  std::vector<RowChange> lost;
  for (size_t i = kept; i < num_unsynced; ++i) {
    const std::vector<RowChange>& rows = disk_.unsynced[i].rows;
    lost.insert(lost.end(), rows.begin(), rows.end());
  }
  rows_ = disk_.rows;
  entries_ = disk_.entries;
  for (size_t i = 0; i < kept; ++i) Apply(disk_.unsynced[i], rows_, entries_);
  disk_ = {rows_, entries_, {}};
  for (RowChange& row : lost) {
    const auto now = rows_.find(row.key);
    row.versions = now == rows_.end() ? Versions{} : now->second;
  }
  if (on_loss && !lost.empty()) on_loss(lost);
  is_stopped_ = false;
  return Ok();
}

bool MemoryRowStore::is_stopped() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_stopped_;
}

MemoryRowStore::Disk MemoryRowStore::Photo() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return disk_;
}

void MemoryRowStore::Restore(const Disk& disk, size_t num_commits) {
  const std::lock_guard<std::mutex> lock(mutex_);
  rows_ = disk.rows;
  entries_ = disk.entries;
  for (size_t i = 0; i < num_commits; ++i) Apply(disk.unsynced[i], rows_, entries_);
  disk_ = {rows_, entries_, {}};
  is_stopped_ = false;
  ++incarnation_;
}

Result<StoreStamp> MemoryRowStore::Stamp() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return StoreStamp{"memory", sequence_};
}

std::vector<std::string> MemoryRowStore::KeysWith(uint32_t attribute, std::string_view value,
                                                  const KeyRange& range) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> keys;
  for (auto entry = FirstEntry(attribute, value, range);
       entry != entries_.end() && std::get<0>(*entry) == attribute &&
       std::get<1>(*entry) == value && range.Contains(std::get<2>(*entry));
       ++entry) {
    keys.push_back(std::get<2>(*entry));
  }
  return keys;
}

std::set<std::string> MemoryRowStore::ValuesWith(uint32_t attribute, const KeyRange& range) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<std::string> values;
  for (const auto& [of, value, key] : entries_) {
    if (of == attribute && range.Contains(key)) values.insert(value);
  }
  return values;
}

std::map<std::string, Versions> MemoryRowStore::Rows() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return rows_;
}

Versions MemoryRowStore::RowOf(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto row = rows_.find(key);
  return row == rows_.end() ? Versions{} : row->second;
}

bool MemoryRowStore::EntriesAgree(const std::vector<bool>& is_maintained) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<Entry> expected;
  for (const auto& [key, versions] : rows_) {
    for (uint32_t attribute = 0; attribute < is_maintained.size(); ++attribute) {
      if (!is_maintained[attribute]) continue;
      for (const std::string& value : ValuesOf(versions, attribute)) {
        expected.emplace(attribute, value, key);
      }
    }
  }
  return expected == entries_;
}

}  // namespace trommel::index::tests
