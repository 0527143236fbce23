// Stores of fingerprints in files.
#include <algorithm>
#include <span>
#include <vector>

#include "engine/src/files/store_sections.h"

namespace trommel {
namespace {

constexpr size_t kBlockWords = kernels::kFingerprintBlockWords;
constexpr size_t kBlockBytes = kBlockWords * sizeof(uint32_t);

struct HidingEntry {
  uint64_t block_idx;
  uint32_t num_keys;
  uint32_t reserved;
};
struct HiddenKey {
  uint32_t key;
  uint32_t reserved;
  uint64_t count;
};
static_assert(sizeof(HidingEntry) == 16 && sizeof(HiddenKey) == 16);

// The side table, entry by entry, into the store. Returns the first broken rule.
Status ReadHiding(const FileSection& section, WideStore& store) {
  SectionStream stream(section);
  uint64_t next_block = 0;
  while (stream.left() > 0) {
    const uint64_t at = stream.at();
    HidingEntry entry{};
    if (Status read = stream.Read(entry); !read) return read;
    if (entry.block_idx >= store.geometry().num_blocks || entry.block_idx < next_block) {
      return stream.Fail(at, "blocks do not ascend, or do not exist");
    }
    if (entry.reserved != 0) return stream.Fail(at, "reserved bytes are not zero");
    if (entry.num_keys == 0 || entry.num_keys > stream.left() / sizeof(HiddenKey)) {
      return stream.Fail(at, "an entry has no keys or too many");
    }
    BlockContents hidden;
    hidden.reserve(entry.num_keys);
    for (uint32_t i = 0; i < entry.num_keys; ++i) {
      HiddenKey key{};
      if (Status read = stream.Read(key); !read) return read;
      if (key.reserved != 0 || key.count == 0 || key.count > kMaxFileKeys || key.key > 0xffff ||
          (!hidden.empty() && key.key <= hidden.back().key)) {
        return stream.Fail(at, "hidden keys do not ascend, or have no count, or are none");
      }
      hidden.push_back({key.key, key.count});
    }
    if (!store.PutHidden(entry.block_idx, hidden)) {
      return stream.Fail(at, "a block that hides no keys has an entry");
    }
    next_block = entry.block_idx + 1;
  }
  return stream.End();
}

}  // namespace

void WriteFingerprints(const WideStore& store, uint32_t store_idx, FileWriter& file) {
  constexpr uint64_t kGroupsAtOnce = 32;
  constexpr uint64_t kGroupWords = kGroupBlocks * kBlockWords;
  const uint64_t num_blocks = store.geometry().num_blocks;
  std::vector<uint32_t> words(kGroupsAtOnce * kGroupWords);
  std::vector<uint32_t> lines(store.lines().num_words());
  std::vector<HidingBlock> hiding;
  file.BeginSection(sections::kBlocks, store_idx);
  for (uint64_t g = 0; g < store.num_groups() && file.ok();) {
    const uint64_t first = g * kGroupBlocks;
    for (size_t i = 0; i < kGroupsAtOnce && g < store.num_groups(); ++i, ++g) {
      store.WriteGroup(g * kGroupBlocks, words.data() + i * kGroupWords,
                       lines.data() + g * kBlockWords, hiding);
    }
    const uint64_t end = std::min(g * kGroupBlocks, num_blocks);
    file.Append(std::as_bytes(std::span(words)).first((end - first) * kBlockBytes));
  }
  file.EndSection();
  file.Add(sections::kLines, store_idx, std::as_bytes(std::span(lines)));
  file.BeginSection(sections::kSide, store_idx);
  for (const HidingBlock& block : hiding) {
    file.Append(BytesOf(HidingEntry{.block_idx = block.block_idx,
                                    .num_keys = static_cast<uint32_t>(block.hidden.size()),
                                    .reserved = 0}));
    for (const BlockKey& key : block.hidden) {
      file.Append(BytesOf(HiddenKey{.key = key.key, .reserved = 0, .count = key.count}));
    }
  }
  file.EndSection();
}

Result<uint64_t> ReadFingerprints(FileReader& file, uint32_t store_idx, WideStore& store) {
  const FileSection blocks = file.Take(sections::kBlocks, store_idx);
  Status read = blocks.ReadInto(WritableBytes(store.blocks()));
  if (read) {
    read = file.Take(sections::kLines, store_idx).ReadInto(WritableBytes(store.lines()));
  }
  if (read) read = ReadHiding(file.Take(sections::kSide, store_idx), store);
  if (!read) return read.error();
  uint64_t num_keys = 0;
  uint64_t bad_block = 0;
  if (store.Adopt(num_keys, bad_block)) return num_keys;
  return blocks.CorruptAt(
      bad_block * kBlockBytes,
      "a block, its overflow line or its hidden keys are not what its keys make");
}

}  // namespace trommel
