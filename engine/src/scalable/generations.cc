#include "engine/src/scalable/generations.h"

#include <algorithm>
#include <new>

#include "engine/src/base/memory_limit.h"

namespace trommel {

uint64_t Generation::Reserve(uint64_t num_wanted) {
  if (num_wanted == 0) return 0;
  const std::lock_guard<std::mutex> lock(room_);
  const uint64_t taken = std::min(capacity, load_.Get() + num_reserved_);
  const uint64_t granted = std::min(num_wanted, capacity - taken);
  num_reserved_ += granted;
  return granted;
}

void Generation::Settle(uint64_t num_reserved, uint64_t num_arrived) {
  if (num_reserved == 0 && num_arrived == 0) return;
  const std::lock_guard<std::mutex> lock(room_);
  num_reserved_ -= num_reserved;
  // Some of them may have gone already.
  load_.Set(std::min(load_.Get() + num_arrived, num_keys()));
}

uint64_t Generation::Room() const {
  const std::lock_guard<std::mutex> lock(room_);
  return capacity - std::min(capacity, load_.Get() + num_reserved_);
}

uint64_t Generation::TakeKeys(uint64_t num_keys) {
  const std::lock_guard<std::mutex> lock(room_);
  const uint64_t left = num_keys_.fetch_sub(num_keys, std::memory_order_relaxed) - num_keys;
  load_.Set(std::min(load_.Get(), left));
  return left;
}

bool Generation::IsFull() const {
  const std::lock_guard<std::mutex> lock(room_);
  return load_.Get() >= capacity;
}

void Generation::SetLoad(uint64_t load) {
  const std::lock_guard<std::mutex> lock(room_);
  load_.Set(load);
}

void Generation::Clear() {
  store_->Clear();
  num_keys_.store(0, std::memory_order_relaxed);
  SetLoad(0);
}

GenerationList::GenerationList(Members members) : members_(std::move(members)) {
  stores_.reserve(members_.size());
  for (const auto& member : members_) {
    stores_.push_back(&member->store());
    has_fingerprints_ = has_fingerprints_ || HasFingerprints(member->store());
  }
}

Generations::Generations(GrowthPlan plan, uint64_t limit_bytes, Members members)
    : plan_(std::move(plan)),
      limit_bytes_(limit_bytes),
      current_(std::make_unique<GenerationList>(std::move(members))),
      list_(current_.get()) {}

Result<std::unique_ptr<Generations>> Generations::Create(GrowthPlan plan, uint64_t limit_bytes) {
  auto generations = std::make_unique<Generations>(std::move(plan), limit_bytes, Members{});
  Result<std::shared_ptr<Generation>> first = generations->MakeGeneration(0);
  if (!first.ok()) return first.error();
  generations->Replace(
      [&](const Members&) { return std::make_unique<const GenerationList>(Members{*first}); });
  return generations;
}

Result<std::shared_ptr<Generation>> Generations::MakeGeneration(size_t slot_idx) const {
  // Of a forged file's plan none may be possible.
  if (!plan_.HasSlot(slot_idx)) {
    return Error{ErrorCode::kInvalidArgument, "no generation of this filter's plan can be made"};
  }
  const GrowthSlot slot = plan_.slot(slot_idx);
  Result<std::unique_ptr<Store>> store = MakeGenerationStore(slot.geometry, limit_bytes_);
  if (!store.ok()) return store.error();
  if (side_limit_bytes_ != 0) {
    const uint64_t side_bytes = SideBytesFor(slot.geometry, side_limit_bytes_);
    if (Status limited = (*store)->LimitSideMemory(side_bytes); !limited.ok()) {
      return limited.error();
    }
  }
  return std::make_shared<Generation>(*std::move(store), slot_idx, slot.capacity, slot.budget_fpr);
}

size_t Generations::FreeSlot(const Members& members) {
  for (size_t slot_idx = 0;; ++slot_idx) {
    const auto has_slot = [slot_idx](const auto& member) { return member->slot == slot_idx; };
    if (std::ranges::none_of(members, has_slot)) return slot_idx;
  }
}

uint64_t Generations::BytesOf(const Members& members) {
  uint64_t num_bytes = 0;
  for (const auto& member : members) num_bytes += member->store().num_bytes();
  return num_bytes;
}

uint64_t Generations::BlockBytesOf(const Members& members) {
  uint64_t num_bytes = 0;
  for (const auto& member : members) num_bytes += member->store().geometry().num_bytes();
  return num_bytes;
}

uint64_t Generations::NextBytes() const {
  const auto list = LockList();
  const size_t slot_idx = FreeSlot(list->members());
  const bool is_last = list->size() == ScalableFilter::kMaxGenerations;
  return is_last || !plan_.HasSlot(slot_idx) ? 0 : plan_.slot(slot_idx).geometry.num_bytes();
}

bool Generations::Report(uint64_t num_bytes) {
  if (budget_ == nullptr) return true;
  if (!budget_->Change(reported_bytes_, num_bytes)) return false;
  reported_bytes_ = num_bytes;
  return true;
}

bool Generations::Join(std::shared_ptr<MemoryBudget> budget) {
  const std::lock_guard<std::mutex> lock(changing_);
  const uint64_t num_bytes = BytesOf(current_->members());
  if (!budget->Change(0, num_bytes)) return false;
  budget_ = std::move(budget);
  reported_bytes_ = num_bytes;
  return true;
}

template <class Change>
void Generations::Replace(const Change& change) {
  List old;
  {
    const StripedSharedMutex::ExclusiveLock lock(list_mutex_);
    List changed = change(current_->members());
    if (changed == nullptr) return;
    old = std::exchange(current_, std::move(changed));
    list_.store(current_.get(), std::memory_order_seq_cst);
  }
  grace_periods_->Synchronize();
}

GrowthRefusal Generations::Grow(const Generation* full) try {
  const std::lock_guard<std::mutex> lock(changing_);
  if (&current_->newest() != full || !current_->newest().IsFull()) return GrowthRefusal::kNone;
  const size_t slot_idx = FreeSlot(current_->members());
  if (!plan_.HasSlot(slot_idx) || current_->size() == ScalableFilter::kMaxGenerations) {
    return GrowthRefusal::kLargestCapacity;
  }
  const uint64_t limit = MemoryLimit(limit_bytes_);
  const uint64_t new_bytes =
      tried_.slot_idx == slot_idx ? tried_.num_bytes : plan_.slot(slot_idx).geometry.num_bytes();
  // A full filter refuses every insertion: that must cost no memory and no exclusive lock.
  const uint64_t least_bytes =
      new_bytes +
      (side_limit_bytes_ != 0 ? BytesOf(current_->members()) : BlockBytesOf(current_->members()));
  if (least_bytes > limit || (budget_ != nullptr && !budget_->HasSpaceFor(new_bytes))) {
    return GrowthRefusal::kMemoryLimit;
  }
  Result<std::shared_ptr<Generation>> newest = MakeGeneration(slot_idx);
  if (!newest.ok()) return GrowthRefusal::kOutOfMemory;
  tried_ = {slot_idx, (*newest)->store().num_bytes()};
  GrowthRefusal refusal = GrowthRefusal::kNone;
  Replace([&](Members members) -> List {
    members.push_back(*newest);  // if refused, its memory is freed after the exclusive lock
    const uint64_t num_bytes = BytesOf(members);
    auto list = std::make_unique<const GenerationList>(std::move(members));
    if (num_bytes <= limit && Report(num_bytes)) return list;
    refusal = GrowthRefusal::kMemoryLimit;
    return nullptr;
  });
  return refusal;
} catch (const std::bad_alloc&) {
  return GrowthRefusal::kOutOfMemory;
}

void Generations::DropEmpty() try {
  const std::lock_guard<std::mutex> lock(changing_);
  // As new: nothing could go.
  if (current_->size() == 1 && current_->newest().slot == 0) return;
  // Made before the exclusive lock, for the case that the newest must go.
  std::shared_ptr<Generation> spare;
  const auto slot_after = [](const Members& members) {
    Members staying;
    for (const auto& member : members) {
      if (member->num_keys() != 0) staying.push_back(member);
    }
    return FreeSlot(staying);
  };
  const Generation& newest = current_->newest();
  if (newest.num_keys() == 0) {
    if (const size_t slot_idx = slot_after(current_->members()); slot_idx != newest.slot) {
      if (auto made = MakeGeneration(slot_idx); made.ok()) spare = *std::move(made);
    }
  }
  Replace([&](Members members) -> List {
    const std::shared_ptr<Generation> last = members.back();
    const bool has_better = spare != nullptr && last->num_keys() == 0 &&
                            slot_after(members) == spare->slot && spare->slot != last->slot;
    const size_t num_before = members.size();
    std::erase_if(members, [&](const auto& member) {
      return member->num_keys() == 0 && (member != last || has_better);
    });
    if (has_better) members.push_back(spare);
    if (members.size() == num_before && !has_better) return nullptr;
    const uint64_t num_bytes = BytesOf(members);
    auto list = std::make_unique<const GenerationList>(std::move(members));
    (void)Report(num_bytes);  // less, or what side tables took meanwhile
    return list;
  });
} catch (const std::bad_alloc&) {
  return;  // what is empty stays, until another erasure
}

Status Generations::Clear() {
  const std::lock_guard<std::mutex> lock(changing_);
  // One of the first slot is used again: it need not be there twice. A loaded one may be of another
  // size than ours would be.
  std::shared_ptr<Generation> first;
  for (const auto& member : current_->members()) {
    if (member->slot != 0 || !plan_.HasSlot(0)) continue;
    const GrowthSlot slot = plan_.slot(0);
    if (member->store().geometry() == slot.geometry && member->capacity == slot.capacity &&
        member->budget_fpr == slot.budget_fpr) {
      first = member;
    }
  }
  if (first == nullptr) {
    Result<std::shared_ptr<Generation>> made = MakeGeneration(0);
    if (!made.ok()) return made.error();
    first = *std::move(made);
  }
  Replace([&](const Members&) {
    auto list = std::make_unique<const GenerationList>(Members{first});
    first->Clear();  // exclusive, and nothing can throw any more
    (void)Report(first->store().num_bytes());
    return list;
  });
  return Ok();
}

}  // namespace trommel
