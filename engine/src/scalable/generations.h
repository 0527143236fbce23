// The generations of a scalable filter: the list of them, how it is read, and how it changes.
//
//   Query     reads the list under GracePeriods, and never waits
//   update    holds the StripedSharedMutex shared, so that the list stays as it is
//   change    one thread at a time: prepares the new list, locks the mutex exclusively, publishes
//             the list, unlocks, and waits for readers of the old list before it frees what only
//             that list had
//
// What is done under the exclusive lock does not depend on how large a generation is.
//
// *Side memory.* With a limit, each generation has a reservation of its own, in proportion to its
// blocks: the limit is that of the first slot's. One pool for all would be shared by ranges of keys
// that different threads update, so that which key is refused would depend on their order; and a
// share of one sum for all slots there may be would leave the first next to nothing. So it is all
// reserved when the generation begins, which is refused where memory for it is.
#ifndef TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_H_
#define TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/src/base/memory_budget.h"
#include "engine/src/blocks/store.h"
#include "engine/src/scalable/generation_store.h"
#include "engine/src/scalable/growth_plan.h"
#include "engine/src/sync/running_figure.h"
#include "engine/src/sync/striped_shared_mutex.h"
#include "trommel/scalable_filter.h"
#include "trommel/sync/grace_periods.h"

namespace trommel {

// A store and its place in the plan.
class Generation {
 public:
  // `keeps_keys` as MakeGenerationStore makes it.
  Generation(std::unique_ptr<Store> keeps_keys, size_t slot_idx, uint64_t keys_to_take,
             double rate_at_capacity)
      : slot(slot_idx),
        capacity(keys_to_take),
        budget_fpr(rate_at_capacity),
        store_(std::move(keeps_keys)) {}

  // Room for keys that it does not show yet, while it is the newest. Its load counts the
  // keys that it did not show when they came, and never more than the keys that are in: so neither
  // duplicates nor erased keys weigh anything, and it is no less than the distinct keys that set
  // its bits. (A key that others' bits covered when it came is not counted; it has set none.)
  //
  // In every slice no more positions are present than the load: an arrival sets one at most and
  // adds one; a duplicate sets none; and where the load sinks to the keys that are in, each of
  // these has one. So it is with fingerprints that differ. Reserve gives at most `num_wanted`; each
  // reservation is settled when its keys are in.
  uint64_t Reserve(uint64_t num_wanted);
  void Settle(uint64_t num_reserved, uint64_t num_arrived);
  uint64_t Room() const;  // keys that Reserve would grant now
  bool IsFull() const;    // whatever is reserved
  uint64_t load() const { return load_.Get(); }
  void SetLoad(uint64_t load);
  void Clear();  // exclusive: as new

  // Insertions less erasures; exact under the exclusive lock. Keys are added before they are
  // inserted, and taken after they were erased or refused: so it is never too low. TakeKeys returns
  // what is left: 0 to the thread that takes the last.
  void AddKeys(uint64_t num_keys) { num_keys_.fetch_add(num_keys, std::memory_order_relaxed); }
  uint64_t TakeKeys(uint64_t num_keys);
  uint64_t num_keys() const { return num_keys_.load(std::memory_order_relaxed); }

  Store& store() { return *store_; }
  const Store& store() const { return *store_; }

  const size_t slot;
  const uint64_t capacity;
  const double budget_fpr;

 private:
  const std::unique_ptr<Store> store_;
  std::atomic<uint64_t> num_keys_{0};
  mutable std::mutex room_;
  RunningFigure load_;  // changes under the mutex
  uint64_t num_reserved_ = 0;
};

// Oldest first; never empty. Immutable, but for what is in the generations.
class GenerationList {
 public:
  using Members = std::vector<std::shared_ptr<Generation>>;
  explicit GenerationList(Members members);

  size_t size() const { return members_.size(); }
  Generation& at(size_t idx) const { return *members_[idx]; }
  Generation& newest() const { return *members_.back(); }
  const Members& members() const { return members_; }
  std::span<const Store* const> stores() const { return stores_; }
  std::span<const Store* const> closed_stores() const { return stores().first(stores_.size() - 1); }
  bool has_fingerprints() const { return has_fingerprints_; }

  // Whether any generation shows the digest; and prefetching what that reads. Calls that are not
  // virtual where all have slices: a query of one key takes no longer for what others may have.
  bool MayContain(uint64_t digest) const noexcept {
    return std::ranges::any_of(stores_, [this, digest](const Store* store) {
      return has_fingerprints_ ? store->MayContain(digest)
                               : BlockStoreOf(*store).MayContain(digest);
    });
  }
  void Prefetch(uint64_t digest) const noexcept {
    for (const Store* store : stores_) {
      if (has_fingerprints_) {
        store->FetchForQuery({&digest, 1});
      } else {
        BlockStoreOf(*store).FetchForQuery({&digest, 1});
      }
    }
  }
  // Whether any holds it (IsIn). Requires that no other thread updates the digest's blocks.
  bool Holds(uint64_t digest) const noexcept {
    return std::ranges::any_of(stores_,
                               [digest](const Store* store) { return IsIn(*store, digest); });
  }

 private:
  Members members_;
  std::vector<const Store*> stores_;
  bool has_fingerprints_ = false;  // in any of them
};

class Generations {
 public:
  // One empty generation. Fails as MakeGenerationStore.
  static Result<std::unique_ptr<Generations>> Create(GrowthPlan plan, uint64_t limit_bytes);
  // These. Their slots must be the plan's, each at most once.
  Generations(GrowthPlan plan, uint64_t limit_bytes, GenerationList::Members members);

  // From now on growth needs room in the budget, too. Returns false, and changes nothing, if the
  // stores that exist do not fit. Exclusive.
  bool Join(std::shared_ptr<MemoryBudget> budget);
  // From now on the readers of all lists that share these grace periods are waited for together, so
  // that one that looks at several lists enters once. Exclusive.
  void ShareGracePeriods(std::shared_ptr<GracePeriods> shared) {
    grace_periods_ = std::move(shared);
  }

  // Limits side memory, of generations that begin later as well. Fails as Store::PrepareSideLimit,
  // for a generation of the first slot, and changes nothing then. Requires no budget. Exclusive.
  Status LimitSideMemory(uint64_t limit_bytes);

  // The list for a query: a reader without a lock. What it shows may be freed when the view ends,
  // so a loop over the members needs a named one: `for (.. : Read()->members())` ends it before the
  // first round.
  class ReaderView {
   public:
    const GenerationList* operator->() const { return list_; }
    const GenerationList& operator*() const { return *list_; }

   private:
    friend class Generations;
    explicit ReaderView(const Generations& of)
        : reader_(of.grace_periods_->Enter()), list_(of.list_.load(std::memory_order_seq_cst)) {}
    GracePeriods::Reader reader_;
    const GenerationList* list_;
  };
  ReaderView Read() const { return ReaderView(*this); }
  // The same for a reader that is inside of the shared grace periods; valid until it leaves.
  const GenerationList& ReadInside(const GracePeriods::Reader& /*inside*/) const noexcept {
    return *list_.load(std::memory_order_seq_cst);
  }

  // The list for an update: it stays current until the view ends.
  class SharedView {
   public:
    const GenerationList* operator->() const { return list_; }
    const GenerationList& operator*() const { return *list_; }

   private:
    friend class Generations;
    explicit SharedView(const Generations& of)
        : lock_(of.list_mutex_.LockShared()), list_(of.list_.load(std::memory_order_seq_cst)) {}
    StripedSharedMutex::SharedLock lock_;
    const GenerationList* list_;
  };
  SharedView LockShared() const { return SharedView(*this); }

  // The list for a caller that looks at all of it: it stays current, and only growing waits.
  class StableView {
   public:
    const GenerationList* operator->() const { return list_; }

   private:
    friend class Generations;
    explicit StableView(const Generations& of) : lock_(of.changing_), list_(of.current_.get()) {}
    std::lock_guard<std::mutex> lock_;
    const GenerationList* list_;
  };
  StableView LockList() const { return StableView(*this); }

  // Requires that the calling thread has no view:

  // Begins a new generation, unless another one than `full` is the newest by now, or that has room.
  GrowthRefusal Grow(const Generation* full);
  // Drops what is empty: closed generations, and a newest one for which an earlier slot is
  // free, so that a filter that has become empty is what it was when it was new.
  void DropEmpty();
  // As new. Exclusive.
  Status Clear();

  // Bytes of the blocks of the generation that Grow would begin; 0: there is none.
  uint64_t NextBytes() const;

  const GrowthPlan& plan() const { return plan_; }

 private:
  using Members = GenerationList::Members;
  using List = std::unique_ptr<const GenerationList>;

  Result<std::shared_ptr<Generation>> MakeGeneration(size_t slot_idx) const;
  // What a generation of these blocks reserves where one of the first slot has limit_bytes.
  uint64_t SideBytesFor(const Geometry& geometry, uint64_t limit_bytes) const;
  // The lowest slot that none of the members has; the plan may not have it.
  static size_t FreeSlot(const Members& members);
  // Publishes the list that `change` makes of the members under the exclusive lock; null: no
  // change. `change` reports last, when nothing can throw any more. Under changing_.
  template <class Change>
  void Replace(const Change& change);
  // Tells the budget, if there is one, what these members take. False: no room. Under changing_.
  bool Report(uint64_t num_bytes);
  static uint64_t BytesOf(const Members& members);
  // The same without side tables, which without a limit may be freed again: what is known of them
  // at any time, and no more than that.
  static uint64_t BlockBytesOf(const Members& members);

  GrowthPlan plan_;
  uint64_t limit_bytes_;  // 0: the machine's memory
  std::shared_ptr<MemoryBudget> budget_;
  std::shared_ptr<GracePeriods> grace_periods_ = std::make_shared<GracePeriods>();
  uint64_t reported_bytes_ = 0;  // what the budget knows
  // Bytes that Grow found a generation of this slot to need.
  struct {
    size_t slot_idx = ~size_t{0};
    uint64_t num_bytes = 0;
  } tried_;
  uint64_t side_limit_bytes_ = 0;
  mutable std::mutex changing_;  // held to change the list
  List current_;
  std::atomic<const GenerationList*> list_;
  mutable StripedSharedMutex list_mutex_;
};

}  // namespace trommel

#endif  // TROMMEL_ENGINE_SRC_SCALABLE_GENERATIONS_H_
