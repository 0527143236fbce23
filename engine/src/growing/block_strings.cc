#include "engine/src/growing/block_strings.h"

#include <array>
#include <bit>
#include <new>
#include <span>
#include <utility>

#include "kernels/presence_words.h"
#include "kernels/wide_block.h"

namespace trommel {
namespace {

using kernels::kGroupBlocks;
using kernels::kGrowingMark;
using kernels::kWideSlots;

constexpr size_t kLastSlot = kWideSlots - 1;

uint64_t BitOf(uint64_t idx) { return uint64_t{1} << (idx % kGroupBlocks); }

void SetUndecided(OverflowLine& line, uint64_t undecided) {
  __atomic_store_n(&line.undecided, undecided, __ATOMIC_RELAXED);
}

size_t NumFreeEntries(const OverflowLine& line) {
  return static_cast<size_t>(std::ranges::count(line.keys, 0));
}

}  // namespace

BlockContents BlockStrings::Read(const Segment& segment, uint64_t idx, uint64_t prefix) const {
  const uint32_t* block = segment.BlockAt(idx);
  std::array<uint16_t, kWideSlots + kLineEntries> codes;
  size_t num_codes = 0;
  const bool is_marked = kernels::IsMarkedGrowing(block);
  for (size_t i = 0; i < kWideSlots - size_t{is_marked}; ++i) {
    codes[num_codes] = static_cast<uint16_t>(kernels::WideSlot(block, i));
    num_codes += static_cast<size_t>(codes[num_codes] != 0);
  }
  if (is_marked) {
    const OverflowLine& line = segment.LineOf(idx);
    for (size_t i = 0; i < kLineEntries; ++i) {
      if (IsOf(line, i, idx)) codes[num_codes++] = line.keys[i];
    }
  }
  std::sort(codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(num_codes));
  BlockContents contents;
  for (const uint16_t code : std::span(codes).first(num_codes)) contents.push_back({code, 1});
  if (!segment.IsCounted(idx)) return contents;
  const uint32_t depth = segment.depth();
  for (auto at = side().lower_bound(StringOf(prefix, depth, 0));
       at != side().end() && PrefixOf(at->first, depth) == prefix; ++at) {
    AddTo(contents, CodeAt(at->first, depth), at->second);
  }
  return contents;
}

bool BlockStrings::Write(const Segment& segment, uint64_t idx, uint64_t prefix,
                         const BlockContents& contents) noexcept {
  const OverflowLine& line = segment.LineOf(idx);
  const size_t num_free = NumFreeEntries(line);
  try {
    if (!Store(segment, idx, prefix, contents)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  if ((line.undecided & ~BitOf(idx)) == 0 || NumFreeEntries(line) <= num_free) return true;
  try {
    ShowOthers(segment, idx, prefix);
  } catch (const std::bad_alloc&) {
    return true;  // they stay as they are
  }
  return true;
}

void BlockStrings::ShowOthers(const Segment& segment, uint64_t idx, uint64_t prefix) {
  const OverflowLine& line = segment.LineOf(idx);
  for (uint64_t others = line.undecided & ~BitOf(idx); others != 0 && NumFreeEntries(line) > 0;
       others &= others - 1) {
    const uint64_t other =
        idx / kGroupBlocks * kGroupBlocks + static_cast<uint64_t>(std::countr_zero(others));
    const uint64_t other_prefix = prefix - idx + other;
    (void)Store(segment, other, other_prefix, Read(segment, other, other_prefix));
  }
}

bool BlockStrings::Store(const Segment& segment, uint64_t idx, uint64_t prefix,
                         const BlockContents& contents) {
  uint32_t* block = segment.BlockAt(idx);
  OverflowLine& line = segment.LineOf(idx);
  const bool was_marked = kernels::IsMarkedGrowing(block);
  // What goes where is known before anything changes.
  size_t num_free = NumFreeEntries(line);
  for (size_t i = 0; i < kLineEntries && was_marked; ++i) num_free += size_t{IsOf(line, i, idx)};
  const bool is_marked = contents.size() > kWideSlots;
  const size_t num_slots = is_marked ? kLastSlot : kWideSlots;
  std::array<uint32_t, kWideSlots> slots;
  std::array<uint32_t, kLineEntries> in_line;
  size_t num_shown = 0;
  size_t num_in_line = 0;
  BlockContents rest;  // for the side table
  bool is_undecided = false;
  for (const BlockKey& entry : contents) {
    uint64_t left = entry.count - 1;
    if (num_shown < num_slots) {
      slots[num_shown++] = entry.key;
    } else if (num_in_line < num_free) {
      in_line[num_in_line++] = entry.key;
    } else {
      is_undecided = true;
      left += 1;
    }
    if (left > 0) rest.push_back({entry.key, left});
  }
  const bool has_rest = segment.IsCounted(idx) || !rest.empty();
  if (has_rest && !HasSpaceFor(prefix, segment.depth(), rest)) return false;

  for (size_t i = 0; i < kLineEntries && was_marked; ++i) {
    if (IsOf(line, i, idx)) ClearEntry(line, i);
  }
  for (size_t i = 0; i < num_in_line; ++i) FillEntry(line, *FreeEntry(line), idx, in_line[i]);
  kernels::EncodeWide(std::span(slots).first(num_shown), is_marked ? kGrowingMark : 0, block);
  const bool was_undecided = (line.undecided & BitOf(idx)) != 0;
  if (is_undecided != was_undecided) SetUndecided(line, line.undecided ^ BitOf(idx));
  if (has_rest) StoreSide(prefix, segment.depth(), rest);
  segment.SetCounted(idx, !rest.empty());
  // Modulo 2^64: a difference may be below zero.
  num_marked_ += uint64_t{is_marked} - uint64_t{was_marked};
  num_undecided_ += uint64_t{is_undecided} - uint64_t{was_undecided};
  return true;
}

bool BlockStrings::HasSpaceFor(uint64_t prefix, uint32_t depth,
                               const BlockContents& rest) noexcept {
  return side_.HasSpaceFor(rest.size(), side_.NumOf(prefix, depth));
}

void BlockStrings::StoreSide(uint64_t prefix, uint32_t depth, const BlockContents& rest) noexcept {
  side_.Remove(prefix, depth);
  for (const BlockKey& entry : rest) side_.Put(StringOf(prefix, depth, entry.key), entry.count);
  side_.TrimSpare();
}

uint32_t BlockStrings::MatchOf(const Segment& segment, uint64_t idx, uint64_t prefix,
                               uint32_t key) const noexcept {
  const uint32_t* block = segment.BlockAt(idx);
  for (size_t i = 0; i < kWideSlots; ++i) {  // a mark matches no key
    const uint32_t code = kernels::WideSlot(block, i);
    if (kernels::IsMatch(code, key)) return code;
  }
  if (!kernels::IsMarkedGrowing(block)) return 0;
  const OverflowLine& line = segment.LineOf(idx);
  for (size_t i = 0; i < kLineEntries; ++i) {
    if (IsOf(line, i, idx) && kernels::IsMatch(line.keys[i], key)) return line.keys[i];
  }
  if ((line.undecided & BitOf(idx)) == 0) return 0;
  const uint32_t depth = segment.depth();
  for (auto at = side().lower_bound(StringOf(prefix, depth, 0));
       at != side().end() && PrefixOf(at->first, depth) == prefix; ++at) {
    const uint32_t code = CodeAt(at->first, depth);
    if (kernels::IsMatch(code, key)) return code;
  }
  return 0;
}

bool BlockStrings::IsShown(const Segment& segment, uint64_t idx, uint32_t code) noexcept {
  const uint32_t* block = segment.BlockAt(idx);
  for (size_t i = 0; i < kWideSlots; ++i) {
    if (kernels::WideSlot(block, i) == code) return true;
  }
  const OverflowLine& line = segment.LineOf(idx);
  for (size_t i = 0; i < kLineEntries && kernels::IsMarkedGrowing(block); ++i) {
    if (IsOf(line, i, idx) && line.keys[i] == code) return true;
  }
  return false;
}

bool BlockStrings::AddCopies(const Segment& segment, uint64_t idx, uint64_t prefix, uint32_t code,
                             uint64_t count) noexcept {
  if (!side_.Add(StringOf(prefix, segment.depth(), code), count)) return false;
  segment.SetCounted(idx, true);
  return true;
}

bool BlockStrings::TakeFromSide(const Segment& segment, uint64_t idx, uint64_t prefix,
                                uint64_t string) noexcept {
  if (!segment.IsCounted(idx) || !side_.TakeOne(string)) return false;
  if (side_.CopiesOf(string) == 0) segment.SetCounted(idx, side_.HasSome(prefix, segment.depth()));
  return true;
}

bool BlockStrings::TakeCopy(const Segment& segment, uint64_t idx, uint64_t prefix,
                            uint32_t code) noexcept {
  const uint64_t string = StringOf(prefix, segment.depth(), code);
  if (!IsShown(segment, idx, code) && side_.CopiesOf(string) == 1) return false;
  return TakeFromSide(segment, idx, prefix, string);
}

bool BlockStrings::TakeOne(const Segment& segment, uint64_t idx, uint64_t prefix,
                           uint32_t code) noexcept {
  const bool is_shown = IsShown(segment, idx, code);
  const uint64_t string = StringOf(prefix, segment.depth(), code);
  if (TakeFromSide(segment, idx, prefix, string)) return !is_shown && side_.CopiesOf(string) == 0;
  // The block stays marked, with a free slot or entry.
  OverflowLine& line = segment.LineOf(idx);
  uint32_t* block = segment.BlockAt(idx);
  const bool is_marked = kernels::IsMarkedGrowing(block);
  for (size_t i = 0; i < kLineEntries && is_marked; ++i) {
    if (!IsOf(line, i, idx) || line.keys[i] != code) continue;
    ClearEntry(line, i);
    return true;
  }
  size_t slot_idx = 0;
  while (kernels::WideSlot(block, slot_idx) != code) ++slot_idx;
  uint32_t* word = block + slot_idx / 2;
  kernels::StorePresenceWord(*word & ~(0xffffU << 16 * (slot_idx % 2)), word);
  return true;
}

bool BlockStrings::MayHoldElsewhere(const Segment& segment, uint64_t idx, uint32_t key) {
  const OverflowLine& line = segment.LineOf(idx);
  if ((__atomic_load_n(&line.undecided, __ATOMIC_RELAXED) & BitOf(idx)) != 0) return true;
  for (size_t i = 0; i < kLineEntries; ++i) {
    const uint32_t code = __atomic_load_n(&line.keys[i], __ATOMIC_RELAXED);
    const uint32_t home = __atomic_load_n(&line.homes[i], __ATOMIC_RELAXED);
    if (home == idx % kGroupBlocks && kernels::IsMatch(code, key)) return true;
  }
  return false;
}

void BlockStrings::Forget(const Segment& segment, uint64_t prefix, Moved which) noexcept {
  const uint32_t depth = segment.depth();
  for (uint64_t idx = 0; idx < segment.num_blocks(); ++idx) {
    const bool is_marked = kernels::IsMarkedGrowing(segment.BlockAt(idx));
    num_marked_ -= uint64_t{is_marked};
    if (is_marked && which == Moved::kMarked && has_side()) side_.Remove(prefix + idx, depth);
  }
  for (uint64_t idx = 0; idx < segment.num_blocks(); idx += kGroupBlocks) {
    num_undecided_ -= static_cast<uint64_t>(std::popcount(segment.LineOf(idx).undecided));
  }
  if (which == Moved::kAll) side_.Remove(prefix >> segment.bits(), depth - segment.bits());
  side_.TrimSpare();
}

void BlockStrings::TakeAll(BlockStrings& moved) noexcept {
  side_.TakeAll(moved.side_);
  num_marked_ += std::exchange(moved.num_marked_, 0);
  num_undecided_ += std::exchange(moved.num_undecided_, 0);
}

void BlockStrings::NoteCounted(const Segment& segment, uint64_t prefix) const noexcept {
  const uint32_t depth = segment.depth();
  const uint64_t of_segment = prefix >> segment.bits();
  const uint32_t prefix_bits = depth - segment.bits();
  for (auto at = side().lower_bound(StringOf(of_segment, prefix_bits, 0));
       at != side().end() && PrefixOf(at->first, prefix_bits) == of_segment; ++at) {
    segment.SetCounted(segment.IndexOf(at->first), true);
  }
}

bool BlockStrings::CopyFrom(const BlockStrings& other) noexcept {
  for (const auto& [string, count] : other.side()) {
    if (!side_.Add(string, count)) return false;
  }
  num_marked_ = other.num_marked_;
  num_undecided_ = other.num_undecided_;
  return true;
}

void BlockStrings::Clear() {
  side_.Clear();
  num_marked_ = 0;
  num_undecided_ = 0;
}

}  // namespace trommel
