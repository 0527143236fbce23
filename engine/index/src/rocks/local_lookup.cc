#include "engine/index/src/rocks/local_lookup.h"

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/database.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rocks/stoppable_database.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {
namespace {

constexpr size_t kRowsPerRead = 128;
constexpr uint64_t kStepsPerTimeCheck = 1024;
constexpr int kEntryStepsBeforeSeek = 8;  // nearer targets are stepped to

bool Meets(const Versions& versions, const Condition& condition) {
  return std::ranges::any_of(versions, [&condition](const std::vector<Values>& version) {
    return std::ranges::binary_search(version[condition.attribute], condition.value);
  });
}

}  // namespace

// Walks the row keys of one value's entries, forwards.
class EntryCursor {
 public:
  EntryCursor(const DatabaseShare& share, const Condition& condition)
      : prefix_(ValuePrefix(condition.attribute, condition.value)),
        end_key_(BeyondPrefix(prefix_)),
        end_(end_key_) {
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &end_;
    iterator_.reset(share.db().NewIterator(options, share.family(kIndexFamily)));
  }
  EntryCursor(const EntryCursor&) = delete;
  EntryCursor& operator=(const EntryCursor&) = delete;

  // Moves to the first row key that is not before the target. Returns how many entries it looked
  // at.
  uint64_t MoveTo(std::string_view target) {
    uint64_t num_entries = 0;
    if (is_placed_) {
      for (int i = 0; i < kEntryStepsBeforeSeek; ++i) {
        if (!iterator_->Valid() || row_key() >= target) return num_entries;
        iterator_->Next();
        ++num_entries;
      }
      if (!iterator_->Valid() || row_key() >= target) return num_entries;
    }
    is_placed_ = true;
    iterator_->Seek(prefix_ + std::string(target));
    return num_entries + 1;
  }

  bool has_entry() const { return iterator_->Valid(); }
  rocksdb::Status status() const { return iterator_->status(); }
  // Valid until the cursor moves.
  std::string_view row_key() const { return ViewOf(iterator_->key()).substr(prefix_.size()); }

 private:
  const std::string prefix_;
  const std::string end_key_;
  const rocksdb::Slice end_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  bool is_placed_ = false;
};

LocalLookup::LocalLookup(const RocksRowStore& store, const DatabaseShare& share,
                         const LookupRequest& request, LookupAnswer& answer)
    : store_(store), share_(share), request_(request), answer_(answer) {
  for (const uint32_t i : request.indexed_conditions) {
    cursors_.push_back(std::make_unique<EntryCursor>(share, request.conditions[i]));
  }
}

LocalLookup::~LocalLookup() = default;

Status LocalLookup::FindIn(const KeyRange& range) {
  return cursors_.empty() ? ScanRows(range) : FindByEntries(range);
}

Status LocalLookup::FindByEntries(const KeyRange& range) {
  std::string target = range.begin;
  size_t num_agreed = 0;  // cursors that are at the target, the last ones moved
  uint64_t num_steps = 0;
  for (size_t i = 0;; i = i + 1 == cursors_.size() ? 0 : i + 1) {
    EntryCursor& cursor = *cursors_[i];
    answer_.num_entries_read += cursor.MoveTo(target);
    if (!cursor.has_entry()) {
      Status status = share_.Check(cursor.status(), "read its index");
      if (!status) return status;
      break;
    }
    const std::string_view key = cursor.row_key();
    if (!range.Contains(key)) break;
    num_agreed = key == target ? num_agreed + 1 : 1;
    if (key != target) target = key;
    if (num_agreed == cursors_.size()) {
      candidates_.push_back(target);
      target.push_back('\0');  // the least key beyond it
      num_agreed = 0;
      if (candidates_.size() == kRowsPerRead) {
        if (Status status = ReadCandidates(); !status) return status;
      }
    }
    if (++num_steps % kStepsPerTimeCheck == 0) {
      if (Status status = VerifyTime(); !status) return status;
    }
  }
  return ReadCandidates();
}

Status LocalLookup::ReadCandidates() {
  if (candidates_.empty()) return Ok();
  if (Status status = VerifyTime(); !status) return status;
  const Result<std::vector<Versions>> rows = store_.ReadRows(share_, candidates_);
  if (!rows) return rows.error();
  for (size_t i = 0; i < candidates_.size(); ++i) {
    if (!(*rows)[i].empty()) AddIfMet(candidates_[i], (*rows)[i]);
  }
  candidates_.clear();
  return Ok();
}

Status LocalLookup::ScanRows(const KeyRange& range) {
  const rocksdb::Slice end = range.end;
  rocksdb::ReadOptions options;
  options.fill_cache = false;  // a scan would replace what other lookups need
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> rows(
      share_.db().NewIterator(options, share_.family(kRowsFamily)));
  uint64_t num_steps = 0;
  for (rows->Seek(range.begin); rows->Valid(); rows->Next()) {
    const std::string_view key = ViewOf(rows->key());
    const Result<Versions> versions = store_.Decode(key, ViewOf(rows->value()));
    if (!versions) return versions.error();
    AddIfMet(key, *versions);
    if (++num_steps % kStepsPerTimeCheck == 0) {
      if (Status status = VerifyTime(); !status) return status;
    }
  }
  return share_.Check(rows->status(), "read its rows");
}

void LocalLookup::AddIfMet(std::string_view key, const Versions& versions) {
  ++answer_.num_rows_read;
  for (const Condition& condition : request_.conditions) {
    if (!Meets(versions, condition)) return;
  }
  answer_.rows.push_back(MergedRow(key, versions));
}

Status LocalLookup::VerifyTime() const {
  const auto failure = [this](std::string_view reason) {
    return Error{ErrorCode::kIo, store_.folder().string() + ": " + std::string(reason)};
  };
  if (store_.is_stopped()) return failure("the server stopped meanwhile");
  if (std::chrono::steady_clock::now() < request_.deadline) return Ok();
  return failure("the lookup did not end by its deadline");
}

}  // namespace trommel::index
