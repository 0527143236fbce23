// Reading snapshots. Checksums first, for they name an accident best; then everything again as if
// there were none, because a forger can compute checksums, too.
#include <algorithm>
#include <array>
#include <string>

#include "engine/src/blocks/block_audit.h"
#include "engine/src/disk/checksum.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/padding.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "engine/src/snapshots/snapshot_side_table.h"

namespace trommel {
namespace {

constexpr size_t kPiece = size_t{1} << 20;  // still in the cache when it is summed

// Copies a section to where it will live.
Status ReadSection(const ByteSource& source, const SectionRecord& section, std::string_view name,
                   std::span<std::byte> into) {
  Checksum sum;
  for (uint64_t done = 0; done < section.num_bytes;) {
    const size_t piece = std::min<uint64_t>(section.num_bytes - done, kPiece);
    const auto part = into.subspan(done, piece);
    if (Status read = source.ReadAt(section.offset + done, part); !read) return read;
    sum.Add(part);
    done += piece;
  }
  return CheckSectionSum(section, sum.Value(), name);
}

// Blocks, side table and header must tell the same story. The blocks come first: putting an entry
// into the store writes the block's words anew, and would hide what was wrong with them.
Status CheckBlocks(const SnapshotHeader& header, const BlockStore& store,
                   SideTableReader& side_table) {
  const BlockAudit audit = AuditBlocks(store);
  if (audit.bad_block) {
    const uint64_t block_bytes = header.counts.num_bytes / header.num_blocks;
    return CorruptAt(header.counts.offset + *audit.bad_block * block_bytes, audit.reason);
  }
  if (Status read = side_table.ReadEntries(); !read) return read;
  // Every entry's block was marked, so equal numbers mean that every marked block has an entry.
  if (audit.num_promoted != side_table.num_entries()) {
    return CorruptAt(header.side_table.offset, "the side table lacks a block marked as promoted");
  }
  if (header.num_promoted != side_table.num_entries()) {
    return CorruptAt(offsetof(SnapshotHeader, num_promoted),
                     "num_promoted is not the number of blocks in the side table");
  }
  if (header.num_keys < side_table.num_keys() ||
      header.num_keys - side_table.num_keys() != audit.num_keys) {
    return CorruptAt(offsetof(SnapshotHeader, num_keys), "num_keys is not what the blocks hold");
  }
  return Ok();
}

}  // namespace

Result<FilterContents> ReadSnapshot(const ByteSource& source, uint64_t limit_bytes,
                                    const DigestKey& digest_key) {
  std::array<std::byte, sizeof(SnapshotHeader)> buffer;
  const auto start = std::span(buffer).first(std::min<uint64_t>(source.num_bytes(), buffer.size()));
  if (Status read = source.ReadAt(0, start); !read) return read.error();
  const Result<SnapshotHeader> parsed = ParseHeader(start, source.num_bytes());
  if (!parsed) return parsed.error();
  const SnapshotHeader& header = *parsed;
  const Result<DigestPolicy> policy = PolicyOfFile(header.digest_kind, header.seed, digest_key);
  if (!policy) return policy.error();

  const Geometry geometry = GeometryOf(header);
  const uint64_t limit = limit_bytes != 0 ? limit_bytes : PhysicalMemoryBytes();
  const auto over_limit = [&](uint64_t num_bytes) {
    return Error{ErrorCode::kOutOfMemory, "the filter needs " + std::to_string(num_bytes) +
                                              " bytes, more than the limit of " +
                                              std::to_string(limit) + " bytes"};
  };
  // At least: an entry of the side table has a word for its block and one for each slice. There are
  // no more entries than the section has room for, whatever the header says.
  const uint64_t most_entries =
      header.side_table.num_bytes / (sizeof(SideEntryHeader) + SideCounterBytes(geometry, 1));
  const uint64_t least_bytes = geometry.num_bytes() + std::min(header.num_promoted, most_entries) *
                                                          8 * (uint64_t{geometry.num_slices} + 1);
  if (least_bytes > limit) return over_limit(least_bytes);
  Result<BlockStore> store = BlockStore::Create(geometry, limit_bytes);
  if (!store) return store.error();

  const auto words_of = [](const BlockMemory& memory) {
    return std::as_writable_bytes(std::span(memory.data(), memory.num_words()));
  };
  Status read = CheckZeros(source, sizeof(header), header.presence.offset);
  if (read) read = ReadSection(source, header.presence, "presence", words_of(store->presence()));
  if (read) {
    read = CheckZeros(source, header.presence.offset + header.presence.num_bytes,
                      header.counts.offset);
  }
  if (read) read = ReadSection(source, header.counts, "counts", words_of(store->counts()));
  if (read) {
    read = CheckZeros(source, header.counts.offset + header.counts.num_bytes,
                      header.side_table.offset);
  }
  SideTableReader side_table(source, header.side_table, *store);
  if (read) read = side_table.CheckSum();
  if (read) read = CheckBlocks(header, *store, side_table);
  if (!read) return read.error();
  if (store->num_bytes() > limit) return over_limit(store->num_bytes());

  const FilterFacts facts{.policy = *policy,
                          .capacity = header.capacity,
                          .target_fpr = header.target_fpr,
                          .num_keys = header.num_keys};
  return FilterContents{*std::move(store), facts};
}

}  // namespace trommel
