// What must hold in a world: for queries while the others act, and for all at rest.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/index/src/sync/steps.h"
#include "index/support/interleaving_world.h"

namespace trommel::index::tests {

// A query as the product asks it: candidates of all conditions by one version; then, by key range,
// the entries of each candidate, and the rows that they name, verified.
void InterleavingWorld::RunQuery() {
  ActiveQuery query;
  for (uint32_t i = 1 + interleaver_.Draw(2); i > 0; --i) {
    query.conditions.push_back({interleaver_.Draw(kNumAttributes), DrawValue()});
  }
  Step("begin query");
  for (const auto& store : stores_) {
    for (const auto& [key, versions] : store->Rows()) {
      if (Meets(versions, query.conditions)) query.must_be_found |= BitOf(key);
    }
  }
  query.may_be_found = query.must_be_found;
  active_.push_back(&query);

  std::vector<Region> candidates;
  {
    const ServerIndex::Pin pin = directory_->PinVersion();
    std::vector<uint64_t> all(pin.num_words(), ~uint64_t{0});
    std::vector<uint64_t> some(pin.num_words());
    for (const Condition& condition : query.conditions) {
      pin.Candidates(condition.attribute, condition.value, some);
      for (size_t w = 0; w < all.size(); ++w) all[w] &= some[w];
    }
    for (size_t i = 0; i < pin.table().size(); ++i) {
      if ((all[i / 64] >> i % 64 & 1) != 0) candidates.push_back(pin.table()[i]);
    }
  }

  uint32_t found = 0;
  for (const Region& region : candidates) {
    // By key range: from the servers that have the rows now, wherever the region was.
    Step("look up entries");
    const Condition& first = query.conditions[0];
    std::vector<std::string> keys;
    for (const auto& store : stores_) {
      for (std::string& key : store->KeysWith(first.attribute, first.value, region.range)) {
        keys.push_back(std::move(key));
      }
    }
    for (const std::string& key : keys) {
      Step("look up row");
      const MemoryRowStore& store = *stores_[owners_[static_cast<size_t>(key[0] - 'a')]];
      if (Meets(store.RowOf(key), query.conditions)) found |= BitOf(key);
    }
  }
  std::erase(active_, &query);
  const auto text = [&] {
    std::string conditions;
    for (const Condition& condition : query.conditions) {
      conditions += " " + std::to_string(condition.attribute) + "=" + condition.value;
    }
    return conditions + ": found " + std::to_string(found) + ", must find " +
           std::to_string(query.must_be_found) + " in " + std::to_string(candidates.size()) +
           " candidates";
  };
  if (interleaver_.is_traced()) Note("query" + text());
  if ((query.must_be_found & ~found) != 0) Fail("loss: a query missed a row:" + text());
  if ((found & ~query.may_be_found) != 0) Fail("false: a query found a row too many:" + text());
}

void InterleavingWorld::BuildAll() {
  directory_->Reclaim();  // or no column may be free
  for (auto columns = directory_->ColumnsToBuild(); !columns.empty();
       columns = directory_->ColumnsToBuild()) {
    for (const ColumnName& column : columns) {
      while (!*builder_->BuildChunk(column, 2)) {
      }
    }
  }
}

void InterleavingWorld::CheckPairs(const char* when) {
  const auto fail = [&](const char* what) { Fail(std::string(when) + ": " + what); };
  const std::vector<uint32_t> attributes{0, 1};
  for (const auto& store : stores_) {
    if (!store->EntriesAgree(attributes)) fail("entry: entries are not those of the rows");
  }
  const ServerIndexStats stats = directory_->GetStats();
  const ServerIndex::Pin pin = directory_->PinVersion();
  std::vector<uint64_t> candidates(pin.num_words());
  for (const uint32_t attribute : attributes) {
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

void InterleavingWorld::CheckAtRest() {
  commit_faults_ = question_faults_ = 0;
  // A pair that was erased twice has had its column marked, and is in again by now.
  if (num_expected_versions_ && directory_->GetStats().version != *num_expected_versions_) {
    Fail("under: a column refused an erasure");
  }
  BuildAll();
  CheckPairs("at rest");
  // A value that has stayed in flight would not be inserted again.
  for (const char* when : {"after a put", "empty"}) {
    for (uint32_t k = 0; k < kNumKeys; ++k) {
      // One by one: a write that waits for itself would hang here rather than be found in a run.
      Mutation mutation{KeyOf(k), std::nullopt};
      if (when[0] == 'a') mutation.attributes = {kNumAttributes, {"x", "y", "z"}};
      if (!writer_->Write({&mutation, 1})) Fail("a write failed");
    }
    CheckPairs(when);
  }
}

}  // namespace trommel::index::tests
