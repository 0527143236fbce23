// InterleavingWorld: a small table, its directory, and the actors of one interleaving: writers,
// queries, a builder, and those that mark columns, split, merge and move regions, stop and start
// servers, add and drop indexes, and reclaim columns; and one that takes photos of the disks, from
// which the table is opened again at the end, as after a crash.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/changes/index_changes.h"
#include "engine/index/src/changes/region_changes.h"
#include "engine/index/src/changes/server_changes.h"
#include "engine/index/src/changes/table_keeper.h"
#include "engine/index/src/model/table_record.h"
#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "index/support/interleaver.h"
#include "index/support/memory_row_store.h"
#include "index/support/memory_servers.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {

class InterleavingWorld : public std::enable_shared_from_this<InterleavingWorld> {
 public:
  // Draws everything from the interleaver's generator: shape, rows, faults, programs of actors.
  static std::shared_ptr<InterleavingWorld> Draw(Interleaver& interleaver);
  InterleavingWorld(Interleaver& interleaver, uint32_t num_servers);

  // Adds the actors of a run.
  void AddActors();
  // After the run, without a scheduler: ends what was begun, builds what is not built, and checks
  // that directory, local indexes and rows agree; then empties the table and checks again; then
  // opens the table of each photo, and checks that.
  void CheckAtRest();
  // The first promise that was broken; empty if all held.
  const std::string& failure() const { return failure_; }

 private:
  static constexpr uint32_t kNumKeys = 4;
  static constexpr uint32_t kNumAttributes = 2;
  static constexpr uint32_t kNumValues = 3;

  // What a world is mostly about; the rest is drawn independently.
  enum class Subject : uint8_t { kAny, kMoves, kIndexes, kMovesAndIndexes };

  // A query under way. Bits are keys.
  struct ActiveQuery {
    std::vector<Condition> conditions;
    uint32_t must_be_found = 0;  // met the conditions since before it began
    uint32_t may_be_found = 0;   // met them at some time since
  };
  // What a crash leaves.
  struct Photo {
    TableRecord record;
    std::vector<MemoryRowStore::Disk> disks;
    std::map<std::string, Versions> rows;
  };

  // Keys are "a", "b", "c", "d"; values "x", "y", "z".
  static std::string KeyOf(uint32_t i) { return std::string(1, static_cast<char>('a' + i)); }
  static uint32_t BitOf(const std::string& key) { return 1u << (key[0] - 'a'); }
  static std::string ValueOf(uint32_t i) { return std::string(1, static_cast<char>('x' + i)); }

  bool has_moves() const {
    return subject_ == Subject::kMoves || subject_ == Subject::kMovesAndIndexes;
  }
  bool has_indexes() const {
    return subject_ == Subject::kIndexes || subject_ == Subject::kMovesAndIndexes;
  }
  // Makes all parts over the stores, by a record: at first, and after a crash.
  void Open(const TableRecord& record);
  // Gives structures to attributes that have an index and no structure yet.
  void Size();
  std::vector<Values> DrawAttributes();
  std::vector<Mutation> DrawBatch();
  std::string DrawValue();

  void Write(int num_batches);
  void Query(int num_queries);
  void RunQuery();
  // Returns whether the row of the key meets the conditions, as its server answers: by the entries
  // of one of them, if there is one. None: no server answers.
  std::optional<bool> Ask(uint32_t server, const std::string& key,
                          const std::vector<Condition>& conditions,
                          const std::optional<Condition>& by_entries);
  void Build();
  void Mark(int num_times);
  void ChangeRegions(int num_times);
  void ChangeIndexes(int num_times);
  // As IndexChanges::Finish.
  Result<bool> FinishIndexes();
  void StopServers(int num_times);
  void TakePhotos(int num_times);
  void Reclaim(int num_times);

  // Returns whether a row of these versions meets all conditions.
  static bool Meets(const Versions& versions, std::span<const Condition> conditions);
  // Called in one step with a commit of a writer, or a loss.
  void Changed(std::span<const RowChange> rows);
  std::map<std::string, Versions> RowsOfOwners() const;
  std::vector<bool> MaintainedAttributes() const;
  // Ends what actors have begun: copies, backfills, drops.
  void FinishAll();
  void BuildAll();
  void CheckPairs(const std::string& when);
  void CheckEmptied(const std::string& when);
  void CheckPhoto(Photo photo);
  void Fail(const std::string& what);
  void Note(const std::string& line) { interleaver_.Note(line); }

  Interleaver& interleaver_;
  Subject subject_ = Subject::kAny;
  Schema schema_;
  Structure structure_ = Structure::kMap;
  size_t num_row_locks_ = 0;
  uint64_t rows_per_sync_ = 1;  // of backfills
  std::vector<std::unique_ptr<MemoryRowStore>> stores_;
  std::vector<RowStore*> servers_;
  MemoryServers lookups_;
  MemoryRecorder recorder_;
  std::optional<ServerIndex> directory_;
  std::optional<RegionStates> regions_;
  std::optional<TableWriter> writer_;
  std::optional<ColumnBuilder> builder_;
  std::optional<TableKeeper> keeper_;
  std::optional<RegionChanges> region_changes_;
  std::optional<ServerChanges> server_changes_;
  std::optional<IndexChanges> index_changes_;

  uint32_t commit_faults_ = 0;    // one commit in so many fails; 0: none
  uint32_t question_faults_ = 0;  // one question in so many
  uint32_t record_faults_ = 0;    // one record in so many
  bool has_stops_ = false;        // of servers
  // Of attributes that had another state than kIndexed when their changes were last to be finished.
  std::array<bool, kNumAttributes> may_lack_structure_{};
  uint32_t num_others_ = 0;  // actors that run, but for the builder
  // Keys whose rows a server has forgotten that is not back yet: they change when it is.
  uint32_t returning_ = 0;
  std::vector<ActiveQuery*> active_;
  std::map<std::string, Versions> rows_;  // by the writers, as long as no server stops
  std::vector<Photo> photos_;
  std::string failure_;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_
