// Whole ranges of dense blocks: what blocks hold, the one state of contents, and lines that grow.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "engine/src/fingerprints/dense_contents.h"
#include "engine/src/fingerprints/dense_range.h"

namespace trommel {

using kernels::DenseBlock;
using kernels::kMaxDenseSlots;

bool DenseRange::MayContain(uint64_t block_idx, uint32_t key) const {
  const DenseBlock block = Load(block_idx);
  if (block.Shows(BinOf(key))) return block.Find(key) >= 0;
  return lines_->Holds(block_idx, key) ||
         (block.is_spilled() && hidden_.contains(IdOf(block_idx, key)));
}

std::optional<bool> DenseRange::MayHoldAboveBesideUpdates(uint64_t block_idx, uint32_t key) const {
  if (kernels::IsSpilledDense(BlockAt(block_idx))) return true;
  // The address after the block: entries that have left it since are in these lines or later ones.
  return PublishedLines().HoldsBesideUpdates(block_idx, key);
}

uint64_t DenseRange::CountOf(uint64_t block_idx, uint32_t key) const {
  const DenseBlock block = Load(block_idx);
  if (block.Shows(BinOf(key))) {
    const uint32_t num_shown = block.CountOf(key);
    if (!block.is_counted() || num_shown == 0) return num_shown;
    return 1 + counts_.OfSlot(block_idx, static_cast<uint32_t>(block.Find(key)));
  }
  if (lines_->Holds(block_idx, key)) return 1 + counts_.OfKey(block_idx, key);
  const auto found = hidden_.find(IdOf(block_idx, key));
  return found == hidden_.end() ? 0 : found->second;
}

BlockContents DenseRange::ReadContents(uint64_t block_idx) const {
  const DenseBlock block = Load(block_idx);
  std::array<uint32_t, kMaxDenseSlots> keys;
  const uint32_t num_keys = block.Keys(keys);
  BlockContents contents;
  for (uint32_t i = 0; i < num_keys; ++i) {
    AddTo(contents, keys[i], 1 + (block.is_counted() ? counts_.OfSlot(block_idx, i) : 0));
  }
  if (!block.is_cut()) return contents;
  DenseKeys entries;
  for (uint32_t bin = block.num_bins(); bin < layout_.shape.bins; bin = lines_->EndOfGroup(bin)) {
    lines_->AppendGroup(block_idx, FirstKeyOf(bin), entries);
  }
  for (const uint32_t key : entries) {
    AddTo(contents, key, 1 + (block.is_counted() ? counts_.OfKey(block_idx, key) : 0));
  }
  for (auto at = hidden_.lower_bound(IdOf(block_idx, 0));
       at != hidden_.end() && at->first < IdOf(block_idx + 1, 0); ++at) {
    AddTo(contents, static_cast<uint32_t>(at->first - IdOf(block_idx, 0)), at->second);
  }
  return contents;
}

void DenseRange::Clear() {
  if (lines_->num_lines() > least_lines_) {
    Result<DenseLines> created = DenseLines::Create(layout_, num_blocks(), least_lines_);
    if (created) *lines_ = *std::move(created);
  }
  lines_->Clear();
  counts_ = DenseCounts(num_blocks(), limits_.max_count_words);
  hidden_.clear();
  num_marked_ = 0;
  num_undecided_bins_ = 0;
  SetThresholds();
}

void DenseRange::SetLimits(const DenseLimits& limits) {
  limits_ = limits;
  counts_.set_max_words(limits.max_count_words);
  SetThresholds();
}

// --- The one state of contents.

Result<DenseRange> DenseRange::Build(const DenseLayout& layout, uint32_t* words,
                                     uint64_t num_blocks, uint64_t least_lines,
                                     const std::function<BlockContents(uint64_t)>& contents_of) {
  uint64_t num_entries = 0;
  for (uint64_t b = 0; b < num_blocks; ++b) num_entries += NumAboveDenseCut(layout, contents_of(b));
  Result<DenseRange> created =
      Create(layout, words, num_blocks, FewestLinesFor(layout, least_lines, num_entries));
  if (!created) return created.error();
  DenseRange range = *std::move(created);
  range.least_lines_ = least_lines;
  range.SetThresholds();
  for (uint64_t b = 0; b < num_blocks; ++b) {
    std::array<uint32_t, kBlockWords> encoded;
    const BlockContents rest = EncodeDense(layout, contents_of(b), encoded.data());
    DenseBlock block(layout, encoded.data());
    for (const BlockKey& entry : rest) {
      if (block.Shows(layout.BinOf(entry.key))) {
        const auto slot = static_cast<uint32_t>(block.Find(entry.key));
        static_cast<void>(range.counts_.SetSlot(b, slot, entry.count));
      } else {
        range.PutAbove(block, b, entry.key, entry.count);
      }
    }
    std::fill_n(range.BlockAt(b), kBlockWords, 0U);
    range.Store(block, b);
  }
  return range;
}

// --- Lines that grow.

namespace {

// Beyond nine tenths keys would soon be without a place.
constexpr uint64_t MostEntriesIn(const DenseLayout& layout, uint64_t num_lines) {
  return num_lines * layout.shape.line_entries() * 9 / 10;
}

}  // namespace

uint64_t DenseRange::FewestLinesFor(const DenseLayout& layout, uint64_t least_lines,
                                    uint64_t num_entries) {
  uint64_t num_lines = least_lines;
  while (num_entries > MostEntriesIn(layout, num_lines)) num_lines = NextLines(num_lines);
  return num_lines;
}

void DenseRange::SetThresholds() {
  const uint64_t num_lines = lines_->num_lines();
  const bool may_grow = NextLines(num_lines) <= limits_.max_lines;
  grow_above_ = may_grow ? MostEntriesIn(layout_, num_lines) : ~uint64_t{0};
  shrink_below_ = 0;
  for (uint64_t fewer = least_lines_; fewer < num_lines; fewer = NextLines(fewer)) {
    shrink_below_ = MostEntriesIn(layout_, fewer) * 10 / 11;
  }
}

void DenseRange::ResizeLines() {
  // Fewer lines have space for a tenth more, so that the next updates do not lead back.
  const uint64_t num_entries = lines_->num_entries();
  const uint64_t num_lines = num_entries > grow_above_
                                 ? NextLines(lines_->num_lines())
                                 : FewestLinesFor(layout_, least_lines_, num_entries * 11 / 10);
  Result<DenseLines> created = DenseLines::Create(layout_, num_blocks(), num_lines);
  std::unique_ptr<DenseLines> resized;
  std::vector<std::pair<uint64_t, uint32_t>> hidden;  // entries without a place
  if (created) {
    resized = std::make_unique<DenseLines>(*std::move(created));
    lines_->ForEach([&](uint64_t block_idx, uint32_t key) {
      if (!resized->Put(block_idx, key)) hidden.emplace_back(block_idx, key);
    });
  }
  // Without memory, or space for hidden keys, after as many changes as a line has entries again.
  if (resized == nullptr || hidden_.size() + hidden.size() > limits_.max_hidden_keys) {
    const uint64_t num_in_line = layout_.shape.line_entries();
    grow_above_ = std::max(grow_above_, num_entries + num_in_line);
    shrink_below_ = std::min(shrink_below_, num_entries - std::min(num_entries, num_in_line));
    return;
  }
  // Before readers look into the new lines, where these keys are not.
  for (const auto& [block_idx, key] : hidden) {
    const auto change = ChangeOf(block_idx);
    DenseBlock block = Load(block_idx);
    hidden_[IdOf(block_idx, key)] = 1 + counts_.OfKey(block_idx, key);
    static_cast<void>(counts_.SetKey(block_idx, key, 0));
    block.set_spilled(true);
    Store(block, block_idx);
  }
  lines_.swap(resized);
  PublishLines();
  if (readers_.periods != nullptr) readers_.periods->Synchronize();  // then the old ones are freed
  SetThresholds();
  // Hidden keys find places in more lines.
  constexpr int kMostBlocks = 64;
  auto at = hidden_.begin();
  for (int i = 0; at != hidden_.end() && i < kMostBlocks; ++i) {
    const uint64_t block_idx = at->first >> kMaxKeyBits;
    const auto change = ChangeOf(block_idx);
    DenseBlock block = Load(block_idx);
    ReturnHidden(block, block_idx);
    Store(block, block_idx);
    at = hidden_.lower_bound(IdOf(block_idx + 1, 0));
  }
}

}  // namespace trommel
