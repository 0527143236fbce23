// A server's database in a folder of its own, with one attribute unless a test asks for more.
#ifndef TROMMEL_TESTS_INDEX_CLUSTER_ONE_STORE_H_
#define TROMMEL_TESTS_INDEX_CLUSTER_ONE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "support/catch.h"
#include "support/scratch_folder.h"

namespace trommel::index::tests {

inline const ServerIdentity kFirstServer{.cluster = "c", .server = 0};
inline const RowStoreOptions kOneAttribute{.num_attributes = 1};

struct OneStore {
  explicit OneStore(size_t num_attributes = 1, uint64_t memory_bytes = 1 << 20)
      : options{.num_attributes = num_attributes},
        resources(memory_bytes, 1),
        store(*RocksRowStore::Create(folder / "s", kFirstServer, options, resources)) {}

  void Reopen() {
    store.reset();
    store = *RocksRowStore::Open(folder / "s", kFirstServer, options, resources);
  }

  void Commit(const std::vector<RowChange>& rows, const std::vector<EntryChange>& entries = {}) {
    REQUIRE(store->Commit(rows, entries, store->incarnation()).ok());
  }
  void PutRows(const std::vector<std::string>& keys, size_t value_bytes = 1) {
    std::vector<RowChange> rows;
    for (const std::string& key : keys) {
      rows.push_back({.key = key, .versions = {{{std::string(value_bytes, 'v')}}}});
    }
    Commit(rows);
  }

  trommel::tests::ScratchFolder folder;
  const RowStoreOptions options;
  DatabaseResources resources;
  std::unique_ptr<RocksRowStore> store;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_CLUSTER_ONE_STORE_H_
