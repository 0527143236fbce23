/// @file
/// Cluster, an indexed table over region servers in one process, each a RocksDB database.
#ifndef TROMMEL_INDEX_CLUSTER_H_
#define TROMMEL_INDEX_CLUSTER_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/impl_ptr.h"
#include "trommel/index/query.h"
#include "trommel/index/region_store.h"
#include "trommel/index/region_table.h"
#include "trommel/index/schema.h"
#include "trommel/index/server_index.h"
#include "trommel/result.h"

namespace trommel::index {

/// The configuration of a new cluster. All of it is stored in the cluster.
struct ClusterConfig {
  Schema schema;             ///< Attributes, and which of them are indexed.
  uint32_t num_servers = 1;  ///< 1 to 256.
  /// Keys at which the table is cut into regions, ascending: splits.size() + 1 regions.
  std::vector<std::string> splits;
  Structure structure = Structure::kMap;  ///< Of the directory.
  double target_fpr = 0.004;              ///< Of the directory: ServerIndexConfig.
};

/// When regions are split and moved without being asked for. By default never.
struct RegionRules {
  /// A region whose rows take more, as its database estimates, is split in the middle. 0: none is.
  uint64_t split_bytes = 0;
  /// So is one whose rows change more often per second, over an interval.
  uint64_t split_writes_per_second = 0;
  /// Whether regions move from servers with many regions, or much written ones, to others.
  bool is_balanced = false;
  /// Between two looks at all regions; 1 ms to a year.
  std::chrono::milliseconds interval{1000};
};

/// How a cluster is opened. None of these is stored.
struct ClusterOptions {
  /// Whether a write returns only when it is on the disk. If false, a crash of the machine may lose
  /// the last writes (a crash of the process does not); rows and index stay in agreement.
  bool sync_writes = false;
  /// Caches and write buffers of all databases together; at least 2^20.
  uint64_t memory_bytes = uint64_t{256} << 20;
  uint32_t threads_per_server = 1;  ///< Threads that answer lookups, 1 to 64.
  /// Threads that build columns in the background, 0 to 64. 0: only BuildColumns does.
  uint32_t num_builders = 1;
  /// Whether a thread does in the background what FinishChanges does, and follows the rules.
  bool finishes_in_background = true;
  RegionRules rules = {};                 ///< For that thread.
  uint64_t backfill_rows_per_second = 0;  ///< While an index is added; 0: no limit.
  /// Whether Open leaves out servers whose database is missing or damaged, as StopServer does.
  bool leaves_out_lost_servers = false;
  /// How long Get waits for a server that holds the row; 1 ms to a year.
  std::chrono::milliseconds get_timeout{10'000};
};

/// What Verify does about what it finds.
enum class Repair : uint8_t {
  kNone,  ///< Nothing.
  /// Entries that are missing are made and those that dangle are removed, by the rows; rows outside
  /// their server's regions are removed with their entries, because the region table says which
  /// server has the row; columns that disagree are marked unbuilt. Rows that cannot be read stay.
  kAll,
};

/// What Verify found: everything agrees if ok().
struct VerifyReport {
  uint64_t num_rows = 0;             ///< Rows read.
  uint64_t num_entries = 0;          ///< Entries of local indexes read.
  uint64_t num_pairs = 0;            ///< Pairs of the local indexes.
  uint64_t num_unbuilt_columns = 0;  ///< Columns of which nothing could be verified.
  uint64_t num_wrong_rows = 0;  ///< Rows outside their server's regions, or that cannot be read.
  uint64_t num_missing_entries = 0;   ///< Values of rows without an entry.
  uint64_t num_dangling_entries = 0;  ///< Entries whose row does not have the value.
  uint64_t num_missing_pairs = 0;     ///< Pairs that the directory denies: rows that it would lose.
  uint64_t num_wrong_counts = 0;      ///< Attributes with too many pairs, or too few.
  uint64_t num_leftover_rows = 0;     ///< Of moves, to be removed by FinishChanges. No fault.
  uint64_t num_repaired = 0;          ///< Entries, rows and columns that Repair::kAll has mended.
  bool is_whole = true;               ///< Everything was compared; false: `keep_going` ended it.
  std::vector<std::string> examples;  ///< The first few findings, one line each.

  /// Returns whether everything was compared and agrees.
  bool ok() const noexcept {
    return is_whole && num_wrong_rows + num_missing_entries + num_dangling_entries +
                               num_missing_pairs + num_wrong_counts ==
                           0;
  }
};

/// The regions that a split makes.
struct SplitRegions {
  uint32_t low_id = 0;   ///< Of the lower keys.
  uint32_t high_id = 0;  ///< From the key of the split on.
};

/// A region, and how much it is used.
struct RegionLoad {
  Region region;                 ///< As it is now.
  uint64_t num_bytes = 0;        ///< Of its rows, as its database estimates.
  uint64_t num_writes = 0;       ///< Rows that writes have changed since the cluster was opened.
  double writes_per_second = 0;  ///< Over the last interval of the rules; 0: not measured.
  bool is_busy = false;          ///< Being split, merged or moved.
};

/// A region that Balance would move.
struct PlannedMove {
  uint32_t region_id = 0;  ///< The region.
  uint32_t server = 0;     ///< Where to.

  /// Memberwise equality.
  friend bool operator==(const PlannedMove&, const PlannedMove&) = default;
};

/// Statistics of one server.
struct ServerStats {
  bool is_stopped = false;    ///< Lost: its regions are not answered.
  uint32_t num_regions = 0;   ///< Regions that the server holds.
  uint64_t num_rows = 0;      ///< An estimate by its database.
  uint64_t num_entries = 0;   ///< An estimate by its database.
  uint64_t disk_bytes = 0;    ///< Of its database's table files.
  uint64_t memory_bytes = 0;  ///< Caches and write buffers in use.
  uint64_t num_lookups = 0;   ///< Lookups answered since the cluster was opened.
};

/// Waits at the gates of regions, since the cluster was opened.
struct GateStats {
  uint64_t num_waits = 0;     ///< Writes and chunks of builders that waited for a switch.
  double wait_seconds = 0;    ///< How long, in all.
  double longest_wait = 0;    ///< The longest of these, in seconds.
  uint64_t num_switches = 0;  ///< How often a gate was held alone.
  double longest_switch = 0;  ///< The longest, with the wait for writes under way, in seconds.
};

/// What queries cost, since the cluster was opened.
struct QueryTotals {
  uint64_t num_queries = 0;     ///< Calls of Find.
  uint64_t num_candidates = 0;  ///< Regions that were asked.
  uint64_t num_unbuilt = 0;     ///< Of these, candidates because a column was not built.
  uint64_t num_false = 0;       ///< Of these, regions without a row.
  uint64_t num_retries = 0;     ///< Lookups sent again.
  uint64_t num_unanswered = 0;  ///< Ranges not answered.
};

/// Statistics of a cluster.
struct ClusterStats {
  ServerIndexStats directory;        ///< Of the directory.
  std::vector<ServerStats> servers;  ///< Of each server.
  uint64_t num_columns_loaded = 0;   ///< Columns read from the directory's file by Open.
  /// Columns that builders have yet to fill, and (kServerFilters) those that refused a pair.
  uint64_t num_columns_waiting = 0;
  uint64_t num_leftovers = 0;  ///< Copies of rows that moves have left, to be removed.
  uint64_t num_splits = 0;     ///< Since the cluster was opened, as the next two.
  uint64_t num_merges = 0;     ///< Merges.
  uint64_t num_moves = 0;      ///< Moves that have switched.
  GateStats gates;             ///< Of all regions.
  QueryTotals queries;         ///< Of Find.
  std::string last_failure;    ///< Of the background thread's last try; empty: none.
};

/// An indexed table: rows and local indexes in the databases of num_servers region servers, and a
/// directory in memory in front of them. It is the embedded implementation of RegionStore, and adds
/// writes, building and verification.
///
/// Its folder has `meta`, a database with schema and region table; `server-000` and so on, a
/// database per server with its rows and entries; and `directory`, the columns as they were at the
/// last clean close. FORMAT.md and INDEX_FILES.md describe them.
///
/// Thread safety: any thread may call any function at any time, but for Close, move and
/// destruction, which are exclusive. Requires that a thread that writes, builds, verifies or closes
/// holds no ServerIndex::Pin.
class Cluster {
 public:
  /// Receives the progress of a long call, in the calling thread: the work done, and all of it. The
  /// call may hold what other functions wait for: so this, and `keep_going` of such a call, may
  /// read the cluster (Get, Find, GetStats, GetRegionLoads, PlanBalance), and must call nothing
  /// else of it. Writes wait for Verify, and so for what this does meanwhile.
  using Progress = std::function<void(uint64_t done, uint64_t total)>;

  /// Creates a cluster in a new folder. Fails with kExists if the folder has anything in it, with
  /// kInvalidArgument for numbers and names out of range, and with kIo.
  static Result<Cluster> Create(const std::filesystem::path& folder, const ClusterConfig& config,
                                const ClusterOptions& options = {});
  /// Opens a cluster. Columns whose database is exactly as the directory's file says are loaded;
  /// the others are unbuilt. Fails with kIo if there is no cluster, or another process has it open,
  /// with kVersion if a newer program made it, and with kCorrupt if a part of it is missing or
  /// damaged.
  static Result<Cluster> Open(const std::filesystem::path& folder,
                              const ClusterOptions& options = {});

  /// Moves the cluster. Exclusive.
  /// @{
  Cluster(Cluster&&) noexcept;
  Cluster& operator=(Cluster&&) noexcept;
  /// @}
  /// Closes without saving the directory, unless Close was called.
  ~Cluster();

  /// Waits for operations under way, syncs the databases, writes the directory, and closes. A
  /// directory that cannot be written is removed, and is built again at the next open: then, and if
  /// a database cannot be synced, fails with kIo. The cluster must not be used after it. Exclusive.
  Status Close();

  const ClusterConfig& config() const noexcept;  ///< Returns the configuration.

  /// @name Rows
  /// Writes fail with kInvalidArgument, changing nothing, if a row does not fit the schema, with
  /// kIo or kCorrupt if a database fails, and with kOutOfMemory. A failed write may have been done
  /// or not; rows, entries and directory agree in either case.
  /// @{

  /// Writes a row, as a new version of the row of this key.
  Status Put(const Row& row);
  /// Deletes the row of this key with all its versions, if there is one.
  Status Delete(std::string_view key);
  /// Applies mutations in their order. Those of one region are atomic: all of them are visible and
  /// durable, or none. Those of different regions are not, and a failure may leave some done.
  Status Write(std::span<const Mutation> mutations);
  /// Returns the row with the values of all its readable versions, if there is one. Fails with kIo
  /// or kCorrupt if the database does.
  Result<std::optional<Row>> Get(std::string_view key) const;
  /// @}

  /// Answers a query: trommel::index::Query.
  Result<QueryOutcome> Find(const QueryRequest& request) const;

  /// Builds all columns that are not built, in the calling thread and beside the builders. Returns
  /// true when there is none left, and false when `keep_going` has returned false. Fails with the
  /// error of a database that cannot be read, when all that can be built is built.
  Result<bool> BuildColumns(const Progress& progress = nullptr,
                            const std::function<bool()>& keep_going = nullptr);

  /// Verifies that rows, local indexes and directory agree, and repairs what does not. Writes, and
  /// changes of regions, servers and indexes, wait for it; queries do not. Ends early, with what it
  /// has found and repaired, when `keep_going` returns false. Fails with kIo if a database cannot
  /// be read. Cost: one pass over all rows and entries.
  Result<VerifyReport> Verify(const Progress& progress = nullptr, Repair repair = Repair::kNone,
                              const std::function<bool()>& keep_going = nullptr);

  /// @name Regions
  /// Rows are written and queries answered meanwhile; no query misses a row. Each change is durable
  /// by one write, before anything of it can be seen. Fail with kInvalidArgument for regions,
  /// servers and keys that do not fit, with kBusy if something else is done to a region, and with
  /// kIo; then, as when std::bad_alloc is thrown, nothing has changed, with one exception. If the
  /// disk of `meta` fails so that it cannot be read what became of the one write, the change fails,
  /// and the next open may find it done. The region of such a move refuses writes until another
  /// change is durable.
  /// @{

  /// Splits a region at a key, at which the higher part begins; without one, in the middle of its
  /// rows. No row moves; the parts' columns are built again. Writes of the region wait for those
  /// under way, and for one durable write.
  Result<SplitRegions> Split(uint32_t region_id,
                             const std::optional<std::string>& key = std::nullopt);
  /// Merges two neighbours on one server. Returns the id of the region that they become. Waits as
  /// for Split.
  Result<uint32_t> Merge(uint32_t region_id, uint32_t other_id);
  /// Moves a region's rows to another server. Its columns stay as they are. One move at a time:
  /// others wait. Writes go on while rows are copied; at the end those of the region wait for the
  /// copy of at most 1,024 rows and two durable writes. Returns false if `keep_going` returned
  /// false before: then nothing has moved. What is left of the copy, or at the old server, is
  /// removed now, or by FinishChanges.
  Result<bool> Move(uint32_t region_id, uint32_t server, const Progress& progress = nullptr,
                    const std::function<bool()>& keep_going = nullptr);
  /// Returns the moves that would balance the servers that run: by regions, and by how often their
  /// rows change if `by_writes`.
  std::vector<PlannedMove> PlanBalance(bool by_writes = true) const;
  /// Moves regions as PlanBalance says. Returns how many.
  Result<uint32_t> Balance(const Progress& progress = nullptr,
                           const std::function<bool()>& keep_going = nullptr);
  /// Returns all regions in the order of their keys, and how much they are used. Cost: an estimate
  /// by a database for each.
  std::vector<RegionLoad> GetRegionLoads() const;
  /// @}

  /// @name Servers
  /// A server that is lost keeps its regions: queries report their ranges as not answered, and
  /// answer the others; writes of them fail.
  /// @{

  /// Takes a server from the cluster, as if it had failed. Waits for its calls under way.
  Status StopServer(uint32_t server);
  /// Opens a stopped server's database again, perhaps without its last unsynced writes, and answers
  /// for it: at first with unbuilt columns. A server whose writes fail, because its disk was full,
  /// is cured by StopServer and StartServer. Fails with the reason if the database cannot be
  /// opened.
  Status StartServer(uint32_t server);
  /// @}

  /// @name Indexes
  /// Queries of an attribute are broadcast while its index is being made or removed.
  /// @{

  /// Begins an index of an attribute that has none. Durable when it returns; FinishChanges, or the
  /// background thread, makes the entries of the rows that there are. Fails with kInvalidArgument
  /// if there is one or no such attribute, with kBusy while an old one is being removed, and with
  /// kIo: then, as for Split, the next open may find it done.
  Status AddIndex(uint32_t attribute);
  /// Gives up an attribute's index, complete or not. Durable when it returns; FinishChanges, or the
  /// background thread, removes its entries. Fails with kInvalidArgument if there is none, and with
  /// kIo, as AddIndex.
  Status DropIndex(uint32_t attribute);
  /// Ends what was begun, also before the cluster was opened: makes and removes entries of indexes,
  /// and removes rows that moves have left. Returns false if `keep_going` returned false; while
  /// another call of this, or a move, is under way, it waits without asking. Fails with the reason
  /// of a server that failed; then it is to be called again.
  Result<bool> FinishChanges(const Progress& progress = nullptr,
                             const std::function<bool()>& keep_going = nullptr);
  /// @}

  ClusterStats GetStats() const;  ///< Returns statistics.

  /// @name Parts
  /// @{
  ServerIndex& directory() noexcept;              ///< The directory.
  const ServerIndex& directory() const noexcept;  ///< The directory.
  RegionStore& store() const noexcept;            ///< The servers.
                                                  /// @}

 private:
  struct Impl;
  Status VerifyServer(uint32_t server) const;
  Status VerifyAttribute(uint32_t attribute) const;
  explicit Cluster(std::unique_ptr<Impl> impl) noexcept;
  ImplPtr<Impl> impl_;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_CLUSTER_H_
