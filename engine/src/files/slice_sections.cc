// Stores of slices in files.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/src/blocks/block_audit.h"
#include "engine/src/files/store_sections.h"

namespace trommel {
namespace {

using Counters = BlockStore::Counters;

struct SideEntry {
  uint64_t block_idx;
  uint32_t width;
  uint32_t reserved;
};
static_assert(sizeof(SideEntry) == 16);

// The least width that holds the largest of the counters.
uint32_t WidthOf(std::span<const uint64_t> counters) {
  const uint64_t largest = std::ranges::max(counters);
  if (largest <= std::numeric_limits<uint8_t>::max()) return 1;
  if (largest <= std::numeric_limits<uint16_t>::max()) return 2;
  return largest <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
}

// --- Writing. Blocks of the side table, ascending, by what becomes of them in the file. A block
// that may stay promoted for a while, so as not to go to and fro, is written as if it had come
// back.

struct PromotedBlocks {
  std::vector<uint64_t> staying;
  std::vector<uint64_t> returning;
};

PromotedBlocks SortOut(const BlockStore& store) {
  PromotedBlocks blocks;
  Counters buffer;
  const std::span<uint64_t> counters = std::span(buffer).first(store.num_counters());
  for (const uint64_t block_idx : store.side_table().SortedBlocks()) {
    store.ReadCounters(block_idx, counters);
    const bool fits = store.encoding().fits(counters, store.geometry().num_slices);
    (fits ? blocks.returning : blocks.staying).push_back(block_idx);
  }
  return blocks;
}

// The counts as they lie in memory, but for the blocks that return.
void AppendCounts(const BlockStore& store, std::span<const uint64_t> returning, FileWriter& file) {
  const std::span<const std::byte> all = store.counts().bytes();
  // A block of the section: its words of counts, and before them those of presence where both stand
  // together; else these go nowhere.
  const size_t presence_words = store.presence_words();
  const size_t skipped = store.encoding().is_interleaved ? 0 : presence_words;
  std::vector<uint32_t> words(presence_words + store.count_words());
  const auto section_words = std::as_bytes(std::span(words).subspan(skipped));
  Counters counters;
  uint64_t done_bytes = 0;
  for (const uint64_t block_idx : returning) {
    const uint64_t begin = block_idx * section_words.size();
    file.Append(all.subspan(done_bytes, begin - done_bytes));
    store.ReadCounters(block_idx, counters);
    store.encoding().encode(counters, store.geometry().num_slices, words.data(),
                            words.data() + presence_words);
    file.Append(section_words);
    done_bytes = begin + section_words.size();
  }
  file.Append(all.subspan(done_bytes));
}

void AppendSide(const BlockStore& store, std::span<const uint64_t> staying, FileWriter& file) {
  Counters buffer;
  const std::span<uint64_t> counters = std::span(buffer).first(store.num_counters());
  std::array<std::byte, sizeof(Counters)> narrow;
  for (const uint64_t block_idx : staying) {
    store.ReadCounters(block_idx, counters);
    const uint32_t width = WidthOf(counters);
    for (size_t i = 0; i < counters.size(); ++i) {
      std::memcpy(narrow.data() + i * width, &counters[i], width);  // the low bytes come first
    }
    file.Append(BytesOf(SideEntry{.block_idx = block_idx, .width = width, .reserved = 0}));
    file.Append(std::span(narrow).first(counters.size() * width));
  }
}

// --- Reading: entry by entry, into a store whose blocks have been audited. Every one that is put
// is of a block that the counts mark as promoted, in the canonical form, and fits the block's
// presence bits.
class SideReader {
 public:
  SideReader(const FileSection& section, BlockStore& store) : stream_(section), store_(store) {}

  Status ReadAll() {
    while (stream_.left() > 0) {
      if (Status read = ReadEntry(); !read) return read;
    }
    return stream_.End();
  }
  uint64_t num_entries() const { return num_entries_; }
  uint64_t num_keys() const { return num_keys_; }  // insertions less erasures in these blocks

 private:
  Status ReadEntry() {
    at_ = stream_.at();
    SideEntry entry{};
    if (Status read = stream_.Read(entry); !read) return read;
    if (entry.block_idx >= store_.geometry().num_blocks) {
      return stream_.Fail(at_, "names a block that does not exist");
    }
    if (num_entries_ > 0 && entry.block_idx <= last_block_) {
      return stream_.Fail(at_, "blocks do not ascend");
    }
    if (!std::has_single_bit(entry.width) || entry.width > sizeof(uint64_t)) {
      return stream_.Fail(at_, "a counter's width is not 1, 2, 4 or 8 bytes");
    }
    if (entry.reserved != 0) return stream_.Fail(at_, "reserved bytes are not zero");
    const auto narrow = std::span(narrow_).first(store_.num_counters() * entry.width);
    if (Status read = stream_.Read(narrow); !read) return read;
    last_block_ = entry.block_idx;
    num_entries_ += 1;
    return PutEntry(entry);
  }

  Status PutEntry(const SideEntry& entry) {
    const size_t num_slices = store_.geometry().num_slices;
    const std::span<uint64_t> counters = std::span(counters_).first(store_.num_counters());
    for (size_t i = 0; i < counters.size(); ++i) {
      counters[i] = 0;
      std::memcpy(&counters[i], narrow_.data() + i * entry.width, entry.width);
    }
    if (WidthOf(counters) != entry.width) {
      return stream_.Fail(at_, "narrower counters would hold all counts of the block");
    }
    if (store_.encoding().fits(counters, num_slices)) {
      return stream_.Fail(at_, "has a block that fits its encoding");
    }
    if (!store_.IsPromoted(entry.block_idx)) {
      return stream_.Fail(at_, "has a block that is not marked as promoted");
    }
    const uint32_t* presence = store_.PresenceOf(entry.block_idx);
    const size_t positions = store_.geometry().slice_positions();
    uint64_t block_keys = 0;
    for (size_t s = 0; s < num_slices; ++s) {
      uint64_t slice_keys = 0;
      bool is_presence_right = true;
      for (size_t i = s * positions; i < (s + 1) * positions; ++i) {
        // What is left of the budget: so no sum can wrap.
        if (counters[i] > kMaxFileKeys - slice_keys) {
          return stream_.Fail(at_, "counts over 2^63 - 1");
        }
        slice_keys += counters[i];
        is_presence_right &= (presence[i / 32] >> (i % 32) & 1) == uint32_t{counters[i] > 0};
      }
      if (s > 0 && slice_keys != block_keys) {
        return stream_.Fail(at_, "a block's slices hold different numbers of keys");
      }
      if (!is_presence_right) {
        return stream_.Fail(at_, "a promoted block's presence bits are not those of its counters");
      }
      block_keys = slice_keys;
    }
    if (block_keys > kMaxFileKeys - num_keys_) return stream_.Fail(at_, "counts over 2^63 - 1");
    num_keys_ += block_keys;
    if (!store_.WriteCounters(entry.block_idx, counters)) {
      return Error{ErrorCode::kOutOfMemory, "the system refused memory for the side table"};
    }
    return Ok();
  }

  SectionStream stream_;
  BlockStore& store_;
  uint64_t at_ = 0;  // where in the section the current entry begins
  uint64_t last_block_ = 0;
  uint64_t num_entries_ = 0;
  uint64_t num_keys_ = 0;
  Counters counters_;
  std::array<std::byte, sizeof(Counters)> narrow_;  // the same as in the file
};

}  // namespace

void WriteSlices(const BlockStore& store, uint32_t store_idx, FileWriter& file) {
  const PromotedBlocks promoted = SortOut(store);
  const bool is_interleaved = store.encoding().is_interleaved;
  if (!is_interleaved) file.Add(sections::kPresence, store_idx, store.presence().bytes());
  file.BeginSection(is_interleaved ? sections::kBlocks : sections::kCounts, store_idx);
  AppendCounts(store, promoted.returning, file);
  file.EndSection();
  file.BeginSection(sections::kSide, store_idx);
  AppendSide(store, promoted.staying, file);
  file.EndSection();
}

Result<uint64_t> ReadSlices(FileReader& file, uint32_t store_idx, BlockStore& store) {
  const bool is_interleaved = store.encoding().is_interleaved;
  if (!is_interleaved) {
    const FileSection presence = file.Take(sections::kPresence, store_idx);
    if (Status read = presence.ReadInto(WritableBytes(store.presence())); !read) {
      return read.error();
    }
  }
  const FileSection counts =
      file.Take(is_interleaved ? sections::kBlocks : sections::kCounts, store_idx);
  if (Status read = counts.ReadInto(WritableBytes(store.counts())); !read) return read.error();
  // The blocks come first: putting an entry into the store writes the block's words anew, and would
  // hide what was wrong with them.
  const BlockAudit audit = AuditBlocks(store);
  if (audit.bad_block) {
    const uint64_t block_bytes = counts.num_bytes() / store.geometry().num_blocks;
    return counts.CorruptAt(*audit.bad_block * block_bytes, audit.reason);
  }
  const FileSection section = file.Take(sections::kSide, store_idx);
  SideReader side(section, store);
  if (Status read = side.ReadAll(); !read) return read.error();
  // Every entry's block was marked, so equal numbers mean that every marked block has an entry.
  if (audit.num_promoted != side.num_entries()) {
    return section.CorruptAt(0, "lacks a block that is marked as promoted");
  }
  if (side.num_keys() > kMaxFileKeys - audit.num_keys) {
    return section.CorruptAt(0, "all blocks together hold more than 2^63 - 1 keys");
  }
  return audit.num_keys + side.num_keys();
}

}  // namespace trommel
