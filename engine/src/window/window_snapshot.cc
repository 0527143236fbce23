// Window filters written and read.
#include "engine/src/window/window_snapshot.h"

#include <algorithm>
#include <map>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/src/base/rounding.h"
#include "engine/src/keys/digest_policy.h"
#include "engine/src/snapshots/opened_snapshot.h"
#include "engine/src/snapshots/sections.h"
#include "engine/src/window/window_filter_impl.h"
#include "engine/src/window/window_sizing.h"

namespace trommel {
namespace {

constexpr uint64_t kBlockBytes = kernels::kFingerprintBlockWords * sizeof(uint32_t);

Geometry GeometryOf(const WindowHeader& header) {
  return {.num_slices = 0,
          .encoding = Encoding::kFingerprints16,
          .shard_bits = header.shard_bits,
          .num_blocks = header.num_blocks,
          .fingerprint_bits = header.fingerprint_bits};
}

struct LiveBuckets {
  explicit LiveBuckets(const TimeBuckets& times, uint64_t now) : current(times.BucketOf(now)) {
    first = current > times.num_buckets ? current - times.num_buckets : 0;
  }
  uint64_t size() const { return current - first + 1; }

  uint64_t first = 0;
  uint64_t current;
};

void PlaceSections(WindowHeader& header, uint64_t num_live, uint64_t side_table_bytes) {
  header.blocks.offset = kPageAlignment;
  header.blocks.num_bytes = header.num_blocks * kBlockBytes;
  header.lines.offset = RoundUp(header.blocks.offset + header.blocks.num_bytes, kPageAlignment);
  header.lines.num_bytes = GeometryOf(header).num_bytes() - header.blocks.num_bytes;
  header.keys.offset = RoundUp(header.lines.offset + header.lines.num_bytes, kSideTableAlignment);
  header.keys.num_bytes = num_live * sizeof(uint64_t);
  header.side_table.offset =
      RoundUp(header.keys.offset + header.keys.num_bytes, kSideTableAlignment);
  header.side_table.num_bytes = side_table_bytes;
  header.file_bytes = header.side_table.offset + side_table_bytes;
}

std::vector<SideCopiesEntry> SideEntriesOf(const StampedStore& store) {
  std::vector<SideCopiesEntry> entries;
  for (const uint64_t b : store.BlocksWithSide()) {
    for (const BucketKey& copies : store.SideOf(b)) {
      entries.push_back({.block_idx = b,
                         .bucket = copies.bucket,
                         .count = copies.count,
                         .fingerprint = copies.fingerprint,
                         .reserved = 0});
    }
  }
  return entries;
}

Status AppendSection(std::span<const std::byte> bytes, SectionRecord& section,
                     SectionWriter& writer) {
  if (Status done = writer.Begin(section); !done) return done;
  if (Status done = writer.Append(bytes); !done) return done;
  writer.End(section);
  return Ok();
}

// --- Reading.

Status CheckNumbers(const WindowHeader& header) {
  if (header.fingerprint_bits != kernels::kStampedBits16 &&
      header.fingerprint_bits != kernels::kStampedBits24) {
    return UnknownAt(offsetof(WindowHeader, fingerprint_bits), "the fingerprint's length",
                     header.fingerprint_bits, "12 (slots of 16 bits) and 16 (slots of 24 bits)");
  }
  if (header.is_erasable > 1) {
    return CorruptAt(offsetof(WindowHeader, is_erasable), "is_erasable is neither 0 nor 1");
  }
  if (Status valid = Validate(GeometryOf(header)); !valid) {
    return CorruptAt(offsetof(WindowHeader, shard_bits), valid.error().message);
  }
  if (header.fingerprint_bits == kernels::kStampedBits16 &&
      header.num_buckets > kMaxSlots16Buckets) {
    return CorruptAt(offsetof(WindowHeader, num_buckets),
                     "more buckets than slots of 16 bits can have");
  }
  return CheckReserved(header.zeros, offsetof(WindowHeader, zeros));
}

// Sections are where, and as large as, the header says; the side table takes what is left.
Status CheckPlaces(const WindowHeader& header, uint64_t num_live, uint64_t file_bytes) {
  if (Status whole = CheckFileBytes(file_bytes, header.file_bytes); !whole) return whole;
  WindowHeader expected = header;
  PlaceSections(expected, num_live, 0);
  if (expected.file_bytes > file_bytes) {
    return CorruptAt(offsetof(WindowHeader, num_blocks), std::to_string(header.num_blocks) +
                                                             " blocks do not fit in a file of " +
                                                             std::to_string(file_bytes) + " bytes");
  }
  PlaceSections(expected, num_live, file_bytes - expected.file_bytes);
  const auto is_same = [](const SectionRecord& a, const SectionRecord& b) {
    return a.offset == b.offset && a.num_bytes == b.num_bytes;
  };
  if (is_same(header.blocks, expected.blocks) && is_same(header.lines, expected.lines) &&
      is_same(header.keys, expected.keys) && is_same(header.side_table, expected.side_table) &&
      header.side_table.num_bytes % sizeof(SideCopiesEntry) == 0) {
    return Ok();
  }
  return CorruptAt(offsetof(WindowHeader, blocks),
                   "the sections are not where the geometry wants them");
}

std::span<std::byte> WritableBytes(const BlockMemory& memory) {
  return std::as_writable_bytes(std::span(memory.data(), memory.num_words()));
}

// The side table into the store, block by block.
Status ReadSide(const ByteSource& source, const SectionRecord& section, StampedStore& store) {
  constexpr size_t kPiece = 4096;  // entries
  std::vector<SideCopiesEntry> piece;
  std::vector<BucketKey> of_block;
  Checksum sum;
  SideCopiesEntry last{};
  const uint64_t num_entries = section.num_bytes / sizeof(SideCopiesEntry);
  for (uint64_t done = 0; done < num_entries; done += piece.size()) {
    piece.resize(std::min<uint64_t>(kPiece, num_entries - done));
    const auto bytes = std::as_writable_bytes(std::span(piece));
    const uint64_t at = section.offset + done * sizeof(SideCopiesEntry);
    if (Status read = source.ReadAt(at, bytes); !read) return read;
    sum.Add(bytes);
    for (size_t i = 0; i < piece.size(); ++i) {
      const SideCopiesEntry& entry = piece[i];
      const uint64_t entry_at = at + i * sizeof(SideCopiesEntry);
      if (entry.block_idx >= store.geometry().num_blocks) {
        return CorruptAt(entry_at, "the side table names a block that does not exist");
      }
      // The store keeps fewer bits than the entry has.
      if (entry.fingerprint == 0 || entry.fingerprint >> store.geometry().fingerprint_bits != 0) {
        return CorruptAt(entry_at + offsetof(SideCopiesEntry, fingerprint),
                         "the side table has a fingerprint of another length");
      }
      const BucketKey copies{entry.fingerprint, entry.bucket, entry.count};
      const bool is_first = done + i == 0 || entry.block_idx != last.block_idx;
      if (entry.reserved != 0 || entry.count == 0 || entry.count > kMaxSnapshotKeys ||
          (done + i > 0 && entry.block_idx < last.block_idx) ||
          (!is_first && !ComesBefore(of_block.back(), copies))) {
        return CorruptAt(entry_at, "entries of the side table do not ascend, or have no count");
      }
      if (is_first && !of_block.empty()) {
        store.AdoptSide(last.block_idx, of_block);
        of_block.clear();
      }
      of_block.push_back(copies);
      last = entry;
    }
  }
  if (!of_block.empty()) store.AdoptSide(last.block_idx, of_block);
  return CheckSectionSum(section, sum.Value(), "side table");
}

// The keys of buckets are what the blocks hold, or, where insertions of a key that is in leave one
// copy, no fewer.
Status CheckKeys(const WindowHeader& header, const WindowImage& image, const LiveBuckets& live) {
  std::vector<uint64_t> held(live.size());
  for (uint64_t b = 0; b < header.num_blocks; ++b) {
    for (const BucketKey& copies : image.store.ReadContents(b, live.first)) {
      uint64_t& of_bucket = held[copies.bucket - live.first];
      if (copies.count > kMaxSnapshotKeys - of_bucket) {
        return CorruptAt(header.side_table.offset, "a bucket has more keys than can be counted");
      }
      of_bucket += copies.count;
    }
  }
  uint64_t total = 0;
  for (size_t i = 0; i < held.size(); ++i) {
    const uint64_t num_keys = image.keys_of_buckets[i];
    const uint64_t at = header.keys.offset + i * sizeof(uint64_t);
    const bool is_right = header.is_erasable == 1 ? num_keys == held[i] : num_keys >= held[i];
    if (!is_right) return CorruptAt(at, "a bucket's keys are not what the blocks hold");
    if (num_keys > kMaxSnapshotKeys - total) {
      return CorruptAt(at, "all buckets together hold more keys than can be counted");
    }
    total += num_keys;
  }
  return Ok();
}

Status ReadSections(const ByteSource& source, const WindowHeader& header, WindowImage& image) {
  const auto end_of = [](const SectionRecord& section) {
    return section.offset + section.num_bytes;
  };
  StampedStore& store = image.store;
  Status read = CheckZeros(source, sizeof(WindowHeader), header.blocks.offset);
  if (read) read = ReadSection(source, header.blocks, "blocks", WritableBytes(store.blocks()));
  if (read) read = CheckZeros(source, end_of(header.blocks), header.lines.offset);
  if (read) read = ReadSection(source, header.lines, "lines", WritableBytes(store.lines()));
  if (read) read = CheckZeros(source, end_of(header.lines), header.keys.offset);
  const auto keys = std::as_writable_bytes(std::span(image.keys_of_buckets));
  if (read) read = ReadSection(source, header.keys, "keys", keys);
  if (read) read = CheckZeros(source, end_of(header.keys), header.side_table.offset);
  if (read) read = ReadSide(source, header.side_table, store);
  return read;
}

}  // namespace

Result<std::unique_ptr<WindowFilter::Impl>> WindowFilter::Impl::ReadFrom(
    const OpenedSnapshot& snapshot, uint64_t limit_bytes, const DigestKey& digest_key) {
  const auto header = snapshot.HeaderAs<WindowHeader>(SnapshotType::kWindowFilter);
  if (!header) return header.error();
  if (Status valid = CheckNumbers(*header); !valid) return valid.error();
  const Result<DigestPolicy> policy =
      PolicyOfFile(header->start.digest_kind, header->start.seed, digest_key);
  if (!policy) return policy.error();
  WindowSettings settings{.times = {header->window, header->num_buckets},
                          .policy = *policy,
                          .executor = nullptr,
                          .capacity = header->capacity,
                          .target_fpr = header->target_fpr,
                          .memory_limit_bytes = limit_bytes};
  if (const Status valid = ValidateWindow(settings); !valid) {
    return CorruptAt(offsetof(WindowHeader, num_buckets), valid.error().message);
  }
  const LiveBuckets live(settings.times, header->now);
  if (Status placed = CheckPlaces(*header, live.size(), snapshot.num_bytes()); !placed) {
    return placed.error();
  }
  Result<StampedStore> store =
      StampedStore::Create(GeometryOf(*header), header->is_erasable == 1, limit_bytes);
  if (!store) return store.error();
  WindowImage image{.store = *std::move(store),
                    .now = header->now,
                    .keys_of_buckets = std::vector<uint64_t>(live.size())};
  if (Status read = ReadSections(snapshot.source(), *header, image); !read) return read.error();
  image.store.AdoptGroups(live.first);
  uint64_t bad_block = 0;
  if (!image.store.IsCanonical(live.first, live.current, bad_block)) {
    return CorruptAt(header->blocks.offset + bad_block * kBlockBytes,
                     "a block, its overflow line or its side table is not what its keys make");
  }
  if (Status right = CheckKeys(*header, image, live); !right) return right.error();
  return std::make_unique<Impl>(std::move(settings), std::move(image));
}

// --- Writing.

WindowImage WindowFilter::Impl::Image() {
  Result<StampedStore> copy = StampedStore::Create(store_.geometry(), store_.is_erasable(), 0);
  if (!copy) throw std::bad_alloc();
  WindowImage image{.store = *std::move(copy), .now = 0, .keys_of_buckets = {}};
  std::map<uint64_t, uint64_t> keys_of;
  const size_t ranges_per_lock = store_.num_owned_ranges() >> locks_.lock_bits();
  for (size_t l = 0; l < locks_.num_locks(); ++l) {
    // While it is inside, no counters of a bucket that is live for it are used again.
    const WindowClock::Inside inside = clock_.Enter();
    const RangeLocks::Held held = locks_.Hold(l, locks_.lock_bits());
    for (size_t r = l * ranges_per_lock; r < (l + 1) * ranges_per_lock; ++r) {
      image.store.CopyOwnedRange(store_, r);
    }
    // Another thread may be updating a bucket that has been entered since.
    const uint64_t first = clock_.FirstLive(inside.moment().bucket);
    const uint64_t num_used =
        std::min(clock_.latest_bucket() - inside.first_kept(), uint64_t{keys_of_.size()} - 1) -
        (first - inside.first_kept());
    for (uint64_t i = 0; i <= num_used; ++i) {
      keys_of[first + i] += KeysOf(first + i).num_keys_of(l);
    }
  }
  image.now = clock_.now();
  const LiveBuckets live(settings.times, image.now);
  image.store.MakeCanonical(live.first);
  for (uint64_t i = 0; i < live.size(); ++i) {
    image.keys_of_buckets.push_back(keys_of[live.first + i]);
  }
  return image;
}

Status WindowFilter::Impl::WriteTo(ByteSink& sink) {
  const WindowImage image = Image();
  const Geometry& geometry = image.store.geometry();
  const std::vector<SideCopiesEntry> side = SideEntriesOf(image.store);
  WindowHeader header = {};
  header.start = StartOf(SnapshotType::kWindowFilter, settings.policy);
  header.start.version = kSecondVersion;
  header.fingerprint_bits = geometry.fingerprint_bits;
  header.is_erasable = image.store.is_erasable() ? 1 : 0;
  header.shard_bits = geometry.shard_bits;
  header.num_buckets = settings.times.num_buckets;
  header.num_blocks = geometry.num_blocks;
  header.capacity = settings.capacity;
  header.target_fpr = settings.target_fpr;
  header.window = settings.times.window;
  header.now = image.now;
  PlaceSections(header, image.keys_of_buckets.size(), std::span(side).size_bytes());
  // Zeros take the header's place until all checksums are known: no half-written file has one.
  sink.Reserve(header.file_bytes);
  const WindowHeader blank = {};
  if (Status done = sink.Append(BytesOf(blank)); !done) return done;
  SectionWriter writer(sink, sizeof(header));
  Status done = AppendSection(image.store.blocks().bytes(), header.blocks, writer);
  if (done) done = AppendSection(image.store.lines().bytes(), header.lines, writer);
  const auto keys = std::as_bytes(std::span(image.keys_of_buckets));
  if (done) done = AppendSection(keys, header.keys, writer);
  if (done) done = AppendSection(std::as_bytes(std::span(side)), header.side_table, writer);
  if (!done) return done;
  Seal(header);
  return sink.Overwrite(0, BytesOf(header));
}

}  // namespace trommel
