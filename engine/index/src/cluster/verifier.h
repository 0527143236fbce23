// Verifier: whether rows, local indexes and directory agree.
#ifndef TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_
#define TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/entry_key.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/cluster.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

// Reads each server's rows once and its entries once, and never holds more than a chunk of them.
//
//   rows -> entries      each value of a row must have its entry: found by key
//   entries -> rows      keys of entries differ, so if there are as many as were found, each has
//                        its row; else, the rows of all entries are read
//   entries -> pairs     entries come in the order of values and row keys: a new value or a new
//                        region is a new pair, for which the directory must answer maybe
//
// Requires that no row, entry or pair changes meanwhile: the caller holds all gates alone, and
// sizes (BuildPool::HoldSizes). The calling thread must hold no pin.
class Verifier {
 public:
  // All of these must outlive the verifier.
  Verifier(size_t num_attributes, const ServerIndex& directory,
           std::span<const std::unique_ptr<RocksRowStore>> stores,
           const std::function<void(uint64_t done, uint64_t total)>& progress)
      : num_attributes_(num_attributes),
        directory_(directory),
        stores_(stores),
        progress_(progress),
        num_pairs_(num_attributes) {}

  Result<VerifyReport> Run();

 private:
  struct Server;  // that is being verified

  Status VerifyServer(uint32_t server, const ServerIndex::Pin& pin);
  Status VerifyRows(Server& server);
  Status FindPendingEntries(Server& server);
  Status VerifyEntries(Server& server);
  void VerifyPair(Server& server, const EntryKey& entry);
  Status VerifyRowsOfEntries(Server& server);
  void CountUnbuilt(const ServerIndex::Pin& pin);
  void ComparePairs();
  void Report(uint64_t& count, const std::string& finding);
  void Advance();

  const size_t num_attributes_;
  const ServerIndex& directory_;
  const std::span<const std::unique_ptr<RocksRowStore>> stores_;
  const std::function<void(uint64_t done, uint64_t total)>& progress_;

  std::vector<uint64_t> num_pairs_;  // by attribute
  VerifyReport report_;
  uint64_t num_done_ = 0;
  uint64_t num_expected_ = 0;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_CLUSTER_VERIFIER_H_
