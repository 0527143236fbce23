// What must hold in a world: for queries while the others act, and for all at rest.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/sync/steps.h"
#include "index/support/interleaving_world.h"

namespace trommel::index::tests {

std::map<std::string, Versions> InterleavingWorld::RowsOfOwners() const {
  std::map<std::string, Versions> rows;
  const ServerIndex::Pin pin = directory_->PinVersion();
  for (uint32_t k = 0; k < kNumKeys; ++k) {
    const uint32_t server = pin.table()[pin.table().Find(KeyOf(k))].server;
    Versions versions = stores_[server]->RowOf(KeyOf(k));
    if (!versions.empty()) rows.emplace(KeyOf(k), std::move(versions));
  }
  return rows;
}

// A query as the product asks it: candidates of all conditions by one version; then, by key range,
// the entries of each candidate, and the rows that they name, verified. The version stays pinned.
void InterleavingWorld::RunQuery() {
  ActiveQuery query;
  for (uint32_t i = 1 + interleaver_.Draw(2); i > 0; --i) {
    query.conditions.push_back({interleaver_.Draw(kNumAttributes), DrawValue()});
  }
  Step("begin query");
  for (const auto& [key, versions] : RowsOfOwners()) {
    if (Meets(versions, query.conditions)) query.must_be_found |= BitOf(key);
  }
  query.may_be_found = query.must_be_found;
  query.must_be_found &= ~returning_;
  active_.push_back(&query);

  uint32_t found = 0;
  uint32_t unanswered = 0;
  size_t num_candidates = 0;
  {
    const ServerIndex::Pin pin = directory_->PinVersion();
    std::vector<uint64_t> all(pin.num_words(), ~uint64_t{0});
    std::vector<uint64_t> some(pin.num_words());
    std::optional<Condition> by_entries;
    for (const Condition& condition : query.conditions) {
      if (pin.state(condition.attribute) != AttributeState::kIndexed) continue;
      if (!by_entries) by_entries = condition;
      pin.Candidates(condition.attribute, condition.value, some);
      for (size_t w = 0; w < all.size(); ++w) all[w] &= some[w];
    }
    for (size_t i = 0; i < pin.table().size(); ++i) {
      if ((all[i / 64] >> i % 64 & 1) == 0) continue;
      ++num_candidates;
      for (uint32_t k = 0; k < kNumKeys; ++k) {
        if (!pin.table()[i].range.Contains(KeyOf(k))) continue;
        const std::optional<bool> is_met =
            Ask(pin.table()[i].server, KeyOf(k), query.conditions, by_entries);
        if (!is_met) unanswered |= BitOf(KeyOf(k));
        if (is_met && *is_met) found |= BitOf(KeyOf(k));
      }
    }
  }
  std::erase(active_, &query);
  const auto text = [&] {
    std::string conditions;
    for (const Condition& condition : query.conditions) {
      conditions += " " + std::to_string(condition.attribute) + "=" + condition.value;
    }
    return conditions + ": found " + std::to_string(found) + ", must find " +
           std::to_string(query.must_be_found) + " in " + std::to_string(num_candidates) +
           " candidates, not answered " + std::to_string(unanswered);
  };
  if (interleaver_.is_traced()) Note("query" + text());
  if ((query.must_be_found & ~found & ~unanswered) != 0) {
    Fail("loss: a query missed a row:" + text());
  }
  if ((found & ~query.may_be_found) != 0) Fail("false: a query found a row too many:" + text());
  if (unanswered != 0 && !has_stops_) Fail("unanswered: although all servers run:" + text());
}

std::optional<bool> InterleavingWorld::Ask(uint32_t server, const std::string& key,
                                           const std::vector<Condition>& conditions,
                                           const std::optional<Condition>& by_entries) {
  // A server that holds the key is found when a move under way has been published; one that is lost
  // may not come back before the query's timeout.
  for (int num_attempts = 0, num_failures = 0; num_attempts < 10'000 && num_failures < 20;
       ++num_attempts) {
    Step("ask server");
    if (!lookups_.IsAnswering(server)) ++num_failures;
    const uint64_t number = lookups_.NumberOf(server);
    if (lookups_.IsAnswering(server) && lookups_.Holds(server, key)) {
      const MemoryRowStore& store = *stores_[server];
      bool is_met = true;
      if (by_entries) {
        Step("look up entries");
        is_met =
            !store.KeysWith(by_entries->attribute, by_entries->value, {key, key + '\0'}).empty();
      }
      Step("look up row");
      is_met = is_met && Meets(store.RowOf(key), conditions);
      Step("answer");
      if (lookups_.NumberOf(server) == number) return is_met;
    }
    // Not mine, or no answer: by the latest table.
    Step("ask again");
    const ServerIndex::Pin pin = directory_->PinVersion();
    server = pin.table()[pin.table().Find(key)].server;
  }
  return std::nullopt;
}

void InterleavingWorld::FinishAll() {
  commit_faults_ = question_faults_ = record_faults_ = 0;
  if (!keeper_->Settle()) Fail("live: a doubt does not end");
  const Result<bool> is_finished = FinishIndexes();
  if (!is_finished) Fail("live: index changes do not end: " + is_finished.error().message);
  const Result<bool> is_removed = region_changes_->RemoveLeftovers({});
  if (!is_removed) Fail("live: a leftover stays: " + is_removed.error().message);
  if (!keeper_->Read().leftovers.empty()) Fail("left: a leftover's record stays");
}

void InterleavingWorld::BuildAll() {
  Size();
  directory_->Reclaim();  // or no column may be free
  for (auto columns = directory_->ColumnsToBuild(); !columns.empty();
       columns = directory_->ColumnsToBuild()) {
    for (const ColumnName& column : columns) {
      while (!*builder_->BuildChunk(column, 2)) {
      }
    }
  }
}

std::vector<bool> InterleavingWorld::MaintainedAttributes() const {
  std::vector<bool> is_maintained;
  for (const AttributeRecord& attribute : keeper_->Read().attributes) {
    is_maintained.push_back(attribute.state == AttributeState::kIndexed ||
                            attribute.state == AttributeState::kBuilding);
  }
  return is_maintained;
}

void InterleavingWorld::CheckPairs(const std::string& when) {
  const auto fail = [&](const char* what) { Fail(when + ": " + what); };
  for (const auto& store : stores_) {
    if (!store->EntriesAgree(MaintainedAttributes()))
      fail("entry: entries are not those of the rows");
  }
  const ServerIndexStats stats = directory_->GetStats();
  const ServerIndex::Pin pin = directory_->PinVersion();
  for (uint32_t server = 0; server < stores_.size(); ++server) {
    for (const auto& [key, versions] : stores_[server]->Rows()) {
      if (pin.table()[pin.table().Find(key)].server != server) fail("row: a row at another server");
    }
  }
  std::vector<uint64_t> candidates(pin.num_words());
  for (uint32_t attribute = 0; attribute < kNumAttributes; ++attribute) {
    if (pin.state(attribute) != AttributeState::kIndexed) continue;
    uint64_t num_pairs = 0;
    for (size_t i = 0; i < pin.table().size(); ++i) {
      const Region& region = pin.table()[i];
      if (!pin.IsBuilt(attribute, i)) fail("live: a column is not built");
      for (const std::string& value : stores_[region.server]->ValuesWith(attribute, region.range)) {
        ++num_pairs;
        pin.Candidates(attribute, value, candidates);
        if ((candidates[i / 64] >> i % 64 & 1) == 0) fail("miss: a pair is not in its column");
      }
    }
    if (stats.attributes[attribute].num_pairs < num_pairs) fail("miss: columns lack pairs");
    if (stats.attributes[attribute].num_pairs > num_pairs) fail("left: columns have more pairs");
  }
}

void InterleavingWorld::CheckEmptied(const std::string& when) {
  // A value that has stayed in flight would not be inserted again.
  for (const bool is_put : {true, false}) {
    for (uint32_t k = 0; k < kNumKeys; ++k) {
      // One by one: a write that waits for itself would hang here rather than be found in a run.
      Mutation mutation{KeyOf(k), std::nullopt};
      if (is_put) mutation.attributes = {kNumAttributes, {"x", "y", "z"}};
      if (!writer_->Write({&mutation, 1})) Fail("a write failed");
    }
    CheckPairs(when + (is_put ? ", after a put" : ", empty"));
  }
}

// The table as it is opened after a crash at the moment of the photo.
void InterleavingWorld::CheckPhoto(Photo photo) {
  const bool is_exact = stores_[0]->sync_writes;
  for (size_t s = 0; s < stores_.size(); ++s) {
    const size_t num_unsynced = photo.disks[s].unsynced.size();
    stores_[s]->Restore(photo.disks[s], stores_[s]->num_kept(num_unsynced));
  }
  Open(photo.record);
  FinishAll();
  BuildAll();
  CheckPairs("opened");
  std::erase_if(photo.rows, [](const auto& row) { return row.second.empty(); });
  if (is_exact && RowsOfOwners() != photo.rows) Fail("durable: a synced row is not as it was");
}

void InterleavingWorld::CheckAtRest() {
  if (directory_->GetStats().num_refused_pairs != 0) Fail("under: a column refused an erasure");
  FinishAll();
  BuildAll();
  CheckPairs("at rest");
  CheckEmptied("at rest");
  for (Photo& photo : photos_) {
    if (failure_.empty()) CheckPhoto(std::move(photo));
  }
}

}  // namespace trommel::index::tests
