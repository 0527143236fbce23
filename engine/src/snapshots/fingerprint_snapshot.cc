#include "engine/src/snapshots/fingerprint_snapshot.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/memory_limit.h"
#include "engine/src/base/rounding.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/sections.h"

namespace trommel {

Geometry GeometryOf(const FingerprintHeader& header) {
  return {.num_slices = 0,
          .encoding = static_cast<Encoding>(header.encoding),
          .shard_bits = header.shard_bits,
          .num_blocks = header.num_blocks,
          .fingerprint_bits = header.fingerprint_bits};
}

namespace {

constexpr uint64_t kBlockBytes = kernels::kFingerprintBlockWords * sizeof(uint32_t);

void PlaceSections(FingerprintHeader& header, uint64_t side_table_bytes) {
  header.blocks.offset = kPageAlignment;
  header.blocks.num_bytes = header.num_blocks * kBlockBytes;
  header.lines.offset = RoundUp(header.blocks.offset + header.blocks.num_bytes, kPageAlignment);
  header.lines.num_bytes = GeometryOf(header).num_bytes() - header.blocks.num_bytes;
  header.side_table.offset =
      RoundUp(header.lines.offset + header.lines.num_bytes, kSideTableAlignment);
  header.side_table.num_bytes = side_table_bytes;
  header.file_bytes = header.side_table.offset + side_table_bytes;
}

// --- Writing.

struct HidingBlock {
  uint64_t block_idx;
  std::vector<BlockKey> hidden;
};

// Of a group's blocks, from `first` on.
std::vector<BlockContents> ContentsOfGroup(const FingerprintStore& store, uint64_t first) {
  const uint64_t end = std::min(first + kGroupBlocks, store.geometry().num_blocks);
  std::vector<BlockContents> contents;
  for (uint64_t b = first; b < end; ++b) contents.push_back(store.ReadContents(b));
  return contents;
}

// Appends the groups' blocks, and collects their lines and hidden keys.
Status AppendGroups(const FingerprintStore& store, SectionWriter& writer,
                    std::vector<uint32_t>& lines, std::vector<HidingBlock>& hiding) {
  const uint64_t num_blocks = store.geometry().num_blocks;
  for (uint64_t first = 0; first < num_blocks; first += kGroupBlocks) {
    CanonicalGroup group = store.Canonical(ContentsOfGroup(store, first));
    if (Status done = writer.Append(std::as_bytes(std::span(group.block_words))); !done) {
      return done;
    }
    lines.insert(lines.end(), group.line_words.begin(), group.line_words.end());
    for (size_t i = 0; i < group.hidden.size(); ++i) {
      if (!group.hidden[i].empty()) {
        hiding.push_back({first + i, {group.hidden[i].begin(), group.hidden[i].end()}});
      }
    }
  }
  return Ok();
}

Status AppendHiding(std::span<const HidingBlock> hiding, SectionWriter& writer) {
  for (const HidingBlock& block : hiding) {
    const HiddenEntryHeader entry{.block_idx = block.block_idx,
                                  .num_keys = static_cast<uint32_t>(block.hidden.size()),
                                  .reserved = 0};
    if (Status done = writer.Append(BytesOf(entry)); !done) return done;
    for (const BlockKey& key : block.hidden) {
      const HiddenEntryKey entry_key{.key = key.key, .reserved = 0, .count = key.count};
      if (Status done = writer.Append(BytesOf(entry_key)); !done) return done;
    }
  }
  return Ok();
}

uint64_t BytesOfHiding(std::span<const HidingBlock> hiding) {
  uint64_t bytes = 0;
  for (const HidingBlock& block : hiding) {
    bytes += sizeof(HiddenEntryHeader) + block.hidden.size() * sizeof(HiddenEntryKey);
  }
  return bytes;
}

// --- Reading.

Status CheckNumbers(const FingerprintHeader& header) {
  if (header.encoding != static_cast<uint32_t>(Encoding::kFingerprints16) &&
      header.encoding != static_cast<uint32_t>(Encoding::kFingerprints8)) {
    return UnknownAt(offsetof(FingerprintHeader, encoding), "the encoding of version 2",
                     header.encoding, "2 (fingerprints16) and 3 (fingerprints8)");
  }
  if (header.code != static_cast<uint32_t>(FingerprintCode::kUniform)) {
    return UnknownAt(offsetof(FingerprintHeader, code), "the code of fingerprints", header.code,
                     "0 (uniform)");
  }
  if (Status valid = Validate(GeometryOf(header)); !valid) {
    return CorruptAt(offsetof(FingerprintHeader, fingerprint_bits), valid.error().message);
  }
  if (Status valid = CheckSizedFor(header.capacity, header.target_fpr, kMinTargetFpr, kMaxTargetFpr,
                                   offsetof(FingerprintHeader, capacity));
      !valid) {
    return valid;
  }
  if (Status valid = CheckNumKeys(header.num_keys, offsetof(FingerprintHeader, num_keys)); !valid) {
    return valid;
  }
  return CheckReserved(header.zeros, offsetof(FingerprintHeader, zeros));
}

// Sections are where, and as large as, the geometry says; the side table takes what is left.
Status CheckPlaces(const FingerprintHeader& header, uint64_t file_bytes) {
  if (Status whole = CheckFileBytes(file_bytes, header.file_bytes); !whole) return whole;
  FingerprintHeader expected = header;
  PlaceSections(expected, 0);
  if (expected.file_bytes > file_bytes) {
    return CorruptAt(offsetof(FingerprintHeader, num_blocks),
                     std::to_string(header.num_blocks) + " blocks do not fit in a file of " +
                         std::to_string(file_bytes) + " bytes");
  }
  PlaceSections(expected, file_bytes - expected.file_bytes);
  const auto is_same = [](const SectionRecord& a, const SectionRecord& b) {
    return a.offset == b.offset && a.num_bytes == b.num_bytes;
  };
  if (is_same(header.blocks, expected.blocks) && is_same(header.lines, expected.lines) &&
      is_same(header.side_table, expected.side_table)) {
    return Ok();
  }
  return CorruptAt(offsetof(FingerprintHeader, blocks),
                   "the sections are not where the geometry wants them");
}

// The side table, entry by entry, into the store.
class HiddenReader {
 public:
  HiddenReader(const ByteSource& source, const FingerprintHeader& header, FingerprintStore& store)
      : source_(source), header_(header), store_(store), at_(header.side_table.offset) {}

  Status ReadAll() {
    const uint64_t end = header_.side_table.offset + header_.side_table.num_bytes;
    while (at_ < end) {
      if (Status read = ReadEntry(end); !read) return read;
    }
    if (num_entries_ != header_.num_hiding) {
      return CorruptAt(offsetof(FingerprintHeader, num_hiding),
                       "num_hiding is not the number of blocks in the side table");
    }
    return CheckSectionSum(header_.side_table, sum_.Value(), "side table");
  }

 private:
  Status ReadEntry(uint64_t end) {
    HiddenEntryHeader entry;
    if (end - at_ < sizeof(entry)) return CorruptAt(at_, "the side table ends within an entry");
    if (Status read = Take(entry); !read) return read;
    if (entry.block_idx >= header_.num_blocks) {
      return CorruptAt(at_, "the side table names a block that does not exist");
    }
    if (num_entries_ > 0 && entry.block_idx <= last_block_) {
      return CorruptAt(at_, "the side table's blocks do not ascend");
    }
    if (entry.reserved != 0) return CorruptAt(at_, "reserved bytes are not zero");
    if (entry.num_keys == 0 || entry.num_keys > (end - at_) / sizeof(HiddenEntryKey)) {
      return CorruptAt(at_, "an entry of the side table has no keys or too many");
    }
    BlockContents hidden;
    hidden.reserve(entry.num_keys);
    for (uint32_t i = 0; i < entry.num_keys; ++i) {
      HiddenEntryKey key;
      if (Status read = Take(key); !read) return read;
      if (key.reserved != 0) return CorruptAt(at_, "reserved bytes are not zero");
      if (key.count == 0 || key.count > kMaxSnapshotKeys || key.key > kMaxKey ||
          (!hidden.empty() && key.key <= hidden.back().key)) {
        return CorruptAt(at_, "hidden keys do not ascend, or have no count, or are none");
      }
      hidden.push_back({key.key, key.count});
    }
    store_.PutHidden(entry.block_idx, hidden);
    last_block_ = entry.block_idx;
    num_entries_ += 1;
    return Ok();
  }

  template <class T>
  Status Take(T& value) {
    const auto bytes = std::as_writable_bytes(std::span(&value, 1));
    if (Status read = source_.ReadAt(at_, bytes); !read) return read;
    sum_.Add(bytes);
    at_ += bytes.size();
    return Ok();
  }

  static constexpr uint32_t kMaxKey = 0xfffe;

  const ByteSource& source_;
  const FingerprintHeader& header_;
  FingerprintStore& store_;
  uint64_t at_;
  uint64_t last_block_ = 0;
  uint64_t num_entries_ = 0;
  Checksum sum_;
};

std::span<std::byte> WritableBytes(const BlockMemory& memory) {
  return std::as_writable_bytes(std::span(memory.data(), memory.num_words()));
}

}  // namespace

uint64_t FingerprintSnapshotBytes(const FingerprintStore& store) {
  const Geometry& geometry = store.geometry();
  uint64_t side_table_bytes = 0;
  for (uint64_t first = 0; first < geometry.num_blocks; first += kGroupBlocks) {
    // A block that is not promoted hides nothing, whatever its group's line holds.
    if (!store.HasPromotedInGroup(first)) continue;
    for (const BlockContents& hidden : store.Canonical(ContentsOfGroup(store, first)).hidden) {
      if (hidden.empty()) continue;
      side_table_bytes += sizeof(HiddenEntryHeader) + hidden.size() * sizeof(HiddenEntryKey);
    }
  }
  FingerprintHeader header = {};
  header.encoding = static_cast<uint32_t>(geometry.encoding);
  header.num_blocks = geometry.num_blocks;
  PlaceSections(header, side_table_bytes);
  return header.file_bytes;
}

bool HasFingerprintHeader(const OpenedSnapshot& snapshot) {
  const auto header = snapshot.HeaderAs<FingerprintHeader>(SnapshotType::kCountingFilter);
  return header && header->start.version == kSecondVersion;
}

Status WriteFingerprintSnapshot(const FingerprintStore& store, const FilterFacts& facts,
                                ByteSink& sink) {
  const Geometry& geometry = store.geometry();
  FingerprintHeader header = {};
  header.start = StartOf(SnapshotType::kCountingFilter, facts.policy);
  header.start.version = kSecondVersion;
  header.fingerprint_bits = geometry.fingerprint_bits;
  header.encoding = static_cast<uint32_t>(geometry.encoding);
  header.shard_bits = geometry.shard_bits;
  header.code = static_cast<uint32_t>(FingerprintCode::kUniform);
  header.num_blocks = geometry.num_blocks;
  header.capacity = facts.capacity;
  header.target_fpr = facts.target_fpr;
  header.num_keys = facts.num_keys;
  PlaceSections(header, 0);
  // Zeros take the header's place until all checksums are known: no half-written file has one.
  sink.Reserve(header.file_bytes);
  const FingerprintHeader blank = {};
  if (Status done = sink.Append(BytesOf(blank)); !done) return done;
  SectionWriter writer(sink, sizeof(header));

  std::vector<uint32_t> lines;
  std::vector<HidingBlock> hiding;
  if (Status done = writer.Begin(header.blocks); !done) return done;
  if (Status done = AppendGroups(store, writer, lines, hiding); !done) return done;
  writer.End(header.blocks);
  header.num_hiding = hiding.size();
  const uint64_t blocks_checksum = header.blocks.checksum;
  PlaceSections(header, BytesOfHiding(hiding));
  header.blocks.checksum = blocks_checksum;
  if (Status done = writer.Begin(header.lines); !done) return done;
  if (Status done = writer.Append(std::as_bytes(std::span(lines))); !done) return done;
  writer.End(header.lines);
  if (Status done = writer.Begin(header.side_table); !done) return done;
  if (Status done = AppendHiding(hiding, writer); !done) return done;
  writer.End(header.side_table);

  Seal(header);
  return sink.Overwrite(0, BytesOf(header));
}

Result<FingerprintHeader> ReadFingerprintHeader(const OpenedSnapshot& snapshot) {
  auto header = snapshot.HeaderAs<FingerprintHeader>(SnapshotType::kCountingFilter);
  if (!header) return header;
  if (Status valid = CheckNumbers(*header); !valid) return valid.error();
  if (Status placed = CheckPlaces(*header, snapshot.num_bytes()); !placed) return placed.error();
  return header;
}

Result<FingerprintContents> ReadFingerprintSections(const ByteSource& source,
                                                    const FingerprintHeader& header,
                                                    uint64_t limit_bytes,
                                                    const DigestKey& digest_key,
                                                    uint64_t used_bytes) {
  const Result<DigestPolicy> policy =
      PolicyOfFile(header.start.digest_kind, header.start.seed, digest_key);
  if (!policy) return policy.error();
  const Geometry geometry = GeometryOf(header);
  const char* const needs = used_bytes == 0 ? "the filter needs" : "the filter needs at least";
  if (Status fits = CheckMemoryLimit(needs, used_bytes + geometry.num_bytes(), limit_bytes);
      !fits) {
    return fits.error();
  }
  Result<std::unique_ptr<FingerprintStore>> created =
      FingerprintStore::Create(geometry, limit_bytes);
  if (!created) return created.error();
  FingerprintStore& store = **created;
  Status read = CheckZeros(source, sizeof(FingerprintHeader), header.blocks.offset);
  if (read) read = ReadSection(source, header.blocks, "blocks", WritableBytes(store.blocks()));
  const uint64_t blocks_end = header.blocks.offset + header.blocks.num_bytes;
  if (read) read = CheckZeros(source, blocks_end, header.lines.offset);
  if (read) read = ReadSection(source, header.lines, "lines", WritableBytes(store.lines()));
  const uint64_t lines_end = header.lines.offset + header.lines.num_bytes;
  if (read) read = CheckZeros(source, lines_end, header.side_table.offset);
  if (read) read = HiddenReader(source, header, store).ReadAll();
  if (!read) return read.error();
  uint64_t num_keys = 0;
  uint64_t bad_block = 0;
  if (!store.Adopt(num_keys, bad_block)) {
    return CorruptAt(header.blocks.offset + bad_block * kBlockBytes,
                     "a block, its overflow line or its hidden keys are not what its keys make");
  }
  if (num_keys != header.num_keys) {
    return CorruptAt(offsetof(FingerprintHeader, num_keys), "num_keys is not what the blocks hold");
  }
  if (Status fits = CheckMemoryLimit(needs, used_bytes + store.num_bytes(), limit_bytes); !fits) {
    return fits.error();
  }
  const FilterFacts facts{.policy = *policy,
                          .capacity = header.capacity,
                          .target_fpr = header.target_fpr,
                          .num_keys = header.num_keys};
  return FingerprintContents{*std::move(created), facts};
}

Result<FingerprintContents> ReadFingerprintSnapshot(const OpenedSnapshot& snapshot,
                                                    uint64_t limit_bytes,
                                                    const DigestKey& digest_key) {
  const Result<FingerprintHeader> header = ReadFingerprintHeader(snapshot);
  if (!header) return header.error();
  return ReadFingerprintSections(snapshot.source(), *header, limit_bytes, digest_key);
}

}  // namespace trommel
