// Writing snapshots.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "engine/src/snapshots/sections.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"

namespace trommel {
namespace {

using Counters = BlockStore::Counters;

// Blocks of the side table, ascending, by what becomes of them in the file. A block that may stay
// promoted for a while, so as not to go to and fro, is written as if it had come back.
struct PromotedBlocks {
  std::vector<uint64_t> staying;
  std::vector<uint64_t> returning;
  uint64_t side_table_bytes = 0;
};

PromotedBlocks SortOut(const BlockStore& store) {
  PromotedBlocks blocks;
  Counters buffer;
  const std::span<uint64_t> counters = std::span(buffer).first(store.num_counters());
  for (const uint64_t block_idx : store.side_table().SortedBlocks()) {
    store.ReadCounters(block_idx, counters);
    if (store.encoding().fits(counters, store.geometry().num_slices)) {
      blocks.returning.push_back(block_idx);
    } else {
      blocks.staying.push_back(block_idx);
      blocks.side_table_bytes +=
          sizeof(SideEntryHeader) + SideCounterBytes(store.geometry(), SideCounterWidth(counters));
    }
  }
  return blocks;
}

// The counts section as it lies in memory, but for the blocks that return.
Status AppendCounts(const BlockStore& store, std::span<const uint64_t> returning,
                    SectionWriter& writer) {
  const Geometry& geometry = store.geometry();
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
    if (Status done = writer.Append(all.subspan(done_bytes, begin - done_bytes)); !done)
      return done;
    store.ReadCounters(block_idx, counters);
    store.encoding().encode(counters, geometry.num_slices, words.data(),
                            words.data() + presence_words);
    if (Status done = writer.Append(section_words); !done) return done;
    done_bytes = begin + section_words.size();
  }
  return writer.Append(all.subspan(done_bytes));
}

Status AppendSideTable(const BlockStore& store, std::span<const uint64_t> staying,
                       SectionWriter& writer) {
  Counters buffer;
  const std::span<uint64_t> counters = std::span(buffer).first(store.num_counters());
  std::array<std::byte, sizeof(Counters)> narrow;
  for (const uint64_t block_idx : staying) {
    store.ReadCounters(block_idx, counters);
    const uint32_t width = SideCounterWidth(counters);
    for (size_t i = 0; i < counters.size(); ++i) {
      std::memcpy(narrow.data() + i * width, &counters[i], width);  // the low bytes come first
    }
    const SideEntryHeader entry{.block_idx = block_idx, .width = width, .reserved = 0};
    if (Status done = writer.Append(BytesOf(entry)); !done) return done;
    const auto counter_bytes = std::span(narrow).first(counters.size() * width);
    if (Status done = writer.Append(counter_bytes); !done) return done;
  }
  return Ok();
}

SnapshotHeader HeaderFor(const BlockStore& store, const FilterFacts& facts,
                         const PromotedBlocks& promoted) {
  const Geometry& geometry = store.geometry();
  SnapshotHeader header = {};
  header.start = StartOf(SnapshotType::kCountingFilter, facts.policy);
  header.num_slices = geometry.num_slices;
  header.encoding = static_cast<uint32_t>(geometry.encoding);
  header.shard_bits = geometry.shard_bits;
  header.num_blocks = geometry.num_blocks;
  header.capacity = facts.capacity;
  header.target_fpr = facts.target_fpr;
  header.num_keys = facts.num_keys;
  header.num_promoted = promoted.staying.size();
  PlaceSections(header, promoted.side_table_bytes);
  return header;
}

}  // namespace

uint64_t SnapshotBytes(const BlockStore& store) {
  return HeaderFor(store, {}, SortOut(store)).file_bytes;
}

Status WriteSnapshot(const BlockStore& store, const FilterFacts& facts, ByteSink& sink) {
  const PromotedBlocks promoted = SortOut(store);
  SnapshotHeader header = HeaderFor(store, facts, promoted);
  // The header holds checksums of what follows: zeros take its place until they are known, and no
  // half-written file has a header.
  sink.Reserve(header.file_bytes);
  const SnapshotHeader blank = {};
  if (Status done = sink.Append(BytesOf(blank)); !done) return done;
  SectionWriter writer(sink, sizeof(header));

  if (Status done = writer.Begin(header.presence); !done) return done;
  if (Status done = writer.Append(store.presence().bytes()); !done) return done;
  writer.End(header.presence);
  if (Status done = writer.Begin(header.counts); !done) return done;
  if (Status done = AppendCounts(store, promoted.returning, writer); !done) return done;
  writer.End(header.counts);
  if (Status done = writer.Begin(header.side_table); !done) return done;
  if (Status done = AppendSideTable(store, promoted.staying, writer); !done) return done;
  writer.End(header.side_table);

  Seal(header);
  return sink.Overwrite(0, BytesOf(header));
}

}  // namespace trommel
