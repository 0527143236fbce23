/// @file
/// AttributeFilter, which answers queries for any of a tuple's attributes from counting filters.
#ifndef TROMMEL_ATTRIBUTE_FILTER_H_
#define TROMMEL_ATTRIBUTE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trommel/attribute_sets.h"
#include "trommel/byte_stream.h"
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/export.h"
#include "trommel/impl_ptr.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel {

/// What the filter of one set is sized for.
struct SetBudget {
  AttributeMask set = 0;  ///< The set.
  /// Distinct projections to size for; 0: as for a set without a budget.
  uint64_t capacity = 0;
  /// False-positive rate of this set's filter when it holds capacity x (max_capacity /
  /// AttributeConfig::capacity) projections; 0: as for a set without a budget.
  double target_fpr = 0;

  /// Memberwise equality.
  friend bool operator==(const SetBudget&, const SetBudget&) = default;
};

/// What AttributeFilter::Create makes.
struct AttributeConfig {
  AttributeSets sets = {};  ///< The attributes, and which of them are queried together.
  /// One distinct name per attribute, of 1 to 255 bytes; or none: "0", "1", ...
  std::vector<std::string> names = {};
  /// Tuples to size for; required. More may be inserted: sets grow.
  uint64_t capacity = 0;
  /// Tuples up to which each set keeps its rate. With more the rate rises in proportion; a set may
  /// refuse tuples from 16 times as many on. 0: 16 times capacity, at least 2^20, as far as the
  /// rate can be kept. Each factor of two takes 1.25 bits for each projection, and halves the rate
  /// at capacity.
  uint64_t max_capacity = 0;
  /// Distinct values of each attribute, or none: as many as tuples. A set's filter is sized for the
  /// product of its attributes' numbers or for `capacity`, whichever is less, and grows in the same
  /// proportion. (With more than 256 sets the product is rounded up by at most an eighth, so that
  /// few different sizes are computed.)
  std::vector<uint64_t> num_values = {};
  double target_fpr = 0.01;  ///< False-positive rate of every allowed set, up to max_capacity.
  /// Other numbers for some sets, for example AttributePlan::budgets().
  std::vector<SetBudget> budgets = {};
  DigestPolicy digest = {};  ///< Of values; pass the same to TupleDigests::Set.
  /// Limit on the bytes of the blocks, digests and directories of all sets: growth that would
  /// exceed it is refused. Sets draw on it as they grow, in no fixed order. The counts of
  /// projections that many tuples share, and projections without a place in blocks, are not
  /// counted. 0: the machine's memory, less 4 KiB per set for everything else.
  uint64_t memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  ///< As CountingConfig::executor.
};

/// Statistics of one set.
struct SetStats {
  AttributeMask set = 0;  ///< The set.
  uint64_t capacity = 0;  ///< Projections that it is sized for.
  double target_fpr = 0;  ///< As configured.
  /// num_keys counts tuples, not distinct projections. num_bytes leaves out directories, and memory
  /// that is kept for all sets.
  ScalableStats stats = {};
};

/// Statistics of an AttributeFilter.
struct AttributeStats {
  std::vector<SetStats> sets = {};   ///< Ascending, as AttributeSets::allowed().
  uint64_t num_tuples = 0;           ///< Insertions less erasures.
  uint64_t num_bytes = 0;            ///< Of all sets.
  uint64_t num_refused_inserts = 0;  ///< Tuples; since creation, load or clear.
  uint64_t num_refused_erases = 0;   ///< Tuples; since creation, load or clear.
};

/// Answers queries for any of a tuple's attributes from counting filters, and erases exactly.
///
/// Every allowed set of attributes (AttributeSets) has a filter of its own, which grows and shrinks
/// as a ScalableFilter does and holds the projections of the tuples onto the set: one 64-bit digest
/// each, hashed from the digests of the values. (A set sized for fewer than 2^20 projections
/// is one part instead of 64, and has one lock.) A query for an allowed set reads one cache line.
/// Any other query is split into its parts, queried in the order of their selectivity; each part is
/// queried only for tuples that match all parts before it.
///
/// Memory follows the sets that are kept, of which there are at most kMaxAttributeSets: each has a
/// filter of its own, with 4 KiB beside it, or 40 KiB if it has 64 parts. With more than 16
/// attributes a limit or a list (AttributeSets::AtMost, AttributeSets::Keep) leaves few enough. A
/// query for more attributes than are kept together has a part for each largest set within it, and
/// each costs a cache line for a tuple that is in.
///
/// A matrix of cells (matrix::Matrix) answers the same queries with a rate that depends on
/// n k / prod m_i: it spends memory on cells, this filter on tuples. Where tuples are far fewer
/// than cells the filter is smaller by orders of magnitude; where they are as many, the matrix is
/// smaller, but cannot erase.
///
/// *Erasing.* Erase takes exactly what Insert added, from every allowed set: projections that
/// several tuples share are counted. A tuple that some set certainly lacks is refused, and nothing
/// changes. A tuple that was never inserted but whose projections all look present is erased
/// undetected, with counts of other tuples, as in every counting filter; in addition, where sets
/// are cut, projections of different tuples can combine to such a tuple. Erase only what was
/// inserted.
///
/// *Threads.* Any thread may use the filter at any time. A tuple whose insertion happened before a
/// query, and whose erasure has not begun, is "maybe present" for every set. Insert and Erase are
/// not atomic across sets: while they run, some queries see the tuple and some do not. Queries take
/// no lock. Insertions run beside each other. A chunk of erasures waits until no insertion and no
/// other erasure runs, so that what all sets have shown is still there when it is taken. Statistics
/// are of each set at some moment. Save and Serialize are of one moment of all sets: insertions and
/// erasures wait until the last byte is written. Moves, Clear and UseExecutor are exclusive.
class TROMMEL_API AttributeFilter final : public TupleIndex {
 public:
  /// Creates an empty filter. Fails with kInvalidArgument for numbers out of range (as
  /// ScalableFilter::Create), for too many, too few, empty or repeated names, and for budgets of
  /// sets that are not allowed; with kOutOfMemory if all sets together would exceed the limit,
  /// naming the sets and how much they take.
  static Result<AttributeFilter> Create(const AttributeConfig& config);

  /// Moves the filter. One that was moved from may only be destroyed or assigned to: any other call
  /// ends the program with a message. Exclusive.
  /// @{
  AttributeFilter(AttributeFilter&&) noexcept;
  AttributeFilter& operator=(AttributeFilter&&) noexcept;
  ~AttributeFilter() override;
  /// @}

  /// @name Members of TupleIndex
  /// @{
  const AttributeSets& sets()
      const noexcept override;  ///< Returns the attributes and allowed sets.
  /// Returns whether the set is within full(), which is all that it takes. (Attributes that no part
  /// has are not looked at: AttributeSets::IsCovered.)
  bool CanAnswer(AttributeMask queried) const noexcept override;
  /// Returns the parts of a query in the order in which they are queried. Requires
  /// CanAnswer(queried).
  std::vector<AttributeMask> PartsOf(AttributeMask queried) const override;
  /// Inserts every tuple into all sets or, if any set refuses it, into none. num_inserted and
  /// num_refused count tuples. Requires all columns. A tuple is refused where a set may not
  /// grow and is full, or where there is no memory for copies of a digest; it changes no count.
  /// (For a moment it has a place in other sets, which may refuse a later tuple of the batch, or
  /// another thread's, for it, and may have grown for it.)
  InsertOutcome Insert(const Tuples& tuples) noexcept override;
  /// As TupleIndex::Query.
  size_t Query(AttributeMask queried, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override;  ///< Returns insertions less erasures.
  /// Returns the bytes of all sets. Cost: one pass over all sets.
  uint64_t num_bytes() const noexcept override;
  /// Spreads batches over the executor's threads from now on; those of Erase by sets. Exclusive.
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept override;
  /// @}

  /// Returns false if no tuple that is in has these values, the answer that Query gives for a batch
  /// of this one tuple.
  ///
  /// tuple[i] is the digest of attribute i, as in Tuples; those of attributes that are not queried
  /// are not read. Requires CanAnswer(queried) and tuple.size() == sets().num_attributes(). Thread
  /// safety: as Query; takes no lock. Cost: of each part a projection's hash and one cache line,
  /// which are fetched at the same time; the first part that is absent ends the query.
  /// Allocates nothing for an allowed set. The parts of another are found when it is queried for
  /// the first time (AttributeSets::PartsOf), and again where more than 16,384 such sets, or their
  /// million parts, were queried since: so many are kept.
  bool MayContain(AttributeMask queried, std::span<const uint64_t> tuple) const noexcept;

  /// @name Batches
  /// Outputs must not overlap a column that is read.
  /// @{

  /// As Insert above; also sets the bits in `inserted` of the tuples that were inserted and clears
  /// those of the tuples that were refused.
  InsertOutcome Insert(const Tuples& tuples, std::span<uint64_t> inserted) noexcept;
  /// In input order, erases every tuple from all sets, or refuses it if any set certainly lacks it.
  /// Requires all columns. Thread safety: as the class says; a chunk has 1,024 tuples, and no other
  /// update runs beside it. Cost: about twice that of Insert for tuples that are in and are given
  /// as often as they are in; tuples that are given more often, in some set, are erased one by
  /// one, at some 200 ns per set.
  EraseOutcome Erase(const Tuples& tuples) noexcept;
  /// As above; also sets the bits in `erased` of the tuples that were erased and clears the others.
  EraseOutcome Erase(const Tuples& tuples, std::span<uint64_t> erased) noexcept;
  /// Erases every tuple from all sets, or changes nothing if any set counts some projection less
  /// often than the tuples of the batch have it: as CountingFilter::EraseAll. A tuple is missing if
  /// it is in any set. Requires all columns.
  ///
  /// Thread safety: no other update runs beside it, from the look-up to the end; so nothing comes
  /// between, and updates wait for the whole batch. Fails with kOutOfMemory, and has changed
  /// nothing then. Needs 16 bytes per tuple. Cost: per set sorting the projections, a look-up in
  /// each, and Erase.
  Result<EraseOutcome> EraseAll(const Tuples& tuples, std::span<uint64_t> missing = {});
  /// Writes an upper bound of how many tuples match each query, the least of its parts' counts; for
  /// the empty set num_tuples(). Requires CanAnswer(queried) and counts.size() == tuples.size.
  void CountEstimates(AttributeMask queried, const Tuples& tuples,
                      std::span<uint64_t> counts) const noexcept;

  /// @}

  /// @name Properties
  /// @{
  const DigestPolicy& digest_policy() const noexcept;   ///< Returns how values become digests.
  std::span<const std::string> names() const noexcept;  ///< Returns the attributes' names.
  /// Returns the attribute of that name. Fails with kInvalidArgument, listing the names.
  Result<uint32_t> AttributeNamed(std::string_view name) const;
  /// Returns statistics that are kept as running figures. Cost: as ScalableFilter::GetStats, for
  /// each set.
  AttributeStats GetStats() const;
  /// Measures how full the blocks are, of each set, as AttributeSets::allowed(). Cost: one pass
  /// over all sets, one lock at a time.
  std::vector<ScalableFill> MeasureFill() const;
  void Clear();  ///< Makes the filter as new. Exclusive.
  /// @}

  /// Writes the digests under which a set's filter holds the tuples' projections: XXH3 of the set's
  /// digests, ascending by attribute, 8 little-endian bytes each, with the set as seed; for a
  /// single attribute the digest itself.
  ///
  /// Requires digests.size() == tuples.size, and that the digests overlap no column of the set.
  /// With kSipHash the key is applied to the values: an attacker who does not know their digests
  /// cannot choose tuples that collide under XXH3, which therefore needs no key of its own.
  static void ProjectionDigests(AttributeMask set, const Tuples& tuples,
                                std::span<uint64_t> digests) noexcept;

  /// @name Files
  /// Files are canonical as those of ScalableFilter. One set's filter is copied at a time.
  /// Insert and Erase wait until the last byte is written; queries do not.
  /// @{

  /// As CountingFilter::Save.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  /// As CountingFilter::Load, within a limit as that of AttributeConfig. `digest_key` is the key of
  /// the values' digests. Tuples are passed as digests, so a filter without it does all that it
  /// did; only digest_policy() cannot hash values for it.
  static Result<AttributeFilter> Load(const std::filesystem::path& path,
                                      uint64_t memory_limit_bytes = 0,
                                      const DigestKey& digest_key = {});
  /// As CountingFilter::Serialize.
  std::vector<std::byte> Serialize() const;
  /// As CountingFilter::Deserialize.
  static Result<AttributeFilter> Deserialize(std::span<const std::byte> bytes,
                                             uint64_t memory_limit_bytes = 0,
                                             const DigestKey& digest_key = {});
  /// As CountingFilter::SaveTo.
  Status SaveTo(ByteSink& sink, std::span<const std::byte> metadata = {}) const;
  /// As CountingFilter::LoadFrom.
  static Result<AttributeFilter> LoadFrom(const ByteSource& source, uint64_t memory_limit_bytes = 0,
                                          const DigestKey& digest_key = {});
  /// Returns what loading a file of it returns, with the same executor. Fails with
  /// kOutOfMemory; `memory_limit_bytes` as for Load. Cost: a file in memory, and loading it.
  Result<AttributeFilter> Clone(uint64_t memory_limit_bytes = 0) const;
  /// As CountingFilter's: whether Serialize returns the same bytes.
  friend TROMMEL_API bool operator==(const AttributeFilter& a, const AttributeFilter& b);

  /// @}

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit AttributeFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<AttributeFilter> ReadFrom(FileReader& file, uint64_t limit_bytes,
                                          const DigestKey& digest_key);
  Status WriteTo(FileWriter& file) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_FILTER_H_
