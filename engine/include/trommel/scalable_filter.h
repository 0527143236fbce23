// ScalableFilter: a counting filter that grows with its keys, and shrinks when they are erased.
//
// It is a list of generations, each a counting filter of its own. Keys go into the newest; when
// that is full a new one is begun. The scalable split counting Bloom filter (SSCBF) of Huang, Fang
// and Zhang ("Split Counting Bloom Filter and its Application in Hbase Secondary Index", section 3)
// is the `kIdentical` mode; the budgets of the default mode are those of Almeida, Baquero, Preguica
// and Hutchison ("Scalable Bloom Filters", 2007).
//
//   kTightening   generation of slot i holds growth^i times the first one's capacity at a rate of
//                 target_fpr (1 - r) r^i. These sum up to less than target_fpr: the whole filter
//                 stays under it at every size up to largest_capacity().
//   kIdentical    all generations are alike; a new one is begun when the newest is half full. The
//                 rate of d of them is 1 - (1 - P)^d, for which nobody promises anything.
//
// *Erasing.* A key may look present in a generation that it never entered, and taking it from there
// would hide another key. So only the newest generation ever gains presence bits: a key that some
// generation shows is added to the oldest one that does, whose bits are all set already, and only
// what no generation shows enters the newest. Erase takes a key from the oldest generation that
// shows it, which is where all of its copies are. (The proof stands in
// engine/src/scalable/scalable_filter.cc.) A generation that has become empty is dropped, and its
// slot is free again.
//
// *Threads.* Any thread may use it at any time, also while it grows. The promises are
// ConcurrentFilter's:
//
//   operation                        promise
//   -------------------------------  ------------------------------------------------------------
//   Query, Select, MayContain        Take no lock and never wait. If an insertion of the key
//                                    happened before, and no erasure that could match it has begun:
//                                    "maybe present", always, while generations come and go.
//   Insert, InsertIfAbsent, Erase,   Linearizable for each key. They wait for each other at a lock
//   CountEstimate(s)                 for a part of the keys, and while a generation is added to the
//                                    list or taken from it, which does not depend on its size.
//   GetStats, Save, Serialize        Of each part of the keys some moment's state. Growth waits for
//                                    them, and with it who needs it.
//   Clear, move, destruction         Need the filter to themselves: the caller's duty.
//
// One caller's batches grow the filter at the same key whatever the number of threads and however
// they are cut: the bytes are the same. Beside other writers the newest generation may be exceeded
// by the keys of calls under way.
//
// Two scalable filters cannot be merged: a generation of one would gain bits while the other's keys
// are in newer ones, and erasing would no longer be exact. There is no Merge.
#ifndef TROMMEL_SCALABLE_FILTER_H_
#define TROMMEL_SCALABLE_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "trommel/digest.h"
#include "trommel/executor.h"
#include "trommel/impl_ptr.h"
#include "trommel/keys.h"
#include "trommel/outcomes.h"
#include "trommel/result.h"
#include "trommel/save_options.h"
#include "trommel/sizing.h"

namespace trommel {

enum class GrowthMode : uint8_t { kTightening = 0, kIdentical = 1 };

std::string_view GrowthModeName(GrowthMode mode) noexcept;  // "tightening", "identical"

struct ScalableConfig {
  uint64_t first_capacity = 0;  // distinct keys of the first generation; required
  // kTightening: of the whole filter, at every size. kIdentical: of one generation at half fill, at
  // most.
  double target_fpr = 0.01;
  GrowthMode mode = GrowthMode::kTightening;
  // Distinct keys beyond which it refuses to grow; 0: the most that its budgets allow (see
  // largest_capacity). The generation that reaches it is made whole.
  uint64_t max_capacity = 0;
  // kTightening: capacity of a slot over that of the one before; 1 .. 16.
  uint32_t growth = 2;
  // kTightening: r, the rate of a slot over that of the one before; 0.1 .. 0.95.
  double tightening = 0.8;
  DigestPolicy digest = {};
  uint32_t num_slices = 0;  // of all generations; 0: chosen by sizing
  // kIdentical fills blocks further than runs of 5 or 10 slices hold: it takes 8 slices of either
  // encoding, or 16 of planes.
  Encoding encoding = Encoding::kRuns;
  // Blocks and side tables of all generations: a growth that would exceed it is refused. 0: the
  // machine's physical memory.
  uint64_t memory_limit_bytes = 0;
  std::shared_ptr<Executor> executor = nullptr;  // as CountingConfig's
};

struct GenerationStats {
  Geometry geometry;
  uint32_t slot = 0;      // which budget it has
  uint64_t capacity = 0;  // keys that it does not show when they come: so many it takes, and
  uint64_t load = 0;      // so many of them are in, at most
  double budget_fpr = 0;  // its rate at capacity, at most
  Stats stats;            // predicted_fpr is the model's for `load` keys
};

struct ScalableStats {
  std::vector<GenerationStats> generations;  // oldest first
  uint64_t num_keys = 0;
  uint64_t num_bytes = 0;
  uint64_t num_refused_erases = 0;   // since creation, load or clear
  uint64_t num_refused_inserts = 0;  // likewise
  double current_fpr = 0;            // 1 - prod(1 - the generation's)
  double predicted_fpr = 0;          // likewise
};

class ScalableFilter {
 public:
  static constexpr size_t kMaxGenerations = 250;

  // An empty filter of one generation. Fails with kInvalidArgument for numbers out of range (as
  // SizeFor does) and for a max_capacity that the budgets cannot honour, saying what they can; with
  // kOutOfMemory as CountingFilter::Create does.
  static Result<ScalableFilter> Create(const ScalableConfig& config);

  ScalableFilter(ScalableFilter&&) noexcept;
  ScalableFilter& operator=(ScalableFilter&&) noexcept;
  ~ScalableFilter();  // A moved-from filter may only be destroyed or assigned to:
                      // anything else aborts with a message.

  // --- Batches, as CountingFilter's: bitmaps have BitmapWords(keys.size()) words,
  // and no output may overlap the keys.

  // Adds one to every key's counters, in input order; grows where it must. About a query of all
  // generations and an update of one block.
  InsertOutcome Insert(Keys keys) noexcept;
  // The same; key i's bit in `inserted` says whether it came in (1) or was refused (0).
  InsertOutcome Insert(Keys keys, std::span<uint64_t> inserted) noexcept;
  // In input order: a key that answers "maybe present" is left alone. num_inserted and the bits of
  // `inserted` are the keys that came in; num_refused those that were absent and had no room.
  InsertOutcome InsertIfAbsent(Keys keys, std::span<uint64_t> inserted) noexcept;
  EraseOutcome Erase(Keys keys) noexcept;
  EraseOutcome Erase(Keys keys, std::span<uint64_t> erased) noexcept;
  size_t Query(Keys keys, std::span<uint64_t> maybe_present) const noexcept;
  size_t Select(Keys keys, Answer answer, std::span<uint32_t> selection) const noexcept;
  // An upper bound of how often each key is in: in the oldest generation that shows it.
  void CountEstimates(Keys keys, std::span<uint64_t> counts) const noexcept;

  // --- One key.
  bool Insert(Key key) noexcept;          // false: refused
  bool InsertIfAbsent(Key key) noexcept;  // true: it was absent, and is in now
  bool Erase(Key key) noexcept;
  bool MayContain(Key key) const noexcept;
  uint64_t CountEstimate(Key key) const noexcept;

  // --- What it is.
  const DigestPolicy& digest_policy() const noexcept;
  GrowthMode mode() const noexcept;
  uint64_t first_capacity() const noexcept;
  double target_fpr() const noexcept;
  // Distinct keys that all slots together hold, if they come and stay. A slot is free again only
  // when its last key has gone, and closed generations take no new keys: where keys come and go,
  // leave room for the turnover. Cost: sizes the slots that were not needed yet, milliseconds each;
  // nothing from then on.
  uint64_t largest_capacity() const noexcept;
  // Insertions less erasures. Beside writers it, and the statistics, may be too high by keys of
  // calls under way: by those that are not in yet, or have gone already.
  uint64_t num_keys() const noexcept;
  size_t num_generations() const noexcept;
  ScalableStats GetStats() const noexcept;  // one pass over all blocks
  // What the blocks of the generation that would be begun next take, which is asked of the memory
  // limit when the newest is full; 0: there is none. A file may announce more than it holds. Cost:
  // sizing, milliseconds.
  uint64_t NextGenerationBytes() const;

  void UseExecutor(std::shared_ptr<Executor> executor) noexcept;  // exclusive
  // As new; exclusive. Keeps the first generation's memory. Where that one is no longer there, or
  // was loaded in another size, it is made beside what is there: else throws std::bad_alloc,
  // unchanged.
  void Clear();

  // --- On disk: one snapshot of all generations, canonical as CountingFilter's. The filter is
  // copied first, so that no writer waits for the disk: needs its memory once more.
  // Loading fails, and takes `digest_key`, as CountingFilter::Load.
  Status Save(const std::filesystem::path& path, const SaveOptions& options = {}) const;
  static Result<ScalableFilter> Load(const std::filesystem::path& path,
                                     uint64_t memory_limit_bytes = 0,
                                     const DigestKey& digest_key = {});
  std::vector<std::byte> Serialize() const;  // throws std::bad_alloc where there is no memory
  static Result<ScalableFilter> Deserialize(std::span<const std::byte> bytes,
                                            uint64_t memory_limit_bytes = 0,
                                            const DigestKey& digest_key = {});

 private:
  friend struct ScalableParts;  // filters made of these
  friend struct FilterFiles;
  struct Impl;
  explicit ScalableFilter(std::unique_ptr<Impl> impl) noexcept;
  static Result<ScalableFilter> ReadFrom(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                         const DigestKey& digest_key);
  Status WriteTo(ByteSink& sink) const;

  ImplPtr<Impl> impl_;
};

}  // namespace trommel

#endif  // TROMMEL_SCALABLE_FILTER_H_
