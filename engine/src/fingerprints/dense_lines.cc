#include "engine/src/fingerprints/dense_lines.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "engine/src/base/memory_limit.h"

namespace trommel {

using kernels::DenseEntry;
using kernels::DensePair;
using kernels::NumDenseEntries;

Result<DenseLines> DenseLines::Create(const DenseLayout& layout, uint64_t num_blocks,
                                      uint64_t num_lines) {
  Result<BlockMemory> memory = BlockMemory::Allocate(kLineWords * num_lines);
  if (!memory) return memory.error();
  DenseLines lines;
  const uint64_t num_versions = num_lines / kernels::kGroupBlocks + 1;
  lines.versions_.reset(new (std::nothrow) uint64_t[num_versions]());
  if (lines.versions_ == nullptr) return OutOfMemoryError("the system refused memory for lines");
  lines.layout_ = layout;
  lines.shape_idx_ = kernels::DenseShapeIdx(layout.shape);
  kernels::UseDenseKernels();
  (void)kernels::ActiveKernels();  // Kernels requires it
  lines.num_blocks_ = num_blocks;
  lines.num_lines_ = num_lines;
  lines.num_in_line_ = layout.shape.line_entries();
  lines.num_orders_ = static_cast<uint32_t>((num_blocks + num_lines - 1) / num_lines);
  lines.num_hashes_ = kSecond / lines.num_orders_;
  lines.per_block_ = Divisor(num_blocks);
  lines.per_line_ = Divisor(num_lines);
  lines.memory_ = *std::move(memory);
  return lines;
}

Result<DenseLines> DenseLines::Copy() const {
  Result<DenseLines> copy = Create(layout_, num_blocks_, num_lines_);
  if (!copy) return copy;
  std::copy_n(memory_.data(), memory_.num_words(), copy->memory_.data());
  copy->num_entries_ = num_entries_;
  return copy;
}

namespace {

// Below `num_hashes`, 1 to 16. Neighbours differ.
uint32_t HashOf(uint64_t block_idx, uint32_t num_hashes) {
  const auto hash = static_cast<uint32_t>(block_idx * 0x9e3779b97f4a7c15 >> 48);
  return hash * num_hashes >> 16;
}

}  // namespace

DenseLines::Distances DenseLines::DistancesOf(uint32_t code, uint32_t key) const {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  const uint64_t hash =
      (uint64_t{layout_.GroupOf(key)} * kernels::kMaxBlocksPerLine + code + 1) * kMultiplier;
  // Of the numbers below span, and of the others.
  const uint64_t span = std::min(kWindow, num_lines_);
  const uint64_t near = (hash >> 48) * span >> 16;
  const uint64_t step = span == 1 ? 0 : 1 + ((hash >> 32 & 0xffff) * (span - 1) >> 16);
  return {near, near + step < span ? near + step : near + step - span};
}

kernels::DensePair DenseLines::PairOf(uint64_t block_idx, uint32_t key) const {
  const auto [home, behind] = per_block_.Divide(block_idx * num_lines_);
  // The home's first block x lines / blocks is less than a line's part behind it.
  const auto order = static_cast<uint32_t>(per_line_.Divide(behind).quotient);
  const uint32_t code = order + num_orders_ * HashOf(block_idx, num_hashes_);
  const Distances distances = DistancesOf(code, key);
  const auto line_at = [this, home = home](uint64_t distance) {
    const uint64_t line_idx = home + distance;
    return LineAt(line_idx < num_lines_ ? line_idx : line_idx - num_lines_);
  };
  return {{line_at(distances.near), line_at(distances.far)}, {code, code + kSecond}};
}

uint64_t DenseLines::BlockOf(uint64_t line_idx, const DenseEntry& entry) const {
  const uint32_t code = entry.tag % kSecond;
  const Distances distances = DistancesOf(code, entry.key);
  const uint64_t distance = entry.tag < kSecond ? distances.near : distances.far;
  const uint64_t home =
      line_idx >= distance ? line_idx - distance : line_idx + num_lines_ - distance;
  return FirstBlockOf(home) + code % num_orders_;
}

bool DenseLines::Put(const DensePair& pair, uint32_t key) {
  const uint32_t num_in[2] = {NumDenseEntries(pair.line[0]), NumDenseEntries(pair.line[1])};
  const size_t i = num_in[1] < num_in[0] ? 1 : 0;
  if (num_in[i] < num_in_line_) {
    const auto change = ChangeOf(pair.line[i]);
    kernels::SetDenseEntry(num_in_line_, pair.line[i], num_in[i], {pair.tag[i], key});
    num_entries_ += 1;
    return true;
  }
  for (uint32_t t = 0; t < kMoveTries; ++t) {
    const size_t side = t % 2;
    const DenseEntry entry = EntryAt(pair.line[side], t / 2);
    const auto line_idx = static_cast<uint64_t>(pair.line[side] - LineAt(0)) / kLineWords;
    const DensePair others = PairOf(BlockOf(line_idx, entry), entry.key);
    const size_t other = entry.tag < kSecond ? 1 : 0;
    const uint32_t num_there = NumDenseEntries(others.line[other]);
    if (num_there == num_in_line_) continue;  // as it is where both are one
    {
      const auto change = ChangeOf(others.line[other]);
      kernels::SetDenseEntry(num_in_line_, others.line[other], num_there,
                             {others.tag[other], entry.key});
    }
    const auto change = ChangeOf(pair.line[side]);
    kernels::SetDenseEntry(num_in_line_, pair.line[side], t / 2, {pair.tag[side], key});
    num_entries_ += 1;
    return true;
  }
  return false;
}

uint32_t DenseLines::FreePlaces(uint64_t block_idx, uint32_t key) const {
  const DensePair pair = PairOf(block_idx, key);
  const uint32_t num_free = num_in_line_ - NumDenseEntries(pair.line[0]);
  return pair.line[0] == pair.line[1] ? num_free
                                      : num_free + num_in_line_ - NumDenseEntries(pair.line[1]);
}

std::optional<bool> DenseLines::HoldsBesideUpdates(uint64_t block_idx, uint32_t key) const {
  const DensePair pair = PairOf(block_idx, key);
  kernels::GroupReads<2> reads;
  for (const size_t i : {0U, 1U}) reads.Add(i, VersionOf(pair.line[i]));
  reads.Begin(0, 2);
  if (Find(pair, key) != 0) return true;
  if (reads.Changed(0, 2) != 0) return std::nullopt;
  return false;
}

bool DenseLines::Take(const DensePair& pair, uint32_t key) {
  const uint64_t found = Find(pair, key);
  if (found == 0) return false;
  Remove(pair, static_cast<uint32_t>(std::countr_zero(found)));
  return true;
}

void DenseLines::AppendGroup(uint64_t block_idx, uint32_t key, DenseKeys& keys) const {
  const DensePair pair = PairOf(block_idx, key);
  for (uint64_t left = FindGroup(pair, key); left != 0; left &= left - 1) {
    const auto i = static_cast<uint32_t>(std::countr_zero(left));
    keys.push_back(EntryAt(pair.line[i / 32], i % 32).key);
  }
}

// From the last on, so that no entry that is to be removed moves.
void DenseLines::TakeGroup(uint64_t block_idx, uint32_t key, uint32_t end) {
  const DensePair pair = PairOf(block_idx, key);
  for (uint64_t left = FindGroup(pair, key); left != 0;) {
    const auto last = static_cast<uint32_t>(std::bit_width(left)) - 1;
    left ^= uint64_t{1} << last;
    if (EntryAt(pair.line[last / 32], last % 32).key < end) Remove(pair, last);
  }
}

}  // namespace trommel
