// Reading snapshots. Checksums first, for they name an accident best; then everything again as if
// there were none, because a forger can compute checksums, too.
#include <algorithm>
#include <array>
#include <string>

#include "engine/src/base/memory_limit.h"
#include "engine/src/blocks/block_audit.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/sections.h"
#include "engine/src/snapshots/snapshot.h"
#include "engine/src/snapshots/snapshot_format.h"
#include "engine/src/snapshots/snapshot_side_table.h"

namespace trommel {
namespace {

// --- The header.

// Refuses blocks that a later library could write, and those that an earlier one wrote.
Status CheckKnown(const SnapshotHeader& header) {
  constexpr uint32_t kRetiredPlanes = 16;  // slices
  if (header.encoding > static_cast<uint32_t>(Encoding::kRuns)) {
    return UnknownAt(offsetof(SnapshotHeader, encoding), "the encoding", header.encoding,
                     "0 (planes) and 1 (runs)");
  }
  if (GeometryOf(header).encoding == Encoding::kPlanes && header.num_slices == kRetiredPlanes) {
    return Error{ErrorCode::kVersion,
                 "at byte " + std::to_string(offsetof(SnapshotHeader, num_slices)) +
                     " the shape is planes of 16 slices, which this library reads no longer"};
  }
  return Ok();
}

Status CheckNumbers(const SnapshotHeader& header) {
  if (Status valid = Validate(GeometryOf(header)); !valid) {
    return CorruptAt(offsetof(SnapshotHeader, num_slices), valid.error().message);
  }
  if (Status valid = CheckSizedFor(header.capacity, header.target_fpr, kMinTargetFpr, kMaxTargetFpr,
                                   offsetof(SnapshotHeader, capacity));
      !valid) {
    return valid;
  }
  if (Status valid = CheckNumKeys(header.num_keys, offsetof(SnapshotHeader, num_keys)); !valid) {
    return valid;
  }
  if (header.reserved != 0) {
    return CorruptAt(offsetof(SnapshotHeader, reserved), "reserved bytes are not zero");
  }
  return CheckReserved(header.zeros, offsetof(SnapshotHeader, zeros));
}

// Sections are where, and as large as, the geometry says; the side table takes what is left.
Status CheckPlaces(const SnapshotHeader& header, uint64_t file_bytes) {
  if (Status whole = CheckFileBytes(file_bytes, header.file_bytes); !whole) return whole;
  SnapshotHeader expected = header;
  PlaceSections(expected, 0);
  if (expected.file_bytes > file_bytes) {
    return CorruptAt(offsetof(SnapshotHeader, num_blocks),
                     std::to_string(header.num_blocks) + " blocks do not fit in a file of " +
                         std::to_string(file_bytes) + " bytes");
  }
  PlaceSections(expected, file_bytes - expected.file_bytes);
  const auto check = [](uint64_t at, const SectionRecord& found, const SectionRecord& wanted) {
    if (found.offset == wanted.offset && found.num_bytes == wanted.num_bytes) return Ok();
    return Status(CorruptAt(at, "a section of " + std::to_string(found.num_bytes) +
                                    " bytes at byte " + std::to_string(found.offset) +
                                    ", where the geometry wants " +
                                    std::to_string(wanted.num_bytes) + " bytes at byte " +
                                    std::to_string(wanted.offset)));
  };
  Status placed = check(offsetof(SnapshotHeader, presence), header.presence, expected.presence);
  if (placed) placed = check(offsetof(SnapshotHeader, counts), header.counts, expected.counts);
  if (placed) {
    placed = check(offsetof(SnapshotHeader, side_table), header.side_table, expected.side_table);
  }
  return placed;
}

// --- The sections.

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

Result<SnapshotHeader> ReadHeader(const OpenedSnapshot& snapshot) {
  const auto header = snapshot.HeaderAs<SnapshotHeader>(SnapshotType::kCountingFilter);
  if (!header) return header;
  if (header->start.version != kSnapshotVersion) {
    return Error{ErrorCode::kMismatch,
                 "this is the snapshot of a filter of fingerprints, where one of presence bits is "
                 "wanted"};
  }
  if (Status known = CheckKnown(*header); !known) return known.error();
  if (Status valid = CheckNumbers(*header); !valid) return valid.error();
  if (Status placed = CheckPlaces(*header, snapshot.num_bytes()); !placed) return placed.error();
  return header;
}

Result<FilterContents> ReadSnapshot(const OpenedSnapshot& snapshot, uint64_t limit_bytes,
                                    const DigestKey& digest_key) {
  const Result<SnapshotHeader> header = ReadHeader(snapshot);
  if (!header) return header.error();
  return ReadSections(snapshot.source(), *header, limit_bytes, digest_key);
}

Result<FilterContents> ReadSections(const ByteSource& source, const SnapshotHeader& header,
                                    uint64_t limit_bytes, const DigestKey& digest_key,
                                    uint64_t used_bytes) {
  const Result<DigestPolicy> policy =
      PolicyOfFile(header.start.digest_kind, header.start.seed, digest_key);
  if (!policy) return policy.error();
  const Geometry geometry = GeometryOf(header);
  // At least: an entry of the side table has a word for its block and one for each slice. There are
  // no more entries than the section has room for, whatever the header says.
  const uint64_t most_entries =
      header.side_table.num_bytes / (sizeof(SideEntryHeader) + SideCounterBytes(geometry, 1));
  const uint64_t least_bytes = geometry.num_bytes() + std::min(header.num_promoted, most_entries) *
                                                          8 * (uint64_t{geometry.num_slices} + 1);
  const char* const needs = used_bytes == 0 ? "the filter needs" : "the filter needs at least";
  if (Status fits = CheckMemoryLimit(needs, used_bytes + least_bytes, limit_bytes); !fits) {
    return fits.error();
  }
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
  if (read) read = CheckMemoryLimit(needs, used_bytes + store->num_bytes(), limit_bytes);
  if (!read) return read.error();

  const FilterFacts facts{.policy = *policy,
                          .capacity = header.capacity,
                          .target_fpr = header.target_fpr,
                          .num_keys = header.num_keys};
  return FilterContents{*std::move(store), facts};
}

}  // namespace trommel
