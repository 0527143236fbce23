// AttributeFilter: questions about any of a tuple's attributes, from counting filters.
//
// Every allowed set of attributes (attribute_sets.h) has a scalable filter of its own, which holds
// the tuples' projections onto the set: one 64-bit digest each, hashed from the digests of the
// values. A question for an allowed set reads one cache line (a generation); any other question is
// split into its parts, most selective first, and a part is asked for those tuples only that all
// parts before it show.
//
// A matrix of cells (matrix/) answers the same questions, with a rate that hangs on n k / prod m_i:
// its memory is spent on cells, here it is spent on tuples. Where tuples are far fewer than cells
// that is smaller by orders of magnitude; where they are as many, cells are smaller, and cannot be
// erased. PlanAttributes (attribute_plan.h) tells for given numbers.
//
// *Erasing.* Erase takes what Insert put in, from every allowed set, exactly: projections that
// several tuples share are counted. A tuple that some set certainly lacks is refused, and nothing
// changes. A tuple that never came in but whose projections all look present is erased undetected,
// and takes other tuples' counts with it: as with every counting filter, but where sets are cut,
// projections of different tuples can add up to one. Erase only what was inserted.
//
// *Threads.* Any thread may use it at any time, as ScalableFilter: a tuple whose insertion happened
// before and whose erasure has not begun is "maybe present" for every question, always. Insert and
// Erase are not one step for several sets: while they run, some questions see the tuple and some do
// not. Queries take no lock; insertions run beside each other, and a chunk of erasures waits until
// it is alone with the queries, so that what all sets showed is still there when it is taken.
// Statistics are of each set some moment's state. Save and Serialize are of one moment of all:
// insertions and erasures wait until the last byte is written. Moves, Clear and UseExecutor need it
// to themselves.
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
#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/scalable_filter.h"
#include "trommel/sizing.h"
#include "trommel/tuple_index.h"
#include "trommel/tuples.h"

namespace trommel {

// What a set's filter is made for.
struct SetBudget {
  AttributeMask set = 0;
  uint64_t capacity = 0;  // different projections of the first generation; 0: as without a budget
  double target_fpr = 0;  // at every size; 0: as without a budget

  friend bool operator==(const SetBudget&, const SetBudget&) = default;
};

struct AttributeConfig {
  AttributeSets sets = {};
  // One for each attribute, or none: "0", "1", ... Each once, not empty, at most 255 bytes.
  std::vector<std::string> names = {};
  uint64_t capacity = 0;  // tuples to size for; more may come, generations are added. Required
  // Different values of each attribute, or none: as many as tuples. A set's filter is sized for the
  // product of its attributes' numbers, or `capacity`, whichever is less (with more than 256 sets
  // the product is rounded up by an eighth at most, so that there are few numbers to size for).
  std::vector<uint64_t> num_values = {};
  double target_fpr = 0.01;  // of every allowed set, at every size
  // Other numbers for some sets: weights, what the planner says.
  std::vector<SetBudget> budgets = {};
  DigestPolicy digest = {};  // of values; TupleDigests::Set should be given the same
  Encoding encoding = Encoding::kRuns;
  // Of all sets together, their blocks and side tables: a growth that would exceed it is refused.
  // (Side tables are never refused room: where many tuples share a projection its counts go there,
  // also beyond the limit.) Whichever set asks first gets the room. 0: the machine's physical
  // memory, less 24 KiB that each set takes beside.
  uint64_t memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;
};

struct SetStats {
  AttributeMask set = 0;
  uint64_t capacity = 0;  // of the first generation
  double target_fpr = 0;
  ScalableStats stats = {};  // num_keys counts tuples, not different projections
};

struct AttributeStats {
  std::vector<SetStats> sets = {};  // ascending, as sets().allowed()
  uint64_t num_tuples = 0;
  uint64_t num_bytes = 0;
  uint64_t num_refused_inserts = 0;  // tuples, since creation, load or clear
  uint64_t num_refused_erases = 0;   // likewise
};

class AttributeFilter final : public TupleIndex {
 public:
  // An empty filter. Fails with kInvalidArgument for numbers out of range (as
  // ScalableFilter::Create), names that are too many, too few, empty or given twice, and budgets
  // for sets that are not allowed; with kOutOfMemory when all sets together would exceed the limit,
  // saying how much they take.
  static Result<AttributeFilter> Create(const AttributeConfig& config);

  AttributeFilter(AttributeFilter&&) noexcept;
  AttributeFilter& operator=(AttributeFilter&&) noexcept;
  ~AttributeFilter() override;  // A moved-from filter may only be destroyed or assigned to:
                                // anything else aborts with a message.

  // --- As TupleIndex.
  const AttributeSets& sets() const noexcept override;
  bool CanAnswer(AttributeMask asked) const noexcept override;  // any set within full()
  std::vector<AttributeMask> PartsOf(AttributeMask asked) const override;
  // A tuple comes into all sets or, where one of them refuses, into none (but a generation that was
  // begun for it may stay; and where other threads took the last room at that moment, so may the
  // room that sets before had given it). num_inserted and num_refused count tuples.
  InsertOutcome Insert(const Tuples& tuples) noexcept override;
  size_t Query(AttributeMask asked, const Tuples& tuples,
               std::span<uint64_t> maybe_present) const noexcept override;
  uint64_t num_tuples() const noexcept override;
  uint64_t num_bytes() const noexcept override;                            // a pass over all sets
  void UseExecutor(std::shared_ptr<Executor> executor) noexcept override;  // Erase uses none

  // The same as Insert above; tuple i's bit in `inserted` says whether it came in (1) or was
  // refused (0).
  InsertOutcome Insert(const Tuples& tuples, std::span<uint64_t> inserted) noexcept;
  // Takes every tuple out of all sets, in input order, or refuses it where a set certainly lacks
  // it. All columns must be given.
  EraseOutcome Erase(const Tuples& tuples) noexcept;
  EraseOutcome Erase(const Tuples& tuples, std::span<uint64_t> erased) noexcept;
  // An upper bound of how many tuples match: the least of the parts' counts. counts.size() must
  // equal tuples.size, and no column that is asked for may overlap it. The empty set: num_tuples().
  void CountEstimates(AttributeMask asked, const Tuples& tuples,
                      std::span<uint64_t> counts) const noexcept;

  // --- What it is.
  const DigestPolicy& digest_policy() const noexcept;
  std::span<const std::string> names() const noexcept;
  // The attribute of that name. Fails with kInvalidArgument, listing the names.
  Result<uint32_t> AttributeNamed(std::string_view name) const;
  AttributeStats GetStats() const;  // one pass over all sets
  void Clear();                     // exclusive: as new

  // The digest under which tuples' projections onto a set stand in its filter: XXH3 of the set's
  // digests, ascending by attribute, 8 little-endian bytes each, with the set as seed; the digest
  // itself for a single attribute. digests.size() must equal tuples.size, and no column of the set
  // may overlap it. Values' digests are what is keyed, under kSipHash: an attacker who
  // does not know them cannot choose tuples that collide in XXH3, which so needs no key of its own.
  static void ProjectionDigests(AttributeMask set, const Tuples& tuples,
                                std::span<uint64_t> digests) noexcept;

  // --- On disk: canonical as ScalableFilter's. Copies one set's filter at a time. Insert and Erase
  // wait until it is written; queries do not.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  // In a limit for loading side tables count from the first byte, as no room may be left for them:
  // a filter that went beyond its own limit is loaded under a higher one. `digest_key`, of the
  // values' digests, as for CountingFilter::Load: tuples come as digests, so that a filter without
  // it does all it did, and only digest_policy() cannot hash values for it.
  static Result<AttributeFilter> Load(const std::filesystem::path& path,
                                      uint64_t memory_limit_bytes = 0,
                                      const DigestKey& digest_key = {});
  std::vector<std::byte> Serialize() const;  // throws std::bad_alloc where there is no memory
  static Result<AttributeFilter> Deserialize(std::span<const std::byte> bytes,
                                             uint64_t memory_limit_bytes = 0,
                                             const DigestKey& digest_key = {});

 private:
  friend struct FilterFiles;
  struct Impl;
  explicit AttributeFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<AttributeFilter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                          const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_ATTRIBUTE_FILTER_H_
