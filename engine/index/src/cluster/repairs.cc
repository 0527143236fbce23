#include "engine/index/src/cluster/repairs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kChangesPerCommit = 256;
constexpr size_t kBytesPerCommit = size_t{1} << 20;

}  // namespace

void Repairs::Begin(RocksRowStore& store) {
  store_ = &store;
  incarnation_ = store.incarnation();
  has_changed_store_ = false;
}

void Repairs::ChangeEntry(const EntryKey& entry, bool is_added) {
  if (!is_on_) return;
  entries_.push_back({entry.attribute, entry.value, std::string(entry.row_key), is_added});
  Note(entry.value.size() + entry.row_key.size());
}

void Repairs::RemoveKey(std::string_view index_key) {
  if (!is_on_) return;
  index_keys_.emplace_back(index_key);
  Note(index_key.size());
}

void Repairs::RemoveRow(std::string_view key, const Versions& versions,
                        const std::vector<uint32_t>& attributes) {
  if (!is_on_) return;
  size_t num_bytes = key.size();
  for (const uint32_t attribute : attributes) {
    for (std::string& value : ValuesOf(versions, attribute)) {
      num_bytes += value.size() + key.size();
      entries_.push_back({attribute, std::move(value), std::string(key), false});
    }
  }
  rows_.push_back({std::string(key), {}});
  Note(num_bytes);
}

void Repairs::Note(size_t num_bytes) {
  ++num_changes_;
  num_bytes_ += num_bytes;
}

void Repairs::Mark(ColumnName column) {
  if (!is_on_) return;
  const uint64_t name = uint64_t{column.region_id} << 32 | column.attribute;
  if (marked_.insert(name).second) columns_.push_back(column);
}

bool Repairs::is_full() const {
  return rows_.size() + entries_.size() + index_keys_.size() >= kChangesPerCommit ||
         num_bytes_ >= kBytesPerCommit;
}

void Repairs::MarkColumns() {
  if (columns_.empty()) return;
  directory_.MarkUnbuilt(columns_);
  num_done_ += columns_.size();
  columns_.clear();
}

Status Repairs::Commit() {
  MarkColumns();
  if (num_changes_ == 0) return Ok();
  has_changed_store_ = true;
  if (!rows_.empty() || !entries_.empty()) {
    if (Status status = store_->Commit(rows_, entries_, incarnation_); !status) return status;
  }
  if (!index_keys_.empty()) {
    if (Status status = store_->RemoveIndexKeys(index_keys_, incarnation_); !status) return status;
  }
  num_done_ += num_changes_;
  rows_.clear();
  entries_.clear();
  index_keys_.clear();
  num_changes_ = 0;
  num_bytes_ = 0;
  return Ok();
}

Status Repairs::Finish() {
  if (Status status = Commit(); !status) return status;
  if (!has_changed_store_) return Ok();
  if (Status status = store_->Sync(); !status) return status;
  // Else what was synced may be of the next incarnation, and repairs may be lost.
  if (store_->incarnation() == incarnation_) return Ok();
  return Error{ErrorCode::kIo,
               store_->folder().string() + ": the server stopped while it was repaired"};
}

}  // namespace trommel::index
