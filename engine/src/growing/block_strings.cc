#include "engine/src/growing/block_strings.h"

#include <array>
#include <bit>
#include <span>

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
  for (const uint16_t code : std::span(codes).first(num_codes)) {
    if (!contents.empty() && contents.back().key == code) {
      contents.back().count += 1;
    } else {
      contents.push_back({code, 1});
    }
  }
  if (side_.empty()) return contents;
  const uint32_t depth = segment.depth();
  for (auto at = side_.lower_bound(StringOf(prefix, depth, 0));
       at != side_.end() && PrefixOf(at->first, depth) == prefix; ++at) {
    AddTo(contents, CodeAt(at->first, depth), at->second);
  }
  return contents;
}

void BlockStrings::Write(const Segment& segment, uint64_t idx, uint64_t prefix,
                         const BlockContents& contents) {
  OverflowLine& line = segment.LineOf(idx);
  const size_t num_free = NumFreeEntries(line);
  Store(segment, idx, prefix, contents);
  uint64_t others = line.undecided & ~BitOf(idx);
  if (others == 0 || NumFreeEntries(line) <= num_free) return;
  for (; others != 0 && NumFreeEntries(line) > 0; others &= others - 1) {
    const uint64_t other =
        idx / kGroupBlocks * kGroupBlocks + static_cast<uint64_t>(std::countr_zero(others));
    const uint64_t other_prefix = prefix - idx + other;
    Store(segment, other, other_prefix, Read(segment, other, other_prefix));
  }
}

void BlockStrings::Store(const Segment& segment, uint64_t idx, uint64_t prefix,
                         const BlockContents& contents) {
  uint32_t* block = segment.BlockAt(idx);
  OverflowLine& line = segment.LineOf(idx);
  const bool was_marked = kernels::IsMarkedGrowing(block);
  if (was_marked) {
    for (size_t i = 0; i < kLineEntries; ++i) {
      if (IsOf(line, i, idx)) ClearEntry(line, i);
    }
  }
  const bool is_marked = NumEntriesOf(contents) > kWideSlots;
  const size_t num_slots = is_marked ? kLastSlot : kWideSlots;
  std::array<uint32_t, kWideSlots> slots;
  size_t num_shown = 0;
  BlockContents rest;  // for the side table
  bool is_undecided = false;
  for (const BlockKey& entry : contents) {
    uint64_t left = entry.count;
    for (uint64_t i = NumEntries(entry.count); i > 0; --i) {
      if (num_shown < num_slots) {
        slots[num_shown++] = entry.key;
      } else if (const auto free = FreeEntry(line)) {
        FillEntry(line, *free, idx, entry.key);
      } else {
        is_undecided = true;
        break;
      }
      left -= 1;
    }
    if (left > 0) rest.push_back({entry.key, left});
  }
  kernels::EncodeWide(std::span(slots).first(num_shown), is_marked ? kGrowingMark : 0, block);
  const bool was_undecided = (line.undecided & BitOf(idx)) != 0;
  if (is_undecided != was_undecided) SetUndecided(line, line.undecided ^ BitOf(idx));
  if (!side_.empty() || !rest.empty()) StoreSide(prefix, segment.depth(), rest);
  // Modulo 2^64: a difference may be below zero.
  num_marked_ += uint64_t{is_marked} - uint64_t{was_marked};
  num_undecided_ += uint64_t{is_undecided} - uint64_t{was_undecided};
}

void BlockStrings::StoreSide(uint64_t prefix, uint32_t depth, const BlockContents& rest) {
  auto at = side_.lower_bound(StringOf(prefix, depth, 0));
  while (at != side_.end() && PrefixOf(at->first, depth) == prefix) at = side_.erase(at);
  for (const BlockKey& entry : rest) {
    side_.emplace_hint(at, StringOf(prefix, depth, entry.key), entry.count);
  }
}

bool BlockStrings::TakeCopy(uint64_t string) {
  const auto at = side_.find(string);
  if (at == side_.end()) return false;
  at->second -= 1;
  if (at->second == 0) side_.erase(at);
  return true;
}

uint64_t BlockStrings::CopiesOf(uint64_t string) const {
  const auto at = side_.find(string);
  return at == side_.end() ? 0 : at->second;
}

uint32_t BlockStrings::LongestMatch(const BlockContents& contents, uint32_t key) {
  uint32_t longest = 0;
  for (const BlockKey& entry : contents) {
    if (!kernels::IsMatch(entry.key, key)) continue;
    if (longest == 0 || kernels::LastOne(entry.key) < kernels::LastOne(longest)) {
      longest = entry.key;
    }
  }
  return longest;
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

void BlockStrings::Forget(const Segment& segment) {
  for (uint64_t idx = 0; idx < segment.num_blocks(); ++idx) {
    num_marked_ -= uint64_t{kernels::IsMarkedGrowing(segment.BlockAt(idx))};
  }
  for (uint64_t idx = 0; idx < segment.num_blocks(); idx += kGroupBlocks) {
    num_undecided_ -= static_cast<uint64_t>(std::popcount(segment.LineOf(idx).undecided));
  }
}

void BlockStrings::Clear() {
  side_.clear();
  num_marked_ = 0;
  num_undecided_ = 0;
}

}  // namespace trommel
