// Those who change what writers, builders and queries rely on: columns, regions, memory.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/sync/steps.h"
#include "index/support/interleaving_world.h"

namespace trommel::index::tests {

void InterleavingWorld::Mark(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    Step("mark");
    const uint32_t attribute = interleaver_.Draw(kNumAttributes);
    if (interleaver_.Draw(4) == 0) {
      if (!directory_->Resize(attribute, 64)) Fail("the structure cannot be replaced");
    } else {
      const ColumnName column{interleaver_.Draw(next_region_id_), attribute};
      Note("marks region " + std::to_string(column.region_id));
      directory_->MarkUnbuilt({&column, 1});
    }
    Published();
  }
}

void InterleavingWorld::ChangeRegions(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    Step("change regions");
    std::vector<Region> table;  // this actor alone changes it
    {
      const ServerIndex::Pin pin = directory_->PinVersion();
      table.assign(pin.table().regions().begin(), pin.table().regions().end());
    }
    if (next_region_id_ + 2 > kMostRegionIds) return;
    const size_t position = interleaver_.Draw(static_cast<uint32_t>(table.size()));
    switch (interleaver_.Draw(4)) {
      case 0:
        Split(std::move(table), position);
        break;
      case 1:
        Merge(std::move(table), position);
        break;
      default:
        Move(std::move(table), position);
    }
  }
}

void InterleavingWorld::Split(std::vector<Region> table, size_t position) {
  const Region region = table[position];
  std::vector<std::string> middles;
  for (uint32_t k = 1; k < kNumKeys; ++k) {
    if (region.range.Contains(KeyOf(k)) && region.range.begin != KeyOf(k)) {
      middles.push_back(KeyOf(k));
    }
  }
  if (middles.empty()) return;
  const std::string middle = middles[interleaver_.Draw(static_cast<uint32_t>(middles.size()))];
  const Gate::Exclusive gate(regions_->Of(region.id).gate);
  const uint32_t first_id = next_region_id_++;
  const uint32_t second_id = next_region_id_++;
  table[position] = {first_id, {region.range.begin, middle}, region.server};
  table.insert(table.begin() + static_cast<std::ptrdiff_t>(position) + 1,
               Region{second_id, {middle, region.range.end}, region.server});
  Note("splits region " + std::to_string(region.id) + " at " + middle);
  PublishTable(std::move(table));
}

void InterleavingWorld::Merge(std::vector<Region> table, size_t position) {
  if (position + 1 == table.size() || table[position + 1].server != table[position].server) return;
  const Region region = table[position];
  const Region other = table[position + 1];
  const Gate::Exclusive low_gate(regions_->Of(std::min(region.id, other.id)).gate);
  const Gate::Exclusive high_gate(regions_->Of(std::max(region.id, other.id)).gate);
  table[position] = {next_region_id_++, {region.range.begin, other.range.end}, region.server};
  table.erase(table.begin() + static_cast<std::ptrdiff_t>(position) + 1);
  Note("merges regions " + std::to_string(region.id) + " and " + std::to_string(other.id));
  PublishTable(std::move(table));
}

// All at once under the gate: rows and entries of the region, and who answers for them.
void InterleavingWorld::Move(std::vector<Region> table, size_t position) {
  Region& region = table[position];
  // The last server keeps a region: the filters of servers are those of the table's servers.
  const auto of_server = std::count_if(table.begin(), table.end(), [&](const Region& other) {
    return other.server == region.server;
  });
  if (stores_.size() == 1 || of_server == 1) return;
  const Gate::Exclusive gate(regions_->Of(region.id).gate);
  const uint32_t destination = 1 - region.server;
  stores_[region.server]->MoveRange(region.range, *stores_[destination]);
  for (uint32_t k = 0; k < kNumKeys; ++k) {
    if (region.range.Contains(KeyOf(k))) owners_[k] = destination;
  }
  region.server = destination;
  Note("moves region " + std::to_string(region.id) + " to server " + std::to_string(destination));
  PublishTable(std::move(table));
}

void InterleavingWorld::PublishTable(std::vector<Region> table) {
  if (!directory_->Publish(RegionTable::Create(std::move(table)).value())) Fail("not published");
  Published();
}

void InterleavingWorld::Reclaim(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    for (int wait = static_cast<int>(interleaver_.Draw(20)); wait > 0; --wait) Step("wait");
    const size_t num_columns = directory_->Reclaim();
    Note("reclaimed " + std::to_string(num_columns) + " columns");
  }
}

}  // namespace trommel::index::tests
