#include "index/support/interleaving_world.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "engine/index/src/sync/steps.h"

namespace trommel::index::tests {
namespace {

std::string TextOf(const Versions& versions) {
  std::string text = versions.empty() ? "none" : "";
  for (const std::vector<Values>& version : versions) {
    text += "(";
    for (const Values& values : version) {
      for (const std::string& value : values) text += value;
      text += ",";
    }
    text += ")";
  }
  return text;
}

}  // namespace

InterleavingWorld::InterleavingWorld(Interleaver& interleaver, uint32_t num_servers,
                                     uint32_t num_regions)
    : interleaver_(interleaver), next_region_id_(num_regions) {
  for (uint32_t s = 0; s < num_servers; ++s) {
    stores_.push_back(std::make_unique<MemoryRowStore>());
    stores_.back()->on_commit = [this](std::span<const RowChange> rows) { Committed(rows); };
    servers_.push_back(stores_.back().get());
  }
  for (uint32_t a = 0; a < kNumAttributes; ++a) schema_.attributes.push_back({ValueOf(a), true});
}

std::shared_ptr<InterleavingWorld> InterleavingWorld::Draw(Interleaver& interleaver) {
  const auto draw = [&](uint32_t n) { return interleaver.Draw(n); };
  const uint32_t num_servers = 1 + draw(2);
  const uint32_t num_regions = std::max(num_servers, 1 + draw(3));
  auto world = std::make_shared<InterleavingWorld>(interleaver, num_servers, num_regions);
  world->schema_.max_versions = 1 + draw(4) / 3;

  std::vector<std::string> splits;
  if (num_regions == 2) splits = {KeyOf(1 + draw(3))};
  if (num_regions == 3) splits = {KeyOf(1), KeyOf(2 + draw(2))};
  const RegionTable table = RegionTable::Split(splits, num_servers).value();
  for (uint32_t k = 0; k < kNumKeys; ++k) {
    world->owners_[k] = table[table.Find(KeyOf(k))].server;
  }
  const ServerIndexConfig config{
      .attributes = std::vector<AttributeState>(kNumAttributes, AttributeState::kIndexed),
      .structure = draw(2) == 0 ? Structure::kTransposed : Structure::kServerFilters,
      .max_columns = 24};
  world->directory_.emplace(ServerIndex::Create(config, table).value());
  // Locks of rows: most of the keys share one, or some do, or each has its own.
  const size_t num_row_locks = std::array{2, 7, 16}[draw(3)];
  world->regions_.emplace(kMostRegionIds, kNumAttributes, num_row_locks);
  world->writer_.emplace(world->schema_, *world->directory_, *world->regions_, world->servers_);
  world->builder_.emplace(*world->directory_, *world->regions_, world->servers_);
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    if (!world->directory_->Resize(a, 64)) std::abort();
  }
  for (uint32_t k = 0; k < kNumKeys; ++k) {
    if (draw(4) == 0) continue;
    const Mutation put{KeyOf(k), world->DrawAttributes()};
    if (!world->writer_->Write({&put, 1})) std::abort();
  }
  if (draw(4) != 0) world->BuildAll();

  if (draw(3) == 0) world->commit_faults_ = 3 + draw(4);
  if (draw(4) == 0) world->question_faults_ = 4 + draw(8);
  // There, columns that were not free are given later, by versions of their own.
  if (world->question_faults_ == 0 && config.structure == Structure::kTransposed) {
    world->num_expected_versions_ = world->directory_->GetStats().version;
  }
  for (const auto& store : world->stores_) {
    InterleavingWorld* const w = world.get();
    store->commit_fault = [w] {
      if (w->commit_faults_ == 0 || w->interleaver_.Draw(w->commit_faults_) != 0) {
        return CommitFault::kNone;
      }
      return w->interleaver_.Draw(2) == 0 ? CommitFault::kDone : CommitFault::kNotDone;
    };
    store->question_fails = [w] {
      return w->question_faults_ != 0 && w->interleaver_.Draw(w->question_faults_) == 0;
    };
  }
  return world;
}

void InterleavingWorld::AddActors() {
  const auto self = shared_from_this();  // actors that hang keep the world
  const auto draw = [&](uint32_t n) { return static_cast<int>(interleaver_.Draw(n)); };
  const auto add = [&](const std::string& name, void (InterleavingWorld::*act)(int), int times) {
    ++num_others_;
    interleaver_.Add(name, [self, act, times] {
      (*self.*act)(times);
      --self->num_others_;
    });
  };
  const int num_writers = 1 + draw(3);
  for (int i = 0; i < num_writers; ++i) {
    add("writer " + std::to_string(i), &InterleavingWorld::Write, 1 + draw(4));
  }
  const int num_queries = 1 + draw(2);
  for (int i = 0; i < num_queries; ++i) {
    add("query " + std::to_string(i), &InterleavingWorld::Query, 1 + draw(3));
  }
  if (draw(2) == 0) add("marker", &InterleavingWorld::Mark, 1 + draw(3));
  if (draw(2) == 0) add("splitter", &InterleavingWorld::ChangeRegions, 1 + draw(3));
  add("reclaimer", &InterleavingWorld::Reclaim, 1 + draw(3));
  interleaver_.Add("builder", [self] { self->Build(); });
}

std::vector<Values> InterleavingWorld::DrawAttributes() {
  std::vector<Values> attributes(kNumAttributes);
  for (Values& values : attributes) {
    const uint32_t kind = interleaver_.Draw(kNumValues + 2);
    // One value, none, or a set.
    const uint32_t set = kind < kNumValues    ? 1u << kind
                         : kind == kNumValues ? 0
                                              : 1 + interleaver_.Draw((1u << kNumValues) - 1);
    for (uint32_t v = 0; v < kNumValues; ++v) {
      if ((set >> v & 1) != 0) values.push_back(ValueOf(v));
    }
  }
  return attributes;
}

std::vector<Mutation> InterleavingWorld::DrawBatch() {
  std::vector<Mutation> batch(interleaver_.Draw(3) == 0 ? 1 + interleaver_.Draw(3) : 1);
  for (Mutation& mutation : batch) {
    mutation.key = KeyOf(interleaver_.Draw(kNumKeys));
    if (interleaver_.Draw(3) != 0) mutation.attributes = DrawAttributes();
  }
  return batch;
}

void InterleavingWorld::Write(int num_batches) {
  for (int i = 0; i < num_batches; ++i) {
    const Status status = writer_->Write(DrawBatch());
    if (!status) Note("write failed: " + status.error().message);
  }
}

void InterleavingWorld::Build() {
  const size_t max_values = 1 + interleaver_.Draw(2);
  while (num_others_ != 0) {
    Step("look for columns");
    const std::vector<ColumnName> columns = directory_->ColumnsToBuild();
    if (columns.empty()) {
      if (num_others_ != 0) step_scheduler->Pause("nothing to build");
      continue;
    }
    const auto which = interleaver_.Draw(static_cast<uint32_t>(columns.size()));
    for (;;) {
      const Result<bool> is_over = builder_->BuildChunk(columns[which], max_values);
      if (!is_over || *is_over) break;
    }
  }
}

void InterleavingWorld::Query(int num_queries) {
  for (int i = 0; i < num_queries; ++i) RunQuery();
}

bool InterleavingWorld::Meets(const Versions& versions, std::span<const Condition> conditions) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    const Values values = ValuesOf(versions, condition.attribute);
    return std::find(values.begin(), values.end(), condition.value) != values.end();
  });
}

std::string InterleavingWorld::DrawValue() { return ValueOf(interleaver_.Draw(kNumValues)); }

void InterleavingWorld::Published() {
  if (num_expected_versions_) ++*num_expected_versions_;
}

void InterleavingWorld::Committed(std::span<const RowChange> rows) {
  for (const RowChange& row : rows) {
    if (interleaver_.is_traced() && step_scheduler != nullptr) {
      Note("commits " + row.key + " = " + TextOf(row.versions));
    }
    for (ActiveQuery* query : active_) {
      if (Meets(row.versions, query->conditions)) {
        query->may_be_found |= BitOf(row.key);
      } else {
        query->must_be_found &= ~BitOf(row.key);
      }
    }
  }
}

void InterleavingWorld::Fail(const std::string& what) {
  if (interleaver_.is_traced() && step_scheduler != nullptr) Note("*** " + what);
  if (failure_.empty()) failure_ = what;
}

}  // namespace trommel::index::tests
