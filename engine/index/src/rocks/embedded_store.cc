#include "engine/index/src/rocks/embedded_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/rocks/region_server.h"
#include "engine/index/src/rocks/rocks_row_store.h"
#include "engine/index/src/rows/row_store.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/result.h"

namespace trommel::index {

Result<std::unique_ptr<EmbeddedStore>> EmbeddedStore::Start(
    std::span<const std::unique_ptr<RocksRowStore>> stores, const RegionTable& table,
    size_t num_attributes, uint32_t threads_per_server) {
  std::vector<std::vector<KeyRange>> held(stores.size());
  for (const Region& region : table.regions()) held[region.server].push_back(region.range);
  auto embedded = std::make_unique<EmbeddedStore>();
  for (size_t i = 0; i < stores.size(); ++i) {
    auto server = std::make_unique<RegionServer>(*stores[i], num_attributes);
    server->SetHeld(std::move(held[i]));
    if (const Status status = server->Start(threads_per_server); !status) return status.error();
    embedded->servers_.push_back(std::move(server));
  }
  return embedded;
}

void EmbeddedStore::Lookup(LookupRequest request, Completion completion) {
  if (request.server >= servers_.size()) {
    LookupAnswer answer;
    answer.status = Error{ErrorCode::kInvalidArgument,
                          "server must be below " + std::to_string(servers_.size()) + "; got " +
                              std::to_string(request.server)};
    completion(std::move(answer));
    return;
  }
  RegionServer& server = *servers_[request.server];
  server.Lookup(std::move(request), std::move(completion));
}

void EmbeddedStore::SetHeld(uint32_t server, std::vector<KeyRange> ranges) noexcept {
  servers_[server]->SetHeld(std::move(ranges));
}

void EmbeddedStore::SetAnswering(uint32_t server, bool is_answering) {
  servers_[server]->SetAnswering(is_answering);
}

Result<std::optional<Versions>> EmbeddedStore::Read(uint32_t server, std::string_view key) {
  return servers_[server]->Read(key);
}

}  // namespace trommel::index
