// MemoryRowStore: a RowStore in memory, with failures on demand and Steps before whatever other
// threads can see.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
  // Asked before each question (Read, HasValue, WalkValues): whether it fails.
  std::function<bool()> question_fails;
  // Called with what a commit changes, in one step with it.
  std::function<void(std::span<const RowChange>)> on_commit;

  Result<std::vector<Versions>> Read(std::span<const std::string> keys) const override;
  Result<bool> HasValue(uint32_t attribute, std::string_view value,
                        const KeyRange& range) const override;
  // Looks at no more than max_values + max_values / 2 values, so that walks stop at values outside
  // of the range, too.
  Result<ValueWalk> WalkValues(uint32_t attribute, const std::optional<std::string>& after,
                               const KeyRange& range, size_t max_values) const override;
  Status Commit(std::span<const RowChange> rows, std::span<const EntryChange> entries) override;
  Result<StoreStamp> Stamp() const override;
  Status Sync() override { return Ok(); }

  // --- For tests: no Steps, no failures.

  // Returns the keys of the range with an entry for the value.
  std::vector<std::string> KeysWith(uint32_t attribute, std::string_view value,
                                    const KeyRange& range) const;
  // Returns the values that a row of the range has, by the entries.
  std::set<std::string> ValuesWith(uint32_t attribute, const KeyRange& range) const;
  std::map<std::string, Versions> Rows() const;
  Versions RowOf(const std::string& key) const;
  // Moves rows and entries of the range to another store.
  void MoveRange(const KeyRange& range, MemoryRowStore& to);
  // Returns whether the entries are exactly the values of the rows, for these attributes.
  bool EntriesAgree(std::span<const uint32_t> attributes) const;

 private:
  using Entry = std::tuple<uint32_t, std::string, std::string>;  // attribute, value, row key

  Status Ask(const char* step) const;
  // Returns the first entry of the value that is in the range, or the first one beyond.
  std::set<Entry>::const_iterator FirstEntry(uint32_t attribute, std::string_view value,
                                             const KeyRange& range) const;

  mutable std::mutex mutex_;  // over everything below; not held at a Step
  std::map<std::string, Versions> rows_;
  std::set<Entry> entries_;
  uint64_t sequence_ = 0;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_ROW_STORE_H_
