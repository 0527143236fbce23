// What a file has of a store, and taking it from one. Promoted blocks: wide_store_contents.cc.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/src/fingerprints/wide_store.h"

namespace trommel {
namespace {

using kernels::kWideSlots;

// The number of keys of a block with any words that is not promoted, if WritePlain writes these.
// Plain loops over a known number of slots: compilers vectorize them.
std::optional<size_t> PlainKeys(const uint32_t* block, uint32_t fingerprint_bits) {
  std::array<uint16_t, kWideSlots> keys;
  std::memcpy(keys.data(), block, sizeof(keys));
  const auto most = static_cast<uint16_t>((uint32_t{1} << fingerprint_bits) - 1);
  uint16_t num_keys = 0;
  uint16_t is_bad = 0;
  for (const uint16_t key : keys) {
    const auto low = static_cast<uint16_t>(key & 0xff);
    const auto is_key = static_cast<uint16_t>(key != 0);
    num_keys += is_key;
    is_bad |= static_cast<uint16_t>(is_key & static_cast<uint16_t>(low == 0)) |
              static_cast<uint16_t>(low == 0xff) | static_cast<uint16_t>(key > most);
  }
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    const auto here = static_cast<uint16_t>(keys[i] - 1);
    const auto next = static_cast<uint16_t>(keys[i + 1] - 1);
    is_bad |= static_cast<uint16_t>(here > next);
  }
  if (is_bad != 0) return std::nullopt;
  return num_keys;
}

}  // namespace

// By counting for each key how many are below it: plain loops over a known number of slots, which
// compilers vectorize, are a quarter of the time of std::sort.
void WideStore::WritePlain(uint64_t block_idx, uint32_t* words) const {
  std::array<uint16_t, kWideSlots> keys;
  std::memcpy(keys.data(), BlockAt(block_idx), sizeof(keys));
  // In the order of signed numbers, free slots last.
  std::array<int16_t, kWideSlots> order;
  std::array<int16_t, kWideSlots> rank{};
  size_t num_keys = 0;
  for (size_t i = 0; i < kWideSlots; ++i) {
    order[i] = static_cast<int16_t>(static_cast<uint16_t>(keys[i] - 1) ^ 0x8000);
    num_keys += static_cast<size_t>(keys[i] != 0);
  }
  for (size_t i = 0; i < kWideSlots; ++i) {
    const int16_t below = order[i];
    for (size_t j = 0; j < kWideSlots; ++j) {
      rank[j] = static_cast<int16_t>(rank[j] + static_cast<int16_t>(below < order[j]));
    }
  }
  std::array<uint16_t, kWideSlots> sorted{};
  for (size_t j = 0; j < kWideSlots; ++j) sorted[static_cast<size_t>(rank[j])] = keys[j];
  // Copies have one rank: the places behind it are still free.
  for (size_t i = 1; i < num_keys; ++i) {
    if (sorted[i] == 0) sorted[i] = sorted[i - 1];
  }
  std::memcpy(words, sorted.data(), sizeof(sorted));
}

void WideStore::WriteGroup(uint64_t first_block, uint32_t* words, uint32_t* line,
                           std::vector<HidingBlock>& hiding) const {
  const uint64_t end = std::min(first_block + kGroupBlocks, geometry_.num_blocks);
  size_t num_entries = 0;
  for (uint64_t b = first_block; b < end; ++b, words += kWords) {
    if (!IsPromoted(b)) {
      WritePlain(b, words);
      continue;
    }
    const BlockContents hidden = WritePromoted(ReadContents(b), b, words, line, num_entries);
    if (!hidden.empty()) hiding.push_back({b, {hidden.begin(), hidden.end()}});
  }
}

bool WideStore::PutHidden(uint64_t block_idx, const BlockContents& hidden) {
  if (!HasHidden(block_idx)) return false;
  RangeOf(block_idx).hidden.Put(block_idx, hidden, 0);
  return true;
}

bool WideStore::Adopt(uint64_t& num_keys, uint64_t& bad_block) {
  constexpr uint64_t kMost = ~uint64_t{0} >> 1;
  num_keys = 0;
  for (uint64_t first = 0; first < geometry_.num_blocks; first += kGroupBlocks) {
    const uint64_t end = std::min(first + kGroupBlocks, geometry_.num_blocks);
    std::array<uint32_t, kWords> line{};
    size_t num_entries = 0;
    bool has_promoted = false;
    for (bad_block = first; bad_block < end; ++bad_block) {
      if (!IsPromoted(bad_block)) {
        const std::optional<size_t> of_block =
            PlainKeys(BlockAt(bad_block), geometry_.fingerprint_bits);
        if (!of_block || *of_block > kMost - num_keys) return false;
        num_keys += *of_block;
        continue;
      }
      has_promoted = true;
      HiddenKeys& hidden = RangeOf(bad_block).hidden;
      const uint32_t mark = MarkOf(bad_block);
      const bool has_hidden = IsSpill(mark);
      if (has_hidden ? !hidden.Has(bad_block) : mark != kernels::kLineMark) return false;
      const BlockContents contents = ReadContents(bad_block);
      uint64_t total = 0;
      for (const BlockKey& entry : contents) {
        const bool is_key = entry.key >> geometry_.fingerprint_bits == 0 &&
                            kernels::UnreservedWideKey(entry.key) == entry.key;
        if (!is_key || entry.count > kMost - num_keys) return false;
        num_keys += entry.count;
        total += entry.count;
      }
      // Whatever the words are, they must be those that these contents have.
      std::array<uint32_t, kWords> words{};
      const BlockContents kept = has_hidden ? hidden.ContentsOf(bad_block) : BlockContents();
      if (WritePromoted(contents, bad_block, words.data(), line.data(), num_entries) != kept ||
          !std::equal(words.begin(), words.end(), BlockAt(bad_block))) {
        return false;
      }
      if (has_hidden) hidden.Put(bad_block, kept, total);
    }
    bad_block = first;
    if (!std::equal(line.begin(), line.end(), lines_.data() + first / kGroupBlocks * kWords)) {
      return false;
    }
    if (has_promoted) SettleGroup(first);
  }
  for (size_t r = 0; r < ranges_.size(); ++r) CountFigures(r);
  return true;
}

}  // namespace trommel
