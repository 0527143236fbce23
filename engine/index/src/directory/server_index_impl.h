// ServerIndex::Impl: the versions, and how they are changed.
//
// Readers (queries, and writers of pairs while they use a column) enter a grace period, load the
// current version, and leave when they no longer use it. Changes of versions exclude each other.
// What a change replaces is kept in `versions` and `retired` until Reclaim has waited for all
// readers that may have seen it. Since writers are such readers, a column that is closed has no
// writer, either. A structure that is replaced goes with the last version that has it.
//
//   draft made: may fail for want of memory     --> its columns are closed by the next Reclaim
//   draft published: allocates nothing          --> what it replaces is retired
#ifndef TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_
#define TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/index/src/directory/version.h"
#include "engine/index/src/sync/steps.h"
#include "trommel/index/server_index.h"
#include "trommel/sync/grace_periods.h"

namespace trommel::index {

struct ServerIndex::Impl {
  // An open column.
  struct StructureColumn {
    std::shared_ptr<PairStructure> structure;
    uint32_t column;
  };
  // A version that is being made. Attributes are shared with the one before until they are Changed.
  // Requires `mutex` for its lifetime.
  struct Draft {
    Draft(Impl& impl_of_it, std::unique_ptr<Version> made)
        : impl(impl_of_it), version(std::move(made)), is_changed(version->attributes.size()) {}
    Draft(const Draft&) = delete;
    Draft& operator=(const Draft&) = delete;
    ~Draft();

    Impl& impl;
    std::unique_ptr<Version> version;
    std::vector<bool> is_changed;  // by attribute
    // What publishing it does beside.
    std::vector<StructureColumn> opened;                  // no longer to be closed
    std::vector<StructureColumn> retired;                 // to be closed
    std::vector<std::shared_ptr<PairStructure>> dropped;  // their columns need not be closed
    uint64_t num_switches = 0;
  };

  // A reader of the current version.
  struct Reading {
    GracePeriods::Reader reader;
    const Version* version;
  };
  Reading Read() const {
    Step("read current version");
    GracePeriods::Reader reader = grace_periods.Enter();
    // After entering, and sequentially consistent with the store in Publish: grace_periods.h.
    return {std::move(reader), current.load(std::memory_order_seq_cst)};
  }

  // A region's column in one of its attribute's sets.
  struct Place {
    bool Maintains(std::string_view value) const {
      return region != nullptr && region->Maintains(value);
    }
    PairStructure* structure = nullptr;
    RegionColumn* region = nullptr;  // null: the region does not exist, or has no column in the set
  };
  struct Places {
    const Place& to_fill() const { return is_growing ? next : now; }
    Place now;
    Place next;
    bool is_growing = false;  // the attribute has a successor
  };
  // Ends the program for an attribute that the schema does not have.
  static Places Find(const Version& version, ColumnName name);

  // --- Changes of versions. All require `mutex`.

  Draft BeginDraft();
  // Returns the attribute's columns of the draft, a copy that may be changed.
  AttributeColumns& Change(Draft& draft, uint32_t attribute) const;
  // Gives new columns to the regions at these positions, and with kServerFilters to all regions of
  // their servers, and retires those that they had: in both of the attribute's sets.
  void Replace(Draft& draft, uint32_t attribute, std::vector<size_t> positions);
  // The same in one set, for positions that are whole servers', one's after the other's.
  // is_opening: the new columns are open; else there are none.
  void ReplaceIn(Draft& draft, ColumnSet& set, const RegionTable& table,
                 const std::vector<size_t>& positions, bool is_opening);
  // Sorts positions and leaves each once; kServerFilters: adds all regions of the same servers.
  std::vector<size_t> WholeServers(const RegionTable& table, std::vector<size_t> positions) const;
  // Opens a free column of the set; kNoColumn if there is none, or no memory. Requires space for it
  // in `draft.opened`, and in `retired` for all of these.
  static uint32_t OpenColumn(Draft& draft, const ColumnSet& set);
  static void Retire(Draft& draft, const ColumnSet& set, uint32_t column);
  // All that may fail of Publish.
  void Complete(Draft& draft);
  // Publishes a draft that is complete.
  void Commit(Draft& draft) noexcept;
  void Publish(Draft& draft) {
    Complete(draft);
    Commit(draft);
  }
  // Whether an attribute has the structure now.
  bool IsUsed(const PairStructure* structure) const noexcept;
  // A new column of a region, not built.
  std::shared_ptr<RegionColumn> NewRegionColumn(uint32_t column) {
    return std::make_shared<RegionColumn>(next_column_id++, column);
  }

  // --- Changes that make a version of their own. They lock `mutex`.

  // The last column of a successor to become built makes it the attribute's structure.
  void SetBuilt(ColumnName name, uint64_t column_id);
  // The structure refused a pair: its regions are candidates for every value from now on. Of a
  // successor: from when it is the attribute's structure.
  void GiveUp(ColumnName name, uint64_t column_id);

  // --- Structures. All require `mutex`.

  // A new structure, whose columns are all closed. kMap: with slots for so many of the pairs, or of
  // this shape.
  Result<ColumnSet> MakeSet(const RegionTable& table, uint64_t pairs_per_region,
                            double slots_per_pair, const StructureShape& shape);
  // Without a structure.
  ColumnSet EmptySet(size_t num_regions);
  // Columns of the set go with its structure, when no version has it any more.
  static void Drop(Draft& draft, const ColumnSet& set) { draft.dropped.push_back(set.structure); }
  // Makes the successor the attribute's structure.
  void Switch(Draft& draft, uint32_t attribute);

  // Positions whose column in the set is that of `position`.
  static std::vector<size_t> SharersOf(const ColumnSet& set, size_t position);
  // Columns of a new kMap structure: a 64th more than regions, because a region has two while one
  // replaces the other; and what else has space in the words of an answer, for regions to come.
  uint32_t NumColumns(size_t num_regions) const;

  ServerIndexConfig config;
  uint32_t num_servers = 0;  // kServerFilters has filters for so many
  mutable GracePeriods grace_periods;
  std::atomic<const Version*> current{nullptr};
  std::atomic<uint64_t> num_refused_pairs{0};

  // Over everything below, and over storing `current`. Locked by Lock alone: a thread may take a
  // Step while it has it (NextVersion).
  mutable std::mutex mutex;
  std::unique_lock<std::mutex> Lock() const { return LockThroughSteps(mutex, "change versions"); }
  std::vector<std::unique_ptr<const Version>> versions;  // the current one last
  std::vector<StructureColumn> retired;
  uint64_t next_column_id = 1;
  uint64_t num_switches = 0;
};

struct ServerIndex::NextVersion::Impl {
  explicit Impl(ServerIndex::Impl& of) : index(of), lock(of.Lock()), draft(of.BeginDraft()) {}

  ServerIndex::Impl& index;
  const std::unique_lock<std::mutex> lock;
  ServerIndex::Impl::Draft draft;
};

}  // namespace trommel::index

#endif  // TROMMEL_ENGINE_INDEX_SRC_DIRECTORY_SERVER_INDEX_IMPL_H_
