/// @file
/// ServerIndex, the directory of the secondary index: which regions may hold this attribute value?
#ifndef TROMMEL_INDEX_SERVER_INDEX_H_
#define TROMMEL_INDEX_SERVER_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trommel/digest.h"
#include "trommel/impl_ptr.h"
#include "trommel/index/region_table.h"
#include "trommel/keys.h"
#include "trommel/result.h"
#include "trommel/sync/grace_periods.h"

namespace trommel::index {

/// What holds the pairs of an attribute. INDEX.md compares them.
enum class Structure : uint8_t {
  /// One scalable counting filter per server, as in Huang, Fang and Zhang, "Split Counting Bloom
  /// Filter and its Application in Hbase Secondary Index", section 4: a query asks the filter of
  /// each server in turn, and all regions of a server are candidates together. A pair that a filter
  /// refuses makes its server's regions candidates for every value.
  kServerFilters = 1,
  /// A ColumnMap with a column per region: a table of fingerprints and regions, so that one query
  /// reads one cache line for a value in few regions, however many there are.
  kMap = 2,
};

/// Returns "server-filters" or "map".
std::string_view StructureName(Structure structure) noexcept;

/// State of an attribute's entries in the local indexes.
enum class AttributeState : uint8_t {
  kNone = 0,      ///< There are no entries: queries of it are broadcast.
  kIndexed = 1,   ///< The local indexes have an entry for each value of each row.
  kBuilding = 2,  ///< Writers maintain entries, and older rows get theirs: queries are broadcast.
  kDropping = 3,  ///< Entries are being removed: queries are broadcast.
};

/// What ServerIndex::Create makes.
struct ServerIndexConfig {
  std::vector<AttributeState> attributes = {};  ///< One per attribute of the schema; at least one.
  Structure structure = Structure::kMap;        ///< Of all attributes.
  /// kMap: false-positive rate of one column at its capacity, so that a query has at most
  /// num_regions * target_fpr false regions, and mostly far fewer. kServerFilters: the rate of one
  /// server's filter, at every size.
  double target_fpr = 0.004;
  /// Least number of columns of a kMap structure, at most 65,535. A structure is made with at least
  /// regions + regions / 64 + 1 of them, and with as many as have space in the words of an answer:
  /// a region has two columns while one replaces the other, and regions are split.
  /// A region for which none is free is a candidate for every value, until Reclaim frees one or
  /// Resize makes a structure with more.
  uint32_t min_columns = 0;
  uint32_t num_servers = 0;  ///< kServerFilters: servers of all tables; 0: those of the first one.
  DigestPolicy digest = {.kind = DigestKind::kXxh3};  ///< How values become digests.
  uint64_t memory_limit_bytes = 0;  ///< Of each structure; 0: the machine's memory.
};

/// Names a column, by its region and its attribute.
struct ColumnName {
  uint32_t region_id = 0;  ///< Region::id.
  uint32_t attribute = 0;  ///< Position in the schema.

  /// Memberwise equality.
  friend bool operator==(const ColumnName&, const ColumnName&) = default;
};

/// How far a region's column is built; of an attribute that has a successor, the successor's
/// column.
struct BuildState {
  /// Names the column; 0 if the region has none now, because the attribute has no structure yet or
  /// no column is free. A column that is marked unbuilt is replaced by another one.
  uint64_t column_id = 0;
  bool is_built = false;  ///< All pairs are in.
  /// Pairs of values up to and with this one are in; none: of no value yet.
  std::optional<std::string> cursor = {};
};

/// Statistics of one attribute of a ServerIndex.
struct AttributeStats {
  AttributeState state = AttributeState::kNone;  ///< As published.
  uint64_t pairs_per_region = 0;       ///< Capacity of a column; 0: the attribute has no structure.
  uint32_t num_columns = 0;            ///< Of the structure: open, replaced and free.
  uint64_t num_pairs = 0;              ///< In the columns of the current version.
  uint64_t largest_column = 0;         ///< Pairs of the fullest of these.
  uint32_t num_unbuilt = 0;            ///< Regions that are candidates for every value.
  bool is_growing = false;             ///< A successor of the structure is being filled.
  uint64_t next_pairs_per_region = 0;  ///< Of the successor; 0: there is none.
  uint32_t next_num_columns = 0;       ///< Of the successor.
  uint32_t next_num_unbuilt = 0;       ///< Regions whose columns of the successor are to be built.
  uint64_t num_bytes = 0;  ///< Of the structure and its successor, replaced columns included.
  /// kMap: the share of pairs that are not in slots, but in lists and bitmaps of regions.
  double share_in_lists = 0;
  /// kMap: the blocks of a successor for as many pairs per region, which has slots for the share of
  /// pairs that take one now, as a share of the structure's blocks. 1: no fewer.
  double successor_share = 1;
  /// Regions that hold no row with the value but are candidates, expected of a query whose value is
  /// in no region; by the model, for the pairs that are in.
  double predicted_false_regions = 0;
};

/// The statistics of a ServerIndex.
struct ServerIndexStats {
  uint64_t version = 0;                    ///< Number of the current version.
  uint32_t num_regions = 0;                ///< Of the current version.
  std::vector<AttributeStats> attributes;  ///< As in the schema.
  uint64_t num_bytes = 0;                  ///< Of all structures.
  uint32_t num_retired_columns = 0;        ///< Replaced columns that Reclaim has not freed.
  uint64_t num_switches = 0;               ///< Successors that became structures, since Create.
  /// Erasures of pairs that a column did not have, since Create: rows and directory disagreed, and
  /// the column was marked unbuilt. 0 unless a caller or the memory errs.
  uint64_t num_refused_pairs = 0;
};

/// Identifies a state of a database. A saved directory is right only about the states with which it
/// was saved.
struct StoreStamp {
  /// Differs between any two databases, also between copies of one that were written to since. A
  /// number of writes cannot tell these apart, so a store gets another identity, at random, with
  /// the first write after it was opened. Empty: not known, as no other.
  std::string identity;
  uint64_t sequence = 0;  ///< Rises with every write.

  /// Memberwise equality.
  friend bool operator==(const StoreStamp&, const StoreStamp&) = default;
};

/// The directory: for an attribute and a value, the regions that may hold a row with it.
///
/// Its unit is a *pair* of a value and a region. A pair is inserted when the region gets its first
/// row with the value, and erased when it loses its last one: the local index, which is exact,
/// counts rows, and the directory counts pairs that share its counters. The answer is a set of
/// regions. It may have regions too many, and never one too few.
///
/// *Columns.* Each region has a column for each attribute. A column whose pairs are not all in is
/// *unbuilt*, and its region is a candidate for every value of the attribute. Whenever pairs and
/// rows may disagree, MarkUnbuilt replaces the column by an empty one, which a builder fills in the
/// order of values. A column becomes built once; a replaced column serves only queries that pinned
/// an older version.
///
/// *Versions.* The region table and the columns that belong to it are published in immutable
/// versions. A query pins one and sees only its regions.
///
/// *Growth.* A structure has one capacity for all columns. Resize makes a larger or smaller one
/// beside it, its *successor*, with a second column for each region. Queries read the structure
/// alone, which follows the rows as before; builders fill the successor's columns. When the last of
/// them is built, a version is published in which the successor is the structure. Both take memory
/// until then, and until Reclaim has waited for older versions.
///
/// @code{.unparsed}
///   operation                  promise
///   -------------------------  -----------------------------------------------------------------
///   PinVersion, Candidates     Take no lock and never wait. If an insertion of the pair happened
///                              before the query, and no erasure that could match it has begun, the
///                              region is among the candidates. So is a region that is not built.
///   Insert, Erase, GainPair,   Any thread at any time. They wait for others of the same column,
///   and LosePair, IsMaintained     for changes of versions only if the structure refuses a pair.
///   GetBuildState,             As those; but the caller's lock must exclude them, GainPair and
///   AdvanceBuild, FinishBuild  LosePair of one column from each other. A call that makes a column
///                              built waits for changes of versions and for GetStats, too.
///   MarkUnbuilt, Resize,       Any thread at any time, one after the other. Queries do not wait.
///   Publish, SetState, Prepare,
///   ColumnsToBuild, Reclaim,
///   WaitForPins, GetStats
///   Save, LoadColumns, move,   Exclusive.
///   destruction
/// @endcode
class ServerIndex {
 public:
  /// Creates a directory without structures: all regions are candidates for every value until
  /// Resize has made an attribute's structure and its columns are built. Fails with
  /// kInvalidArgument for numbers out of range.
  static Result<ServerIndex> Create(const ServerIndexConfig& config, RegionTable table);

  /// Moves the directory. One that was moved from may only be destroyed or assigned to. Exclusive.
  /// @{
  ServerIndex(ServerIndex&&) noexcept;
  ServerIndex& operator=(ServerIndex&&) noexcept;
  ~ServerIndex();
  /// @}

  struct Version;  ///< Not part of the interface.

  /// A version of the directory, which does not change for the lifetime of this object. Requires
  /// that the directory outlives it. Reclaim waits for it, so it should be held for a limited time.
  class Pin {
   public:
    /// Returns the version's number; the first is 1.
    uint64_t version() const noexcept;
    /// Returns the region table.
    const RegionTable& table() const noexcept;
    /// Returns the number of attributes of the schema.
    size_t num_attributes() const noexcept;
    /// Returns the state of an attribute.
    AttributeState state(uint32_t attribute) const noexcept;
    /// Returns the number of words of one answer: bit i is the region at position i of the table,
    /// and bits beyond the last region are 0.
    size_t num_words() const noexcept;

    /// Writes the candidates of each value: num_words() words per value. If the attribute is not
    /// kIndexed, all regions are. Values that are not digests are hashed by the digest policy.
    /// Cost: a cache line per value, for one in many regions its list or bitmap as well, and the
    /// answer (kMap); a query of each server's filter (kServerFilters).
    void Candidates(uint32_t attribute, Keys values, std::span<uint64_t> regions) const noexcept;
    /// Writes the candidates of one value.
    void Candidates(uint32_t attribute, Key value, std::span<uint64_t> regions) const noexcept;
    /// Returns whether all pairs of the region, at a position of the table, are in.
    bool IsBuilt(uint32_t attribute, size_t position) const noexcept;

   private:
    friend class ServerIndex;
    Pin(GracePeriods::Reader reader, const Version& version, const DigestPolicy& digest) noexcept
        : reader_(std::move(reader)), version_(&version), digest_(&digest) {}

    GracePeriods::Reader reader_;
    const Version* version_;
    const DigestPolicy* digest_;
  };

  /// Pins the current version.
  Pin PinVersion() const noexcept;

  /// @name Pairs, for callers that know when a region gains and loses a value
  /// @{

  /// Inserts pairs into the region's column, whether it is built or not, and into the successor's
  /// column once that is built. If the structure refuses one, the region loses its column, and is a
  /// candidate for every value until MarkUnbuilt or Resize. Does nothing if the region has no
  /// column or no longer exists.
  ///
  /// So AdvanceBuild fills a successor's column, with all pairs that the region has at that moment.
  /// The caller's lock must exclude Insert and Erase of the region from it. A caller that fills
  /// columns by Insert alone removes the structure first, by SetState, and makes a new one.
  void Insert(ColumnName column, Keys values) noexcept;
  /// Erases pairs, from the successor's column once that is built. Requires that they were inserted
  /// into this column. A pair that is certainly not in the column marks it unbuilt.
  void Erase(ColumnName column, Keys values) noexcept;
  /// Marks the column that GetBuildState names as built: it has all pairs.
  void FinishBuild(ColumnName column) noexcept;
  /// @}

  /// @name Pairs, beside a builder that fills columns in the order of values
  /// @{

  /// Returns whether the column, or that of the successor, is built or its builder has passed the
  /// value. The pair must be gained and lost as rows change if this is true, and must not be if it
  /// is false.
  bool IsMaintained(ColumnName column, std::string_view value) const noexcept;
  /// Inserts the pair into those of the two columns that are built or filled beyond the value.
  void GainPair(ColumnName column, std::string_view value) noexcept;
  /// Erases the pair from those of the two columns that are built or filled beyond the value.
  void LosePair(ColumnName column, std::string_view value) noexcept;
  /// Returns how far the column is built that a builder has to fill: the successor's, if the
  /// attribute has one.
  BuildState GetBuildState(ColumnName column) const;
  /// Inserts the pairs of these values, which are all of the region after the cursor up to
  /// `new_cursor`, and moves the cursor there; without a new cursor, the column is built. Returns
  /// false if the column is no longer the one that GetBuildState named, changing nothing, and if
  /// the structure refuses a pair, as Insert does.
  bool AdvanceBuild(ColumnName column, uint64_t column_id, std::span<const std::string> values,
                    const std::optional<std::string>& new_cursor) noexcept;
  /// Returns the columns that a builder has to fill: of attributes that are kIndexed and have a
  /// structure, those that are not built and have a column; the successor's, if there is one. Gives
  /// columns to regions for which none was free before.
  std::vector<ColumnName> ColumnsToBuild();
  /// @}

  /// @name Versions
  /// @{

  /// Publishes a version in which these columns, and those of a successor, are replaced by new,
  /// empty, unbuilt ones. kServerFilters: and those of all regions of the same servers.
  void MarkUnbuilt(std::span<const ColumnName> columns);
  /// A version that is made and not yet published, for changes that are to be durable before they
  /// can be seen: whatever may fail has been done. Other changes of versions wait for its lifetime,
  /// and the calling thread must make none. If it is not published, nothing has changed.
  class NextVersion {
   public:
    /// Moves the version. One that was moved from may only be destroyed.
    NextVersion(NextVersion&&) noexcept;
    ~NextVersion();
    /// Publishes it, and lets other changes go on. Allocates nothing. At most once.
    void Publish() && noexcept;

   private:
    friend class ServerIndex;
    struct Impl;
    explicit NextVersion(std::unique_ptr<Impl> impl) noexcept;
    std::unique_ptr<Impl> impl_;
  };
  /// Makes the version that Publish publishes. Fails as Publish does.
  Result<NextVersion> Prepare(RegionTable table);
  /// Makes the version that SetState publishes.
  NextVersion Prepare(uint32_t attribute, AttributeState state);
  /// Publishes a version with another region table. A region of the same id and range keeps its
  /// columns, wherever it moves; all others are unbuilt. kServerFilters: regions of servers that
  /// gain or lose one are unbuilt, too, and it fails with kInvalidArgument for more servers than
  /// the first table had.
  Status Publish(RegionTable table);
  /// Publishes a version in which the attribute has a new structure, for so many pairs per region;
  /// all its columns are new and unbuilt. If the attribute has a structure, the new one is its
  /// successor, and replaces a successor that it has. kServerFilters: a column that refused a pair
  /// counts as built there, and its regions are candidates for every value from the switch on.
  /// Fails with kInvalidArgument, and with kOutOfMemory if there is no memory for the structure or
  /// for all columns of a successor, changing nothing.
  Status Resize(uint32_t attribute, uint64_t pairs_per_region);
  /// Publishes a version in which the attribute has this state. From or to kIndexed, its structure
  /// and successor go, and all regions are candidates until Resize has made a structure and its
  /// columns are built.
  void SetState(uint32_t attribute, AttributeState state);
  /// Waits until no query has a version older than the one that was current when this was called.
  /// Requires that the calling thread holds no pin.
  void WaitForPins();
  /// Waits for queries that pinned older versions, and frees the columns that have been replaced.
  /// Returns how many. Requires that the calling thread holds no pin.
  size_t Reclaim();
  /// @}

  /// Returns statistics. Cost: one pass over the counters of all columns of the current version;
  /// changes of versions wait for it.
  ServerIndexStats GetStats() const;
  /// Returns how values become digests.
  const DigestPolicy& digest_policy() const noexcept;
  /// Returns what holds the pairs.
  Structure structure() const noexcept;

  /// @name Files
  /// @{

  /// Writes all built columns, by region, with the stamp of each server's database; of successors,
  /// none. It does not sync, because the file has checksums, and a directory that is lost is built
  /// again. Fails with kInvalidArgument unless there is a stamp per server, and with kIo. Cost: the
  /// bytes of all columns.
  Status Save(const std::filesystem::path& path, std::span<const StoreStamp> servers) const;
  /// Reads the columns of regions whose server's stamp is exactly the one in the file, and which
  /// exist in the current table with the same range; they are built. Returns how many. A file that
  /// is not whole, or of another configuration, fails with kCorrupt, kVersion, kMismatch or kIo and
  /// changes nothing: the columns are then to be built.
  Result<size_t> LoadColumns(const std::filesystem::path& path,
                             std::span<const StoreStamp> servers);
  /// @}

 private:
  struct Impl;
  explicit ServerIndex(std::unique_ptr<Impl> impl) noexcept;
  ImplPtr<Impl> impl_;
};

}  // namespace trommel::index

#endif  // TROMMEL_INDEX_SERVER_INDEX_H_
