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

// Whether the thread's commits are those of writers, not copies of rows.
thread_local bool is_writer = false;

}  // namespace

InterleavingWorld::InterleavingWorld(Interleaver& interleaver, uint32_t num_servers)
    : interleaver_(interleaver) {
  for (uint32_t s = 0; s < num_servers; ++s) {
    stores_.push_back(std::make_unique<MemoryRowStore>());
    MemoryRowStore& store = *stores_.back();
    store.on_commit = [this](std::span<const RowChange> rows) {
      if (is_writer) Changed(rows);
    };
    store.on_loss = [this](std::span<const RowChange> rows) {
      Changed(rows);
      for (const RowChange& row : rows) returning_ |= BitOf(row.key);
    };
    servers_.push_back(&store);
  }
  for (uint32_t a = 0; a < kNumAttributes; ++a) schema_.attributes.push_back({ValueOf(a), true});
}

std::shared_ptr<InterleavingWorld> InterleavingWorld::Draw(Interleaver& interleaver) {
  const auto draw = [&](uint32_t n) { return interleaver.Draw(n); };
  // Most are about both: what goes wrong between moves and indexes takes the most runs.
  const auto subject = static_cast<Subject>(std::min<uint32_t>(draw(5), 3));
  const bool has_moves = subject == Subject::kMoves || subject == Subject::kMovesAndIndexes;
  const uint32_t num_servers = has_moves ? 2 : 1 + draw(2);
  const uint32_t num_regions = std::max(num_servers, 1 + draw(3));
  auto world = std::make_shared<InterleavingWorld>(interleaver, num_servers);
  world->subject_ = subject;
  // More happens in one world if it is about something.
  const uint32_t seldom = subject == Subject::kAny ? 3 : 2;
  world->schema_.max_versions = 1 + draw(4) / 3;
  world->structure_ = draw(3) == 1 ? Structure::kServerFilters : Structure::kMap;
  // Locks of rows: most of the keys share one, or some do, or each has its own.
  world->num_row_locks_ = std::array{2, 7, 16}[draw(3)];
  world->has_stops_ = draw(seldom) == 0;
  // As many commits synced as not; a photo of rows is exact if all are.
  const bool sync_writes = draw(subject == Subject::kIndexes ? 4 : 2) == 0;
  world->rows_per_sync_ = 1 + draw(4);

  std::vector<std::string> splits;
  if (num_regions == 2) splits = {KeyOf(1 + draw(3))};
  if (num_regions == 3) splits = {KeyOf(1), KeyOf(2 + draw(2))};
  TableRecord record{RegionTable::Split(splits, num_servers).value(), num_regions, {}, {}};
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    record.attributes.push_back(
        {draw(world->has_indexes() ? 2 : 4) == 0 ? AttributeState::kNone : AttributeState::kIndexed,
         std::nullopt});
  }
  world->Open(record);
  is_writer = true;
  for (uint32_t k = 0; k < kNumKeys; ++k) {
    if (draw(4) == 0) continue;
    const Mutation put{KeyOf(k), world->DrawAttributes()};
    if (!world->writer_->Write({&put, 1})) std::abort();
  }
  is_writer = false;
  if (draw(4) != 0) world->BuildAll();
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    // Beside a structure from which nothing is missing.
    if (record.attributes[a].state != AttributeState::kIndexed || draw(3) != 0) continue;
    if (!world->directory_->Resize(a, 64)) std::abort();
  }

  if (draw(3) == 0) world->commit_faults_ = 3 + draw(4);
  if (draw(4) == 0) world->question_faults_ = 4 + draw(8);
  if (draw(seldom) == 0) world->record_faults_ = 2 + draw(4);
  InterleavingWorld* const w = world.get();
  const auto draw_fault = [w](uint32_t faults) {
    if (faults == 0 || w->interleaver_.Draw(faults) != 0) return CommitFault::kNone;
    return w->interleaver_.Draw(2) == 0 ? CommitFault::kDone : CommitFault::kNotDone;
  };
  for (const auto& store : world->stores_) {
    if (!store->Sync()) std::abort();
    store->sync_writes = sync_writes;
    store->commit_fault = [w, draw_fault] { return draw_fault(w->commit_faults_); };
    store->question_fails = [w] {
      return w->question_faults_ != 0 && w->interleaver_.Draw(w->question_faults_) == 0;
    };
    store->num_kept = [w](size_t num_unsynced) -> size_t {
      if (w->interleaver_.Draw(3) == 0) return 0;
      return w->interleaver_.Draw(static_cast<uint32_t>(num_unsynced) + 1);
    };
  }
  world->recorder_.fault = [w, draw_fault] { return draw_fault(w->record_faults_); };
  world->recorder_.is_unreadable = [w] {
    return w->record_faults_ != 0 && w->interleaver_.Draw(2) == 0;
  };
  return world;
}

void InterleavingWorld::Open(const TableRecord& record) {
  recorder_.Set(record);
  lookups_.Begin(record.table, stores_.size());
  ServerIndexConfig config{.attributes = {}, .structure = structure_};
  for (const AttributeRecord& attribute : record.attributes) {
    config.attributes.push_back(attribute.state);
  }
  // Each part refers to those before it.
  index_changes_.reset();
  server_changes_.reset();
  region_changes_.reset();
  keeper_.reset();
  builder_.reset();
  writer_.reset();
  directory_.emplace(ServerIndex::Create(config, record.table).value());
  regions_.emplace(kNumAttributes, num_row_locks_);
  for (const Region& region : record.table.regions()) regions_->Add(region.id);
  writer_.emplace(schema_, *directory_, *regions_, servers_);
  builder_.emplace(*directory_, *regions_, servers_);
  keeper_.emplace(record, recorder_);
  const ChangeContext context{kNumAttributes, *directory_, *regions_, servers_, lookups_, *keeper_};
  region_changes_.emplace(context);
  server_changes_.emplace(context);
  index_changes_.emplace(context, 0, rows_per_sync_);
  may_lack_structure_.fill(true);
  Size();
}

void InterleavingWorld::Size() {
  for (uint32_t a = 0; a < kNumAttributes; ++a) {
    // Statistics of filters of servers take longer than all else of a run.
    if (!may_lack_structure_[a]) continue;
    if (directory_->PinVersion().state(a) != AttributeState::kIndexed) continue;
    may_lack_structure_[a] = false;
    if (directory_->GetStats().attributes[a].pairs_per_region != 0) continue;
    if (!directory_->Resize(a, 64)) Fail("the structure cannot be made");
  }
}

void InterleavingWorld::AddActors() {
  const auto self = shared_from_this();  // actors that hang keep the world
  constexpr std::array kHeldBackAt = {static_cast<const char*>(nullptr),
                                      static_cast<const char*>(nullptr),
                                      "commit",
                                      "commit",
                                      "sync",
                                      "write record"};
  interleaver_.HoldBackAt(kHeldBackAt[interleaver_.Draw(kHeldBackAt.size())]);
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
  if (draw(subject_ == Subject::kAny ? 2 : 4) == 0)
    add("marker", &InterleavingWorld::Mark, 1 + draw(3));
  if (has_moves() || draw(2) == 0) add("splitter", &InterleavingWorld::ChangeRegions, 1 + draw(3));
  if (draw(8) == 0) add("second splitter", &InterleavingWorld::ChangeRegions, 1 + draw(2));
  if (has_indexes() || draw(3) == 0) add("indexer", &InterleavingWorld::ChangeIndexes, 1 + draw(3));
  if (has_stops_) add("stopper", &InterleavingWorld::StopServers, 1 + draw(4));
  if (draw(2) == 0) add("photographer", &InterleavingWorld::TakePhotos, 1 + draw(4));
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
  is_writer = true;
  for (int i = 0; i < num_batches; ++i) {
    const Status status = writer_->Write(DrawBatch());
    if (!status) Note("write failed: " + status.error().message);
  }
  is_writer = false;
}

void InterleavingWorld::Build() {
  const size_t max_values = 1 + interleaver_.Draw(2);
  while (num_others_ != 0) {
    Step("look for columns");
    Size();
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

void InterleavingWorld::Changed(std::span<const RowChange> rows) {
  for (const RowChange& row : rows) {
    if (interleaver_.is_traced() && step_scheduler != nullptr) {
      Note((is_writer ? "commits " : "loses ") + row.key + " = " + TextOf(row.versions));
    }
    rows_[row.key] = row.versions;
    for (ActiveQuery* query : active_) {
      if (Meets(row.versions, query->conditions)) query->may_be_found |= BitOf(row.key);
      // A lost row may be the one of a copy that is no longer, or not yet, its owner's.
      if (!is_writer || !Meets(row.versions, query->conditions)) {
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
