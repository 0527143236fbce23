#include "index/support/memory_row_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "engine/index/src/sync/steps.h"

namespace trommel::index::tests {

Status MemoryRowStore::Ask(const char* step) const {
  Step(step);
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

Status MemoryRowStore::Commit(std::span<const RowChange> rows,
                              std::span<const EntryChange> entries) {
  Step("commit");
  const CommitFault fault = commit_fault ? commit_fault() : CommitFault::kNone;
  if (fault != CommitFault::kNotDone) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (on_commit) on_commit(rows);
    for (const RowChange& row : rows) {
      if (row.versions.empty()) {
        rows_.erase(row.key);
      } else {
        rows_[row.key] = row.versions;
      }
    }
    for (const EntryChange& entry : entries) {
      Entry changed(entry.attribute, entry.value, entry.row_key);
      if (entry.is_added) {
        entries_.insert(std::move(changed));
      } else {
        entries_.erase(changed);
      }
    }
    ++sequence_;
  }
  Step("committed");
  if (fault != CommitFault::kNone) return Error{ErrorCode::kIo, "the test says so"};
  return Ok();
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

void MemoryRowStore::MoveRange(const KeyRange& range, MemoryRowStore& to) {
  const std::scoped_lock lock(mutex_, to.mutex_);
  std::erase_if(rows_, [&](const auto& row) {
    return range.Contains(row.first) && to.rows_.insert(row).second;
  });
  std::erase_if(entries_, [&](const Entry& entry) {
    return range.Contains(std::get<2>(entry)) && to.entries_.insert(entry).second;
  });
}

bool MemoryRowStore::EntriesAgree(std::span<const uint32_t> attributes) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::set<Entry> expected;
  for (const auto& [key, versions] : rows_) {
    for (const uint32_t attribute : attributes) {
      for (const std::string& value : ValuesOf(versions, attribute)) {
        expected.emplace(attribute, value, key);
      }
    }
  }
  return expected == entries_;
}

}  // namespace trommel::index::tests
