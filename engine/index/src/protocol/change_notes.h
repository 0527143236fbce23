// ChangeNotes: the keys of a region's rows that changed while its rows are copied.
//
//   copy     Begin -- snapshot -- rows of the snapshot --- Take, copy again --- Take, ... -- End
//   writer            commit k -- Note k                       commit m -- Note m
//
// A writer notes a key after its commit, and the copy takes its snapshot after Begin. So of a
// commit that the snapshot lacks, the note comes after Begin and is taken; and a row that is read
// after Take has every commit whose note was taken.
#ifndef TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_CHANGE_NOTES_H_
#define TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_CHANGE_NOTES_H_

#include <mutex>
#include <new>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/index/src/rows/row_store.h"

namespace trommel::index {

// Thread safety: any thread. Between Begin and End there is one copy.
class ChangeNotes {
 public:
  void Begin() {
    const std::lock_guard lock(mutex_);
    is_on_ = true;
    is_whole_ = true;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    is_on_ = false;
    keys_.clear();
  }
  // Notes a key, if there is a copy. Requires that what changed its row or entries is committed.
  void Note(const std::string& key) noexcept {
    const std::lock_guard lock(mutex_);
    if (!is_on_) return;
    try {
      keys_.insert(key);
    } catch (const std::bad_alloc&) {
      is_whole_ = false;
    }
  }
  void Note(std::span<const RowChange> rows) noexcept {
    for (const RowChange& row : rows) Note(row.key);
  }
  // Returns whether no note was lost since Begin, for want of memory.
  bool is_whole() const {
    const std::lock_guard lock(mutex_);
    return is_whole_;
  }
  // Returns the keys that were noted since the last call, each once.
  std::vector<std::string> Take() {
    std::unordered_set<std::string> keys;
    {
      const std::lock_guard lock(mutex_);
      keys.swap(keys_);
    }
    std::vector<std::string> taken;
    taken.reserve(keys.size());
    while (!keys.empty()) taken.push_back(std::move(keys.extract(keys.begin()).value()));
    return taken;
  }

 private:
  mutable std::mutex mutex_;
  bool is_on_ = false;
  bool is_whole_ = true;
  std::unordered_set<std::string> keys_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_PROTOCOL_CHANGE_NOTES_H_
