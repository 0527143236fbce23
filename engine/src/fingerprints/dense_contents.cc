#include "engine/src/fingerprints/dense_contents.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/fingerprint_layout.h"

namespace trommel {

using kernels::DenseBlock;
using kernels::DenseLayout;

namespace {

using DenseWords = std::array<uint32_t, kernels::kFingerprintBlockWords>;

// How a block keeps its contents: bins below the cut in slots.
struct DensePlan {
  uint32_t num_bins;  // shown
  size_t num_shown;   // keys of the contents
  bool shows_copies;
};

// The bins whose keys, each so often, fit the slots.
template <class Times>
DensePlan PlanOf(const DenseLayout& layout, const BlockContents& contents, bool shows_copies,
                 const Times& times) {
  uint64_t num_slots = 0;
  for (const BlockKey& entry : contents) {
    num_slots += times(entry);
    if (num_slots <= layout.shape.slots) continue;
    const uint32_t bin = layout.BinOf(entry.key);
    const auto end = LowerBound(contents, bin << layout.bits);
    return {bin, static_cast<size_t>(end - contents.begin()), shows_copies};
  }
  return {layout.shape.bins, contents.size(), shows_copies};
}

DensePlan PlanOf(const DenseLayout& layout, const BlockContents& contents) {
  const uint64_t total = TotalOf(contents);
  if (total <= layout.shape.slots || total - contents.size() < kernels::kDenseManyCopies) {
    const DensePlan plan =
        PlanOf(layout, contents, true, [](const BlockKey& entry) { return entry.count; });
    if (std::all_of(contents.begin() + plan.num_shown, contents.end(),
                    [](const BlockKey& entry) { return entry.count == 1; })) {
      return plan;
    }
  }
  return PlanOf(layout, contents, false, [](const BlockKey&) { return uint64_t{1}; });
}

}  // namespace

size_t NumAboveDenseCut(const DenseLayout& layout, const BlockContents& contents) {
  return contents.size() - PlanOf(layout, contents).num_shown;
}

BlockContents EncodeDense(const DenseLayout& layout, const BlockContents& contents,
                          uint32_t* words) {
  const DensePlan plan = PlanOf(layout, contents);
  const DenseWords empty{};
  DenseBlock block(layout, empty.data());
  BlockContents rest;
  for (size_t i = 0; i < contents.size(); ++i) {
    const BlockKey& entry = contents[i];
    const uint64_t num_shown = i >= plan.num_shown ? 0 : plan.shows_copies ? entry.count : 1;
    for (uint64_t c = 0; c < num_shown; ++c) block.Open(entry.key);
    if (entry.count > num_shown) rest.push_back({entry.key, entry.count - num_shown});
  }
  if (plan.num_bins < layout.shape.bins) block.CutAt(plan.num_bins);
  block.set_counted(std::ranges::any_of(rest, [&](const BlockKey& entry) {
    return entry.count > 1 || block.Shows(layout.BinOf(entry.key));
  }));
  block.Store(words);
  return rest;
}

BlockContents DecodeDense(const DenseLayout& layout, const uint32_t* words,
                          std::span<const BlockKey> rest) {
  const DenseBlock block(layout, words);
  std::array<uint32_t, kernels::kMaxDenseSlots> keys;
  const uint32_t num_keys = block.Keys(keys);
  BlockContents contents;
  for (uint32_t i = 0; i < num_keys; ++i) AddTo(contents, keys[i], 1);
  for (const BlockKey& entry : rest) AddTo(contents, entry.key, entry.count);
  return contents;
}

bool IsEncodedDense(const DenseLayout& layout, const uint32_t* words,
                    std::span<const BlockKey> rest) {
  const DenseBlock block(layout, words);
  if (!block.IsReadable()) return false;
  std::array<uint32_t, kernels::kMaxDenseSlots> keys;
  const uint32_t num_keys = block.Keys(keys);
  const uint32_t num_values = layout.num_keys();
  if (std::any_of(keys.begin(), keys.begin() + num_keys,
                  [&](uint32_t key) { return key >= num_values; }) ||
      std::ranges::any_of(rest, [&](const BlockKey& entry) { return entry.key >= num_values; })) {
    return false;
  }
  DenseWords encoded;
  const BlockContents wanted =
      EncodeDense(layout, DecodeDense(layout, words, rest), encoded.data());
  return std::memcmp(encoded.data(), words, sizeof(encoded)) == 0 &&
         std::ranges::equal(wanted, rest);
}

std::span<const BlockKey> DenseRests::RestOf(uint64_t block_idx) const {
  const auto at = std::ranges::lower_bound(blocks_, block_idx, {}, &OfBlock::block_idx);
  if (at == blocks_.end() || at->block_idx != block_idx) return {};
  const size_t end = at + 1 == blocks_.end() ? keys_.size() : (at + 1)->first;
  return std::span(keys_).subspan(at->first, end - at->first);
}

uint64_t DenseRests::LeastHidden(const DenseLayout& layout) const {
  const uint64_t num_places = layout.shape.slots + 2 * layout.shape.line_entries();
  uint64_t num_hidden = 0;
  uint64_t num_keys = 0;  // of one group, so far
  for (size_t i = 0; i < keys_.size(); ++i) {
    // Keys ascend within a block.
    const bool is_first = i == 0 || keys_[i].key <= keys_[i - 1].key ||
                          layout.GroupOf(keys_[i].key) != layout.GroupOf(keys_[i - 1].key);
    num_keys = is_first ? 1 : num_keys + 1;
    if (num_keys > num_places) num_hidden += 1;
  }
  return num_hidden;
}

}  // namespace trommel
