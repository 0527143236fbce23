// The secondary index over an outside user's own store, without RocksDB: a directory of two
// regions, and a query that asks the one which may have the value.
#include <trommel/index/query.h>
#include <trommel/index/region_store.h>
#include <trommel/index/region_table.h>
#include <trommel/index/schema.h>
#include <trommel/index/server_index.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

namespace {

// Each server has one row.
class Store final : public trommel::index::RegionStore {
 public:
  void Lookup(trommel::index::LookupRequest request, Completion completion) override {
    trommel::index::LookupAnswer answer;
    if (request.server == 1) answer.rows.push_back({.key = "n", .attributes = {{"Rome"}}});
    completion(std::move(answer));
  }
};

}  // namespace

int main() {
  const std::array<std::string, 1> splits = {"m"};
  auto table = trommel::index::RegionTable::Split(splits, 2);
  if (!table) return 1;
  trommel::index::ServerIndexConfig config;
  config.attributes = {trommel::index::AttributeState::kIndexed};
  auto index = trommel::index::ServerIndex::Create(config, *std::move(table));
  if (!index || !index->Resize(0, 100)) return 1;
  const std::array<std::string, 1> value = {"Rome"};
  index->Insert({.region_id = 1, .attribute = 0}, value);
  for (uint32_t region = 0; region < 2; ++region) index->FinishBuild({region, 0});

  Store store;
  trommel::index::QueryRequest request;
  request.conditions = {{.attribute = 0, .value = "Rome"}};
  const auto outcome = trommel::index::Query(*index, store, request);
  if (!outcome) return 1;
  std::printf("candidates %u rows %zu unanswered %zu\n", outcome->plan.num_candidates,
              outcome->rows.size(), outcome->unanswered.size());
}
