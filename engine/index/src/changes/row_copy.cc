#include "engine/index/src/changes/row_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/rows/row_store.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kRowsPerCommit = 256;

// Appends the entries of a row's values, added or removed.
void AppendEntries(uint32_t attribute, const std::string& key, const Versions& versions,
                   bool is_added, std::vector<EntryChange>& entries) {
  if (versions.empty()) return;
  for (std::string& value : ValuesOf(versions, attribute)) {
    entries.push_back({attribute, std::move(value), key, is_added});
  }
}

}  // namespace

std::vector<bool> RowCopy::MaintainedNow() const {
  std::vector<bool> is_maintained(num_attributes_);
  const ServerIndex::Pin pin = directory_.PinVersion();
  for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
    const AttributeState state = pin.state(attribute);
    is_maintained[attribute] =
        state == AttributeState::kIndexed || state == AttributeState::kBuilding;
  }
  return is_maintained;
}

Status RowCopy::CopyRows(std::span<const RowChange> rows) {
  const std::vector<bool> is_maintained = MaintainedNow();
  std::vector<EntryChange> entries;
  for (const RowChange& row : rows) {
    for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
      if (is_maintained[attribute]) AppendEntries(attribute, row.key, row.versions, true, entries);
    }
  }
  return to_.Commit(rows, entries, to_incarnation_);
}

Status RowCopy::CopyKeys(std::span<const std::string> keys) {
  for (size_t begin = 0; begin < keys.size(); begin += kRowsPerCommit) {
    const auto part = keys.subspan(begin, std::min(kRowsPerCommit, keys.size() - begin));
    const std::vector<bool> is_maintained = MaintainedNow();
    Result<std::vector<Versions>> before = to_.Read(part);
    if (!before) return before.error();
    Result<std::vector<Versions>> now = from_.Read(part);
    if (!now) return now.error();
    std::vector<RowChange> rows;
    std::vector<EntryChange> entries;
    for (size_t i = 0; i < part.size(); ++i) {
      // What the destination has of the row goes, and what the row has now comes: an attribute may
      // be maintained now that was not when the row was copied before. Later changes of one entry
      // win over earlier ones.
      for (uint32_t attribute = 0; attribute < num_attributes_; ++attribute) {
        AppendEntries(attribute, part[i], (*before)[i], false, entries);
        if (is_maintained[attribute]) {
          AppendEntries(attribute, part[i], (*now)[i], true, entries);
        }
      }
      rows.push_back({part[i], std::move((*now)[i])});
    }
    if (Status status = to_.Commit(rows, entries, to_incarnation_); !status) return status;
  }
  return Ok();
}

Status RowCopy::VerifyBothRun() const {
  if (from_.incarnation() == from_incarnation_ && to_.incarnation() == to_incarnation_) return Ok();
  return Error{ErrorCode::kIo, "one of the two servers stopped while rows were copied"};
}

Status RowCopy::Finish() {
  if (Status status = VerifyBothRun(); !status) return status;
  Step("sync copy");
  if (Status status = to_.Sync(); !status) return status;
  return VerifyBothRun();
}

Result<bool> RemoveRows(RowStore& store, uint32_t num_attributes, const KeyRange& range,
                        const std::function<bool()>& keep_going) {
  const uint64_t incarnation = store.incarnation();
  Result<std::unique_ptr<RowScan>> scan = store.Scan(range);
  if (!scan) return scan.error();
  for (;;) {
    if (keep_going != nullptr && !keep_going()) return false;
    Result<std::vector<RowChange>> rows = (*scan)->Next(kRowsPerCommit);
    if (!rows) return rows.error();
    if (rows->empty()) break;
    // Of all attributes: the rows may have been copied when others were maintained.
    std::vector<EntryChange> entries;
    for (RowChange& row : *rows) {
      for (uint32_t attribute = 0; attribute < num_attributes; ++attribute) {
        AppendEntries(attribute, row.key, row.versions, false, entries);
      }
      row.versions.clear();
    }
    if (Status status = store.Commit(*rows, entries, incarnation); !status) return status.error();
  }
  if (Status status = store.Sync(); !status) return status.error();
  // Else the removal may be lost.
  if (store.incarnation() == incarnation) return true;
  return Error{ErrorCode::kIo, "the server stopped while rows were removed"};
}

}  // namespace trommel::index
