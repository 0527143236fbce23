// Those who change what writers, builders and queries rely on: columns, regions, servers, indexes,
// memory.
#include <algorithm>
#include <cstddef>
#include <optional>
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
    if (interleaver_.Draw(2) == 0) {
      if (directory_->PinVersion().state(attribute) != AttributeState::kIndexed) continue;
      Note("resizes attribute " + std::to_string(attribute));
      if (!directory_->Resize(attribute, 64)) Fail("the structure cannot be replaced");
    } else {
      const ColumnName column{interleaver_.Draw(keeper_->Read().next_region_id), attribute};
      Note("marks region " + std::to_string(column.region_id));
      directory_->MarkUnbuilt({&column, 1});
    }
  }
}

void InterleavingWorld::ChangeRegions(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    Step("change regions");
    std::vector<Region> table;
    {
      const ServerIndex::Pin pin = directory_->PinVersion();
      table.assign(pin.table().regions().begin(), pin.table().regions().end());
    }
    const size_t position = interleaver_.Draw(static_cast<uint32_t>(table.size()));
    const Region& region = table[position];
    Status status = Ok();
    switch (interleaver_.Draw(has_moves() ? 10 : 4)) {
      case 0: {
        std::optional<std::string> middle;
        if (interleaver_.Draw(3) != 0) middle = KeyOf(interleaver_.Draw(kNumKeys));
        Note("splits region " + std::to_string(region.id));
        const auto split = region_changes_->Split(region.id, middle);
        if (!split) status = split.error();
        break;
      }
      case 1: {
        const Region& other = table[(position + 1) % table.size()];
        Note("merges region " + std::to_string(region.id) + " and " + std::to_string(other.id));
        const auto merged = region_changes_->Merge(region.id, other.id);
        if (!merged) status = merged.error();
        break;
      }
      default: {
        Note("moves region " + std::to_string(region.id) + " from " +
             std::to_string(region.server));
        const bool is_given_up = interleaver_.Draw(8) == 0;
        const auto moved = region_changes_->Move(
            region.id, static_cast<uint32_t>(stores_.size() - 1) - region.server,
            {nullptr, [&] { return !is_given_up || interleaver_.Draw(3) != 0; }});
        if (!moved) status = moved.error();
      }
    }
    if (!status) Note("not changed: " + status.error().message);
    if (interleaver_.Draw(4) == 0) static_cast<void>(region_changes_->RemoveLeftovers({}));
  }
}

void InterleavingWorld::ChangeIndexes(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    uint32_t attribute = interleaver_.Draw(kNumAttributes);
    // More are added than dropped.
    if (keeper_->Read().attributes[attribute].state != AttributeState::kNone &&
        interleaver_.Draw(2) == 0) {
      attribute = (attribute + 1) % kNumAttributes;
    }
    const bool is_added = keeper_->Read().attributes[attribute].state == AttributeState::kNone;
    Note((is_added ? "adds attribute " : "drops attribute ") + std::to_string(attribute));
    const Status status =
        is_added ? index_changes_->Add(attribute) : index_changes_->Drop(attribute);
    if (!status) Note("not changed: " + status.error().message);
    const Result<bool> is_over = FinishIndexes();
    if (!is_over) Note("not finished: " + is_over.error().message);
  }
}

Result<bool> InterleavingWorld::FinishIndexes() {
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    if (directory_->PinVersion().state(a) != AttributeState::kIndexed)
      may_lack_structure_[a] = true;
  }
  return index_changes_->Finish({});
}

void InterleavingWorld::StopServers(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    const uint32_t most_waits = interleaver_.Draw(2) == 0 ? 5 : 30;
    for (int wait = static_cast<int>(interleaver_.Draw(most_waits)); wait > 0; --wait) Step("wait");
    const uint32_t server = interleaver_.Draw(static_cast<uint32_t>(stores_.size()));
    Note("stops server " + std::to_string(server));
    server_changes_->Stop(server);
    for (int wait = static_cast<int>(interleaver_.Draw(most_waits / 3)); wait > 0; --wait)
      Step("wait");
    Note("starts server " + std::to_string(server));
    if (!server_changes_->Start(server)) Fail("a server does not start");
    returning_ = 0;  // one server at a time is stopped
  }
}

void InterleavingWorld::TakePhotos(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    for (int wait = static_cast<int>(interleaver_.Draw(60)); wait > 0; --wait) Step("wait");
    // All at once, as a crash is.
    Photo& photo = photos_.emplace_back(Photo{recorder_.durable(), {}, rows_});
    for (const auto& store : stores_) photo.disks.push_back(store->Photo());
    Note("takes a photo");
  }
}

void InterleavingWorld::Reclaim(int num_times) {
  for (int i = 0; i < num_times; ++i) {
    for (int wait = static_cast<int>(interleaver_.Draw(20)); wait > 0; --wait) Step("wait");
    const size_t num_columns = directory_->Reclaim();
    Note("reclaimed " + std::to_string(num_columns) + " columns");
  }
}

}  // namespace trommel::index::tests
