// EmbeddedStore: all servers of a cluster in one process, as a RegionStore, and what they hold.
#ifndef TROMMEL_ENGINE_INDEX_SRC_ROCKS_EMBEDDED_STORE_H_
#define TROMMEL_ENGINE_INDEX_SRC_ROCKS_EMBEDDED_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/index/src/rocks/region_server.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/lookup_servers.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

class EmbeddedStore final : public RegionStore, public LookupServers {
 public:
  // Starts a server per store, each with its regions of the table. The stores must outlive
  // it. Fails with kIo if the system grants no more threads.
  static Result<std::unique_ptr<EmbeddedStore>> Start(
      std::span<const std::unique_ptr<RocksRowStore>> stores, const RegionTable& table,
      size_t num_attributes, uint32_t threads_per_server);

  void Lookup(LookupRequest request, Completion completion) override;

  void SetHeld(uint32_t server, std::vector<KeyRange> ranges) noexcept override;
  void SetAnswering(uint32_t server, bool is_answering) override;
  // RegionServer::Read.
  Result<std::optional<Versions>> Read(uint32_t server, std::string_view key);

  RegionServer& server(size_t i) { return *servers_[i]; }

 private:
  std::vector<std::unique_ptr<RegionServer>> servers_;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_ROCKS_EMBEDDED_STORE_H_
