// Verifier: whether rows, local indexes and directory agree; and, by Repairs, that they do.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/changes/change_context.h"
#include "engine/index/src/cluster/repairs.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/item_scan.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

struct VerifiedServer;

// Reads each server's entries and rows once, and never holds more than a chunk of them:
//
//   entries -> pairs     entries come in the order of values and row keys: a new value or a new
//                        region is a new pair, for which the directory must answer maybe
//   rows -> entries      each value of a row must have its entry: found by key
//   entries -> rows      keys of entries differ, so if there are as many as were found, each has
//                        its row; else, the rows of all entries are read
//
// Repairs do not change what is found: each walk is over a server as it was when the walk began,
// the first one before any repair of it, and pairs are compared with columns and numbers from
// before the first repair of all. What a later walk no longer sees, an earlier one has counted.
//
// Rows in a leftover of their server are not compared, nor are their entries: a move copies or
// removes them meanwhile. Nor are entries that are being removed with their index.
//
// Requires that no other row, entry or pair changes meanwhile: the caller holds the table's record,
// all gates alone, and sizes (BuildPool::HoldSizes). The calling thread must hold no pin.
class Verifier {
 public:
  // All of these must outlive the verifier. The record must be the one that the directory has
  // published.
  Verifier(const Schema& schema, const TableRecord& record, ServerIndex& directory,
           std::span<const std::unique_ptr<RocksRowStore>> stores, Watch watch, Repair repair)
      : schema_(schema),
        record_(record),
        directory_(directory),
        stores_(stores),
        watch_(std::move(watch)),
        num_pairs_(record.attributes.size()),
        repairs_(directory, repair) {}

  // At most once. If the watch ends it, the report is not whole; what was repaired is durable.
  Result<VerifyReport> Run();

 private:
  Status VerifyServer(uint32_t server, const ServerIndex::Pin& pin);
  Status VerifyPairs(VerifiedServer& server);
  void VerifyPair(VerifiedServer& server, const EntryKey& entry);
  Status VerifyRows(VerifiedServer& server);
  Status VerifyRow(VerifiedServer& server, std::string_view key, const Result<Versions>& versions);
  Status FindPendingEntries(VerifiedServer& server);
  Status VerifyRowsOfEntries(VerifiedServer& server);
  Status VerifyRowsOf(VerifiedServer& server, std::span<const StoredItem> index_items);
  void MarkColumnOf(const VerifiedServer& server, const EntryKey& entry);
  void CountUnbuilt(const ServerIndex::Pin& pin);
  void ComparePairs(const ServerIndex::Pin& pin);
  // Whether the attribute's rows have entries; whether the directory has columns of it.
  bool HasEntries(uint32_t attribute) const;
  bool HasColumns(uint32_t attribute) const;
  void Report(uint64_t& count, const std::string& finding);
  // Counts a row or an entry; now and then, reports it and asks the watch.
  void Advance();

  const Schema& schema_;
  const TableRecord& record_;
  ServerIndex& directory_;
  const std::span<const std::unique_ptr<RocksRowStore>> stores_;
  const Watch watch_;

  ServerIndexStats stats_;           // from before the first repair
  std::vector<uint64_t> num_pairs_;  // by attribute
  Repairs repairs_;
  VerifyReport report_;
  uint64_t num_done_ = 0;
  uint64_t num_expected_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_
