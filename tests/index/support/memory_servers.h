// MemoryServers and MemoryRecorder: who answers for which rows, and the record of the table, in
// memory, for tests that choose each step.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_SERVERS_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_SERVERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rows/lookup_servers.h"
#include "engine/index/src/rows/table_recorder.h"
#include "engine/index/src/sync/steps.h"
#include "index/support/memory_row_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"

namespace trommel::index::tests {

// Under a scheduler: one thread at a time, with Steps in between.
class MemoryServers final : public LookupServers {
 public:
  void Begin(const RegionTable& table, size_t num_servers) {
    servers_.assign(num_servers, {});
    for (const Region& region : table.regions()) {
      servers_[region.server].held.push_back(region.range);
    }
  }
  void SetHeld(uint32_t server, std::vector<KeyRange> ranges) noexcept override {
    Step("set what server holds");
    servers_[server].held = std::move(ranges);
    ++servers_[server].number;
  }
  void SetAnswering(uint32_t server, bool is_answering) override {
    Step("set whether server answers");
    servers_[server].is_answering = is_answering;
    ++servers_[server].number;
  }

  bool IsAnswering(uint32_t server) const { return servers_[server].is_answering; }
  // Rises with each of the two calls.
  uint64_t NumberOf(uint32_t server) const { return servers_[server].number; }
  bool Holds(uint32_t server, const std::string& key) const {
    for (const KeyRange& range : servers_[server].held) {
      if (range.Contains(key)) return true;
    }
    return false;
  }

 private:
  struct Server {
    std::vector<KeyRange> held;
    bool is_answering = true;
    uint64_t number = 0;
  };
  std::vector<Server> servers_;
};

class MemoryRecorder final : public TableRecorder {
 public:
  // Asked before each record.
  std::function<CommitFault()> fault;
  // Asked after a failure: whether the record cannot be read either.
  std::function<bool()> is_unreadable;

  RecordOutcome Record(const TableRecord& record) override {
    Step("write record");
    const CommitFault what = fault ? fault() : CommitFault::kNone;
    if (what != CommitFault::kNotDone) {
      TableRecord copy = record;
      durable_ = std::move(copy);  // cannot fail halfway
    }
    Step("record written");
    if (what == CommitFault::kNone) return {};
    const Status failure = Error{ErrorCode::kIo, "the test says so"};
    if (is_unreadable && is_unreadable()) return {Recorded::kUnknown, failure};
    if (what == CommitFault::kDone) return {};
    return {Recorded::kNotDone, failure};
  }

  void Set(TableRecord record) { durable_ = std::move(record); }
  const TableRecord& durable() const { return durable_; }

 private:
  TableRecord durable_{RegionTable::Split({}, 1).value(), 1, {}, {}};
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_MEMORY_SERVERS_H_
