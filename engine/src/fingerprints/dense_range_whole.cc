// Whole ranges of dense blocks: what blocks hold, the one state of contents, and lines that grow.
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/fingerprints/dense_contents.h"
#include "engine/src/fingerprints/dense_range.h"

namespace trommel {

using kernels::DenseBlock;

bool DenseRange::MayContain(uint64_t block_idx, uint32_t key) const {
  const uint32_t* words = BlockAt(block_idx);
  if (BinOf(key) < Kernels().state(words).num_bins) {
    return Kernels().slot(key, layout_.bits, words) < layout_.shape.slots;
  }
  return lines_->Holds(block_idx, key) ||
         (kernels::IsSpilledDense(words) && hidden_.contains(IdOf(block_idx, key)));
}

kernels::OneFate DenseRange::QueryBesideUpdates(uint64_t block_idx, uint32_t key) const {
  const kernels::DenseCutKernels& kernels = PublishedLines().Kernels();
  const uint32_t slot = kernels.slot(key, layout_.bits, BlockAt(block_idx));
  if (slot < layout_.shape.slots) return kernels::OneFate::kDone;
  const bool is_shown = BinOf(key) < kernels.state(BlockAt(block_idx)).num_bins;
  return is_shown ? kernels::OneFate::kUnchanged : kernels::OneFate::kSpill;
}

void DenseRange::ClearBesideQueries() noexcept {
  for (uint64_t b = 0; b < num_blocks(); ++b) {
    const auto change = ChangeOf(b);
    for (size_t i = 0; i < kBlockWords; ++i) kernels::StorePresenceWord(0, BlockAt(b) + i);
  }
  lines_->ClearBesideQueries();
  ForgetKeys();
}

void DenseRange::CountCopies() {
  for (uint64_t b = 0; b < num_blocks(); ++b) {
    if (kernels::IsCountedDense(BlockAt(b))) continue;
    DenseBlock block = Load(b);
    if (block.Copies() == 0 || !HasSpace(b, 0)) continue;
    const auto change = ChangeOf(b);
    Squeeze(block, b);
    if (block.is_cut()) {
      Pull(block, b);
      if (block.is_spilled()) ReturnHidden(block, b);
    }
    Store(block, b);
  }
  FitLines();
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

uint64_t DenseRange::EraseCounted(uint64_t block_idx, uint32_t key, uint64_t count) {
  DenseBlock block = Load(block_idx);
  if (block.is_spilled()) {
    const auto found = hidden_.find(IdOf(block_idx, key));
    if (found != hidden_.end()) {
      const uint64_t num_erased = std::min(found->second - 1, count);
      found->second -= num_erased;
      return num_erased;
    }
  }
  if (!block.is_counted()) return 0;
  const auto change = ChangeOf(block_idx);
  const bool is_shown = block.Shows(BinOf(key));
  const auto slot = is_shown ? static_cast<uint32_t>(block.Find(key)) : 0;
  const uint64_t num_counted =
      is_shown ? counts_.OfSlot(block_idx, slot) : counts_.OfKey(block_idx, key);
  const uint64_t num_erased = std::min(num_counted, count);
  static_cast<void>(is_shown ? counts_.SetSlot(block_idx, slot, num_counted - num_erased)
                             : counts_.SetKey(block_idx, key, num_counted - num_erased));
  Store(block, block_idx);
  return num_erased;
}

BlockContents DenseRange::ReadContents(uint64_t block_idx) const {
  BlockContents contents;
  VisitKeys(block_idx, [&](uint32_t key, uint64_t count) { AddTo(contents, key, count); });
  return contents;
}

void DenseRange::Clear() {
  if (!is_limited() && lines_->num_lines() > least_lines_) {
    Result<DenseLines> created = DenseLines::Create(layout_, num_blocks(), least_lines_);
    if (created) *lines_ = *std::move(created);
  }
  lines_->Clear();
  ForgetKeys();
}

// --- Limits.

Result<DenseRange::SideMemory> DenseRange::WithLimit(const std::optional<DenseLimit>& limit) const
    try {
  const auto refuse = [](const char* what) { return Error{ErrorCode::kOutOfMemory, what}; };
  const uint64_t max_words = limit ? limit->max_count_words : DenseCounts::kNoLimit;
  if (counts_.num_words() > max_words) {
    return refuse("the keys that are in need more words for counts");
  }
  const uint64_t fewest = FewestLinesFor(layout_, num_blocks(), least_lines_, NumAbove() * 11 / 10);
  std::map<uint64_t, uint64_t> left;
  Result<std::unique_ptr<DenseLines>> lines = CopyLines(limit ? limit->num_lines : fewest, left);
  if (lines && !left.empty() && !limit) {  // then those that there are
    left.clear();
    lines = CopyLines(lines_->num_lines(), left);
  }
  if (!lines) return lines.error();
  bool fits = left.empty();
  SideMemory side{limit, *std::move(lines), counts_, {}};
  side.counts.LimitTo(max_words);
  for (auto at = hidden_.begin(); fits && limit && at != hidden_.end();) {
    const uint64_t block_idx = at->first >> kMaxKeyBits;
    DenseBlock block = Load(block_idx);
    for (; fits && at != hidden_.end() && at->first < IdOf(block_idx + 1, 0); ++at) {
      const auto key = static_cast<uint32_t>(at->first - IdOf(block_idx, 0));
      fits = PutCounted(block, block_idx, key, at->second, *side.lines, side.counts);
    }
    block.set_spilled(false);
    side.unspilled.emplace_back(block_idx, block);
  }
  if (!fits) return refuse("the keys that are in need more overflow lines");
  return side;
} catch (const std::exception&) {  // no memory, or more than there can be
  return OutOfMemoryError("the system refused memory for a limit of side memory");
}

void DenseRange::Take(SideMemory side) noexcept {
  limit_ = side.limit;
  counts_ = std::move(side.counts);
  lines_ = std::move(side.lines);
  PublishLines();
  for (auto& [block_idx, block] : side.unspilled) Store(block, block_idx);
  if (is_limited()) hidden_.clear();
  SetThresholds();
}

void DenseRange::CopyFrom(const DenseRange& from) {
  Result<DenseLines> lines = from.lines_->Copy();
  if (!lines) throw std::bad_alloc();
  std::map<uint64_t, uint64_t> hidden = from.hidden_;
  counts_ = from.counts_;
  counts_.LimitTo(DenseCounts::kNoLimit);
  hidden_.swap(hidden);
  *lines_ = *std::move(lines);
  std::copy_n(from.words_, kBlockWords * num_blocks(), words_);
  num_marked_ = from.num_marked_;
  num_undecided_bins_ = from.num_undecided_bins_;
  limit_.reset();
  SetThresholds();
}

// --- The one state of contents.

Result<DenseRange> DenseRange::Build(const DenseLayout& layout, uint32_t* words,
                                     uint64_t num_blocks, uint64_t least_lines,
                                     const std::function<BlockContents(uint64_t)>& contents_of) {
  uint64_t num_entries = 0;
  for (uint64_t b = 0; b < num_blocks; ++b) num_entries += NumAboveDenseCut(layout, contents_of(b));
  Result<DenseRange> created = Create(layout, words, num_blocks,
                                      FewestLinesFor(layout, num_blocks, least_lines, num_entries));
  if (!created) return created.error();
  DenseRange range = *std::move(created);
  range.least_lines_ = least_lines;
  range.SetThresholds();
  for (uint64_t b = 0; b < num_blocks; ++b) range.FillBlock(b, contents_of(b));
  return range;
}

void DenseRange::Fill(uint64_t block_idx, const BlockContents& contents) {
  FillBlock(block_idx, contents);
  FitLines();
}

void DenseRange::FillBlock(uint64_t block_idx, const BlockContents& contents) {
  std::array<uint32_t, kBlockWords> encoded;
  const BlockContents rest = EncodeDense(layout_, contents, encoded.data());
  DenseBlock block(layout_, encoded.data());
  for (const BlockKey& entry : rest) {
    if (block.Shows(layout_.BinOf(entry.key))) {
      const auto slot = static_cast<uint32_t>(block.Find(entry.key));
      static_cast<void>(counts_.SetSlot(block_idx, slot, entry.count));
    } else {
      PutAbove(block, block_idx, entry.key, entry.count);
    }
  }
  std::fill_n(BlockAt(block_idx), kBlockWords, 0U);
  Store(block, block_idx);
}

// --- Lines that grow.

namespace {

// Beyond nine tenths keys would soon be without a place; and the sooner, the fewer lines there are
// to choose from, or the more per block, so that more keys have the same two.
constexpr uint64_t MostEntriesIn(const DenseLayout& layout, uint64_t num_blocks,
                                 uint64_t num_lines) {
  constexpr uint64_t kFewLines = 64;
  const uint64_t percent = num_lines > 2 * num_blocks ? 75 : 4 * num_lines > num_blocks ? 86 : 90;
  const uint64_t num_places = num_lines * layout.shape.line_entries();
  return num_places * (num_lines < kFewLines ? percent - 10 : percent) / 100;
}

}  // namespace

uint64_t DenseRange::FewestLinesFor(const DenseLayout& layout, uint64_t num_blocks,
                                    uint64_t least_lines, uint64_t num_entries) {
  uint64_t num_lines = least_lines;
  while (num_entries > MostEntriesIn(layout, num_blocks, num_lines))
    num_lines = NextLines(num_lines);
  return num_lines;
}

void DenseRange::SetThresholds() {
  const uint64_t num_lines = lines_->num_lines();
  grow_above_ = is_limited() ? ~uint64_t{0} : MostEntriesIn(layout_, num_blocks(), num_lines);
  shrink_below_ = 0;
  if (is_limited()) return;
  for (uint64_t fewer = least_lines_; fewer < num_lines; fewer = NextLines(fewer)) {
    shrink_below_ = MostEntriesIn(layout_, num_blocks(), fewer) * 10 / 11;
  }
}

Result<std::unique_ptr<DenseLines>> DenseRange::CopyLines(uint64_t num_lines,
                                                          std::map<uint64_t, uint64_t>& left) const
    try {
  const bool is_same = num_lines == lines_->num_lines();
  Result<DenseLines> lines =
      is_same ? lines_->Copy() : DenseLines::Create(layout_, num_blocks(), num_lines);
  if (!lines) return lines.error();
  if (!is_same) {
    lines_->ForEach([&](uint64_t block_idx, uint32_t key) {
      if (!lines->Put(block_idx, key)) {
        left[IdOf(block_idx, key)] = 1 + counts_.OfKey(block_idx, key);
      }
    });
  }
  return std::make_unique<DenseLines>(*std::move(lines));
} catch (const std::bad_alloc&) {
  return OutOfMemoryError("the system refused memory for overflow lines");
}

void DenseRange::ResizeLines() {
  // Fewer lines have space for a tenth more, so that the next updates do not lead back.
  const uint64_t num_keys = NumAbove();
  const uint64_t num_lines =
      num_keys > grow_above_
          ? NextLines(lines_->num_lines())
          : FewestLinesFor(layout_, num_blocks(), least_lines_, num_keys * 11 / 10);
  std::map<uint64_t, uint64_t> left;
  std::unique_ptr<DenseLines> resized;
  try {
    if (auto copied = CopyLines(num_lines, left)) resized = *std::move(copied);
  } catch (const std::bad_alloc&) {  // not even for the text of an error
  }
  // Without memory after as many changes as a line has entries again.
  if (resized == nullptr) {
    const uint64_t num_in_line = layout_.shape.line_entries();
    grow_above_ = std::max(grow_above_, num_keys + num_in_line);
    shrink_below_ = std::min(shrink_below_, num_keys - std::min(num_keys, num_in_line));
    return;
  }
  // Before readers look into the new lines, where these keys are not.
  for (const auto& [id, count] : left) {
    const uint64_t block_idx = id >> kMaxKeyBits;
    const auto change = ChangeOf(block_idx);
    DenseBlock block = Load(block_idx);
    const auto key = static_cast<uint32_t>(id - IdOf(block_idx, 0));
    if (count > 1) static_cast<void>(counts_.SetKey(block_idx, key, 0));
    block.set_spilled(true);
    Store(block, block_idx);
  }
  hidden_.merge(left);
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
