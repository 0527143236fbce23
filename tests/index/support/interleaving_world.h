// InterleavingWorld: a small table, its directory, and the actors of one interleaving: writers,
// queries, a builder, and those that mark columns, split, merge and move regions, and reclaim
// columns.
#ifndef TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_
#define TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/index/src/protocol/column_builder.h"
#include "engine/index/src/protocol/region_states.h"
#include "engine/index/src/protocol/table_writer.h"
#include "index/support/interleaver.h"
#include "index/support/memory_row_store.h"
#include "trommel/index/server_index.h"

namespace trommel::index::tests {

class InterleavingWorld : public std::enable_shared_from_this<InterleavingWorld> {
 public:
  // Draws everything from the interleaver's generator: shape, rows, faults, programs of actors.
  static std::shared_ptr<InterleavingWorld> Draw(Interleaver& interleaver);
  InterleavingWorld(Interleaver& interleaver, uint32_t num_servers, uint32_t num_regions);

  // Adds the actors of a run.
  void AddActors();
  // After the run, without a scheduler: builds what is not built, and checks that directory, local
  // indexes and rows agree; then empties the table and checks again.
  void CheckAtRest();
  // The first promise that was broken; empty if all held.
  const std::string& failure() const { return failure_; }

 private:
  static constexpr uint32_t kNumKeys = 4;
  static constexpr uint32_t kNumAttributes = 2;
  static constexpr uint32_t kNumValues = 3;
  static constexpr uint32_t kMostRegionIds = 32;

  // A query under way. Bits are keys.
  struct ActiveQuery {
    std::vector<Condition> conditions;
    uint32_t must_be_found = 0;  // met the conditions since before it began
    uint32_t may_be_found = 0;   // met them at some time since
  };

  // Keys are "a", "b", "c", "d"; values "x", "y", "z".
  static std::string KeyOf(uint32_t i) { return std::string(1, static_cast<char>('a' + i)); }
  static uint32_t BitOf(const std::string& key) { return 1u << (key[0] - 'a'); }
  static std::string ValueOf(uint32_t i) { return std::string(1, static_cast<char>('x' + i)); }

  std::vector<Values> DrawAttributes();
  std::vector<Mutation> DrawBatch();
  std::string DrawValue();

  void Write(int num_batches);
  void Query(int num_queries);
  void RunQuery();
  void Build();
  void Mark(int num_times);
  void ChangeRegions(int num_times);
  void Split(std::vector<Region> table, size_t position);
  void Merge(std::vector<Region> table, size_t position);
  void Move(std::vector<Region> table, size_t position);
  void PublishTable(std::vector<Region> table);
  void Reclaim(int num_times);

  // Returns whether a row of these versions meets all conditions.
  static bool Meets(const Versions& versions, std::span<const Condition> conditions);
  void Published();
  // Called in one step with a commit.
  void Committed(std::span<const RowChange> rows);
  void BuildAll();
  void CheckPairs(const char* when);
  void Fail(const std::string& what);
  void Note(const std::string& line) { interleaver_.Note(line); }

  Interleaver& interleaver_;
  Schema schema_;
  std::vector<std::unique_ptr<MemoryRowStore>> stores_;
  std::vector<RowStore*> servers_;
  std::optional<ServerIndex> directory_;
  std::optional<RegionStates> regions_;
  std::optional<TableWriter> writer_;
  std::optional<ColumnBuilder> builder_;

  uint32_t commit_faults_ = 0;    // one commit in so many fails; 0: none
  uint32_t question_faults_ = 0;  // one question in so many
  uint32_t next_region_id_ = 0;
  std::array<uint32_t, kNumKeys> owners_{};  // by key: the server that has its row
  uint32_t num_others_ = 0;                  // actors that run, but for the builder
  // Versions of the directory that the actors account for; none: also failed questions make some.
  std::optional<uint64_t> num_expected_versions_;
  std::vector<ActiveQuery*> active_;
  std::string failure_;
};

}  // namespace trommel::index::tests

#endif  // TROMMEL_TESTS_INDEX_SUPPORT_INTERLEAVING_WORLD_H_
