// MemoryRowStore: a RowStore in memory, with failures on demand and Steps before whatever other
// threads can see.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/index/src/rows/row_store.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index::tests {

enum class CommitFault : uint8_t {
  kNone,
  kDone,     // reported as failed, but done
  kNotDone,  // failed
};

// Thread safety: any thread; the functions below are set before, and called one at a time.
class MemoryRowStore final : public RowStore {
 public:
  // Asked before each commit.
  std::function<CommitFault()> commit_fault;
  // Asked before each question (Read, HasValue, WalkValues, Scan): whether it fails.
  std::function<bool()> question_fails;
  // Called with what a commit changes, in one step with it.
  std::function<void(std::span<const RowChange>)> on_commit;
  // Asked when the store starts again: how many of so many commits that were not synced it kept.
  // Null: all.
  std::function<size_t(size_t)> num_kept;
  // Called with the rows of commits that were lost, as they are now, in one step with the start.
  std::function<void(std::span<const RowChange>)> on_loss;
  bool sync_writes = false;

  Result<std::vector<Versions>> Read(std::span<const std::string> keys) const override;
  Result<bool> HasValue(uint32_t attribute, std::string_view value,
                        const KeyRange& range) const override;
  // Looks at no more than max_values + max_values / 2 values, so that walks stop at values outside
  // of the range, too.
  Result<ValueWalk> WalkValues(uint32_t attribute, const std::optional<std::string>& after,
                               const KeyRange& range, size_t max_values) const override;
  Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries,
                uint64_t incarnation) override;
  Result<StoreStamp> Stamp() const override;
  Status Sync() override;
  // A walk returns one row at a time, whatever is asked for.
  Result<std::unique_ptr<RowScan>> Scan(const KeyRange& range) const override;
  Status RemoveEntries(uint32_t attribute) override;
  Result<std::optional<std::string>> MiddleKey(const KeyRange& range) const override;
  Result<uint64_t> EstimateBytes(const KeyRange& range) const override;
  void Stop() override;
  Status Start() override;
  bool is_stopped() const override;
  uint64_t incarnation() const override { return incarnation_.load(); }

  // --- For tests: no Steps, no failures.

  // What is on the disk, and the commits since, of which a crash may lose the last ones.
  struct Disk {
    struct Commit {
      std::vector<RowChange> rows;
      std::vector<EntryChange> entries;
      std::optional<uint32_t> removed_attribute = {};
    };
    std::map<std::string, Versions> rows;
    std::set<std::tuple<uint32_t, std::string, std::string>> entries;  // attribute, value, row key
    std::vector<Commit> unsynced;
  };
  Disk Photo() const;
  // The store as it is after a crash that lost the last commits: all but num_commits of the disk's
  // unsynced ones.
  void Restore(const Disk& disk, size_t num_commits);

  // Returns the keys of the range with an entry for the value.
  std::vector<std::string> KeysWith(uint32_t attribute, std::string_view value,
                                    const KeyRange& range) const;
  // Returns the values that a row of the range has, by the entries.
  std::set<std::string> ValuesWith(uint32_t attribute, const KeyRange& range) const;
  std::map<std::string, Versions> Rows() const;
  Versions RowOf(const std::string& key) const;
  // Returns whether the entries are exactly the values of the rows, for the attributes of this
  // schema that are maintained.
  bool EntriesAgree(const std::vector<bool>& is_maintained) const;

 private:
  class Walk;
  using Entry = std::tuple<uint32_t, std::string, std::string>;  // attribute, value, row key

  Status Ask(const char* step) const;
  Status VerifyRuns() const;
  static void Apply(const Disk::Commit& commit, std::map<std::string, Versions>& rows,
                    std::set<Entry>& entries);
  // Returns the first entry of the value that is in the range, or the first one beyond.
  std::set<Entry>::const_iterator FirstEntry(uint32_t attribute, std::string_view value,
                                             const KeyRange& range) const;

  mutable std::mutex mutex_;  // over everything below; not held at a Step
  std::map<std::string, Versions> rows_;
  std::set<Entry> entries_;
  Disk disk_;
  bool is_stopped_ = false;
  std::atomic<uint64_t> incarnation_ = 1;
  uint64_t sequence_ = 0;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_
