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

/// What a new cluster is like. All of it is stored.
struct ClusterConfig {
  Schema schema;             ///< Its attributes; which of them are indexed.
  uint32_t num_servers = 1;  ///< 1 to 256.
  /// Keys at which the table is cut into regions, ascending: splits.size() + 1 regions.
  std::vector<std::string> splits;
  Structure structure = Structure::kTransposed;  ///< Of the directory.
  double target_fpr = 0.004;                     ///< Of the directory: ServerIndexConfig.
};

/// How a cluster is opened. Nothing of it is stored.
struct ClusterOptions {
  /// Whether a write returns only when it is on the disk. Without, a machine that fails may lose
  /// the last writes (a process that fails does not); rows and index stay in agreement.
  bool sync_writes = false;
  uint64_t memory_bytes = uint64_t{256} << 20;  ///< Of all databases: caches and write buffers.
  uint32_t threads_per_server = 1;              ///< That answer lookups; 1 to 64.
  /// Threads that build columns in the background, 0 to 64. 0: only BuildColumns does.
  uint32_t num_builders = 1;
};

/// What Verify found. Everything agrees if all that begin with num_wrong are 0.
struct VerifyReport {
  uint64_t num_rows = 0;             ///< Rows read.
  uint64_t num_entries = 0;          ///< Entries of local indexes read.
  uint64_t num_pairs = 0;            ///< Pairs of the local indexes.
  uint64_t num_unbuilt_columns = 0;  ///< Columns of which nothing could be verified.
  uint64_t num_wrong_rows = 0;  ///< Rows outside their server's regions, or that cannot be read.
  uint64_t num_missing_entries = 0;   ///< Values of rows without an entry.
  uint64_t num_dangling_entries = 0;  ///< Entries whose row does not have the value.
  uint64_t num_missing_pairs = 0;     ///< Pairs that the directory denies: rows that it would lose.
  uint64_t num_wrong_counts =
      0;  ///< Attributes with another number of pairs than in local indexes.
  std::vector<std::string> examples;  ///< The first few findings, one line each.

  /// Returns whether everything agrees.
  bool ok() const noexcept {
    return num_wrong_rows + num_missing_entries + num_dangling_entries + num_missing_pairs +
               num_wrong_counts ==
           0;
  }
};

/// Statistics of one server.
struct ServerStats {
  uint32_t num_regions = 0;   ///< That it holds.
  uint64_t num_rows = 0;      ///< An estimate by its database.
  uint64_t num_entries = 0;   ///< An estimate by its database.
  uint64_t disk_bytes = 0;    ///< Of its tables.
  uint64_t memory_bytes = 0;  ///< Caches and write buffers in use.
  uint64_t num_lookups = 0;   ///< Answered since it was opened.
};

/// Statistics of a cluster.
struct ClusterStats {
  ServerIndexStats directory;        ///< Of the directory.
  std::vector<ServerStats> servers;  ///< Of each server.
  uint64_t num_columns_loaded = 0;   ///< Columns that came from the file when it was opened.
};

/// An indexed table: rows and local indexes in the databases of num_servers region servers, and a
/// directory in memory in front of them. The embedded implementation of RegionStore, with all that
/// writes need.
///
/// In its folder: `meta`, a database with schema and region table; `server-000` and so on, a
/// database with the rows and entries of each server; `directory`, the columns as they were at the
/// last clean close.
///
/// Thread safety: any thread may call anything at any time, but for Close, move and destruction,
/// which are exclusive.
class Cluster {
 public:
  /// Told about long work: how much is done, of how much. Called from the calling thread.
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
  /// A failed write leaves rows, entries and directory in agreement: whether it was done, the rows
  /// themselves say.
  /// @{

  /// Writes a row: as a new version of it.
  Status Put(const Row& row);
  /// Deletes a row, if it is there.
  Status Delete(std::string_view key);
  /// Applies mutations in their order. Those of one region are atomic: all of them are visible and
  /// durable, or none. Those of different regions are not, and a failure may leave some done.
  Status Write(std::span<const Mutation> mutations);
  /// Returns the row with the values of all its readable versions, if there is one.
  Result<std::optional<Row>> Get(std::string_view key) const;
  /// @}

  /// Answers a query: trommel::index::Query.
  Result<QueryOutcome> Find(const QueryRequest& request) const;

  /// Builds all columns that are not built, in the calling thread and beside the builders; returns
  /// when there is none left, or early, with false, when `keep_going` returns false.
  Result<bool> BuildColumns(const Progress& progress = nullptr,
                            const std::function<bool()>& keep_going = nullptr);

  /// Verifies that rows, local indexes and directory agree. Writes wait for it; queries do not.
  Result<VerifyReport> Verify(const Progress& progress = nullptr);

  ClusterStats GetStats() const;  ///< Returns statistics.

  /// @name Parts
  /// @{
  ServerIndex& directory() noexcept;              ///< The directory.
  const ServerIndex& directory() const noexcept;  ///< The directory.
  RegionStore& store() const noexcept;            ///< The servers.
                                                  /// @}

 private:
  struct Impl;
  explicit Cluster(std::unique_ptr<Impl> impl) noexcept;
  ImplPtr<Impl> impl_;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_CLUSTER_H_
