#include "engine/src/fingerprints/dense_range.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "kernels/run_slice.h"

namespace trommel {

using kernels::DenseBlock;
using kernels::kDensePullSlots;
using kernels::kMaxDenseSlots;
using kernels::OneFate;

DenseRange::DenseRange(const DenseLayout& layout, uint32_t* words,
                       std::unique_ptr<DenseLines> lines)
    : layout_(layout),
      words_(words),
      least_lines_(lines->num_lines()),
      lines_(std::move(lines)),
      published_lines_(lines_.get()),
      counts_(lines_->num_blocks(), layout.shape.key_bits()) {
  SetThresholds();
}

Result<DenseRange> DenseRange::Create(const DenseLayout& layout, uint32_t* words,
                                      uint64_t num_blocks, uint64_t least_lines) {
  Result<DenseLines> lines = DenseLines::Create(layout, num_blocks, least_lines);
  if (!lines) return lines.error();
  return DenseRange(layout, words, std::make_unique<DenseLines>(*std::move(lines)));
}

void DenseRange::Store(DenseBlock& block, uint64_t block_idx) {
  block.set_counted(counts_.Has(block_idx));
  ChangeBlock(block_idx, [&](uint32_t* words) { block.Store(words); });
}

template <class Change>
void DenseRange::ChangeBlock(uint64_t block_idx, const Change& change) {
  uint32_t* words = BlockAt(block_idx);
  CountMarks(words, ~uint64_t{0});
  change(words);
  CountMarks(words, 1);
}

void DenseRange::CountMarks(const uint32_t* words, uint64_t by) {
  num_marked_ += kernels::IsMarkedDense(words) ? by : 0;
  if (kernels::IsSpilledDense(words)) {
    num_undecided_bins_ += by * (layout_.shape.bins - Kernels().state(words).num_bins);
  }
}

void DenseRange::Prefetch(uint64_t block_idx, uint32_t key) const {
  if (kernels::IsCountedDense(BlockAt(block_idx))) return counts_.Prefetch(block_idx);
  const uint64_t next_bin = Kernels().state(BlockAt(block_idx)).next_bin;
  const uint64_t bin = std::min(next_bin, uint64_t{layout_.shape.bins} - 1);
  (void)lines_->FetchedPairOf(block_idx, std::max(key, FirstKeyOf(static_cast<uint32_t>(bin))));
}

bool DenseRange::HasHidden(uint64_t block_idx) const {
  const auto first = hidden_.lower_bound(IdOf(block_idx, 0));
  return first != hidden_.end() && first->first < IdOf(block_idx + 1, 0);
}

// --- Insertions.

bool DenseRange::Insert(uint64_t block_idx, uint32_t key) {
  {
    const auto change = ChangeOf(block_idx);
    if (!InsertPlainly(block_idx, key) && !InsertAny(block_idx, key)) return false;
  }
  FitLines();
  return true;
}

bool DenseRange::InsertAny(uint64_t block_idx, uint32_t key) {
  if (kernels::IsCountedDense(BlockAt(block_idx))) {
    const uint32_t slot = Kernels().slot(key, layout_.bits, BlockAt(block_idx));
    if (slot < layout_.shape.slots) return counts_.Increment(block_idx, slot);
  }
  DenseBlock block = Load(block_idx);
  const bool is_inserted = InsertInto(block, block_idx, key);
  // Lines have become more, or entries fewer, since these keys found no place.
  if (block.is_spilled()) ReturnHidden(block, block_idx);
  Store(block, block_idx);  // of a key that is refused, too: its block's copies may be counted now
  return is_inserted;
}

bool DenseRange::InsertPlainly(uint64_t block_idx, uint32_t key) {
  const uint32_t* words = BlockAt(block_idx);
  if (kernels::IsCountedDense(words)) return false;
  const auto [num_bins, next_bin] = Kernels().state(words);
  const uint32_t bin = std::max(BinOf(key), static_cast<uint32_t>(next_bin));
  const kernels::DensePair pair = lines_->FetchedPairOf(block_idx, FirstKeyOf(bin));
  if (BinOf(key) >= num_bins) return !kernels::IsSpilledDense(words) && lines_->PutNew(pair, key);
  if (is_limited()) return false;
  std::array<uint32_t, kMaxDenseSlots + 1> left;
  kernels::DenseCutKernels::Evicted evicted{};
  ChangeBlock(block_idx,
              [&](uint32_t* block) { evicted = lines_->Evict(key, block, pair, left.data()); });
  for (uint64_t i = 0; i < evicted.num_left; ++i) {
    DenseBlock block = Load(block_idx);
    PutAbove(block, block_idx, left[i], 1);
    Store(block, block_idx);
  }
  return evicted.num > 0;
}

bool DenseRange::InsertInto(DenseBlock& block, uint64_t block_idx, uint32_t key) {
  if (!block.Shows(BinOf(key))) return InsertAbove(block, block_idx, key);
  if (block.is_full()) {
    const int slot = block.is_counted() ? -1 : block.Find(key);
    if (block.is_counted() || !MustSqueeze(block, key, slot)) {
      return InsertEvicting(block, block_idx, key);
    }
    if (slot >= 0) return AddCopy(block, block_idx, key, slot);
    if (!HasSpace(block_idx, 0)) return false;
    Squeeze(block, block_idx);
    if (block.is_cut()) Pull(block, block_idx);
    if (block.is_full()) return InsertEvicting(block, block_idx, key);
  }
  counts_.OpenSlot(block_idx, block.Open(key));
  return true;
}

bool DenseRange::MustSqueeze(const DenseBlock& block, uint32_t key, int slot) const {
  const uint64_t copies = block.Copies();
  const size_t num_copies = kernels::CountOnes(copies) + (slot >= 0 ? 1 : 0);
  if (num_copies == 0 || num_copies >= kernels::kDenseManyCopies) return num_copies > 0;
  const uint32_t last = block.LastBin();
  return BinOf(key) <= last &&
         ((slot >= 0 && BinOf(key) == last) || copies >> block.SlotsOf(last).first != 0);
}

bool DenseRange::AddCopy(DenseBlock& block, uint64_t block_idx, uint32_t key, int slot) {
  if (!block.is_counted()) {
    if (!HasSpace(block_idx, 1)) return false;
    Squeeze(block, block_idx);
    if (block.is_cut()) Pull(block, block_idx);
    if (slot >= 0 || block.Shows(BinOf(key))) slot = block.Find(key);
  }
  if (slot >= 0) {
    const auto at = static_cast<uint32_t>(slot);
    return counts_.Increment(block_idx, at);
  }
  const uint64_t count = counts_.OfKey(block_idx, key) + 1;
  if (counts_.SetKey(block_idx, key, count)) return true;
  if (is_limited()) return false;
  // The record is too long for one key more.
  lines_->Take(block_idx, key);
  static_cast<void>(counts_.SetKey(block_idx, key, 0));
  hidden_[IdOf(block_idx, key)] = count + 1;
  block.set_spilled(true);
  return true;
}

void DenseRange::Squeeze(DenseBlock& block, uint64_t block_idx, DenseCounts& counts) {
  if (block.is_counted()) return;
  InlineVector<uint32_t, kMaxDenseSlots> keys;
  for (uint64_t copies = block.Copies(); copies != 0;) {
    const auto slot = static_cast<uint32_t>(std::bit_width(copies)) - 1;  // from the last on
    copies ^= uint64_t{1} << slot;
    const uint32_t bin = block.BinAt(slot);
    keys.push_back(bin << block.layout().bits | block.RemainderAt(slot));
    block.Close(slot, bin);
  }
  for (const uint32_t key : keys) {
    static_cast<void>(counts.Increment(block_idx, static_cast<uint32_t>(block.Find(key))));
  }
  block.set_counted(counts.Has(block_idx));
}

bool DenseRange::InsertEvicting(DenseBlock& block, uint64_t block_idx, uint32_t key) {
  const uint32_t last = block.LastBin();
  const uint32_t bin = std::max(last, BinOf(key));
  const DenseBlock::Slots slots = bin == last ? block.SlotsOf(bin) : DenseBlock::Slots{0, 0};
  InlineVector<BlockKey, kMaxDenseSlots> evicted;
  size_t num_counted = 0;
  for (uint32_t i = slots.first; i < slots.end; ++i) {
    const uint64_t count = 1 + (block.is_counted() ? counts_.OfSlot(block_idx, i) : 0);
    evicted.push_back({FirstKeyOf(bin) | block.RemainderAt(i), count});
    num_counted += count > 1 ? 1 : 0;
  }
  if (BinOf(key) == bin) evicted.push_back({key, 1});
  if (is_limited() && ((num_counted > 0 && !HasSpace(block_idx, num_counted)) ||
                       lines_->FreePlaces(block_idx, FirstKeyOf(bin)) < evicted.size())) {
    return false;
  }
  for (uint32_t i = slots.first; block.is_counted() && i < slots.end; ++i) {
    static_cast<void>(counts_.SetSlot(block_idx, i, 0));
  }
  block.CutAt(bin);
  for (const BlockKey& entry : evicted) PutAbove(block, block_idx, entry.key, entry.count);
  if (BinOf(key) < bin) counts_.OpenSlot(block_idx, block.Open(key));
  return true;
}

void DenseRange::PutAbove(DenseBlock& block, uint64_t block_idx, uint32_t key, uint64_t count) {
  if (count > 1 && !counts_.SetKey(block_idx, key, count - 1)) {
    hidden_[IdOf(block_idx, key)] = count;
  } else if (!lines_->Put(block_idx, key)) {
    if (count > 1) static_cast<void>(counts_.SetKey(block_idx, key, 0));
    hidden_[IdOf(block_idx, key)] = count;
  } else {
    return;
  }
  block.set_spilled(true);
}

bool DenseRange::InsertAbove(DenseBlock& block, uint64_t block_idx, uint32_t key) {
  if (lines_->Holds(block_idx, key)) return AddCopy(block, block_idx, key, -1);
  if (block.is_spilled()) {
    const auto found = hidden_.find(IdOf(block_idx, key));
    if (found != hidden_.end()) {
      found->second += 1;
      return true;
    }
  }
  if (is_limited() && lines_->FreePlaces(block_idx, key) == 0) return false;
  PutAbove(block, block_idx, key, 1);
  return true;
}

// --- Erasures.

bool DenseRange::Erase(uint64_t block_idx, uint32_t key) {
  {
    const uint32_t* words = BlockAt(block_idx);
    const auto change = ChangeOf(block_idx);
    const bool is_plain = !kernels::IsCountedDense(words) && !kernels::IsSpilledDense(words);
    if (!(is_plain ? ErasePlainly(block_idx, key) : EraseAny(block_idx, key))) return false;
  }
  FitLines();
  return true;
}

bool DenseRange::EraseAny(uint64_t block_idx, uint32_t key) {
  const uint32_t* words = BlockAt(block_idx);
  if (kernels::IsCountedDense(words)) {
    const uint32_t slot = Kernels().slot(key, layout_.bits, words);
    if (slot < layout_.shape.slots && counts_.Decrement(block_idx, slot)) {
      if (!counts_.Has(block_idx)) {
        DenseBlock block = Load(block_idx);
        Store(block, block_idx);
      }
      return true;
    }
  }
  DenseBlock block = Load(block_idx);
  if (block.Shows(BinOf(key))) {
    const int found = block.Find(key);
    if (found < 0) return false;
    const auto slot = static_cast<uint32_t>(found);
    counts_.CloseSlot(block_idx, slot);
    block.Close(slot, BinOf(key));
  } else if (!EraseAbove(block, block_idx, key)) {
    return false;
  }
  if (block.is_cut()) {
    Pull(block, block_idx);
    if (block.is_spilled()) ReturnHidden(block, block_idx);
  }
  Store(block, block_idx);
  return true;
}

bool DenseRange::ErasePlainly(uint64_t block_idx, uint32_t key) {
  // The lines of the key, or of what is pulled: they come while the block is changed.
  const uint64_t next_bin = Kernels().state(BlockAt(block_idx)).next_bin;
  const auto cut_bin = static_cast<uint32_t>(std::min(next_bin, uint64_t{layout_.shape.bins} - 1));
  uint32_t of_pair = std::max(key, FirstKeyOf(cut_bin));
  kernels::DensePair pair = lines_->FetchedPairOf(block_idx, of_pair);
  kernels::DenseCutKernels::Closed closed{};
  ChangeBlock(block_idx,
              [&](uint32_t* words) { closed = Kernels().close(key, layout_.bits, words); });
  if (closed.fate == OneFate::kUnchanged) return false;
  if (closed.fate == OneFate::kSpill && !lines_->Take(pair, key)) return false;
  for (uint64_t bin = closed.pull_bin; bin != kernels::DenseCutKernels::kNoBin;) {
    const uint32_t pulled = FirstKeyOf(static_cast<uint32_t>(bin));
    if (layout_.GroupOf(pulled) != layout_.GroupOf(of_pair)) {
      of_pair = pulled;
      pair = lines_->PairOf(block_idx, of_pair);
    }
    ChangeBlock(block_idx, [&](uint32_t* words) { bin = lines_->Pull(words, pair).pull_bin; });
  }
  return true;
}

bool DenseRange::EraseAbove(DenseBlock& block, uint64_t block_idx, uint32_t key) {
  const uint64_t count = block.is_counted() ? counts_.OfKey(block_idx, key) : 0;
  if (count > 0) return counts_.SetKey(block_idx, key, count - 1);
  if (lines_->Take(block_idx, key)) return true;
  if (!block.is_spilled()) return false;
  const auto found = hidden_.find(IdOf(block_idx, key));
  if (found == hidden_.end()) return false;
  found->second -= 1;
  if (found->second == 0) hidden_.erase(found);
  block.set_spilled(HasHidden(block_idx));
  return true;
}

void DenseRange::Pull(DenseBlock& block, uint64_t block_idx) {
  const uint32_t num_slots = layout_.shape.slots;
  while (block.is_cut() && block.num_keys() + kDensePullSlots <= num_slots) {
    const uint32_t bin = block.num_bins();
    const uint32_t end = lines_->EndOfGroup(bin);
    DenseKeys keys;
    lines_->AppendGroup(block_idx, FirstKeyOf(bin), keys);
    if (block.is_spilled()) AppendHidden(block, block_idx, bin, end, keys);
    std::sort(keys.begin(), keys.end());
    const bool fits = PullBins(block, block_idx, keys);
    lines_->TakeGroup(block_idx, FirstKeyOf(bin), FirstKeyOf(block.num_bins()));
    if (!fits) break;
    block.ShowBins(end);
  }
  if (block.is_spilled()) block.set_spilled(HasHidden(block_idx));
}

void DenseRange::AppendHidden(DenseBlock& block, uint64_t block_idx, uint32_t bin, uint32_t end,
                              DenseKeys& keys) {
  bool is_counted = false;
  size_t num_left = layout_.shape.slots + 1;  // a block takes no more
  auto at = hidden_.lower_bound(IdOf(block_idx, FirstKeyOf(bin)));
  for (; at != hidden_.end() && at->first < IdOf(block_idx, FirstKeyOf(end)); ++at) {
    if (num_left-- == 0) break;
    keys.push_back(static_cast<uint32_t>(at->first - IdOf(block_idx, 0)));
    is_counted |= at->second > 1;
  }
  if (is_counted) Squeeze(block, block_idx);
}

bool DenseRange::PullBins(DenseBlock& block, uint64_t block_idx, const DenseKeys& keys) {
  const bool may_be_hidden = block.is_spilled();  // a block that is not cut says no more
  for (size_t i = 0; i < keys.size();) {
    const uint32_t bin = BinOf(keys[i]);
    size_t end = i;
    while (end < keys.size() && BinOf(keys[end]) == bin) ++end;
    block.ShowBins(bin);
    if (block.num_keys() + (end - i) > layout_.shape.slots) return false;
    block.ShowBins(bin + 1);
    for (; i < end; ++i) {
      const uint32_t slot = block.Open(keys[i]);
      uint64_t count = counts_.OfKey(block_idx, keys[i]);
      if (count > 0) static_cast<void>(counts_.SetKey(block_idx, keys[i], 0));
      if (may_be_hidden) {
        const auto found = hidden_.find(IdOf(block_idx, keys[i]));
        if (found != hidden_.end()) {
          count = found->second - 1;
          hidden_.erase(found);
        }
      }
      if (count > 0) static_cast<void>(counts_.SetSlot(block_idx, slot, count));
    }
  }
  return true;
}

bool DenseRange::PutCounted(DenseBlock& block, uint64_t block_idx, uint32_t key, uint64_t count,
                            DenseLines& lines, DenseCounts& counts) {
  if (count > 1) {
    if (!counts.HasSpaceFor(block_idx, 1 + kMaxSqueezed)) return false;
    Squeeze(block, block_idx, counts);
  }
  if (!lines.Put(block_idx, key)) return false;
  return count == 1 || counts.SetKey(block_idx, key, count - 1);
}

void DenseRange::ReturnHidden(DenseBlock& block, uint64_t block_idx) {
  const uint64_t end = IdOf(block_idx + 1, 0);
  for (int i = 0; i < kMaxReturns; ++i) {
    const auto found = hidden_.lower_bound(IdOf(block_idx, 0));
    if (found == hidden_.end() || found->first >= end) break;
    const auto key = static_cast<uint32_t>(found->first - IdOf(block_idx, 0));
    const uint64_t count = found->second;
    if (!PutCounted(block, block_idx, key, count, *lines_, counts_)) break;
    hidden_.erase(found);
  }
  block.set_spilled(HasHidden(block_idx));
}

}  // namespace trommel
